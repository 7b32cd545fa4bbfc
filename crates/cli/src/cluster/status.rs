//! `cluster status`: says what has become of the tables of a set.

use super::submit::{FolderArgs, Request, SubmitArgs};
use crate::console::Console;
use crate::report::Report;
use crate::{Answer, Failure, Outcome};
use build::cluster::{Slurm, SlurmError, State, states};
use clap::Args;
use library::figure::{plural, seconds};
use serde::Serialize;
use std::time::Duration;

#[derive(Args, Debug)]
pub(super) struct StatusArgs {
    #[command(flatten)]
    folder: FolderArgs,
    /// Print JSON
    #[arg(long)]
    json: bool,
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
    let states = states(&request.set, &request.is_done, &request.jobs.files(), living.as_ref());
    let (states, finish) = states.map_err(Failure::new)?;
    let tables: Vec<TableState<'_>> = request
        .set
        .tables
        .iter()
        .zip(states)
        .map(|(table, state)| TableState { table: &table.name, state })
        .collect();
    let n = |is: fn(&State) -> bool| tables.iter().filter(|table| is(&table.state)).count();
    let left = request.set.without(|at| tables[at].state == State::Done);
    let status = Status {
        done: n(|state| *state == State::Done),
        running: n(|state| matches!(state, State::Running { .. })),
        waiting: n(|state| matches!(state, State::Waiting { .. })),
        failed: n(State::has_failed),
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
    let is_well = status.failed == 0 && !status.finish.has_failed();
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
        let mut report = Report::new("table | |");
        let mut logs = String::new();
        for TableState { table, state } in &self.tables {
            let (word, more) = match state {
                State::Running { host } => ("running", format!("on {host}")),
                State::Failed { message, log } => {
                    let is_blocked = |other: &&TableState<'_>| match &other.state {
                        State::Blocked { by } => by == table,
                        _ => false,
                    };
                    let n_blocked = self.tables.iter().filter(is_blocked).count();
                    let lines = log.iter().map(|line| format!("  {table}: {}\n", variant::visible(line)));
                    logs.extend(lines);
                    ("failed", message.clone() + &some(n_blocked, "blocked by it"))
                }
                _ => continue,
            };
            report.row([*table, word, &more]);
        }
        if self.running + self.failed > 0 {
            text += &report.text(width);
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
