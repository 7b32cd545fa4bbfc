//! `cluster status`: finds out what has become of the tables of a set, from the files beside them and from
//! the engine.

use super::FolderArgs;
use super::request::{Request, SubmitArgs};
use super::submit::FINISH;
use crate::console::Console;
use crate::grid::{Align, Grid};
use crate::{Answer, Failure, Outcome};
use ::cluster::{Living, Slurm, SlurmError, SubmittedJobs};
use build::{LEASE_TIMEOUT, lease_holder, lease_path};
use clap::Args;
use library::figure::{bytes, plural, seconds};
use serde::Serialize;
use std::collections::BTreeMap;
use std::time::Duration;

/// How many lines of a log are shown.
const N_LINES: usize = 3;

#[derive(Args, Debug)]
pub(super) struct StatusArgs {
    #[command(flatten)]
    folder: FolderArgs,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// What has become of a table, or of the end of the set.
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
    /// Its job has not begun, because this table has failed.
    Blocked {
        by: String,
    },
    /// It is not there, and whether its job lives cannot be found out here.
    Unknown,
    /// No job was submitted for it.
    Open,
}

#[derive(Serialize)]
struct TableState<'a> {
    table: &'a str,
    #[serde(flatten)]
    state: State,
}

#[derive(Serialize)]
struct Status<'a> {
    done: usize,
    running: usize,
    waiting: usize,
    failed: usize,
    blocked: usize,
    unknown: usize,
    open: usize,
    seconds_of_work_left: f64,
    tables: Vec<TableState<'a>>,
    /// The job that finishes the set.
    finish: State,
}

pub(super) fn run(console: &mut Console<'_>, args: &StatusArgs) -> Outcome {
    let request = Request::new(console, SubmitArgs::kept(&args.folder.tables)?)?;
    let submitted = request.state.submitted().map_err(Failure::new)?;
    let living = match Slurm.living(submitted.values().map(|job| &job.job)) {
        Ok(living) => Some(living),
        // Then files alone tell.
        Err(error) => {
            let what = match error {
                SlurmError::NoEngine { command } => format!("{command} is not here"),
                other => other.to_string(),
            };
            console.tell(&format!("{what}; the files beside the tables tell what they can"))?;
            None
        }
    };
    let jobs = Jobs { request: &request, living, submitted };
    let (tables, finish) = jobs.states()?;
    let n = |is: fn(&State) -> bool| tables.iter().filter(|table| is(&table.state)).count();
    let left = request.set.without(|at| tables[at].state == State::Done);
    let status = Status {
        done: n(|state| *state == State::Done),
        running: n(|state| matches!(state, State::Running { .. })),
        waiting: n(|state| matches!(state, State::Waiting { .. })),
        failed: n(|state| matches!(state, State::Failed { .. })),
        blocked: n(|state| matches!(state, State::Blocked { .. })),
        unknown: n(|state| *state == State::Unknown),
        open: n(|state| *state == State::Open),
        seconds_of_work_left: left.total_seconds(),
        tables,
        finish,
    };
    if args.json {
        console.print_json(&status)?;
    } else {
        write!(console.out, "{}", status.text(console.out_width))?;
        if !left.tables.is_empty() {
            let n_running = status.running.max(1);
            let least = left.critical_seconds().max(left.total_seconds() / n_running as f64);
            let least = seconds(Duration::from_secs_f64(least));
            writeln!(console.out, "about {least} left with {n_running} at a time")?;
        }
        if status.failed > 0 {
            let (program, folder) = (console.program.name, args.folder.tables.display());
            writeln!(
                console.out,
                "`{program} cluster resubmit --tables {folder}` submits what failed again, with --more-memory 1.5 \
                 or --more-time 2 where it was killed"
            )?;
        }
        status.finish_lines().iter().try_for_each(|line| writeln!(console.out, "{line}"))?;
    }
    let is_well = status.failed == 0 && !matches!(status.finish, State::Failed { .. });
    Ok(if is_well { Answer::Yes } else { Answer::No })
}

impl Status<'_> {
    /// The sum, the tables that run or have failed, and the last lines of the logs of the latter.
    fn text(&self, width: Option<usize>) -> String {
        let some = |n: usize, what: &str| if n > 0 { format!(", {n} {what}") } else { String::new() };
        let mut text = format!(
            "{}: {} done, {} running, {} waiting, {} failed{}{}, {} not submitted\n",
            plural(self.tables.len() as u64, "table"),
            self.done,
            self.running,
            self.waiting,
            self.failed,
            some(self.blocked, "blocked by that"),
            some(self.unknown, "unknown"),
            self.open,
        );
        let mut grid = Grid::new(&[("table", Align::Left), ("", Align::Left), ("", Align::Left)]);
        let mut logs = String::new();
        for TableState { table, state } in &self.tables {
            let (word, more) = match state {
                State::Running { host } => ("running", format!("on {host}")),
                State::Failed { message, log } => {
                    let is_blocked = |other: &&TableState<'_>| matches!(&other.state, State::Blocked { by } if by == table);
                    let n_blocked = self.tables.iter().filter(is_blocked).count();
                    let lines = log.iter().map(|line| format!("  {table}: {}\n", variant::visible(line)));
                    logs.extend(lines);
                    ("failed", message.clone() + &some(n_blocked, "blocked by it"))
                }
                _ => continue,
            };
            grid.push(vec![(*table).to_owned(), word.into(), more]);
        }
        if self.running + self.failed > 0 {
            text += &grid.text(width);
        }
        text + &logs
    }

    /// What is said of the job that finishes the set, while it is not done.
    fn finish_lines(&self) -> Vec<String> {
        match &self.finish {
            State::Waiting { reason } => vec![format!("finish: {reason}")],
            State::Failed { message, log } => {
                let lines = log.iter().map(|line| format!("  {}", variant::visible(line)));
                std::iter::once(format!("finish: {message}")).chain(lines).collect()
            }
            State::Unknown => vec!["finish: a job of which nothing is known here".into()],
            _ => Vec::new(),
        }
    }
}

/// The jobs of a set.
struct Jobs<'a> {
    request: &'a Request,
    /// Those that live, if the engine can be asked.
    living: Option<Living>,
    submitted: SubmittedJobs,
}

impl<'a> Jobs<'a> {
    /// The states of a set's tables, in its order, and of its end.
    fn states(&self) -> Result<(Vec<TableState<'a>>, State), Failure> {
        let Request { set, state: folder, .. } = self.request;
        // What a table needs comes before it, and so do those of its job that are made first. Only the first
        // table of a job that fails is to blame.
        let mut culprits: BTreeMap<&str, &str> = BTreeMap::new();
        let mut states = Vec::new();
        for (at, table) in set.tables.iter().enumerate() {
            let mut state = self.state(at)?;
            if let (State::Failed { .. }, Some(job)) = (&state, self.begun(&table.name)) {
                match culprits.get(job) {
                    Some(&by) => state = State::Blocked { by: by.to_owned() },
                    None => drop(culprits.insert(job, &table.name)),
                }
            }
            states.push(TableState { table: &table.name, state });
        }
        // An array that has not begun was cancelled because a job before it has failed.
        let first = states
            .iter()
            .find(|table| matches!(table.state, State::Failed { .. }) && self.begun(table.table).is_some());
        let first = first.map(|table| table.table.to_owned());
        for (at, table) in set.tables.iter().enumerate() {
            let is_lost =
                matches!(states[at].state, State::Failed { .. }) && self.begun(&table.name).is_none();
            let of_needed = table.needs.iter().find_map(|&needed| match &states[needed].state {
                State::Failed { .. } => Some(set.tables[needed].name.clone()),
                State::Blocked { by } => Some(by.clone()),
                _ => None,
            });
            if let (true, Some(by)) = (is_lost, of_needed.or_else(|| first.clone())) {
                states[at].state = State::Blocked { by };
            }
        }
        let finish = match self.submitted.get(FINISH) {
            None => State::Open,
            Some(job) => match self.living.as_ref().map(|living| living.get(&job.job)) {
                Some(Some(reason)) => State::Waiting { reason: format!("job {}, {reason}", job.job) },
                _ if folder.finished().exists() => State::Done,
                None => State::Unknown,
                Some(None) => State::Failed {
                    message: format!("job {} has ended before its work was done; submit again", job.job),
                    log: folder.last_lines(&job.job, N_LINES),
                },
            },
        };
        Ok((states, finish))
    }

    /// The last job of a table, if it has begun.
    fn begun(&self, table: &str) -> Option<&str> {
        let job = &self.submitted.get(table)?.job;
        self.request.state.has_begun(job).then_some(job)
    }

    /// The state of a table by its own files and job.
    fn state(&self, at: usize) -> Result<State, Failure> {
        let (request, table) = (self.request, &self.request.set.tables[at].name);
        if request.is_done[at] {
            return Ok(State::Done);
        }
        let path = request.jobs.files().main_path(table);
        let is_renewed = || request.state.age(&lease_path(&path)).is_ok_and(|age| age < LEASE_TIMEOUT);
        if let Some(holder) = lease_holder(&path).filter(|_| is_renewed()) {
            return Ok(State::Running { host: holder.host });
        }
        let Some(job) = self.submitted.get(table) else { return Ok(State::Open) };
        if let Some(reason) = self.living.as_ref().and_then(|living| living.get(&job.job)) {
            return Ok(State::Waiting { reason: reason.clone() });
        }
        let failure = request.state.failure(table).map_err(Failure::new)?;
        let message = match failure {
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
        Ok(State::Failed { message, log: request.state.last_lines(&job.job, N_LINES) })
    }
}
