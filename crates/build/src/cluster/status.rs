//! Finds out what has become of the tables of a set, from the files beside them and from the engine.

use super::set::TableSet;
use super::slurm::Living;
use super::state::{StateFolder, SubmittedJobs};
use crate::{LEASE_TIMEOUT, lease_holder, lease_path};
use library::TableFiles;
use library::figure::bytes;
use serde::Serialize;
use std::collections::BTreeMap;
use std::io;

/// How many lines of a log are kept.
const N_LINES: usize = 3;

/// What has become of a table, or of the end of the set.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase", tag = "state")]
pub enum State {
    /// It is there.
    Done,
    /// A process makes it.
    Running {
        /// The machine.
        host: String,
    },
    /// Its job waits, or has just begun.
    Waiting {
        /// What the engine says.
        reason: String,
    },
    /// Its last attempt has ended without a table.
    Failed {
        /// Why.
        message: String,
        /// The last lines that the job printed.
        log: Vec<String>,
    },
    /// Its job has not begun, or not come to it.
    Blocked {
        /// The table that has failed before.
        by: String,
    },
    /// It is not there, and whether its job lives cannot be found out here.
    Unknown,
    /// No job was submitted for it.
    Open,
}

/// The states of a set's tables, in its order, and of its end; `living` are the jobs that live, if the
/// engine can be asked.
///
/// # Errors
/// A file beside the tables cannot be read.
pub fn states(
    set: &TableSet,
    is_done: &[bool],
    files: &TableFiles,
    living: Option<&Living>,
) -> io::Result<(Vec<State>, State)> {
    let folder = StateFolder::new(files.folder());
    let jobs = Jobs { submitted: folder.submitted()?, files, living, folder };
    // What a table needs comes before it, and so do those of its job that are made first. Only the first
    // table of a job that fails is to blame.
    let mut culprits: BTreeMap<&str, &str> = BTreeMap::new();
    let mut states = Vec::new();
    for (table, &is_done) in set.tables.iter().zip(is_done) {
        let mut state = if is_done { State::Done } else { jobs.state(&table.name)? };
        if let (true, Some(job)) = (state.has_failed(), jobs.begun(&table.name)) {
            match culprits.get(job) {
                Some(&by) => state = State::Blocked { by: by.to_owned() },
                None => drop(culprits.insert(job, &table.name)),
            }
        }
        states.push(state);
    }
    // An array that has not begun was cancelled because a job before it has failed.
    let has_begun: Vec<bool> = set.tables.iter().map(|table| jobs.begun(&table.name).is_some()).collect();
    let first = (0..states.len()).find(|&at| states[at].has_failed() && has_begun[at]);
    let first = first.map(|at| set.tables[at].name.clone());
    for (at, table) in set.tables.iter().enumerate() {
        let of_needed = table.needs.iter().find_map(|&needed| match &states[needed] {
            State::Failed { .. } => Some(set.tables[needed].name.clone()),
            State::Blocked { by } => Some(by.clone()),
            _ => None,
        });
        let is_lost = states[at].has_failed() && !has_begun[at];
        if let (true, Some(by)) = (is_lost, of_needed.or_else(|| first.clone())) {
            states[at] = State::Blocked { by };
        }
    }
    let end = jobs.end();
    Ok((states, end))
}

impl State {
    /// Whether the last attempt has ended without a table.
    #[must_use]
    pub fn has_failed(&self) -> bool {
        matches!(self, State::Failed { .. })
    }
}

/// The jobs of a set.
struct Jobs<'a> {
    submitted: SubmittedJobs,
    files: &'a TableFiles,
    living: Option<&'a Living>,
    folder: StateFolder,
}

impl Jobs<'_> {
    /// The last job of a table, if it has begun.
    fn begun(&self, table: &str) -> Option<&str> {
        let job = &self.submitted.get(table)?.job;
        self.folder.has_begun(job).then_some(job)
    }

    /// The state of a table that is not there, by its own files and job.
    fn state(&self, table: &str) -> io::Result<State> {
        let path = self.files.main_path(table);
        let is_renewed = || self.folder.age(&lease_path(&path)).is_ok_and(|age| age < LEASE_TIMEOUT);
        if let Some(holder) = lease_holder(&path).filter(|_| is_renewed()) {
            return Ok(State::Running { host: holder.host });
        }
        let Some(job) = self.submitted.get(table) else { return Ok(State::Open) };
        if let Some(reason) = self.living.and_then(|living| living.get(&job.job)) {
            return Ok(State::Waiting { reason: reason.clone() });
        }
        let message = match self.folder.failure(table)? {
            Some(failure) => failure.message,
            None if self.living.is_none() => return Ok(State::Unknown),
            None => {
                let what = match self.begun(table) {
                    Some(_) => "was killed or ended without a message",
                    None => "has not begun and is gone",
                };
                format!("job {} {what}; it had asked for {} of memory", job.job, bytes(job.memory_bytes))
            }
        };
        Ok(State::Failed { message, log: self.folder.last_lines(&job.job, N_LINES) })
    }

    /// The state of the job that finishes the set.
    fn end(&self) -> State {
        let Some(job) = self.submitted.get(StateFolder::END) else { return State::Open };
        match self.living.map(|living| living.get(&job.job)) {
            Some(Some(reason)) => State::Waiting { reason: format!("job {}, {reason}", job.job) },
            _ if self.folder.finished().exists() => State::Done,
            None => State::Unknown,
            Some(None) => State::Failed {
                message: format!("job {} has ended before its work was done; submit again", job.job),
                log: self.folder.last_lines(&job.job, N_LINES),
            },
        }
    }
}
