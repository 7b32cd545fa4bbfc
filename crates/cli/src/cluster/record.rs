//! Leaves beside the tables how the job of a table has ended.

use crate::Failure;
use cluster::{Record, StateFolder};
use format::Summary;
use library::TableFiles;
use std::collections::BTreeMap;
use std::time::SystemTime;

/// The job of one table, from its start.
pub(crate) struct JobRun {
    table: String,
    started: SystemTime,
}

impl JobRun {
    /// The job of this table begins.
    pub(crate) fn new(table: &str) -> Self {
        JobRun { table: table.into(), started: SystemTime::now() }
    }

    /// The table is there. One that was there before, or that another process has made, keeps the record of
    /// the job that made it.
    pub(crate) fn succeeded(&self, files: &TableFiles, is_own: bool) -> Result<(), Failure> {
        let state = StateFolder::new(files.folder());
        if !is_own {
            return state.forget_failure(&self.table).map_err(Failure::new);
        }
        let record = Record {
            table: self.table.clone(),
            host: host(),
            job: job(),
            n_restarts: std::env::var("SLURM_RESTART_COUNT").ok().and_then(|n| n.parse().ok()).unwrap_or(0),
            started: seconds_of(self.started),
            seconds: self.started.elapsed().unwrap_or_default().as_secs_f64(),
            peak_bytes: peak_bytes(),
            contents: contents(&state, files, &self.table)?,
        };
        state.write_record(&record).map_err(Failure::new)
    }

    /// The table is not there, for this reason.
    pub(crate) fn failed(&self, files: &TableFiles, failure: &Failure) {
        let state = StateFolder::new(files.folder());
        let message = failure.to_string();
        let failure = cluster::Failure { table: self.table.clone(), host: host(), job: job(), message };
        // The job's log has it too.
        let _ = state.write_failure(&failure);
    }
}

/// Leaves the record of a table that was delivered and accepted here.
pub(super) fn accepted(files: &TableFiles, table: &str) -> Result<(), Failure> {
    let state = StateFolder::new(files.folder());
    let record = Record {
        table: table.into(),
        host: host(),
        job: None,
        n_restarts: 0,
        started: seconds_of(SystemTime::now()),
        seconds: 0.0,
        peak_bytes: None,
        contents: contents(&state, files, table)?,
    };
    state.write_record(&record).map_err(Failure::new)
}

/// What a table's files hold, and what is recorded of its files for other metrics.
fn contents(
    state: &StateFolder,
    files: &TableFiles,
    table: &str,
) -> Result<BTreeMap<String, String>, Failure> {
    let before = state.record(table).ok().flatten();
    let mut contents = before.map(|before| before.contents).unwrap_or_default();
    for &metric in files.edition().metrics() {
        let path = files.path(table, metric);
        let summary = Summary::read(&path).map_err(Failure::new)?;
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        contents.insert(name, summary.table_content().to_string());
    }
    Ok(contents)
}

fn seconds_of(moment: SystemTime) -> u64 {
    moment.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs()
}

/// The name of this machine.
pub(super) fn host() -> String {
    build::LeaseHolder::own().host
}

fn job() -> Option<String> {
    std::env::var("SLURM_JOB_ID").ok()
}

/// The most memory that this process had.
fn peak_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok().map(|kilobytes| kilobytes * 1024)
}
