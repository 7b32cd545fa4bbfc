//! `cluster`: builds a set by the jobs of an engine, says what has become of them, and takes tables into the
//! set that others have delivered.
//!
//! A set is submitted once and again after anything; what is known of it stands beside its tables. `plan
//! --format` prints the graph of jobs that `cluster submit` hands to Slurm.

mod submit;

use crate::args::Wanted;
use crate::solve::JOB_PATIENCE;
use crate::{Answer, Console, Failure, Game, Outcome, Report, plural, pool, seconds};
use build::FolderLock;
use build::cluster::{Delivery, Slurm, SlurmError, State, Verdict, states};
use clap::{Args, Subcommand};
use library::TableFiles;
use serde::Serialize;
use std::fs;
use std::path::PathBuf;
use std::time::Duration;
pub(crate) use submit::{FALLBACK_RATE, JobSet};
use submit::{FolderArgs, Request, SubmitArgs};
use variant::visible;

/// Build a set on a cluster: one job a table, run by the engine that is there
#[derive(Args, Debug)]
pub(crate) struct ClusterArgs {
    #[command(subcommand)]
    command: ClusterCommand,
}

#[derive(Subcommand, Debug)]
enum ClusterCommand {
    /// Plan a set and submit a job for each table that is not there; again after anything: what is missing
    Submit(Box<SubmitArgs>),
    /// List which tables are done, running, waiting and failed, with the last lines of the failed ones'
    /// logs
    Status(StatusArgs),
    /// Submit again what has failed or was killed, with the options of the last submission
    Resubmit(submit::ResubmitArgs),
    /// Cancel the jobs that wait or run; finished tables and checkpoints stay
    Cancel(FolderArgs),
    /// Take tables that others have delivered into the set, when their checksums, what they were made from
    /// and a sample of their values have been proved; others are put aside
    Accept(AcceptArgs),
}

pub(crate) fn run(console: &mut Console<'_>, args: &ClusterArgs) -> Outcome {
    match &args.command {
        ClusterCommand::Submit(args) => submit::run(console, args),
        ClusterCommand::Status(args) => status(console, args),
        ClusterCommand::Resubmit(args) => submit::again(console, args),
        ClusterCommand::Cancel(args) => submit::cancel(console, args),
        ClusterCommand::Accept(args) => accept(console, args),
    }
}

#[derive(Args, Debug)]
struct AcceptArgs {
    /// The folder with what was delivered
    from: PathBuf,
    #[command(flatten)]
    folder: FolderArgs,
    /// The rules of the game, of a set that was not submitted here [default: those of the submission]
    #[arg(long, value_name = "FILE")]
    variant: Option<PathBuf>,
    /// All tables of up to N men of these rules [default: the limit of the variant]
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

/// Takes delivered tables into a set when they have been proved, and puts others aside.
fn accept(console: &mut Console<'_>, args: &AcceptArgs) -> Outcome {
    let set = match args.variant.clone() {
        None => SubmitArgs::kept(&args.folder.tables)?,
        Some(variant) => {
            let (wanted, metric) = (Wanted { men: args.men, table: args.table.clone() }, args.metric.clone());
            SubmitArgs { variant, wanted, metric, ..SubmitArgs::default() }
        }
    };
    let jobs =
        JobSet::new(console, Game::open(&set.variant)?, &set.wanted, &set.metrics()?, &args.folder.tables)?;
    Failure::of_absent(&args.from)?;
    fs::create_dir_all(&jobs.tables).map_err(Failure::new)?;
    // Runs that begin meanwhile clean up no file of this process.
    let _lock = FolderLock::shared(&jobs.tables, JOB_PATIENCE)?;
    let delivered = TableFiles::new(jobs.edition.clone(), &args.from);
    let (plan, pool) = (&jobs.plan, &pool(None)?);
    let delivery = Delivery { plan, files: jobs.files(), delivered, n_sample: args.sample, pool };
    let (mut n_known, mut n_accepted, mut n_quarantined, mut n_early) = (0, 0, 0, 0);
    // What a table needs comes before it, so that a whole chain can be accepted in one go.
    for (id, job) in plan.ids().zip(plan.jobs()).filter(|(_, job)| delivery.delivered.are_there(&job.name)) {
        let (number, what, why) = match delivery.judge(id)? {
            Verdict::Accepted => (&mut n_accepted, "accepted", String::new()),
            Verdict::Known => (&mut n_known, "is here already", String::new()),
            Verdict::Quarantined(why) => (&mut n_quarantined, "put into quarantine: ", why),
            Verdict::Early(why) => (&mut n_early, "left where it is: ", why),
        };
        *number += 1;
        writeln!(console.out, "{}: {what}{}", job.name, visible(&why))?;
    }
    let tables = plural(n_accepted, "table");
    writeln!(console.out, "{tables} accepted, {n_quarantined} in quarantine, {n_early} too early")?;
    Ok(if n_quarantined + n_early == 0 { Answer::Yes } else { Answer::No })
}

#[derive(Args, Debug)]
struct StatusArgs {
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

/// Says what has become of the tables of a set.
fn status(console: &mut Console<'_>, args: &StatusArgs) -> Outcome {
    let request = Request::new(console, SubmitArgs::kept(&args.folder.tables)?)?;
    let submitted = request.state.submitted().map_err(Failure::new)?;
    let living = Slurm.living(submitted.values().map(|job| &job.job));
    if let Err(error) = &living {
        let what = match error {
            SlurmError::NoEngine { command } => format!("{command} is not here"),
            other => other.to_string(),
        };
        console.tell(&format!("{what}; the files beside the tables tell what they can"))?;
    }
    let states = states(&request.set, &request.is_done, &request.jobs.files(), living.ok().as_ref());
    let (states, finish) = states.map_err(Failure::new)?;
    let tables = request.set.tables.iter().zip(states);
    let tables: Vec<TableState<'_>> =
        tables.map(|(table, state)| TableState { table: &table.name, state }).collect();
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
                "`{program} cluster resubmit --tables {folder}` submits what failed again, with \
                 --more-memory 1.5 or --more-time 2 where it was killed"
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
        let Status { done, running, waiting, failed, open, .. } = self;
        let (blocked, unknown) = (some(self.blocked, "blocked by that"), some(self.unknown, "unknown"));
        let mut text = plural(self.tables.len() as u64, "table");
        text += &format!(
            ": {done} done, {running} running, {waiting} waiting, {failed} failed{blocked}{unknown}, {open} \
             not submitted\n"
        );
        let mut report = Report::new("table | |");
        let mut logs = String::new();
        for TableState { table, state } in &self.tables {
            let (word, more) = match state {
                State::Running { host } => ("running", format!("on {host}")),
                State::Failed { message, log } => {
                    let is_blocked = |other: &&TableState<'_>| matches!(&other.state, State::Blocked { by } if by == table);
                    let n_blocked = self.tables.iter().filter(is_blocked).count();
                    logs.extend(log.iter().map(|line| format!("  {table}: {}\n", visible(line))));
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
                let lines = log.iter().map(|line| format!("  {}", visible(line)));
                std::iter::once(format!("finish: {message}")).chain(lines).collect()
            }
            State::Unknown => vec!["finish: a job of which nothing is known here".into()],
            _ => Vec::new(),
        }
    }
}
