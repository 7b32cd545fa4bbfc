//! Searches tables, and prints the positions, many at a time as they are found, or writes them into a
//! Parquet file.

use crate::{Answer, Console, Failure, Game, JobWatch, Out, Outcome, Report, count, plural, seconds};
use ::find::{Form, Hit, Query, Record, Sample, Search, Tally};
use library::LoadedTables;
use probe::Tablebase;
use rayon::prelude::*;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use variant::Metric;

/// The most positions on a terminal, unless the user asks. A file or a program gets all of them.
const MAX_ON_TERMINAL: u64 = 1000;

/// Find the positions of tables that satisfy conditions (docs/find.md explains the language)
#[derive(clap::Args, Debug)]
pub(crate) struct FindArgs {
    /// The tables, such as KPvKP or 'KR*vK*' [default: all of the folder]; or files of structures, .tss
    #[arg(value_name = "MATERIAL")]
    pub(crate) material: Vec<String>,
    /// The condition, such as "wtm win and moves.winning == 1"
    #[arg(long = "where", value_name = "CONDITION", required_unless_present = "words")]
    pub(crate) condition: Option<String>,
    /// Where the tables are; given several times, from each folder what those before have not [default:
    /// where solve writes]
    #[arg(long, value_name = "DIR")]
    pub(crate) tables: Vec<PathBuf>,
    /// The rules of the game: a file or a name [default: those of the tables, or chess]
    #[arg(long, value_name = "FILE")]
    pub(crate) variant: Option<PathBuf>,
    /// The metric that words without a metric are about [default: the metric of the rules]
    #[arg(long, value_name = "METRIC")]
    pub(crate) metric: Option<Metric>,
    /// Only tables of up to N men, kings included
    #[arg(long, value_name = "N")]
    pub(crate) men: Option<usize>,
    /// How the positions are written: epd, fen, jsonl, csv, or pgn (the main line, only moves marked)
    #[arg(long, value_name = "FORM", default_value = "epd")]
    pub(crate) form: Form,
    /// Write at most N positions, the first ones [default: 1000 on a terminal, all elsewhere]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), conflicts_with = "sample")]
    pub(crate) limit: Option<u64>,
    /// Write a random choice of N positions
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) sample: Option<u32>,
    /// Where random numbers begin: the same seed draws the same positions
    #[arg(long, value_name = "SEED", default_value_t = 1, requires = "sample")]
    pub(crate) seed: u64,
    /// Write how many positions there are, and none of them
    #[arg(long, conflicts_with_all = ["limit", "sample"])]
    pub(crate) count: bool,
    /// Write the words of the language as a table, in Markdown
    #[arg(long)]
    pub(crate) words: bool,
    /// Write the positions into this Parquet file instead; a feature of the program
    #[arg(long, value_name = "FILE", conflicts_with = "count")]
    pub(crate) parquet: Option<PathBuf>,
    /// How many threads compute [default: as many as there are cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,
}

/// A search over several tables.
pub(super) struct Run<'a> {
    args: &'a FindArgs,
    game: &'a Game,
    query: &'a Query,
    /// Answers for the moves that are written.
    pub(super) folder: &'a Tablebase,
    limit: Option<u64>,
    sample: Option<Sample>,
    writer: Writer,
    pub(super) counts: Vec<(String, Tally, Duration)>,
    /// Whether positions are passed over of which not all is known that is asked.
    pub(super) passes_over: bool,
}

impl<'a> Run<'a> {
    pub(super) fn new(
        console: &Console<'_>,
        args: &'a FindArgs,
        game: &'a Game,
        query: &'a Query,
        folder: &'a Tablebase,
    ) -> Outcome<Self> {
        Ok(Run {
            args,
            game,
            query,
            folder,
            limit: args
                .limit
                .or(console.out_width.map(|_| MAX_ON_TERMINAL))
                .filter(|_| args.sample.is_none()),
            sample: args.sample.map(|size| Sample::new(size as usize, args.seed)),
            writer: Writer::new(args.form, args.parquet.as_deref(), query.metrics())?,
            counts: Vec::new(),
            passes_over: false,
        })
    }

    /// Searches the tables of one material, whose time begins where they were begun to be loaded: it is
    /// also that of what they were solved again from. Returns whether as many are found as are wanted.
    pub(super) fn search(
        &mut self,
        loaded: LoadedTables,
        job: &JobWatch<'_, '_>,
        out: Out<'_>,
        begin: Instant,
    ) -> Outcome<bool> {
        let LoadedTables { tables, successors } = loaded;
        let search =
            Search::new(&self.game.variant, self.query, tables, successors.as_ref(), Some(self.folder));
        let search = if self.passes_over { search.passing_over_unknown() } else { search };
        let progress = |done, total| job.show(done, total);
        let (writer, limit) = (&mut self.writer, self.limit);
        let is_full = |writer: &Writer| limit.is_some_and(|limit| writer.n_taken >= limit);
        let tally = if self.args.count {
            search.count(&progress)
        } else if let Some(sample) = &mut self.sample {
            search.sample(sample, &progress)
        } else {
            let mut written = Ok(());
            let mut take = |hit: Hit| {
                if is_full(writer) {
                    return ControlFlow::Break(());
                }
                writer.waiting.push(hit);
                writer.n_taken += 1;
                if writer.waiting.len() >= BATCH || is_full(writer) {
                    written = job.watch.beside(|| writer.write(&search, self.folder, out));
                }
                if written.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            };
            let tally = search.run(&progress, &mut take);
            written.and_then(|()| job.watch.beside(|| writer.write(&search, self.folder, out)))?;
            tally
        };
        self.counts.push((search.name().to_owned(), tally?, begin.elapsed()));
        Ok(is_full(&self.writer) && !self.args.count)
    }

    /// Writes what was drawn, and says how much was found.
    pub(super) fn finish(mut self, console: &mut Console<'_>) -> Outcome {
        if let Some(sample) = self.sample.take() {
            let drawn = sample.into_records();
            self.writer.n_taken = drawn.len() as u64;
            self.writer.put(drawn.into_par_iter(), self.folder, &mut *console.out)?;
        }
        self.writer.parquet.take().map_or(Ok(()), Parquet::finish)?;
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
        let is_cut = self.limit.is_some_and(|limit| self.writer.n_taken >= limit);
        let (found, taken, time) =
            (plural(all.n_found, "position"), count(self.writer.n_taken), seconds(time));
        let (unreduced, searched, seed) = (count(all.n_unreduced), count(all.n_searched), self.args.seed);
        let drawn =
            self.args.sample.map(|_| format!("{taken} drawn with seed {seed} of ")).unwrap_or_default();
        console.tell(&match is_cut {
            true => {
                format!("{tables}: the first {taken}; --limit N writes more, --count counts all ({time})")
            }
            false => format!(
                "{tables}: {drawn}{found} modulo symmetry ({unreduced} on the whole board, like men told \
                 apart), {searched} searched ({time})"
            ),
        })?;
        Ok(if all.n_found > 0 { Answer::Yes } else { Answer::No })
    }

    /// How many positions each table has.
    fn table(&self, all: Tally, width: Option<usize>) -> String {
        let mut report =
            Report::new("table | >positions | >like men apart | >whole board | >searched | >time");
        let mut row = |name: &str, tally: Tally, time: Duration| {
            let counts = [tally.n_found, tally.n_orbits, tally.n_unreduced, tally.n_searched].map(count);
            report.row(std::iter::once(name.to_owned()).chain(counts).chain([seconds(time)]));
        };
        for (name, tally, time) in &self.counts {
            row(name, *tally, *time);
        }
        if self.counts.len() > 1 {
            row("together", all, self.counts.iter().map(|(_, _, time)| *time).sum());
        }
        report.text(width)
    }
}

/// How many positions are described together.
const BATCH: usize = 1 << 10;

/// Positions on their way to the output.
struct Writer {
    form: Form,
    head: Option<String>,
    waiting: Vec<Hit>,
    n_taken: u64,
    parquet: Option<Parquet>,
}

impl Writer {
    fn new(form: Form, parquet: Option<&Path>, metrics: &[Metric]) -> Outcome<Self> {
        let parquet = parquet.map(|path| Parquet::create(path, metrics)).transpose()?;
        let head = Record::head(form, metrics).filter(|_| parquet.is_none());
        Ok(Writer { form, head, waiting: Vec::new(), n_taken: 0, parquet })
    }

    /// Writes what waits.
    fn write(&mut self, search: &Search<'_>, folder: &Tablebase, out: Out<'_>) -> Outcome<()> {
        let first = self.n_taken - self.waiting.len() as u64 + 1;
        let numbered: Vec<(u64, Hit)> = (first..).zip(self.waiting.drain(..)).collect();
        let record = |&(number, hit): &(u64, Hit)| search.record(hit).numbered(number);
        self.put(numbered.par_iter().map(record), folder, out)
    }

    fn put<'r>(
        &mut self,
        records: impl IndexedParallelIterator<Item = Record<'r>>,
        folder: &Tablebase,
        out: Out<'_>,
    ) -> Outcome<()> {
        if let Some(parquet) = &mut self.parquet {
            return parquet.write(&records.map(|record| record.with_moves(folder)).collect::<Vec<_>>());
        }
        let form = self.form;
        let lines = records.map(|record| match form.has_moves() {
            true => record.with_moves(folder).line(form),
            false => record.line(form),
        });
        let lines: Vec<String> = lines.collect();
        // A list without a line has its head, too.
        if let Some(head) = self.head.take() {
            out.write_all(head.as_bytes())?;
        }
        lines.iter().try_for_each(|line| out.write_all(line.as_bytes()))?;
        Ok(out.flush()?)
    }
}

/// The Parquet file, in a program that was built without the writer: there is none.
#[cfg(not(feature = "columns"))]
enum Parquet {}

#[cfg(not(feature = "columns"))]
impl Parquet {
    fn create(path: &Path, _: &[Metric]) -> Outcome<Self> {
        Err(Failure::new(format!(
            "this program was built without Parquet and cannot write {}; build it with the feature `columns` \
             (cargo run --release -p tablesmith-cli --features columns -- find …), or take --form csv",
            path.display()
        )))
    }

    fn write(&mut self, _: &[Record<'_>]) -> Outcome<()> {
        match *self {}
    }

    fn finish(self) -> Outcome<()> {
        match self {}
    }
}

/// The Parquet file: `fen`, `material`, `to_move`, `result`, plies by each metric, `best`.
#[cfg(feature = "columns")]
struct Parquet {
    file: ::export::columns::ParquetFile,
    metrics: Vec<Metric>,
}

#[cfg(feature = "columns")]
impl Parquet {
    fn create(path: &Path, metrics: &[Metric]) -> Outcome<Self> {
        use ::export::columns::{Field, FieldType, ParquetFile};
        let metrics: Vec<Metric> = metrics.iter().copied().filter(|&metric| metric != Metric::Wdl).collect();
        let text = |name: &str| Field { name: name.into(), kind: FieldType::Text };
        let mut fields: Vec<Field> = ["fen", "material", "to_move", "result"].map(text).to_vec();
        fields.extend(
            metrics.iter().map(|metric| Field { name: metric.name().into(), kind: FieldType::Number }),
        );
        fields.push(text("best"));
        let file = ParquetFile::create(path, &fields)?;
        Ok(Parquet { file, metrics })
    }

    fn write(&mut self, records: &[Record<'_>]) -> Outcome<()> {
        use ::export::columns::Values;
        let text = |of: &dyn Fn(&Record<'_>) -> String| Values::Text(records.iter().map(of).collect());
        let plies = |metric: Metric| {
            let ply = |record: &Record<'_>| {
                let own = record.distances.iter().find(|distance| distance.metric == metric)?;
                own.value.ply().map(|ply| i32::from(ply.0))
            };
            Values::Numbers(records.iter().map(ply).collect())
        };
        let mut columns = vec![
            text(&|record| record.fen().to_owned()),
            text(&|record| record.material.clone()),
            text(&|record| record.position.stm().to_string().to_lowercase()),
            text(&|record| record.result().to_owned()),
        ];
        columns.extend(self.metrics.iter().map(|&metric| plies(metric)));
        columns.push(text(&|record| record.uci().join(" ")));
        self.file.write(&columns).map_err(Failure::new)
    }

    fn finish(self) -> Outcome<()> {
        self.file.finish().map_err(Failure::new)
    }
}
