//! `cluster accept`: takes delivered tables into a set when they have been proved, and puts others aside.

use super::FolderArgs;
use super::request::{JobSet, SubmitArgs};
use crate::args::Wanted;
use crate::console::Console;
use crate::game::Game;
use crate::pool::pool;
use crate::solve::record;
use crate::{Answer, Failure, Outcome};
use ::cluster::StateFolder;
use ::plan::{Job, JobId};
use build::{TableLease, Verifier};
use clap::Args;
use format::{Dependency, Summary};
use library::figure::plural;
use library::{TableFiles, is_current};
use proof::Sample;
use std::collections::BTreeSet;
use std::fs;
use std::hash::{BuildHasher, RandomState};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};
use variant::{Metric, visible};

#[derive(Args, Debug)]
pub(super) struct AcceptArgs {
    /// The folder with what was delivered
    from: PathBuf,
    #[command(flatten)]
    folder: FolderArgs,
    /// The rules of the game, of a set that was not submitted here [default: those of the submission]
    #[arg(long, value_name = "FILE")]
    variant: Option<PathBuf>,
    /// All tables of up to so many men of these rules [default: the limit of the variant]
    #[arg(long, value_name = "N", requires = "variant", conflicts_with = "table")]
    men: Option<usize>,
    /// One table of these rules with what it needs; may be given several times
    #[arg(long, value_name = "MATERIAL", requires = "variant")]
    table: Vec<String>,
    /// What the tables of these rules hold
    #[arg(long, value_name = "METRIC", value_delimiter = ',', requires = "variant")]
    metric: Vec<String>,
    /// How many placements of a table are derived again from those that their moves lead to, with each side
    /// to move
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    sample: u64,
}

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
    let given = args.variant.as_ref().map(|variant| SubmitArgs {
        variant: variant.clone(),
        wanted: Wanted { men: args.men, table: args.table.clone() },
        metric: args.metric.clone(),
        ..SubmitArgs::default()
    });
    let set = given.map_or_else(|| SubmitArgs::kept(&args.folder.tables), Ok)?;
    let jobs =
        JobSet::new(console, Game::load(&set.variant)?, &set.wanted, &set.metrics()?, &args.folder.tables)?;
    if !args.from.is_dir() {
        return Err(Failure::new(format!("there is no folder {}", args.from.display())));
    }
    fs::create_dir_all(&jobs.tables).map_err(Failure::new)?;
    let delivered = TableFiles::new(jobs.edition.clone(), &args.from);
    let delivery = Delivery { files: jobs.files(), jobs: &jobs, delivered, n_sample: args.sample };
    let [mut n_accepted, mut n_quarantined, mut n_early] = [0u64; 3];
    // What a table needs comes before it, so that a whole chain can be accepted in one go.
    for (id, job) in jobs.plan.ids().zip(jobs.plan.jobs()) {
        if !delivery.delivered.are_there(&job.name) {
            continue;
        }
        let what = match delivery.judge(id, job)? {
            Verdict::Accepted => {
                n_accepted += 1;
                "accepted".to_owned()
            }
            Verdict::Known => "is here already".to_owned(),
            Verdict::Quarantined(why) => {
                n_quarantined += 1;
                format!("put into quarantine: {}", visible(&why))
            }
            Verdict::Early(why) => {
                n_early += 1;
                format!("left where it is: {}", visible(&why))
            }
        };
        writeln!(console.out, "{}: {what}", job.name)?;
    }
    let tables = plural(n_accepted, "table");
    writeln!(console.out, "{tables} accepted, {n_quarantined} in quarantine, {n_early} too early")?;
    Ok(if n_quarantined + n_early == 0 { Answer::Yes } else { Answer::No })
}

/// Files that were delivered, beside those of the set.
struct Delivery<'a> {
    jobs: &'a JobSet,
    files: TableFiles,
    delivered: TableFiles,
    /// How many placements of a table are derived again.
    n_sample: u64,
}

impl Delivery<'_> {
    fn judge(&self, id: JobId, job: &Job) -> Result<Verdict, Failure> {
        let (files, delivered) = (&self.files, &self.delivered);
        let plan = &self.jobs.plan;
        let needed: Vec<String> =
            plan.needed_by(id).into_iter().map(|needed| plan.job(needed).name.clone()).collect();
        let missing: Vec<&str> =
            needed.iter().filter(|name| !files.are_there(name)).map(String::as_str).collect();
        if !missing.is_empty() {
            return Ok(Verdict::Early(format!("it needs {}, which are not there", missing.join(", "))));
        }
        let lease = match TableLease::try_new(&files.main_path(&job.name)).map_err(Failure::new)? {
            Ok(lease) => lease,
            Err(_) => return Ok(Verdict::Early("somebody is making it".into())),
        };
        let here = self.compared(job);
        if here == Some(true) {
            for &metric in files.edition().metrics() {
                fs::remove_file(delivered.path(&job.name, metric)).map_err(Failure::new)?;
            }
            return Ok(Verdict::Known);
        }
        let chain = || {
            files.edition().metrics().iter().find_map(|&metric| self.check_chain(metric, job, &needed).err())
        };
        let fault = match chain() {
            Some(fault) => Some(fault),
            None if here == Some(false) => Some("it has other values than the table that is here".into()),
            None => self.check_values(job, &needed)?,
        };
        let (to, verdict) = match fault {
            None => (files.folder().to_path_buf(), Verdict::Accepted),
            Some(fault) => (StateFolder::new(files.folder()).quarantine(), Verdict::Quarantined(fault)),
        };
        fs::create_dir_all(&to).map_err(Failure::new)?;
        for &metric in files.edition().metrics() {
            let from = delivered.path(&job.name, metric);
            move_to(&from, &to.join(from.file_name().unwrap_or_default())).map_err(Failure::new)?;
        }
        if let Verdict::Accepted = verdict {
            let record = record(files, &job.name, None, SystemTime::now(), Duration::ZERO)?;
            StateFolder::new(files.folder()).write_record(&record).map_err(Failure::new)?;
        }
        drop(lease);
        Ok(verdict)
    }

    /// Whether the files of a table that is here have the content of those that were delivered; none if it is
    /// not here, or only in files that would be made anew.
    fn compared(&self, job: &Job) -> Option<bool> {
        let mut is_same = true;
        for &metric in self.files.edition().metrics() {
            let here = Summary::read(&self.files.path(&job.name, metric)).ok()?;
            let is_usable = is_current(&self.jobs.game.variant, &job.material, metric, &here)
                && self.files.open(&job.name, metric).is_ok_and(|file| file.verify_checksums().is_ok());
            if !is_usable {
                return None;
            }
            let there = Summary::read(&self.delivered.path(&job.name, metric));
            is_same &= there.is_ok_and(|there| there.table_content() == here.table_content());
        }
        Some(is_same)
    }

    /// Checks the rules, the version, and what a file says that it was made from; says what is wrong.
    fn check_chain(&self, metric: Metric, job: &Job, needed: &[String]) -> Result<(), String> {
        let summary = Summary::read(&self.delivered.path(&job.name, metric));
        let summary = summary.map_err(|error| error.to_string())?;
        if !is_current(&self.jobs.game.variant, &job.material, metric, &summary) {
            return Err("it is of other rules or of another version of the solver".into());
        }
        let dependencies = &summary.metadata.dependencies;
        if let Some(wrong) = wrong_dependencies(dependencies, needed).first() {
            return Err(format!("what it says that it was made from is wrong of {wrong}"));
        }
        // Tables that are always drawn, and what is not here, are not compared.
        let is_changed = |dependency: &&Dependency| {
            let here = Summary::read(&self.files.path(&dependency.material, metric));
            here.is_ok_and(|here| here.table_content() != dependency.content)
        };
        match dependencies.iter().find(is_changed) {
            Some(changed) => Err(format!("it was made from another {} than ours", changed.material)),
            None => Ok(()),
        }
    }

    /// What is wrong with its checksums or with a sample of its values, derived from those that its moves
    /// lead to.
    fn check_values(&self, job: &Job, needed: &[String]) -> Result<Option<String>, Failure> {
        let edition = self.files.edition();
        let bench = Bench::new(&StateFolder::new(self.files.folder()).bench(&job.name))?;
        for &metric in edition.metrics() {
            bench.add(&self.delivered.path(&job.name, metric))?;
            needed.iter().try_for_each(|name| bench.add(&self.files.path(name, metric)))?;
        }
        let verifier = Verifier::new(TableFiles::new(edition.clone(), &bench.0), 0);
        // Where the sample is taken cannot be known before.
        let seed = RandomState::new().hash_one(&job.name);
        let sample = Sample::Random { n_placements: self.n_sample, seed };
        let report = pool(None)?.install(|| verifier.verify(job, sample, &|_, _| {}));
        Ok(match report {
            Err(error) => Some(error.to_string()),
            Ok(report) => report.differences.first().map(|first| {
                format!("{} of its values are wrong, the first at {first}", report.n_differences)
            }),
        })
    }
}

/// The tables that one has to be made from and that its file does not name, or the other way round.
fn wrong_dependencies(named: &[Dependency], needed: &[String]) -> Vec<String> {
    let needed: BTreeSet<&str> = needed.iter().map(String::as_str).collect();
    let named: BTreeSet<&str> = named.iter().map(|dependency| dependency.material.as_str()).collect();
    needed.symmetric_difference(&named).map(|&name| name.to_owned()).collect()
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

#[cfg(test)]
mod tests {
    use super::wrong_dependencies;
    use format::{Checksum, Dependency};

    #[test]
    fn dependencies_are_neither_left_out_nor_made_up() {
        let named = |names: &[&str]| -> Vec<Dependency> {
            let content = Checksum([7; 32]);
            names.iter().map(|&name| Dependency { material: name.into(), content }).collect()
        };
        let needed = ["KQvK".to_owned(), "KRvK".to_owned()];
        for (names, wrong) in [
            (&["KQvK", "KRvK"][..], &[][..]),
            (&["KRvK"], &["KQvK"]),
            (&[], &["KQvK", "KRvK"]),
            (&["KQvK", "KRvK", "KBvK"], &["KBvK"]),
        ] {
            assert_eq!(wrong_dependencies(&named(names), &needed), wrong);
        }
    }
}
