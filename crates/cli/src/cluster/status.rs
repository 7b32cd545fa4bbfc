//! `cluster status`, `resubmit` and `cancel`: what has become of the jobs of a set.

use super::args::{FolderArgs, ResubmitArgs, StatusArgs};
use super::audit::AuditStatus;
use super::request::Request;
use super::submit::submit;
use crate::console::Console;
use crate::grid::{Align, Grid};
use crate::{Answer, Failure, Outcome};
use cluster::{Living, Slurm, SlurmError};
use library::figure::{bytes, seconds};
use library::{LEASE_TIMEOUT, TableFiles, lease_holder, lease_path};
use serde::Serialize;
use std::collections::BTreeMap;
use std::time::Duration;

/// What has become of a table.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase", tag = "state")]
enum State {
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
    /// No job was submitted for it.
    Open,
}

#[derive(Serialize)]
struct TableJson<'a> {
    table: &'a str,
    #[serde(flatten)]
    state: &'a State,
}

#[derive(Serialize)]
struct StatusJson<'a> {
    done: usize,
    running: usize,
    waiting: usize,
    failed: usize,
    open: usize,
    seconds_of_work_left: f64,
    tables: Vec<TableJson<'a>>,
    audit: Option<AuditStatus>,
}

pub(super) fn status(console: &mut Console<'_>, args: &StatusArgs) -> Outcome {
    let request = Request::kept(console, &args.folder.tables)?;
    let living = living(console)?;
    let states = states(&request, living.as_ref())?;
    let n = |is: fn(&State) -> bool| states.iter().filter(|state| is(state)).count();
    let [done, running, waiting, failed, open] = [
        n(|state| *state == State::Done),
        n(|state| matches!(state, State::Running { .. })),
        n(|state| matches!(state, State::Waiting { .. })),
        n(|state| matches!(state, State::Failed { .. })),
        n(|state| *state == State::Open),
    ];
    let audit = AuditStatus::of(&request.state, living.as_ref())?;
    let is_well = failed == 0 && audit.as_ref().is_none_or(AuditStatus::is_well);
    let answer = if is_well { Answer::Yes } else { Answer::No };
    let left = request.set.without(|at| states[at] == State::Done);
    let tables = || request.set.tables.iter().zip(&states);
    if args.json {
        let tables = tables().map(|(table, state)| TableJson { table: &table.name, state }).collect();
        let seconds_of_work_left = left.total_seconds();
        let json = StatusJson { done, running, waiting, failed, open, seconds_of_work_left, tables, audit };
        console.print_json(&json)?;
        return Ok(answer);
    }
    writeln!(
        console.out,
        "{} tables: {done} done, {running} running, {waiting} waiting, {failed} failed, {open} not submitted",
        states.len()
    )?;
    let mut grid = Grid::new(&[("table", Align::Left), ("", Align::Left), ("", Align::Left)]);
    let mut shown = 0;
    for (table, state) in tables() {
        let (word, more) = match state {
            State::Running { host } => ("running", format!("on {host}")),
            State::Failed { message, .. } => ("failed", message.clone()),
            _ => continue,
        };
        grid.push(vec![table.name.clone(), word.into(), more]);
        shown += 1;
    }
    if shown > 0 {
        write!(console.out, "{}", grid.text(console.out_width))?;
    }
    for (table, state) in tables() {
        if let State::Failed { log, .. } = state {
            for line in log {
                writeln!(console.out, "  {}: {}", table.name, variant::visible(line))?;
            }
        }
    }
    if !left.tables.is_empty() {
        let (critical_seconds, _) = left.critical_path();
        let least = critical_seconds.max(left.total_seconds() / running.max(1) as f64);
        writeln!(
            console.out,
            "about {} left with {} at a time",
            seconds(Duration::from_secs_f64(least)),
            running.max(1)
        )?;
    }
    if failed > 0 {
        let folder = args.folder.tables.display();
        let program = console.program.name;
        writeln!(
            console.out,
            "`{program} cluster resubmit --tables {folder}` submits what failed again, with --more-memory 1.5 \
             where it was killed"
        )?;
    }
    for line in audit.iter().flat_map(AuditStatus::lines) {
        writeln!(console.out, "{line}")?;
    }
    Ok(answer)
}

pub(super) fn resubmit(console: &mut Console<'_>, args: &ResubmitArgs) -> Outcome {
    if !(1.0..=100.0).contains(&args.more_memory) {
        return Err(Failure::new("--more-memory takes a factor from 1 to 100"));
    }
    let request = Request::kept(console, &args.folder.tables)?;
    submit(console, &request, (args.more_memory * 100.0) as u64, args.dry_run)
}

pub(super) fn cancel(console: &mut Console<'_>, args: &FolderArgs) -> Outcome {
    let request = Request::kept(console, &args.tables)?;
    let (living, submitted) =
        (Slurm.living().map_err(Failure::new)?, request.state.submitted().map_err(Failure::new)?);
    let jobs = submitted.into_values().map(|job| job.job).filter(|number| living.contains_key(number));
    let mut jobs: Vec<String> = jobs.collect();
    jobs.sort();
    jobs.dedup();
    Slurm.cancel(&jobs).map_err(Failure::new)?;
    writeln!(
        console.out,
        "{} cancelled; finished tables stay",
        library::figure::plural(jobs.len() as u64, "job")
    )?;
    Ok(Answer::Yes)
}

/// The jobs that live; none where no engine is, and then files alone tell.
fn living(console: &mut Console<'_>) -> Result<Option<Living>, Failure> {
    match Slurm.living() {
        Ok(living) => Ok(Some(living)),
        Err(error) => {
            let what = match error {
                SlurmError::NoEngine { command } => format!("{command} is not here"),
                other => other.to_string(),
            };
            console.tell(&format!("{what}; the files beside the tables tell what they can"))?;
            Ok(None)
        }
    }
}

fn states(request: &Request, living: Option<&Living>) -> Result<Vec<State>, Failure> {
    let submitted: BTreeMap<_, _> = request.state.submitted().map_err(Failure::new)?;
    let files = TableFiles::new(request.edition.clone(), &request.args.tables);
    let state = |(at, table): (usize, &cluster::SetTable)| {
        if request.is_done[at] {
            return Ok(State::Done);
        }
        let path = files.main_path(&table.name);
        let lease = lease_path(&path);
        let is_renewed = || request.state.age(&lease).is_ok_and(|age| age < LEASE_TIMEOUT);
        if let Some(holder) = lease_holder(&path).filter(|_| is_renewed()) {
            return Ok(State::Running { host: holder.host });
        }
        let Some(job) = submitted.get(&table.name) else { return Ok(State::Open) };
        match living.map(|living| living.get(&job.job)) {
            Some(Some(reason)) => return Ok(State::Waiting { reason: reason.clone() }),
            None if request.state.log(&job.bundle).metadata().is_err() => {
                return Ok(State::Waiting { reason: "no log yet".into() });
            }
            _ => {}
        }
        let failure = request.state.failure(&table.name).map_err(Failure::new)?;
        let message = match failure {
            Some(failure) => failure.message,
            None => format!(
                "job {} ended without a word; it had asked for {} of memory",
                job.job,
                bytes(job.memory_bytes)
            ),
        };
        Ok(State::Failed { message, log: request.state.last_lines(&job.bundle, 3) })
    };
    request.set.tables.iter().enumerate().map(state).collect()
}
