//! Finds out what has become of the tables of a set, from the files beside them and from the engine.

use super::args::AuditPart;
use super::follower::FOLLOWER;
use super::request::{Call, Request};
use crate::Failure;
use build::{LEASE_TIMEOUT, lease_holder, lease_path};
use cluster::{Living, Slurm, Submitted};
use library::TableFiles;
use library::figure::bytes;
use serde::Serialize;
use std::collections::BTreeMap;

/// What has become of a table.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase", tag = "state")]
pub(super) enum State {
    Done,
    Running {
        host: String,
    },
    Waiting {
        reason: String,
    },
    /// Its last attempt has ended without a table.
    Failed {
        message: String,
        log: Vec<String>,
    },
    /// Its job has not begun, because this table has failed.
    Blocked {
        by: String,
    },
    /// It is not there, and nobody here can tell whether its job lives.
    Unknown,
    /// No job was submitted for it.
    Open,
}

impl State {
    pub(super) fn has_failed(&self) -> bool {
        matches!(self, State::Failed { .. })
    }
}

/// How many lines of a log are shown.
const N_LINES: usize = 3;

/// The states of a set's tables, in its order; `living` are the jobs that live, if the engine can be asked.
pub(super) fn states(request: &Request, living: Option<&Living>) -> Result<Vec<State>, Failure> {
    let submitted = request.state.submitted().map_err(Failure::new)?;
    let files = TableFiles::new(request.edition.clone(), &request.args.tables);
    let folder = Folder { request, living, submitted, files };
    let mut states: Vec<State> = Vec::new();
    // What a table needs comes before it, and so do those of its job that are made first.
    let mut culprits: BTreeMap<&str, String> = BTreeMap::new();
    for (at, table) in request.set.tables.iter().enumerate() {
        let name = table.name.as_str();
        let of_needed = || {
            table.needs.iter().find_map(|&needed| match &states[needed] {
                State::Failed { .. } => Some(request.set.tables[needed].name.clone()),
                State::Blocked { by } => Some(by.clone()),
                _ => None,
            })
        };
        let job = folder.submitted.get(name);
        let of_bundle = job.and_then(|job| culprits.get(job.job.as_str()).cloned());
        let state = folder.state(at, of_bundle, of_needed)?;
        if let (Some(job), true) = (job, state.has_failed()) {
            culprits.insert(job.job.as_str(), table.name.clone());
        }
        states.push(state);
    }
    Ok(states)
}

struct Folder<'a> {
    request: &'a Request,
    living: Option<&'a Living>,
    submitted: BTreeMap<String, Submitted>,
    files: TableFiles,
}

impl Folder<'_> {
    /// The state of a table; another one of its job has failed before, or one that it needs.
    fn state(
        &self,
        at: usize,
        of_bundle: Option<String>,
        of_needed: impl Fn() -> Option<String>,
    ) -> Result<State, Failure> {
        let (state, table) = (&self.request.state, &self.request.set.tables[at].name);
        if self.request.is_done[at] {
            return Ok(State::Done);
        }
        let path = self.files.main_path(table);
        let lease = lease_path(&path);
        let is_renewed = || state.age(&lease).is_ok_and(|age| age < LEASE_TIMEOUT);
        if let Some(holder) = lease_holder(&path).filter(|_| is_renewed()) {
            return Ok(State::Running { host: holder.host });
        }
        let Some(job) = self.submitted.get(table) else { return Ok(State::Open) };
        if let Some(reason) = self.living.and_then(|living| living.get(&job.job)) {
            return Ok(State::Waiting { reason: reason.clone() });
        }
        let failed = |message| State::Failed { message, log: state.last_lines(&job.bundle, N_LINES) };
        if let Some(failure) = state.failure(table).map_err(Failure::new)? {
            return Ok(failed(failure.message));
        }
        if self.living.is_none() {
            return Ok(State::Unknown);
        }
        let has_begun = state.has_begun(job);
        let by = of_bundle.or_else(|| if has_begun { None } else { of_needed() });
        let message = || {
            let what =
                if has_begun { "was killed or ended without a message" } else { "has not begun and is gone" };
            format!("job {} {what}; it had asked for {} of memory", job.job, bytes(job.memory_bytes))
        };
        Ok(by.map_or_else(|| failed(message()), |by| State::Blocked { by }))
    }
}

/// So many jobs of a table may fail before a wave leaves it alone.
pub(super) const MOST_FAILURES: u32 = 2;

/// What is known of a set's jobs when more are submitted.
pub(super) struct Standing {
    pub(super) submitted: BTreeMap<String, Submitted>,
    pub(super) living: Living,
    /// By place in the set: whether a job of the table waits or runs.
    pub(super) is_at_work: Vec<bool>,
    /// How many jobs of it have failed since a person submitted it.
    pub(super) n_failed: Vec<u32>,
    /// Whether it is left alone: its jobs have failed, or those of what it needs.
    pub(super) is_given_up: Vec<bool>,
}

impl Standing {
    pub(super) fn new(request: &Request, call: Call) -> Result<Self, Failure> {
        let submitted = request.state.submitted().map_err(Failure::new)?;
        let living = match call.is_dry {
            true => Living::new(),
            false => Slurm.living(submitted.values().map(|job| &job.job)).map_err(Failure::new)?,
        };
        let tables = &request.set.tables;
        let job = |at: usize| submitted.get(&tables[at].name);
        let lives = |at: usize| job(at).is_some_and(|job| living.contains_key(&job.job));
        let is_at_work = (0..tables.len()).map(lives).collect();
        let (mut n_failed, mut is_given_up) = (vec![0; tables.len()], vec![false; tables.len()]);
        if call.is_wave {
            for (at, state) in states(request, Some(&living))?.iter().enumerate() {
                n_failed[at] = job(at).map_or(0, |job| job.n_failed) + u32::from(state.has_failed());
                let lacks = tables[at].needs.iter().any(|&needed| is_given_up[needed]);
                is_given_up[at] = !request.is_done[at] && (n_failed[at] >= MOST_FAILURES || lacks);
            }
        }
        Ok(Standing { submitted, living, is_at_work, n_failed, is_given_up })
    }

    /// The jobs of the set that wait or run and that others can wait for: not this one, and not those that
    /// wait themselves for all or only read.
    pub(super) fn at_work(&self) -> Vec<String> {
        let is_of_table = |name: &str| name != FOLLOWER && AuditPart::of_job(name).is_none();
        let own = Slurm.own_job();
        let jobs = self.submitted.iter().filter(|(name, _)| is_of_table(name)).map(|(_, job)| &job.job);
        let mut jobs: Vec<String> = jobs
            .filter(|job| self.living.contains_key(*job) && Some(*job) != own.as_ref())
            .cloned()
            .collect();
        jobs.sort();
        jobs.dedup();
        jobs
    }

    /// The job that follows all others, if it waits or runs and is not this one.
    pub(super) fn follower(&self) -> Option<&Submitted> {
        let follower = self.submitted.get(FOLLOWER)?;
        let lives =
            self.living.contains_key(&follower.job) && Some(&follower.job) != Slurm.own_job().as_ref();
        lives.then_some(follower)
    }

    /// How many jobs may be submitted now: one more is left for the job that follows them.
    pub(super) fn room(&self, most_jobs: Option<u32>) -> Result<usize, Failure> {
        // Asked in any case: where there is no engine this says so before anything is written.
        let n_own = Slurm.n_own().map_err(Failure::new)?;
        let Some(most) = most_jobs else { return Ok(usize::MAX) };
        // A wave needs room for the job that submits it, one of a table, and the next that submits.
        let most = (most as usize).max(3);
        // The old follower goes, and a new one comes.
        Ok((most + usize::from(self.follower().is_some())).saturating_sub(n_own + 1))
    }
}
