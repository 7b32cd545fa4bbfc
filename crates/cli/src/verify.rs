//! `verify`: checksums, then every value of a table against its successors.

use crate::args::VerifyArgs;
use crate::console::Console;
use crate::figure::{count, plural, seconds};
use crate::game::Game;
use crate::solve::{Watch, pool};
use crate::store::{self, Store};
use crate::{Answer, Failure, Outcome};
use ::plan::{Job, Plan, Request};
use format::{EXTENSION, Summary};
use proof::{Report, Sample};
use rayon::ThreadPool;
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use variant::Material;

/// Up to so many men every position is checked, unless something else is said.
const MAX_MEN_IN_FULL: usize = 4;

/// How many blocks are checked of larger tables.
const N_BLOCKS: usize = 1000;

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
    let files = files(&args.path)?;
    let summaries = files.iter().map(|file| Summary::read(file));
    let name = summaries.flatten().next().map(|summary| summary.metadata.variant);
    let game = Game::find(args.variant.as_deref(), name.as_deref().unwrap_or("fide"))?;
    let folder = files[0].parent().unwrap_or(Path::new(""));
    let pool = pool(None)?;
    let verifier = Verifier {
        game: &game,
        program: console.program.name,
        pool: &pool,
        folder,
        store: Store::new(&game.variant, folder, &pool, &::solve::solve),
        args,
    };
    let mut verdicts = Vec::new();
    let mut jobs = Vec::new();
    for file in &files {
        match verifier.job(file) {
            Ok(job) => jobs.push(job),
            // The other tables are checked all the same.
            Err(message) => verdicts.push(Verdict::of_stray(file, message)),
        }
    }
    if !args.json {
        verdicts.iter().try_for_each(|verdict| writeln!(console.out, "{}", line(verdict)))?;
    }
    let jobs = in_order(&game, jobs)?;
    jobs.iter().for_each(|job| verifier.store.announce(&job.needs));
    let watch = Watch::new(console.is_watched, jobs.iter().map(Job::n_values).sum(), &mut *console.err);
    for job in &jobs {
        let verdict = verifier.verdict(job, &watch);
        if !args.json {
            // Long runs are read along.
            watch
                .beside(|| writeln!(console.out, "{}", line(&verdict)).and_then(|()| console.out.flush()))?;
        }
        watch.advance(job.n_values());
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
    let mut files = Vec::new();
    for entry in std::fs::read_dir(path).map_err(fail)? {
        let file = entry.map_err(fail)?.path();
        if file.extension().is_some_and(|extension| extension == EXTENSION) {
            files.push(file);
        }
    }
    files.sort();
    if files.is_empty() {
        return Err(Failure::new(format!("{} has no table (no .{EXTENSION} file)", path.display())));
    }
    Ok(files)
}

/// The jobs in the order of a plan, so that tables that are needed again are close to each other.
fn in_order(game: &Game, mut jobs: Vec<Job>) -> Result<Vec<Job>, Failure> {
    let n_men = jobs.iter().map(|job| job.material.n_men()).max().unwrap_or(2);
    let plan = Plan::new(&game.variant, &Request::UpTo(n_men)).map_err(Failure::new)?;
    let order: Vec<&Material> = plan.jobs().map(|job| &job.material).collect();
    jobs.sort_by_key(|job| order.iter().position(|material| **material == job.material));
    Ok(jobs)
}

struct Verifier<'a> {
    game: &'a Game,
    /// How the program is called.
    program: &'a str,
    pool: &'a ThreadPool,
    folder: &'a Path,
    store: Store<'a>,
    args: &'a VerifyArgs,
}

impl Verifier<'_> {
    /// The table that a file's name promises, and what it needs; or what is wrong with the name.
    fn job(&self, file: &Path) -> Result<Job, String> {
        let name = file.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        let variant = &self.game.variant;
        let told = |reason: String| format!("not verified: {reason}");
        let material = Material::parse(variant, name).map_err(|error| told(error.to_string()))?;
        let plan = Plan::new(variant, &Request::Table(material)).map_err(|error| told(error.to_string()))?;
        let job = plan.jobs().find(|job| job.name == name).cloned();
        job.ok_or_else(|| told("no table has this name".into()))
    }

    /// Fails if tables that a table needs have no file, and says how to mend it.
    fn check_needs(&self, job: &Job) -> Result<(), Failure> {
        let missing = job.needs.iter().filter(|need| !need.is_drawn && !self.store.path(&need.name).exists());
        let missing: Vec<&str> = missing.map(|need| need.name.as_str()).collect();
        if missing.is_empty() {
            return Ok(());
        }
        let (name, verb) = (&job.name, if missing.len() == 1 { "is" } else { "are" });
        Err(Failure::plain(format!(
            "needs {}, which {verb} not built: run `{} solve {} --table {name} --out {}`",
            missing.join(", "),
            self.program,
            self.game.path.display(),
            if self.folder.as_os_str().is_empty() { Path::new(".") } else { self.folder }.display(),
        )))
    }

    fn verdict(&self, job: &Job, watch: &Watch<'_>) -> Verdict {
        let begin = Instant::now();
        let result = self.verify(job, watch);
        self.store.release(&job.needs);
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
            table: job.name.clone(),
            ok: message.is_none(),
            message,
            values: report.n_values,
            positions: report.n_positions,
            successors: report.n_successors,
            time: begin.elapsed(),
        }
    }

    fn verify(&self, job: &Job, watch: &Watch<'_>) -> Result<Report, Failure> {
        let variant = &self.game.variant;
        let path = self.store.path(&job.name);
        let watching = watch.begin(&job.name);
        let table = self.pool.install(|| store::read(variant, &path))?;
        self.check_needs(job)?;
        let shelf = self.store.shelf(&job.needs)?;
        let sample = match self.args.sample {
            Some(n_blocks) => Sample::Blocks(n_blocks as usize),
            None if job.material.n_men() <= MAX_MEN_IN_FULL => Sample::All,
            None => Sample::Blocks(N_BLOCKS),
        };
        let progress = |done: usize, total: usize| watching.show(done as u64, total as u64);
        let report = self.pool.install(|| proof::verify(variant, &table, &shelf, sample, &progress));
        let report = report
            .map_err(|missing| Failure::plain(format!("{} is not there", missing.material.name(variant))))?;
        self.store.put(&job.material, table);
        Ok(report)
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
