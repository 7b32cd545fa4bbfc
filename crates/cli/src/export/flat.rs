//! `export --format tbl` and `--format tbc`: writes flat files, see [`format::flat`].

use super::failure::failure;
use super::folder::{edition_of, materials_of};
use crate::args::ExportArgs;
use crate::console::Console;
use crate::game::Game;
use crate::pool::pool;
use crate::progress::Watch;
use crate::remedy::solve_for;
use crate::{Answer, Failure, Outcome};
use ::plan::{Job, Plan, Request};
use format::flat::{FlatOptions, FlatTablebase, Form, write};
use library::figure::{bytes, plural, seconds};
use library::{Edition, FolderLock, PROGRAM, PlannedTables, TableFiles};
use rayon::ThreadPool;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Instant;
use variant::{Material, Metric};

pub(super) fn run(console: &mut Console<'_>, args: &ExportArgs, form: Form) -> Outcome {
    if args.rounded {
        return Err(Failure::new("--rounded is for --format syzygy; flat files have every ply"));
    }
    if args.wide && form == Form::Wdl {
        return Err(Failure::new("--wide is for --format tbl; a .tbc has two bits a position"));
    }
    let game = Game::of_folder(args.variant.as_deref(), &args.tables)?;
    game.tell_tables(console, &args.table)?;
    let held = match form {
        Form::Distances => args.metric.unwrap_or(game.variant.default_metric),
        Form::Wdl => args.metric.unwrap_or(Metric::Wdl),
    };
    form.check_metric(held).map_err(Failure::new)?;
    let edition = edition_of(&game, &args.tables, held)?;
    let wanted = wanted(&game, &edition, args, console.program.name)?;
    let lock = FolderLock::new(&args.out)?;
    lock.check_writable()?;
    let export = FlatExport {
        game: &game,
        edition,
        tables: &args.tables,
        out: &args.out,
        held,
        form,
        wide: args.wide,
        packed: args.gz,
        pool: &pool(args.threads)?,
    };
    export.write(console, &wanted)?;
    Ok(Answer::Yes)
}

/// What is written from where to where.
pub(crate) struct FlatExport<'a> {
    pub(crate) game: &'a Game,
    /// The tables that have the values.
    pub(crate) edition: Edition,
    pub(crate) tables: &'a Path,
    pub(crate) out: &'a Path,
    /// What the files hold.
    pub(crate) held: Metric,
    pub(crate) form: Form,
    pub(crate) wide: bool,
    pub(crate) packed: bool,
    pub(crate) pool: &'a ThreadPool,
}

impl FlatExport<'_> {
    /// Writes the files of these tables, and a line for each table.
    pub(crate) fn write(
        &self,
        console: &mut Console<'_>,
        wanted: &BTreeSet<Material>,
    ) -> Result<(), Failure> {
        let FlatExport { game, held, form, wide, packed, pool, .. } = *self;
        let n_men = wanted.iter().map(Material::n_men).max().unwrap_or(2);
        let plan = Plan::new(&game.variant, &Request::UpTo(n_men)).map_err(Failure::new)?;
        let files = TableFiles::new(self.edition.clone(), self.tables);
        let mut tables = PlannedTables::new(&files, &plan, wanted)?;
        let there = FlatTablebase::open(self.out, &game.variant, held);
        let mut sums: BTreeMap<Material, Option<[u8; 16]>> = BTreeMap::new();
        let places = tables.places();
        let watch = Watch::new(console.is_watched, &mut *console.err);
        watch.start(places.len(), tables.n_values());
        let (begin, mut n_tables, mut n_files, mut n_bytes) = (Instant::now(), 0, 0, 0);
        for place in places {
            let job = plan.job(place);
            let (begin, watching) = (Instant::now(), watch.begin(&job.name, job.n_values()));
            let table = pool.install(|| tables.get(place));
            let table = table.map_err(|error| failure(error, game, self.tables, console.program.name))?;
            let Some(table) = table else {
                watching.finish_silently();
                continue;
            };
            let options = FlatOptions {
                form,
                wide,
                packed,
                built: &format!("{PROGRAM}, solver {}", ::solve::VERSION),
                dependencies: &dependencies(job, &there, &mut sums),
            };
            let write = || write(self.out, &game.variant, files.edition().metric(), &table, &options);
            let written = pool.install(write).map_err(Failure::new)?;
            sums.insert(job.material.clone(), Some(written.sum));
            n_tables += 1;
            n_files += written.n_files;
            n_bytes += written.n_bytes;
            let files = plural(written.n_files, "file");
            let line =
                format!("{}: {files}, {}, {}", job.name, bytes(written.n_bytes), seconds(begin.elapsed()));
            watch.beside(|| writeln!(console.out, "{line}").and_then(|()| console.out.flush()))?;
            watching.finish_silently();
            tables.forget(place);
        }
        watch.close();
        let (n_tables, n_files) = (plural(n_tables, "table"), plural(n_files, "file"));
        let (size, time) = (bytes(n_bytes), seconds(begin.elapsed()));
        writeln!(console.out, "{n_tables} in {}: {n_files} of {held}, {size} ({time})", self.out.display())?;
        Ok(())
    }
}

/// The tables that are asked for, or all that the folder has.
pub(super) fn wanted(
    game: &Game,
    edition: &Edition,
    args: &ExportArgs,
    program: &str,
) -> Result<BTreeSet<Material>, Failure> {
    if !args.table.is_empty() {
        return args.table.iter().map(|name| game.material(name)).collect();
    }
    let found = materials_of(game, edition, &args.tables, args.men.unwrap_or(usize::MAX))?;
    match found.is_empty() {
        false => Ok(found),
        true => Err(Failure::new(format!(
            "{} has no tables of the metric {edition} that are asked for; {}",
            args.tables.display(),
            solve_for(program, &game.path, None, &[edition.metric()], &args.tables)
        ))),
    }
}

/// The tables that a table was computed from, each with the sum of its flat files.
fn dependencies(
    job: &Job,
    there: &FlatTablebase,
    sums: &mut BTreeMap<Material, Option<[u8; 16]>>,
) -> Vec<(String, Option<[u8; 16]>)> {
    let needs: BTreeMap<&str, &Material> =
        job.needs.iter().map(|need| (need.name.as_str(), &need.material)).collect();
    let sum = |(name, material): (&str, &Material)| {
        let sum = *sums.entry(material.clone()).or_insert_with(|| there.sum(material));
        (name.to_owned(), sum)
    };
    needs.into_iter().map(sum).collect()
}
