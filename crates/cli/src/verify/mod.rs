//! `verify`: checks checksums, then the values of tables against their successors: all of small tables, a
//! sample of large ones, which are never whole in memory. Positions with castling rights, flat and Syzygy
//! files are checked as our tables are.

mod args;
mod comparison;

use crate::thing::{game_named, missing_text};
use crate::{
    Answer, Console, Failure, Game, Outcome, Thing, Watch, bits, count, plural, pool, seconds, structure,
};
use ::plan::Job;
use ::probe::{ExchangeKind, Tablebase};
use ::rights::{RightsFile, RightsKey};
pub(crate) use args::VerifyArgs;
use args::{MAX_MEN_IN_FULL, N_PLACEMENTS, Part};
use build::{DamagedFiles, ExchangeSet, NotDerived, StrayFile, Verifier, tables_of, verify_rights};
use format::{Column, EXTENSION, FormatError, folder_of, winner_name};
use library::{Edition, LibraryError, TableColumn, TableFiles, exchange_files, table_files};
use proof::{Difference, Report, Sample};
use rayon::ThreadPool;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use variant::{Material, Metric};

/// How many of flat and Syzygy files, whose values take a hundred times as long: a position is looked up by
/// its squares, and captures are made.
const N_EXCHANGE: u64 = 16_384;

/// How many of Syzygy files with distances: half of the look-ups make every move.
const N_DISTANCES: u64 = 4_096;

/// How many bytes of decompressed blocks are kept.
const CACHE_BYTES: usize = 512 << 20;

pub(crate) fn run(console: &mut Console<'_>, args: &VerifyArgs) -> Outcome {
    structure::check_lenders(&args.using)?;
    let thing = Thing::at(&args.path);
    if args.part.is_some() && matches!(thing, Thing::Structure | Thing::Bits) {
        return Err(Failure::new(
            "--part shares out the tables of a folder; this file is checked whole: leave --part out",
        ));
    }
    match (thing, &args.against) {
        (Thing::Structure, _) => structure::verify(console, args),
        _ if !args.using.is_empty() => Err(Failure::new(
            "--using is for structures (.tss); a table is verified with the tables below it in its own \
             folder: put them there",
        )),
        (Thing::Bits, _) => bits::verify(console, args),
        (_, Some(against)) => comparison::run(console, args, against),
        (thing, None) => tables(console, args, thing),
    }
}

/// What verifying one file has shown.
#[derive(Default, Serialize)]
struct Verdict {
    table: String,
    ok: bool,
    /// What is wrong, if anything is.
    message: Option<String>,
    /// What was not checked, if that is less than elsewhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
    values: u64,
    positions: u64,
    successors: u64,
    #[serde(skip)]
    time: Duration,
}

/// What verifying all files has shown.
#[derive(Serialize)]
struct Verdicts {
    ok: bool,
    tables: Vec<Verdict>,
}

/// Verifies the files of a folder, or one file.
fn tables(console: &mut Console<'_>, args: &VerifyArgs, thing: Thing) -> Outcome {
    let files = files(&args.path, thing)?;
    let game = game(&files, args)?;
    game.tell_tables(console, &args.wanted.table)?;
    let pool = pool(args.threads)?;
    let check = Check { game: &game, program: console.program.name, pool: &pool, args };
    let (work, strays) = check.work(&files)?;
    // Who asks for certain tables does not ask for the rest.
    let is_all = args.wanted.men.is_none() && args.wanted.table.is_none();
    let strays = strays.iter().filter(|_| is_all && args.part.is_none_or(Part::is_first));
    let mut verdicts: Vec<Verdict> = strays.map(Verdict::of_stray).collect();
    if work.is_empty() && verdicts.is_empty() {
        return Err(Failure::new(format!("{} has no table that is asked for", args.path.display())));
    }
    let work = match args.part {
        None => work,
        Some(part) => part.of(work, |work| work.n_to_check),
    };
    verdicts.sort_by(|a, b| a.table.cmp(&b.table));
    verdicts.dedup_by(|a, b| a.table == b.table);
    if !args.json {
        verdicts.iter().try_for_each(|verdict| writeln!(console.out, "{}", verdict.line()))?;
    }
    let watch = Watch::new(console.is_watched, &mut *console.err);
    watch.start(work.len(), work.iter().map(|work| work.n_to_check).sum());
    let verify = |work| {
        let verdict = check.verdict(work, &watch);
        if !args.json {
            watch.print(&mut *console.out, &verdict.line())?;
        }
        verdicts.push(verdict);
        Ok::<_, Failure>(())
    };
    watch.during(|| work.iter().try_for_each(verify))?;
    drop(watch);
    let n_wrong = verdicts.iter().filter(|verdict| !verdict.ok).count();
    if args.json {
        console.print_json(&Verdicts { ok: n_wrong == 0, tables: verdicts })?;
    } else {
        let all = plural(verdicts.len() as u64, "table");
        let wrong = if n_wrong == 0 { "all right".into() } else { format!("{n_wrong} not verified") };
        let n_values = count(verdicts.iter().map(|verdict| verdict.values).sum());
        let time = seconds(verdicts.iter().map(|verdict| verdict.time).sum());
        writeln!(console.out, "{all}, {n_values} values: {wrong} ({time})")?;
    }
    Ok(if n_wrong == 0 { Answer::Yes } else { Answer::No })
}

/// The files that are meant, at least one, each with what it is.
fn files(path: &Path, thing: Thing) -> Outcome<Vec<(Thing, PathBuf)>> {
    let shown = path.display();
    std::fs::metadata(path).map_err(FormatError::io(path, "read"))?;
    if thing != Thing::Folder {
        return Ok(vec![(thing, path.to_path_buf())]);
    }
    let tables = table_files(path)?.into_iter().map(|file| (Thing::Table, file));
    let exchange = exchange_files(path)?.into_iter().map(|file| (Thing::Exchange, file));
    let all: Vec<_> = tables.chain(exchange).collect();
    match all.is_empty() {
        false => Ok(all),
        true => Err(Failure::new(format!(
            "{shown} has no table (no .{EXTENSION} file, no flat file such as .tbl, no Syzygy file such as \
             .rtbw)"
        ))),
    }
}

/// The game that the files say they are of; chess if they do not say. A file that cannot be read says
/// nothing.
fn game(files: &[(Thing, PathBuf)], args: &VerifyArgs) -> Outcome<Game> {
    let named = files.iter().find_map(|(thing, file)| thing.named_game(file).ok().flatten());
    let given = args.variant.as_deref();
    match (named, files.iter().find(|(thing, _)| *thing == Thing::Exchange)) {
        (None, Some((thing, file))) => thing.game(file, given),
        (named, _) => game_named(named.as_deref(), &files[0].1, given),
    }
}

/// Something to be verified.
struct Work {
    /// The table with what tells its file from others of it.
    name: String,
    /// Which of its values are checked.
    sample: Sample,
    /// How many these are, roughly: the time that is left is estimated by it.
    n_to_check: u64,
    subject: Subject,
}

enum Subject {
    /// A table, by the verifier of its metric or of its one winner.
    Table(Arc<Verifier>, Job),
    /// The positions with castling rights of a table.
    Rights(TableColumn),
    Exchange(ExchangeSet),
}

/// How many placements of a sample are checked at most.
fn most(sample: Sample) -> u64 {
    match sample {
        Sample::Placements(n_placements) | Sample::Random { n_placements, .. } => n_placements,
        Sample::All => u64::MAX,
    }
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

/// Shows how much of how much is done.
type Show<'s> = &'s (dyn Fn(u64, u64) + Sync);

/// Verifies what is asked for.
struct Check<'a> {
    game: &'a Game,
    /// How the program is called.
    program: &'a str,
    pool: &'a ThreadPool,
    args: &'a VerifyArgs,
}

impl Check<'_> {
    /// What is asked for, and what is wrong with the names of other files.
    fn work(&self, files: &[(Thing, PathBuf)]) -> Outcome<(Vec<Work>, Vec<StrayFile>)> {
        let (variant, wanted) = (&self.game.variant, &self.args.wanted);
        let only = wanted.only(variant)?;
        let is_asked = |material: &Material| wanted.has(material, only.as_ref());
        let of = |thing| -> Vec<PathBuf> {
            let own = files.iter().filter(|(own, _)| *own == thing);
            own.map(|(_, path)| path.clone()).collect()
        };
        let mut work = Vec::new();
        let (columns, mut strays) = tables_of(variant, &of(Thing::Table));
        let max_men_whole = if self.args.sample.is_some() { 0 } else { MAX_MEN_IN_FULL };
        // The game's own metric first. Of one side's wins each table is verified by itself.
        let mut editions: BTreeMap<_, (PathBuf, BTreeSet<Material>)> = BTreeMap::new();
        let asked = columns.into_iter().filter(|own| is_asked(&own.material));
        let (rights, columns): (Vec<_>, Vec<_>) = asked.partition(|own| own.column.has_rights);
        for own in columns {
            let Column { metric, winner, .. } = own.column;
            let alone = winner.map(|winner| (own.material.clone(), winner));
            let key = (alone.is_some(), metric != variant.default_metric, metric, alone);
            let materials = &mut editions.entry(key).or_insert((own.path, BTreeSet::new())).1;
            materials.insert(own.material);
        }
        for ((_, _, metric, alone), (path, materials)) in editions {
            let edition = Edition::new(variant, metric);
            let edition = match alone {
                Some((material, winner)) => edition.with_winner(&material, winner)?,
                None => edition,
            };
            let files = TableFiles::new(edition, folder_of(&path));
            let verifier = Arc::new(Verifier::new(files, max_men_whole));
            let jobs = verifier.jobs(&materials)?;
            work.extend(jobs.into_iter().map(|job| self.table(verifier.clone(), job)));
        }
        work.extend(rights.into_iter().map(|own| self.rights(own)));
        let (sets, others) = ExchangeSet::of_files(variant, &of(Thing::Exchange), &is_asked);
        work.extend(sets.into_iter().map(|files| self.exchange(files)));
        strays.extend(others);
        Ok((work, strays))
    }

    fn table(&self, verifier: Arc<Verifier>, job: Job) -> Work {
        let edition = verifier.files().edition();
        let winner = edition.winner_of(&job.name).map(|winner| format!(".{}", winner_name(winner)));
        let metric = (!edition.is_default()).then(|| format!(".{}", edition.metric()));
        let name = std::iter::once(job.name.clone()).chain(winner).chain(metric).collect();
        let sample = self.sample(job.material.n_men(), N_PLACEMENTS);
        let n_to_check = job.n_values().min(most(sample));
        Work { name, sample, n_to_check, subject: Subject::Table(verifier, job) }
    }

    fn rights(&self, own: TableColumn) -> Work {
        let (variant, sample) = (&self.game.variant, self.sample(own.material.n_men(), N_PLACEMENTS));
        let keys = RightsKey::all(variant, &own.material);
        let n_values: u64 = keys.iter().map(|key| key.n_numbers(variant)).sum();
        let n_to_check = n_values.min(most(sample).saturating_mul(2));
        let metric = Some(own.column.metric).filter(|&metric| metric != variant.default_metric);
        let metric = metric.map_or_else(String::new, |metric| format!(".{metric}"));
        let name = format!("{}{metric} with castling rights", own.material.name(variant));
        Work { name, sample, n_to_check, subject: Subject::Rights(own) }
    }

    fn exchange(&self, files: ExchangeSet) -> Work {
        let name = match files.files() {
            [file] => file_name(file.path()),
            all => {
                let (table, metric) = (files.material().name(&self.game.variant), files.metric());
                format!("{table} ({} flat files of {metric})", all.len())
            }
        };
        let n_placements = match (files.kind(), files.metric()) {
            (ExchangeKind::Syzygy, Metric::Dtz50) => N_DISTANCES,
            _ => N_EXCHANGE,
        };
        // These files are never small: their values take a hundred times as long.
        let sample = self.sample(usize::MAX, n_placements);
        let n_to_check = 64_u64.saturating_pow(files.material().n_men() as u32 - 1).min(most(sample));
        Work { name, sample, n_to_check, subject: Subject::Exchange(files) }
    }

    /// Which values are checked of a table of `n_men`: `n_placements` if nothing else is asked for and it is
    /// not small.
    fn sample(&self, n_men: usize, n_placements: u64) -> Sample {
        match self.args.sample {
            Some(n_placements) => Sample::Placements(n_placements),
            None if self.args.all || n_men <= MAX_MEN_IN_FULL => Sample::All,
            None => Sample::Placements(n_placements),
        }
    }

    fn verdict(&self, work: &Work, watch: &Watch<'_>) -> Verdict {
        let begin = Instant::now();
        let mut verdict = Verdict { table: work.name.clone(), ..Verdict::default() };
        let watching = watch.begin(&work.name, work.n_to_check);
        let show = |done, total| watching.show(done, total);
        verdict.message = self.check(work, &show, &mut verdict).err();
        watching.finish_silently();
        (verdict.ok, verdict.time) = (verdict.message.is_none(), begin.elapsed());
        verdict
    }

    /// Derives the values again; what is wrong with them, or what stands in the way.
    fn check(&self, work: &Work, show: Show<'_>, verdict: &mut Verdict) -> Result<(), String> {
        let (variant, sample) = (&self.game.variant, work.sample);
        let progress = |done: usize, total: usize| show(done as u64, total as u64);
        match &work.subject {
            Subject::Table(verifier, job) => {
                let report = self.pool.install(|| verifier.verify(job, sample, &progress));
                verdict.take(report.map_err(|error| self.message(verifier, error))?, ToString::to_string)
            }
            Subject::Rights(TableColumn { path, material, column: Column { metric, .. } }) => {
                let (n_done, n_to_check) = (AtomicU64::new(0), work.n_to_check);
                let progress = |n_values: u64| {
                    let done = n_done.fetch_add(n_values, Ordering::Relaxed) + n_values;
                    show(done.min(n_to_check), n_to_check);
                };
                let check = || -> Result<Report, LibraryError> {
                    let (file, folder) =
                        (RightsFile::open(path, variant, material, *metric)?, folder_of(path).into());
                    let tables = Tablebase::open_with(&[folder], variant, *metric, CACHE_BYTES)?;
                    let tables = tables.with_threads(self.pool.current_num_threads());
                    Ok(self.pool.install(|| verify_rights(&tables, &file, most(sample), &progress))?)
                };
                if *metric == Metric::Wdl {
                    verdict.note = Some("wins without distances show no more than that they agree".into());
                }
                verdict.take(check().map_err(|error| error.to_string())?, |difference| {
                    let Difference { fen, stored, expected, .. } = difference;
                    format!("{fen}: {stored}, its moves lead to {expected}")
                })
            }
            Subject::Exchange(files) => {
                let checked =
                    files.check(variant).map_err(|DamagedFiles { first, n_files }| match n_files {
                        1 => first.to_string(),
                        _ => format!("{n_files} files are damaged, the first: {first}"),
                    })?;
                let derive = || files.derive(variant, checked.counts_plies, sample, &progress);
                let derived = self.pool.install(derive);
                verdict.values = checked.n_values;
                let no_checksum = (!checked.has_checksum).then(|| "it has no checksum".to_owned());
                let why = derived.as_ref().ok().and_then(|derived| derived.as_ref().err());
                let why = why.map(|not_derived| self.not_derived(files, not_derived));
                let notes: Vec<String> = no_checksum.into_iter().chain(why).collect();
                verdict.note = (!notes.is_empty()).then(|| notes.join(", "));
                let report = derived.map_err(|error| match error {
                    LibraryError::Unreadable { .. } => {
                        "not verified: a move leads to a position that the files call illegal; one of them \
                         is damaged"
                            .into()
                    }
                    error => error.to_string(),
                })?;
                let report = Report { n_values: checked.n_values, ..report.unwrap_or_default() };
                verdict.take(report, ToString::to_string)
            }
        }
    }

    /// What stands in the way of verifying a table, and what to do about it.
    fn message(&self, verifier: &Verifier, error: LibraryError) -> String {
        match error {
            LibraryError::SuccessorsNotBuilt { material, needed, .. } => {
                let (edition, folder) = (verifier.files().edition(), verifier.files().folder());
                let metric = Some(edition.metric()).filter(|_| !edition.is_default());
                let wins = edition.winner_of(&material).map(winner_name);
                let table = wins.map_or_else(|| material.clone(), |side| format!("{material} --wins {side}"));
                let (program, metric) = (self.program, metric.as_slice());
                let command = self.game.solve_words(program, Some(&table), metric, Some(folder));
                let verb = if needed.len() == 1 { "is" } else { "are" };
                format!("needs {}, which {verb} not built: run `{command}`", needed.join(", "))
            }
            LibraryError::Missing { material } => format!("{material} is not there"),
            LibraryError::Unreadable { .. } => "cannot be read".into(),
            LibraryError::Probe(error) => error.to_string(),
            error => Failure::from(error).to_string(),
        }
    }

    /// Why the values of a table were not derived again.
    fn not_derived(&self, files: &ExchangeSet, why: &NotDerived) -> String {
        let why = match why {
            NotDerived::ResultsOnly => {
                "results under the n-move rule follow from distances; compare them with tables by --against"
                    .into()
            }
            NotDerived::Absent(n_absent) => {
                let n = plural(*n_absent as u64, "other file");
                format!("{n} of {} would be needed too", files.material().name(&self.game.variant))
            }
            NotDerived::Missing(missing) => missing_text(files.kind(), missing),
        };
        format!("values not derived again: {why}")
    }
}

impl Verdict {
    /// A file whose name is that of no table.
    fn of_stray(stray: &StrayFile) -> Self {
        let message = Some(format!("not verified: {}", stray.reason));
        Verdict { table: file_name(&stray.path), message, ..Verdict::default() }
    }

    /// Counts what was checked; fails if values are wrong, with the first of them in words.
    fn take(&mut self, report: Report, in_words: impl Fn(&Difference) -> String) -> Result<(), String> {
        (self.values, self.positions) = (report.n_values, report.n_positions);
        self.successors = report.n_successors;
        if report.is_clean() {
            return Ok(());
        }
        let first = report.differences.first().map_or_else(String::new, in_words);
        Err(format!("{}, the first at {first}", plural(report.n_differences, "wrong value")))
    }

    /// The verdict for people.
    fn line(&self) -> String {
        if let Some(message) = &self.message {
            return format!("{}: {message}", self.table);
        }
        let note = self.note.as_ref().map_or_else(String::new, |note| format!(" ({note})"));
        let (values, time) = (count(self.values), seconds(self.time));
        // Of values that were not derived no positions are counted.
        let derived = match (&self.note, self.positions) {
            (Some(_), 0) => String::new(),
            (_, n) => format!(" {} positions, {} successors,", count(n), count(self.successors)),
        };
        format!("{}: ok, {values} values,{derived} {time}{note}", self.table)
    }
}
