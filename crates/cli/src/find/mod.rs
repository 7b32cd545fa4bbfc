//! `find`: prints the positions of tables that satisfy conditions.

mod args;
mod parquet;
mod stop;
mod writer;

use crate::console::Console;
use crate::export::edition_of;
use crate::game::{DEFAULT_VARIANT, Game};
use crate::glob::chosen;
use crate::grid::{Align, Grid};
use crate::planning::Planning;
use crate::pool::pool;
use crate::progress::{JobWatch, Watch};
use crate::remedy::solve_for;
use crate::{Answer, Failure, Outcome};
use ::find::{Hit, Query, Sample, Search, Tally, words};
use ::plan::{JobId, Request};
pub(crate) use args::FindArgs;
use library::figure::{count, plural, seconds};
use library::{Folder, LoadRequest, LoadedTables, TableFiles, for_each_loaded};
use probe::Tablebase;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::io::Write;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::{Duration, Instant};
pub(crate) use stop::Stop;
use variant::{Material, Metric};
use writer::Writer;

/// The most positions on a terminal, unless somebody asks. A file or a program gets all of them.
const MAX_ON_TERMINAL: u64 = 1000;

/// How much memory decompressed blocks may take when moves are written.
const CACHE_BYTES: usize = 256 << 20;

pub(crate) fn run(console: &mut Console<'_>, args: &FindArgs) -> Outcome {
    if args.words {
        return print_words(console);
    }
    let game = match &args.tables {
        Some(folder) if folder.is_dir() => Game::of_folder(args.variant.as_deref(), folder)?,
        _ => Game::find(args.variant.as_deref(), DEFAULT_VARIANT)?,
    };
    let folder = game.tables(args.tables.as_deref());
    let metric = args.metric.unwrap_or(game.variant.default_metric);
    let text = args.condition.as_deref().unwrap_or_default();
    let query = Query::parse(&game.variant, metric, text).map_err(Failure::new)?;
    if !folder.is_dir() {
        let solve = solve_for(console.program.name, &game.path, None, query.metrics(), &folder);
        return Err(Failure::new(format!("there is no folder {}: {solve}", folder.display())));
    }
    let files = files(&game, &folder, query.metrics())?;
    let wanted = wanted(&game, &folder, &files, args, console.program.name)?;
    let tables = Folder::new(&folder, game.variant.clone()).tablebases(CACHE_BYTES).map_err(Failure::new)?;
    let limit = args.limit.or(console.out_width.map(|_| MAX_ON_TERMINAL)).filter(|_| args.sample.is_none());
    let plan = game
        .plan(&Request::Tables(wanted.iter().cloned().collect()), &mut Planning::new(console.is_watched))?;
    let load = LoadRequest {
        files: &files,
        plan: &plan,
        wanted: &wanted,
        sides: &query.sides(),
        one_will_do: query.is_content_with_one_side(),
        with_successors: query.uses_moves() && !query.is_content_with_one_side(),
    };
    let mut run = Run {
        args,
        game: &game,
        query: &query,
        folder: tables.of(files[0].edition().metric()),
        limit,
        sample: args.sample.map(|size| Sample::new(size as usize, args.seed)),
        writer: Writer::new(args.form, args.parquet.as_deref(), query.metrics())?,
        counts: Vec::new(),
    };
    let pool = pool(args.threads)?;
    let program = console.program.name;
    let watch = Watch::new(console.is_watched, &mut *console.err);
    let mut reading = Planning::new(console.is_watched);
    reading.phase("reading tables");
    let done = pool.install(|| run.search((&watch, reading), &mut *console.out, load));
    watch.close();
    done.map_err(|stop| stop.failure(&game, &folder, program))?;
    let sample = run.sample.take();
    let (writer, folder) = (&mut run.writer, run.folder);
    if let Some(sample) = sample {
        pool.install(|| writer.write_drawn(sample, folder, &mut *console.out))?;
    }
    run.writer.finish()?;
    run.finish(console)
}

/// A search over several tables.
struct Run<'a> {
    args: &'a FindArgs,
    game: &'a Game,
    query: &'a Query,
    /// Answers for the moves that are written.
    folder: &'a Tablebase,
    limit: Option<u64>,
    sample: Option<Sample>,
    writer: Writer,
    counts: Vec<(String, Tally, Duration)>,
}

impl Run<'_> {
    fn search(
        &mut self,
        (watch, reading): (&Watch<'_>, Planning),
        out: &mut (dyn Write + Send),
        load: LoadRequest<'_>,
    ) -> Result<(), Stop> {
        let n_values = |&place: &JobId| load.plan.job(place).n_values();
        let mut reading = Some(reading);
        let watching = RefCell::new(None);
        // A table may be there only because others are solved again from it, and counts like them.
        let loading = &mut |places: &[JobId], number: usize| {
            if reading.take().is_some() {
                watch.start(places.len(), places.iter().map(n_values).sum());
            }
            let place = places[number];
            let next = watch.begin(&load.plan.job(place).name, n_values(&place));
            watching.replace(Some(next)).into_iter().for_each(JobWatch::finish_silently);
        };
        let mut begin = Instant::now();
        let visit = &mut |loaded: LoadedTables| -> Result<ControlFlow<()>, Stop> {
            let LoadedTables { tables, successors } = loaded;
            let search =
                Search::new(&self.game.variant, self.query, tables, successors.as_ref(), Some(self.folder));
            let watching = watching.take().unwrap_or_else(|| watch.begin(search.name(), 1));
            let progress = |done, total| watching.show(done, total);
            let (args, writer, sample, limit) = (self.args, &mut self.writer, &mut self.sample, self.limit);
            let failed = |error: ::find::FindError| Failure::new(error);
            let tally = if args.count {
                search.count(&progress).map_err(failed)?
            } else if let Some(sample) = sample {
                search.sample(sample, &progress).map_err(failed)?
            } else {
                let mut trouble = None;
                let mut take = |hit: Hit| {
                    let is_full = |writer: &Writer| limit.is_some_and(|limit| writer.n_taken() >= limit);
                    if is_full(writer) {
                        return ControlFlow::Break(());
                    }
                    writer.take(hit);
                    if writer.is_due() || is_full(writer) {
                        let written = watch.beside(|| writer.write(&search, self.folder, out));
                        if let Err(error) = written {
                            trouble = Some(error);
                            return ControlFlow::Break(());
                        }
                    }
                    ControlFlow::Continue(())
                };
                let tally = search.run(&progress, &mut take).map_err(failed)?;
                watch.beside(|| writer.write(&search, self.folder, out))?;
                if let Some(error) = trouble {
                    return Err(error.into());
                }
                tally
            };
            watching.finish_silently();
            // Its time is also that of what it was solved again from.
            self.counts.push((search.name().to_owned(), tally, begin.elapsed()));
            begin = Instant::now();
            let is_full = self.limit.is_some_and(|limit| self.writer.n_taken() >= limit) && !self.args.count;
            Ok(if is_full { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
        };
        for_each_loaded(load, loading, visit)
    }

    /// Says how much was found.
    fn finish(self, console: &mut Console<'_>) -> Outcome {
        let mut all = Tally::default();
        self.counts.iter().for_each(|(_, tally, _)| all.add(*tally));
        if self.args.count {
            write!(console.out, "{}", self.table(all, console.out_width))?;
            return Ok(if all.n_found > 0 { Answer::Yes } else { Answer::No });
        }
        let time = self.counts.iter().map(|(_, _, time)| *time).sum();
        let tables = match &self.counts[..] {
            [(name, ..)] => name.clone(),
            counts => plural(counts.len() as u64, "table"),
        };
        let is_cut = self.limit.is_some_and(|limit| self.writer.n_taken() >= limit);
        let found = plural(all.n_found, "position");
        let (unreduced, searched) = (count(all.n_unreduced), count(all.n_searched));
        console.tell(&match (is_cut, self.args.sample) {
            (true, _) => {
                let limit = count(self.writer.n_taken());
                format!(
                    "{tables}: the first {limit}; --limit N writes more, --count counts all ({})",
                    seconds(time)
                )
            }
            (false, drawn) => {
                let drawn = drawn.map_or_else(String::new, |_| {
                    format!("{} drawn with seed {} of ", count(self.writer.n_taken()), self.args.seed)
                });
                format!(
                    "{tables}: {drawn}{found} modulo symmetry ({unreduced} on the whole board, like men told \
                     apart), {searched} searched ({})",
                    seconds(time)
                )
            }
        })?;
        Ok(if all.n_found > 0 { Answer::Yes } else { Answer::No })
    }

    /// How many positions each table has.
    fn table(&self, all: Tally, width: Option<usize>) -> String {
        let right = |name| (name, Align::Right);
        let mut grid = Grid::new(&[
            ("table", Align::Left),
            right("positions"),
            right("like men apart"),
            right("whole board"),
            right("searched"),
            right("time"),
        ]);
        let row = |name: &str, tally: Tally, time: Duration| {
            let counts = [tally.n_found, tally.n_orbits, tally.n_unreduced, tally.n_searched].map(count);
            std::iter::once(name.to_owned()).chain(counts).chain([seconds(time)]).collect()
        };
        for (name, tally, time) in &self.counts {
            grid.push(row(name, *tally, *time));
        }
        if self.counts.len() > 1 {
            let time = self.counts.iter().map(|(_, _, time)| *time).sum();
            grid.push(row("together", all, time));
        }
        grid.text(width)
    }
}

/// The files of each metric.
fn files(game: &Game, folder: &Path, metrics: &[Metric]) -> Result<Vec<TableFiles>, Failure> {
    let files = |&metric: &Metric| Ok(TableFiles::new(edition_of(game, folder, metric)?, folder));
    metrics.iter().map(files).collect()
}

/// The tables that are asked for.
fn wanted(
    game: &Game,
    folder: &Path,
    files: &[TableFiles],
    args: &FindArgs,
    program: &str,
) -> Result<BTreeSet<Material>, Failure> {
    let all = Folder::new(folder, game.variant.clone());
    let mut known: Option<BTreeSet<Material>> = None;
    for files in files {
        let own = all.materials(files.edition())?;
        known = Some(known.map_or_else(|| own.clone(), |known| known.intersection(&own).cloned().collect()));
    }
    let known = known.unwrap_or_default();
    let metrics: Vec<Metric> = files.iter().flat_map(|files| files.edition().metrics().to_vec()).collect();
    let missing = |material: Option<&str>| {
        let names: Vec<&str> = metrics.iter().map(|metric| metric.name()).collect();
        let what = material.unwrap_or("no table");
        let (verb, names) = (if material.is_some() { "is not there" } else { "is there" }, names.join(", "));
        let solve = solve_for(program, &game.path, material, &metrics, folder);
        Failure::new(format!("{what} {verb} with the metrics {names} in {}; {solve}", folder.display()))
    };
    let mut wanted = match args.material.is_empty() {
        true => known.clone(),
        false => chosen(&game.variant, &args.material, &known)?,
    };
    if let Some(absent) = wanted.iter().find(|material| !known.contains(material)) {
        return Err(missing(Some(&absent.name(&game.variant))));
    }
    wanted.retain(|material| args.men.is_none_or(|n_men| material.n_men() <= n_men));
    if wanted.is_empty() { Err(missing(None)) } else { Ok(wanted) }
}

/// The words of the language as they stand in docs/find.md.
fn print_words(console: &mut Console<'_>) -> Outcome {
    writeln!(console.out, "| word | looks at | meaning |\n| --- | --- | --- |")?;
    for word in words() {
        let code = |form: &str| format!("`{}`", form.trim());
        let forms: Vec<String> = word.forms.split(", ").map(code).collect();
        writeln!(console.out, "| {} | {} | {} |", forms.join(", "), word.cost, word.meaning)?;
    }
    Ok(Answer::Yes)
}
