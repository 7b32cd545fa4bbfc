//! `cluster accept`: takes delivered tables into a set when they have been proved, and puts others aside.

use super::args::AcceptArgs;
use super::checks::{changed_dependencies, derive_again, wrong_dependencies};
use super::record::accepted;
use super::request::Request;
use crate::console::Console;
use crate::pool::pool;
use crate::{Answer, Failure, Outcome};
use ::plan::{Job, JobId};
use build::{TableLease, Verifier};
use format::Summary;
use library::figure::plural;
use library::{TableFiles, is_current};
use proof::Sample;
use std::fs;
use std::hash::{BuildHasher, RandomState};
use std::path::{Path, PathBuf};
use variant::{Metric, visible};

/// What is done with a delivered table.
enum Verdict {
    Accepted,
    /// The very same is here.
    Known,
    /// It is wrong, for this reason.
    Quarantined(String),
    /// What it was made from is not here yet.
    Early(String),
}

pub(super) fn run(console: &mut Console<'_>, args: &AcceptArgs) -> Outcome {
    let request = Request::of_set(console, &args.set)?;
    let delivered = TableFiles::new(request.edition.clone(), &args.from);
    if !args.from.is_dir() {
        return Err(Failure::new(format!("there is no folder {}", args.from.display())));
    }
    let [mut n_accepted, mut n_quarantined, mut n_early] = [0u64; 3];
    // What a table needs comes before it, so that a whole chain can be accepted in one go.
    for (id, job) in request.plan.ids().zip(request.plan.jobs()) {
        if !delivered.are_there(&job.name) {
            continue;
        }
        match judge(&request, &delivered, id, job, args.sample)? {
            Verdict::Accepted => {
                n_accepted += 1;
                writeln!(console.out, "{}: accepted", job.name)?;
            }
            Verdict::Known => writeln!(console.out, "{}: is here already", job.name)?,
            Verdict::Quarantined(why) => {
                n_quarantined += 1;
                writeln!(console.out, "{}: put into quarantine: {}", job.name, visible(&why))?;
            }
            Verdict::Early(why) => {
                n_early += 1;
                writeln!(console.out, "{}: left where it is: {}", job.name, visible(&why))?;
            }
        }
    }
    let tables = plural(n_accepted, "table");
    writeln!(console.out, "{tables} accepted, {n_quarantined} in quarantine, {n_early} too early")?;
    Ok(if n_quarantined + n_early == 0 { Answer::Yes } else { Answer::No })
}

fn judge(
    request: &Request,
    delivered: &TableFiles,
    id: JobId,
    job: &Job,
    n_sample: u64,
) -> Result<Verdict, Failure> {
    let files = TableFiles::new(request.edition.clone(), &request.args.tables);
    let needed: Vec<String> =
        request.plan.needed_by(id).into_iter().map(|needed| request.plan.job(needed).name.clone()).collect();
    let missing: Vec<&str> =
        needed.iter().filter(|name| !files.are_there(name)).map(String::as_str).collect();
    if !missing.is_empty() {
        return Ok(Verdict::Early(format!("it needs {}, which are not there", missing.join(", "))));
    }
    let lease = match TableLease::try_new(&files.main_path(&job.name)).map_err(Failure::new)? {
        Ok(lease) => lease,
        Err(_) => return Ok(Verdict::Early("somebody is making it".into())),
    };
    let here = compared(request, delivered, &files, job);
    if here == Some(true) {
        for &metric in request.edition.metrics() {
            fs::remove_file(delivered.path(&job.name, metric)).map_err(Failure::new)?;
        }
        return Ok(Verdict::Known);
    }
    let fault = match check_chain(request, delivered, &files, job, &needed) {
        Some(fault) => Some(fault),
        None if here == Some(false) => Some("it has other values than the table that is here".into()),
        None => check_values(request, delivered, &files, job, &needed, n_sample)?,
    };
    let (to, verdict) = match fault {
        None => (files.folder().to_path_buf(), Verdict::Accepted),
        Some(fault) => (request.state.quarantine(), Verdict::Quarantined(fault)),
    };
    fs::create_dir_all(&to).map_err(Failure::new)?;
    for &metric in request.edition.metrics() {
        let from = delivered.path(&job.name, metric);
        move_to(&from, &to.join(from.file_name().unwrap_or_default())).map_err(Failure::new)?;
    }
    if let Verdict::Accepted = verdict {
        accepted(&files, &job.name)?;
    }
    drop(lease);
    Ok(verdict)
}

/// Whether the files of a table that is here have the content of those that were delivered; none if it is
/// not here, or only in files that would be made anew.
fn compared(request: &Request, delivered: &TableFiles, files: &TableFiles, job: &Job) -> Option<bool> {
    let mut is_same = true;
    for &metric in request.edition.metrics() {
        let here = Summary::read(&files.path(&job.name, metric)).ok()?;
        let is_usable = is_current(&request.game.variant, &job.material, metric, &here)
            && files.open(&job.name, metric).is_ok_and(|file| file.verify_checksums().is_ok());
        if !is_usable {
            return None;
        }
        let there = Summary::read(&delivered.path(&job.name, metric));
        is_same &= there.is_ok_and(|there| there.table_content() == here.table_content());
    }
    Some(is_same)
}

/// What is wrong with the rules, the version, or what the files say that they were made from.
fn check_chain(
    request: &Request,
    delivered: &TableFiles,
    files: &TableFiles,
    job: &Job,
    needed: &[String],
) -> Option<String> {
    let check = |metric: Metric| -> Result<(), String> {
        let summary = Summary::read(&delivered.path(&job.name, metric)).map_err(|error| error.to_string())?;
        if !is_current(&request.game.variant, &job.material, metric, &summary) {
            return Err("it is of other rules or of another version of the solver".into());
        }
        if let Some(wrong) = wrong_dependencies(&summary.metadata.dependencies, needed).first() {
            return Err(format!("what it says that it was made from is wrong of {wrong}"));
        }
        match changed_dependencies(files, metric, &summary).first() {
            Some(changed) => Err(format!("it was made from another {changed} than ours")),
            None => Ok(()),
        }
    };
    request.edition.metrics().iter().find_map(|&metric| check(metric).err())
}

/// What is wrong with its checksums or with a sample of its values, derived from those that its moves lead
/// to.
fn check_values(
    request: &Request,
    delivered: &TableFiles,
    files: &TableFiles,
    job: &Job,
    needed: &[String],
    n_sample: u64,
) -> Result<Option<String>, Failure> {
    let bench = Bench::new(&request.state.bench(&job.name))?;
    for &metric in request.edition.metrics() {
        bench.add(&delivered.path(&job.name, metric))?;
        needed.iter().try_for_each(|name| bench.add(&files.path(name, metric)))?;
    }
    let verifier = Verifier::new(TableFiles::new(request.edition.clone(), &bench.0), 0);
    // Where the sample is taken nobody knows before.
    let sample = Sample::Random { n_placements: n_sample, seed: RandomState::new().hash_one(&job.name) };
    let derived = derive_again(&verifier, &pool(None)?, job, sample, &|_, _| {});
    Ok(derived.map_or_else(|error| Some(error.to_string()), |(_, fault)| fault))
}

/// A folder in which a delivered table stands beside those that it needs; it is gone when this is dropped.
struct Bench(PathBuf);

impl Bench {
    fn new(folder: &Path) -> Result<Self, Failure> {
        let _ = fs::remove_dir_all(folder);
        fs::create_dir_all(folder).map_err(Failure::new)?;
        Ok(Bench(folder.into()))
    }

    /// Puts a file there, without copying where that is possible.
    fn add(&self, file: &Path) -> Result<(), Failure> {
        let to = self.0.join(file.file_name().unwrap_or_default());
        let linked = fs::hard_link(file, &to).or_else(|_| fs::copy(file, &to).map(drop));
        linked.map_err(|error| Failure::new(format!("{}: {error}", file.display())))
    }
}

impl Drop for Bench {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Moves a file, also to another file system, so that it has its name only when it is whole.
fn move_to(from: &Path, to: &Path) -> std::io::Result<()> {
    if fs::rename(from, to).is_ok() {
        return Ok(());
    }
    let draft = to.with_extension(format!("draft-{}", std::process::id()));
    fs::copy(from, &draft)?;
    fs::rename(&draft, to)?;
    fs::remove_file(from)
}
