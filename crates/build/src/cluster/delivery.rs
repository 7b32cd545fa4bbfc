//! Takes tables that were made elsewhere into a set when they have been proved, and puts others aside.

use super::state::{Record, StateFolder};
use crate::{TableLease, Verifier};
use format::{Dependency, put_column, remove_column};
use library::{LibraryError, TableFiles};
use plan::{Job, JobId, Plan};
use proof::Sample;
use rayon::ThreadPool;
use std::collections::BTreeSet;
use std::fs;
use std::hash::{BuildHasher, RandomState};
use std::path::{Path, PathBuf};
use variant::Metric;

/// What is done with a delivered table.
pub enum Verdict {
    /// It is right, and in the set now.
    Accepted,
    /// It is here already with these values.
    Known,
    /// It is wrong, for this reason.
    Quarantined(String),
    /// What it was made from is not here yet.
    Early(String),
}

/// Files that were delivered, beside those of the set.
pub struct Delivery<'a> {
    /// The tables of the set.
    pub plan: &'a Plan,
    /// Where they are.
    pub files: TableFiles,
    /// What was delivered.
    pub delivered: TableFiles,
    /// How many placements of a table are derived again, with each side to move.
    pub n_sample: u64,
    /// The threads that do it.
    pub pool: &'a ThreadPool,
}

impl Delivery<'_> {
    /// Judges a delivered table, and moves its files where they belong.
    ///
    /// # Errors
    /// A file cannot be moved, or the table cannot be leased.
    pub fn judge(&self, id: JobId) -> Result<Verdict, LibraryError> {
        let Delivery { plan, files, delivered, .. } = self;
        let job = plan.job(id);
        let needed: Vec<String> =
            plan.needed_by(id).into_iter().map(|needed| plan.job(needed).name.clone()).collect();
        let missing: Vec<&str> =
            needed.iter().filter(|name| !files.are_there(name)).map(String::as_str).collect();
        if !missing.is_empty() {
            return Ok(Verdict::Early(format!("it needs {}, which are not there", missing.join(", "))));
        }
        let lease = match TableLease::try_new(&files.main_path(&job.name))? {
            Ok(lease) => lease,
            Err(_) => return Ok(Verdict::Early("somebody is making it".into())),
        };
        let here = self.compared(job);
        if here == Some(true) {
            self.remove_delivered(job)?;
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
        if let Some(fault) = fault {
            // The file as it is: it may be damaged anywhere.
            let (from, to) = (delivered.main_path(&job.name), StateFolder::new(files.folder()).quarantine());
            fs::create_dir_all(&to).map_err(LibraryError::io("make", &to))?;
            let moved = move_to(&from, &to.join(from.file_name().unwrap_or_default()));
            moved.map_err(LibraryError::io("move", &from))?;
            return Ok(Verdict::Quarantined(fault));
        }
        for &metric in files.edition().metrics() {
            let (from, to) = (delivered.path(&job.name, metric), files.path(&job.name, metric));
            put_column(&from, &to, files.edition().column(&job.name, metric))?;
        }
        self.remove_delivered(job)?;
        let record = Record::new(files, &job.name, None)?;
        let written = StateFolder::new(files.folder()).write_record(&record);
        written.map_err(LibraryError::io("write into", files.folder()))?;
        drop(lease);
        Ok(Verdict::Accepted)
    }

    /// Removes the columns of a table that were delivered; the files with the last of them.
    fn remove_delivered(&self, job: &Job) -> Result<(), LibraryError> {
        let edition = self.delivered.edition();
        let mut metrics = edition.metrics().iter();
        Ok(metrics.try_for_each(|&metric| {
            remove_column(&self.delivered.path(&job.name, metric), edition.column(&job.name, metric))
        })?)
    }

    /// Whether the files of a table that is here have the content of those that were delivered; none if it
    /// is not here, or only in files that would be made anew.
    fn compared(&self, job: &Job) -> Option<bool> {
        let mut is_same = true;
        for &metric in self.files.edition().metrics() {
            let here = self.files.summary(&job.name, metric).ok()?;
            let is_usable = self.files.edition().is_current(&job.material, metric, &here)
                && self.files.open(&job.name, metric).is_ok_and(|file| file.verify_checksums().is_ok());
            if !is_usable {
                return None;
            }
            let there = self.delivered.summary(&job.name, metric);
            is_same &= there.is_ok_and(|there| there.table_content() == here.table_content());
        }
        Some(is_same)
    }

    /// Checks the rules, the version, and what a file says that it was made from; says what is wrong.
    fn check_chain(&self, metric: Metric, job: &Job, needed: &[String]) -> Result<(), String> {
        let summary = self.delivered.summary(&job.name, metric).map_err(|error| error.to_string())?;
        if !self.files.edition().is_current(&job.material, metric, &summary) {
            return Err("it is of other rules or of another version of the solver".into());
        }
        let dependencies = &summary.metadata.dependencies;
        if let Some(wrong) = wrong_dependencies(dependencies, needed).first() {
            return Err(format!("what it says that it was made from is wrong of {wrong}"));
        }
        // Tables that are always drawn, and what is not here, are not compared.
        let is_changed = |dependency: &&Dependency| {
            let here = self.files.summary(&dependency.material, metric);
            here.is_ok_and(|here| here.table_content() != dependency.content)
        };
        match dependencies.iter().find(is_changed) {
            Some(changed) => Err(format!("it was made from another {} than ours", changed.material)),
            None => Ok(()),
        }
    }

    /// What is wrong with its checksums or with a sample of its values, derived from those that its moves
    /// lead to.
    fn check_values(&self, job: &Job, needed: &[String]) -> Result<Option<String>, LibraryError> {
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
        let report = self.pool.install(|| verifier.verify(job, sample, &|_, _| {}));
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
    fn new(folder: &Path) -> Result<Self, LibraryError> {
        let _ = fs::remove_dir_all(folder);
        fs::create_dir_all(folder).map_err(LibraryError::io("make", folder))?;
        Ok(Bench(folder.into()))
    }

    /// Puts a file there, without copying where that is possible.
    fn add(&self, file: &Path) -> Result<(), LibraryError> {
        let to = self.0.join(file.file_name().unwrap_or_default());
        if to.exists() {
            // It has another column that was added before.
            return Ok(());
        }
        let linked = fs::hard_link(file, &to).or_else(|_| fs::copy(file, &to).map(drop));
        linked.map_err(LibraryError::io("copy", file))
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
