//! `cluster submit`: hands the jobs of a set to the engine, those that are missing.

use super::args::{SubmitArgs, whole_path};
use super::follower::{self, Task};
use super::request::{Call, Request};
use super::standing::{MOST_FAILURES, Standing};
use crate::console::Console;
use crate::{Answer, Failure, Outcome};
use cluster::{
    Bundle, Dependency, JobOptions, Slurm, StateFolder, Submitted, TableSet, bundles, cut_minutes,
    memory_bytes, script, simulate,
};
use library::figure::{bytes, plural, seconds};
use std::fs;
use std::time::Duration;

pub(super) fn run(console: &mut Console<'_>, args: &SubmitArgs) -> Outcome {
    let args = SubmitArgs {
        variant: whole_path(&args.variant),
        tables: whole_path(&args.tables),
        program: args.program.clone().or_else(|| std::env::current_exe().ok()),
        ..args.clone()
    };
    let is_dry = args.dry_run;
    if !is_dry {
        check_same_set(&args)?;
    }
    let request = Request::new(console, args)?;
    submit(console, &request, Call::new(is_dry))
}

/// Fails while jobs of another set wait or run in the folder: the job that finishes one set would cut off
/// what those of the other need, and the rest of a set in waves would be forgotten.
fn check_same_set(args: &SubmitArgs) -> Result<(), Failure> {
    let state = StateFolder::new(&args.tables);
    let Some(before) = state.request::<SubmitArgs>().map_err(Failure::new)? else { return Ok(()) };
    let set = |args: &SubmitArgs| (args.variant.clone(), args.men, args.table.clone(), args.metric.clone());
    if set(&before) == set(args) {
        return Ok(());
    }
    let submitted = state.submitted().map_err(Failure::new)?;
    let n_living = Slurm.living(submitted.values().map(|job| &job.job)).map_err(Failure::new)?.len();
    if n_living == 0 {
        return Ok(());
    }
    let wanted = match (before.men, &before.table[..]) {
        (Some(men), _) => format!("--men {men}"),
        (None, []) => "all tables".into(),
        (None, tables) => format!("--table {}", tables.join(" --table ")),
    };
    Err(Failure::new(format!(
        "{} of another set ({wanted}) wait or run in {}: submit that one again, wait for its end, or end it \
         with `cluster cancel`",
        plural(n_living as u64, "job"),
        args.tables.display()
    )))
}

/// A wave that finds no room for a job looks again after so long.
///
/// Units: minutes.
const LATER_MINUTES: u64 = 10;

/// Submits what is missing of a set.
pub(super) fn submit(console: &mut Console<'_>, request: &Request, call: Call) -> Outcome {
    request.check_memory()?;
    let state = &request.state;
    let mut standing = Standing::new(request, call)?;
    let is_left = |at: usize| !request.is_done[at] && !standing.is_at_work[at] && !standing.is_given_up[at];
    let left = request.set.without(|at| !is_left(at));
    let places: Vec<usize> = (0..request.set.tables.len()).filter(|&at| is_left(at)).collect();
    let jobs = bundles(&left, request.args.bundle * 60.0);
    let (command, options) = (request.command(), request.options(call));
    tell(console, request, (&left, &jobs), &options, standing.is_at_work.iter().filter(|&&is| is).count())?;
    let text_of = |job: &Bundle| script(&left, job, &command, &options, &state.log(&job.name(&left)));
    if call.is_dry {
        for job in &jobs {
            writeln!(console.out, "# {}\n{}", state.script(&job.name(&left)).display(), text_of(job))?;
        }
        return Ok(Answer::Yes);
    }
    let is_whole = request.is_done.iter().all(|&is_done| is_done);
    let is_given_up = standing.is_given_up.contains(&true);
    if jobs.is_empty() && is_given_up {
        return Err(given_up(console, request, &standing));
    }
    // Whoever follows the jobs at work goes on with the set, or finishes it.
    if jobs.is_empty() && (standing.follower().is_some() || is_whole && state.finished().exists()) {
        return Ok(Answer::Yes);
    }
    let room = standing.room(request.args.max_jobs)?;
    if room == 0 && !jobs.is_empty() && standing.at_work().is_empty() && !call.is_wave {
        return Err(Failure::new(format!(
            "other jobs of yours wait or run, and --max-jobs {} leaves no room: submit again when some have \
             ended, or give --max-jobs more",
            request.args.max_jobs.unwrap_or(0)
        )));
    }
    let make_folder = || fs::create_dir_all(&request.args.tables);
    make_folder().map_err(|error| Failure::new(format!("{}: {error}", request.args.tables.display())))?;
    request.keep()?;
    follower::cancel(state, &standing.living, &mut standing.submitted)?;
    if !is_whole {
        state.forget_finished().map_err(Failure::new)?;
    }
    let mut numbers: Vec<String> = Vec::new();
    for job in jobs.iter().take(room) {
        let name = job.name(&left);
        state.write_script(&name, &text_of(job)).map_err(Failure::new)?;
        let mut after: Vec<String> = job.needs.iter().map(|&needed| numbers[needed].clone()).collect();
        // What other jobs are making already.
        let needed = job.tables.iter().flat_map(|&at| &request.set.tables[places[at]].needs);
        let at_work = needed.filter(|&&needed| standing.is_at_work[needed]);
        after.extend(at_work.filter_map(|&needed| {
            standing.submitted.get(&request.set.tables[needed].name).map(|job| job.job.clone())
        }));
        after.sort();
        after.dedup();
        let number = Slurm
            .submit(&state.script(&name), &Dependency::AllWell(&after))
            .map_err(|error| refused(&Failure::new(error), numbers.len()))?;
        for &at in &job.tables {
            let table = &left.tables[at].name;
            state.forget_failure(table).map_err(Failure::new)?;
            let job = Submitted {
                job: number.clone(),
                bundle: name.clone(),
                memory_bytes: memory_bytes(&left, job, &options),
                n_failed: standing.n_failed[places[at]],
            };
            standing.submitted.insert(table.clone(), job);
        }
        // Kept at once, so that whatever comes next this job is not submitted twice.
        state.write_submitted(&standing.submitted).map_err(Failure::new)?;
        numbers.push(number);
    }
    let mut all = standing.at_work();
    all.extend(numbers.iter().cloned());
    let is_last = numbers.len() == jobs.len() && !is_given_up;
    let (task, after) = match is_last {
        true => (Task::Finish, Dependency::AllWell(&all)),
        false if all.is_empty() => (Task::More, Dependency::Minutes(LATER_MINUTES)),
        false => (Task::More, Dependency::AllEnded(&all)),
    };
    let number = follower::submit(request, task, &after, call, &mut standing.submitted)
        .map_err(|failure| refused(&failure, numbers.len()))?;
    writeln!(
        console.out,
        "submitted {}{}; job {number} {}",
        plural(numbers.len() as u64, "job"),
        numbers.first().zip(numbers.last()).map_or_else(String::new, |(a, b)| format!(" ({a} to {b})")),
        match task {
            Task::Finish => "checks all files when they are done",
            Task::More => "submits the rest when they have ended",
        }
    )?;
    Ok(Answer::Yes)
}

/// That nothing is left but tables whose jobs fail again and again.
fn given_up(console: &Console<'_>, request: &Request, standing: &Standing) -> Failure {
    let tables = request.set.tables.iter().zip(&standing.n_failed);
    let failing: Vec<&str> = tables
        .filter(|(_, n_failed)| **n_failed >= MOST_FAILURES)
        .map(|(table, _)| table.name.as_str())
        .collect();
    let (program, folder) = (console.program.name, request.args.tables.display());
    Failure::new(format!(
        "the jobs of {} have failed {MOST_FAILURES} times and nothing is left that does without: `{program} \
         cluster status --tables {folder}` tells why, and `{program} cluster resubmit` tries again",
        failing.join(", ")
    ))
}

fn refused(failure: &Failure, n_submitted: usize) -> Failure {
    let jobs = plural(n_submitted as u64, "job");
    Failure::plain(format!("{failure}\n{jobs} of this call are submitted and stay; submit again to go on"))
}

/// Says what is going to be done.
fn tell(
    console: &mut Console<'_>,
    request: &Request,
    (left, jobs): (&TableSet, &[Bundle]),
    options: &JobOptions,
    n_at_work: usize,
) -> Result<(), Failure> {
    let n_done = request.is_done.iter().filter(|&&is| is).count();
    let n_tables = plural(request.set.tables.len() as u64, "table");
    let at_work = if n_at_work > 0 { format!(", {n_at_work} at work or waiting") } else { String::new() };
    writeln!(
        console.err,
        "{n_tables} of {}: {n_done} done{at_work}, {} to be made by {}",
        request.edition,
        left.tables.len(),
        plural(jobs.len() as u64, "job"),
    )?;
    if jobs.is_empty() {
        return Ok(());
    }
    let most = |of: fn(&cluster::SetTable) -> u64| left.tables.iter().map(of).max().unwrap_or(0);
    let simulated = simulate(left, jobs, usize::MAX, (0.0, 0.0));
    writeln!(
        console.err,
        "about {} of work, at least {} on any number of nodes; the largest job takes {} of memory, all files {}",
        seconds(Duration::from_secs_f64(simulated.work_seconds)),
        seconds(Duration::from_secs_f64(simulated.critical_seconds)),
        bytes(most(|table| table.memory_bytes)),
        bytes(left.tables.iter().map(|table| table.disk_bytes).sum()),
    )?;
    let cut: Vec<(&Bundle, u64)> =
        jobs.iter().filter_map(|job| Some((job, cut_minutes(left, job, options)?))).collect();
    if let Some((longest, minutes)) = cut.iter().max_by_key(|(_, minutes)| *minutes) {
        writeln!(
            console.err,
            "--max-time cuts the time of {}, of {} from {minutes} minutes to {}: one that is killed for it \
             goes on when it is submitted again if its table is solved by a log (a smaller --max-memory), and \
             from the beginning otherwise",
            plural(cut.len() as u64, "job"),
            longest.name(left),
            options.most_minutes.unwrap_or(0),
        )?;
    }
    Ok(())
}
