//! `cluster status`, `resubmit` and `cancel`: what has become of the jobs of a set.

use super::args::{AuditPart, FolderArgs, ResubmitArgs, StatusArgs};
use super::audit::AuditStatus;
use super::follower::FollowerStatus;
use super::request::{Call, Request};
use super::standing::{State, states};
use super::submit::submit;
use crate::console::Console;
use crate::grid::{Align, Grid};
use crate::{Answer, Failure, Outcome};
use cluster::{Living, Slurm, SlurmError, StateFolder};
use library::figure::{plural, seconds};
use serde::Serialize;
use std::time::Duration;

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
    blocked: usize,
    unknown: usize,
    open: usize,
    seconds_of_work_left: f64,
    tables: Vec<TableJson<'a>>,
    /// The job that submits more or finishes the set.
    follower: Option<FollowerStatus>,
    audit: Option<AuditStatus>,
}

pub(super) fn status(console: &mut Console<'_>, args: &StatusArgs) -> Outcome {
    let request = Request::kept(console, &args.folder.tables)?;
    let living = living(console, &request.state)?;
    let states = states(&request, living.as_ref())?;
    let n = |is: fn(&State) -> bool| states.iter().filter(|state| is(state)).count();
    let [done, running, waiting, failed, blocked, unknown, open] = [
        n(|state| *state == State::Done),
        n(|state| matches!(state, State::Running { .. })),
        n(|state| matches!(state, State::Waiting { .. })),
        n(State::has_failed),
        n(|state| matches!(state, State::Blocked { .. })),
        n(|state| *state == State::Unknown),
        n(|state| *state == State::Open),
    ];
    let audit = AuditStatus::of(&request.state, living.as_ref())?;
    let follower = FollowerStatus::of(&request.state, living.as_ref())?;
    let is_well = failed == 0
        && audit.as_ref().is_none_or(AuditStatus::is_well)
        && follower.as_ref().is_none_or(FollowerStatus::is_well);
    let answer = if is_well { Answer::Yes } else { Answer::No };
    let left = request.set.without(|at| states[at] == State::Done);
    let tables = || request.set.tables.iter().zip(&states);
    if args.json {
        let tables = tables().map(|(table, state)| TableJson { table: &table.name, state }).collect();
        let seconds_of_work_left = left.total_seconds();
        console.print_json(&StatusJson {
            done,
            running,
            waiting,
            failed,
            blocked,
            unknown,
            open,
            seconds_of_work_left,
            tables,
            follower,
            audit,
        })?;
        return Ok(answer);
    }
    let some = |n: usize, what: &str| if n > 0 { format!(", {n} {what}") } else { String::new() };
    writeln!(
        console.out,
        "{}: {done} done, {running} running, {waiting} waiting, {failed} failed{}{}, {open} not submitted",
        plural(states.len() as u64, "table"),
        some(blocked, "blocked by that"),
        some(unknown, "unknown"),
    )?;
    let mut grid = Grid::new(&[("table", Align::Left), ("", Align::Left), ("", Align::Left)]);
    let mut shown = 0;
    for (table, state) in tables() {
        let (word, more) = match state {
            State::Running { host } => ("running", format!("on {host}")),
            State::Failed { message, .. } => {
                let is_blocked = |other: &&State| matches!(other, State::Blocked { by } if *by == table.name);
                let n_blocked = states.iter().filter(is_blocked).count();
                ("failed", message.clone() + &some(n_blocked, "blocked by it"))
            }
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
        let least = left.critical_seconds().max(left.total_seconds() / running.max(1) as f64);
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
             or --more-time 2 where it was killed"
        )?;
    }
    for line in follower.iter().flat_map(FollowerStatus::lines) {
        writeln!(console.out, "{line}")?;
    }
    for line in audit.iter().flat_map(AuditStatus::lines) {
        writeln!(console.out, "{line}")?;
    }
    Ok(answer)
}

pub(super) fn resubmit(console: &mut Console<'_>, args: &ResubmitArgs) -> Outcome {
    let percent = |option: &str, factor: f64| match (1.0..=100.0).contains(&factor) {
        true => Ok((factor * 100.0) as u64),
        false => Err(Failure::new(format!("{option} takes a factor from 1 to 100"))),
    };
    let call = Call {
        memory_percent: percent("--more-memory", args.more_memory)?,
        time_percent: percent("--more-time", args.more_time)?,
        is_wave: args.wave,
        is_dry: args.dry_run,
    };
    let request = Request::kept(console, &args.folder.tables)?;
    submit(console, &request, call)
}

pub(super) fn cancel(console: &mut Console<'_>, args: &FolderArgs) -> Outcome {
    let state = StateFolder::new(&args.tables);
    let mut submitted = state.submitted().map_err(Failure::new)?;
    if submitted.is_empty() {
        return Err(Failure::new(format!("no jobs are known of {}", args.tables.display())));
    }
    let living = Slurm.living(submitted.values().map(|job| &job.job)).map_err(Failure::new)?;
    let jobs: Vec<String> = living.into_keys().collect();
    Slurm.cancel(&jobs).map_err(Failure::new)?;
    // What has ended by itself stays known; what was never to begin, because of that, has nothing to say.
    submitted.retain(|name, job| {
        let has_said = || AuditPart::of_job(name).is_some() || state.has_begun(job);
        !jobs.contains(&job.job) && has_said()
    });
    state.write_submitted(&submitted).map_err(Failure::new)?;
    writeln!(console.out, "{} cancelled; finished tables stay", plural(jobs.len() as u64, "job"))?;
    Ok(Answer::Yes)
}

/// The jobs of a set that live; none where the engine cannot be asked, and then files alone tell.
fn living(console: &mut Console<'_>, state: &StateFolder) -> Result<Option<Living>, Failure> {
    let submitted = state.submitted().map_err(Failure::new)?;
    match Slurm.living(submitted.values().map(|job| &job.job)) {
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
