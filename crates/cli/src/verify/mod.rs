//! `verify`: checksums, then the values of a table against their successors: all of small tables, a sample of
//! large ones, which are never whole in memory.

mod against;
mod flat;
mod sample;

use crate::args::VerifyArgs;
use crate::console::Console;
use crate::game::Game;
use crate::pool::pool;
use crate::progress::Watch;
use crate::{Answer, Failure, Outcome};
use ::plan::{Job, Plan, Request};
use format::{EXTENSION, Summary, parse_file_name};
use library::figure::{count, plural, seconds};
use library::{CheckedTables, Edition, LibraryError, TableFiles, tables_in};
use proof::{Find, Report, Sample, Values, VerifyError};
use rayon::ThreadPool;
use sample::{MAX_MEN_IN_FULL, N_PLACEMENTS};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use variant::{Material, Metric, Side, UnknownMetric};

/// What has been found out about one file.
#[derive(Serialize)]
struct Verdict {
    table: String,
    ok: bool,
    /// What is wrong, if anything is.
    message: Option<String>,
    values: u64,
    positions: u64,
    successors: u64,
    #[serde(skip)]
    time: Duration,
}

impl Verdict {
    /// A file whose name is that of no table.
    fn of_stray(file: &Path, message: String) -> Self {
        let name = file.file_name().unwrap_or(file.as_os_str());
        Verdict {
            table: name.to_string_lossy().into_owned(),
            ok: false,
            message: Some(message),
            values: 0,
            positions: 0,
            successors: 0,
            time: Duration::ZERO,
        }
    }
}

#[derive(Serialize)]
struct VerifyJson<'a> {
    ok: bool,
    tables: &'a [Verdict],
}

pub(crate) fn run(console: &mut Console<'_>, args: &VerifyArgs) -> Outcome {
    if let Some(against) = &args.against {
        let flat = if flat::has_files(against) { Some(flat::run(console, args, against)?) } else { None };
        return match flat {
            Some(answer) if !flat::has_others(against) => Ok(answer),
            Some(Answer::No) => against::run(console, args, against).map(|_| Answer::No),
            _ => against::run(console, args, against),
        };
    }
    let files = files(&args.path)?;
    let summaries = files.iter().map(|file| Summary::read(file));
    let name = summaries.flatten().next().map(|summary| summary.metadata.variant);
    let game = Game::find(args.variant.as_deref(), name.as_deref().unwrap_or("fide"))?;
    let folder = files[0].parent().unwrap_or(Path::new(""));
    let pool = pool(args.threads)?;
    let max_men_whole = if args.sample.is_some() { 0 } else { MAX_MEN_IN_FULL };
    let editions = editions(&game, &files);
    let counted = Edition::new(&game.variant, Metric::Dtm);
    let tables = |edition| CheckedTables::new(TableFiles::new(edition, folder), max_men_whole);
    let verifiers: Vec<Verifier<'_>> = editions
        .into_iter()
        .map(|edition| Verifier {
            game: &game,
            program: console.program.name,
            pool: &pool,
            folder,
            tables: tables(edition),
            counted: tables(counted.clone()),
            args,
        })
        .collect();
    let (mut work, mut verdicts, mut nothing) = (Vec::new(), Vec::new(), None);
    for verifier in &verifiers {
        match verifier.jobs(&files) {
            Ok((jobs, strays)) => {
                work.extend(jobs.into_iter().map(|job| (verifier, job)));
                verdicts.extend(strays);
            }
            Err(failure) => nothing = Some(failure),
        }
    }
    if let Some(failure) = nothing.filter(|_| work.is_empty()) {
        return Err(failure);
    }
    verdicts.sort_by(|a, b| a.table.cmp(&b.table));
    verdicts.dedup_by(|a, b| a.table == b.table);
    if !args.json {
        verdicts.iter().try_for_each(|verdict| writeln!(console.out, "{}", line(verdict)))?;
    }
    let watch = Watch::new(console.is_watched, &mut *console.err);
    watch.start(work.len(), work.iter().map(|(verifier, job)| verifier.n_to_check(job)).sum());
    for (verifier, job) in &work {
        let verdict = verifier.verdict(job, &watch);
        if !args.json {
            // Long runs are read along.
            watch
                .beside(|| writeln!(console.out, "{}", line(&verdict)).and_then(|()| console.out.flush()))?;
        }
        verdicts.push(verdict);
    }
    watch.close();
    let n_wrong = verdicts.iter().filter(|verdict| !verdict.ok).count() as u64;
    if args.json {
        console.print_json(&VerifyJson { ok: n_wrong == 0, tables: &verdicts })?;
    } else {
        let all = plural(verdicts.len() as u64, "table");
        let wrong = if n_wrong == 0 { "all right".into() } else { format!("{n_wrong} not verified") };
        let n_values = count(verdicts.iter().map(|verdict| verdict.values).sum());
        let time = seconds(verdicts.iter().map(|verdict| verdict.time).sum());
        writeln!(console.out, "{all}, {n_values} values: {wrong} ({time})")?;
    }
    Ok(if n_wrong == 0 { Answer::Yes } else { Answer::No })
}

/// The table files that are meant, at least one.
fn files(path: &Path) -> Result<Vec<PathBuf>, Failure> {
    let fail = |error| Failure::new(format!("cannot read {}: {error}", path.display()));
    if !std::fs::metadata(path).map_err(fail)?.is_dir() {
        return Ok(vec![path.into()]);
    }
    let files = tables_in(path)?;
    if files.is_empty() {
        return Err(Failure::new(format!("{} has no table (no .{EXTENSION} file)", path.display())));
    }
    Ok(files)
}

/// What the files of a folder hold, by their names: the game's own metric first.
fn editions(game: &Game, files: &[PathBuf]) -> Vec<Edition> {
    let default = game.variant.default_metric;
    let mut metrics: Vec<Metric> = files.iter().filter_map(|file| named(file, default).1.ok()).collect();
    metrics.sort_unstable();
    metrics.dedup();
    let others = metrics.into_iter().filter(|&metric| metric != default);
    std::iter::once(default).chain(others).map(|metric| Edition::new(&game.variant, metric)).collect()
}

/// The material and the metric of a file's name.
fn named(file: &Path, default: Metric) -> (&str, Result<Metric, UnknownMetric>) {
    let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    parse_file_name(name, default).unwrap_or(("", Ok(default)))
}

struct Verifier<'a> {
    game: &'a Game,
    /// How the program is called.
    program: &'a str,
    pool: &'a ThreadPool,
    folder: &'a Path,
    tables: CheckedTables,
    /// Plies to mate, for what holds no distance.
    counted: CheckedTables,
    args: &'a VerifyArgs,
}

impl Verifier<'_> {
    fn edition(&self) -> &Edition {
        self.tables.files().edition()
    }

    /// The tables that the files' names promise and that are asked for, in the order of a plan, so that
    /// tables that are needed again are close to each other; and what is wrong with the other names.
    fn jobs(&self, files: &[PathBuf]) -> Result<(Vec<Job>, Vec<Verdict>), Failure> {
        let variant = &self.game.variant;
        let only = match &self.args.wanted.table {
            Some(name) => Some(self.game.material(name)?),
            None => None,
        };
        let (mut materials, mut strays) = (BTreeMap::new(), Vec::new());
        for file in files {
            let (name, metric) = match named(file, self.game.variant.default_metric) {
                (name, Ok(metric)) => (name, metric),
                (_, Err(error)) => {
                    strays.push(Verdict::of_stray(file, format!("not verified: {error}")));
                    continue;
                }
            };
            if metric != self.edition().metric() {
                continue;
            }
            match Material::parse(variant, name) {
                Ok(material) if material.n_men() > index::MAX_MEN => {
                    let what = format!("not verified: {} men, at most {}", material.n_men(), index::MAX_MEN);
                    strays.push(Verdict::of_stray(file, what));
                }
                Ok(material) => drop(materials.insert(material, file)),
                // The other tables are checked all the same.
                Err(error) => strays.push(Verdict::of_stray(file, format!("not verified: {error}"))),
            }
        }
        let n_men = materials.keys().map(Material::n_men).max().unwrap_or(2);
        let plan = Plan::new(variant, &Request::UpTo(n_men)).map_err(Failure::new)?;
        let is_wanted = |material: &Material| {
            only.as_ref().is_none_or(|only| material == only)
                && self.args.wanted.men.is_none_or(|n_men| material.n_men() <= n_men)
        };
        let mut jobs = Vec::new();
        for job in plan.jobs() {
            if materials.remove(&job.material).is_some() && is_wanted(&job.material) {
                jobs.push(job.clone());
            }
        }
        for (_, file) in materials {
            strays.push(Verdict::of_stray(file, "not verified: no table has this name".into()));
        }
        if self.args.wanted.men.is_some() || only.is_some() {
            if jobs.is_empty() {
                let path = self.args.path.display();
                return Err(Failure::new(format!("{path} has no table that is asked for")));
            }
            // Somebody who asks for certain tables does not ask for the rest.
            strays.clear();
        }
        Ok((jobs, strays))
    }

    /// Fails if tables that a table needs have no file, and says how to mend it.
    fn check_needs(&self, job: &Job) -> Result<(), Failure> {
        let missing = job
            .needs
            .iter()
            .filter(|need| !need.is_drawn && !self.tables.files().main_path(&need.name).exists());
        let missing: Vec<&str> = missing.map(|need| need.name.as_str()).collect();
        if missing.is_empty() {
            return Ok(());
        }
        let (name, verb) = (&job.name, if missing.len() == 1 { "is" } else { "are" });
        let metric = match self.edition().is_default() {
            true => String::new(),
            false => format!(" --metric {}", self.edition().metric()),
        };
        Err(Failure::plain(format!(
            "needs {}, which {verb} not built: run `{} solve {} --table {name}{metric} --out {}`",
            missing.join(", "),
            self.program,
            self.game.path.display(),
            if self.folder.as_os_str().is_empty() { Path::new(".") } else { self.folder }.display(),
        )))
    }

    fn verdict(&self, job: &Job, watch: &Watch<'_>) -> Verdict {
        let begin = Instant::now();
        let watching = watch.begin(&job.name, self.n_to_check(job));
        let result = self.verify(job, &|done, total| watching.show(done as u64, total as u64));
        watching.finish_silently();
        let (report, message) = match result {
            Ok(report) if report.is_clean() => (report, None),
            Ok(report) => {
                let first = report.differences.first().map_or_else(String::new, ToString::to_string);
                let n_wrong = plural(report.n_differences, "wrong value");
                (report, Some(format!("{n_wrong}, the first at {first}")))
            }
            Err(Failure::Message(message)) => (Report::default(), Some(message)),
            Err(_) => (Report::default(), Some("not verified".into())),
        };
        Verdict {
            table: match self.edition().is_default() {
                true => job.name.clone(),
                false => format!("{}.{}", job.name, self.edition().metric()),
            },
            ok: message.is_none(),
            message,
            values: report.n_values,
            positions: report.n_positions,
            successors: report.n_successors,
            time: begin.elapsed(),
        }
    }

    /// Which of a table's values are checked.
    fn sample(&self, job: &Job) -> Sample {
        match self.args.sample {
            Some(n_placements) => Sample::Placements(n_placements),
            None if self.args.all || job.material.n_men() <= MAX_MEN_IN_FULL => Sample::All,
            None => Sample::Placements(N_PLACEMENTS),
        }
    }

    /// How many values that are, roughly: what the time that is left is told by.
    fn n_to_check(&self, job: &Job) -> u64 {
        match self.sample(job) {
            Sample::Placements(n_placements) => job.n_values().min(n_placements),
            _ => job.n_values(),
        }
    }

    /// A table with distances, which alone prove who wins, to hold one without against.
    fn counted(&self, job: &Job, values: &dyn Values) -> Option<Arc<dyn Values>> {
        if self.edition().metric() != Metric::Wdl || !self.counted.files().main_path(&job.name).exists() {
            return None;
        }
        let counted = self.counted.find(&job.material)?;
        Side::BOTH.into_iter().all(|stm| !values.keeps(stm) || counted.keeps(stm)).then_some(counted)
    }

    fn verify(&self, job: &Job, progress: &(dyn Fn(usize, usize) + Sync)) -> Result<Report, Failure> {
        let variant = self.edition().variant();
        let sample = self.sample(job);
        self.pool.install(|| {
            let values = self.tables.checked(&job.material).map_err(failure)?;
            if let Some(counted) = self.counted(job, &*values) {
                let checked = proof::verify_outcomes(variant, &*values, &*counted, sample, progress);
                return checked.map_err(|_| match self.counted.take_error() {
                    Some(error) => failure(error),
                    None => Failure::plain("cannot be read"),
                });
            }
            self.check_needs(job)?;
            proof::verify_with(variant, self.edition().metric(), &*values, &self.tables, sample, progress)
                .map_err(|error| match (self.tables.take_error(), error) {
                    (Some(error), _) => failure(error),
                    (None, VerifyError::Missing(missing)) => {
                        Failure::plain(format!("{} is not there", missing.material.name(variant)))
                    }
                    (None, _) => Failure::plain("cannot be read"),
                })
        })
    }
}

/// What stands in the way of reading a table.
fn failure(error: LibraryError) -> Failure {
    match error {
        LibraryError::Probe(error) => Failure::plain(error),
        error => Failure::from(error),
    }
}

fn line(verdict: &Verdict) -> String {
    match &verdict.message {
        Some(message) => format!("{}: {message}", verdict.table),
        None => format!(
            "{}: ok, {} values, {} positions, {} successors, {}",
            verdict.table,
            count(verdict.values),
            count(verdict.positions),
            count(verdict.successors),
            seconds(verdict.time)
        ),
    }
}
