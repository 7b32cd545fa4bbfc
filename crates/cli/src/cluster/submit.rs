//! `cluster submit`, `resubmit` and `cancel`: hands the jobs of a set to the engine, those that are missing.

use super::request::{Call, FolderArgs, Request, SubmitArgs, whole_path};
use crate::args::Wanted;
use crate::console::Console;
use crate::{Answer, Failure, Outcome};
use build::cluster::{
    Level, Living, Slurm, SlurmError, StateFolder, Submitted, SubmittedJobs, TableSet, Workflow,
};
use clap::Args;
use library::figure::{bytes, plural, seconds};
use std::collections::BTreeSet;
use std::fs;
use std::time::Duration;

#[derive(Args, Debug)]
pub(super) struct ResubmitArgs {
    #[command(flatten)]
    folder: FolderArgs,
    /// Ask for so many times the memory that was asked for first, such as 1.5, where jobs were killed
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0)]
    more_memory: f64,
    /// Ask for so many times the time
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0)]
    more_time: f64,
    /// Print the scripts and submit nothing
    #[arg(long)]
    dry_run: bool,
}

pub(super) fn run(console: &mut Console<'_>, args: &SubmitArgs) -> Outcome {
    let args = SubmitArgs {
        variant: whole_path(&args.variant),
        tables: whole_path(&args.tables),
        program: args.program.clone().or_else(|| std::env::current_exe().ok()),
        ..args.clone()
    };
    if !args.dry_run {
        check_same_set(&args)?;
    }
    let request = Request::new(console, args)?;
    submit(console, &request, Call::USUAL)
}

pub(super) fn again(console: &mut Console<'_>, args: &ResubmitArgs) -> Outcome {
    let percent = |option: &str, factor: f64| match (1.0..=100.0).contains(&factor) {
        true => Ok((factor * 100.0) as u64),
        false => Err(Failure::new(format!("{option} takes a factor from 1 to 100"))),
    };
    let call = Call {
        memory_percent: percent("--more-memory", args.more_memory)?,
        time_percent: percent("--more-time", args.more_time)?,
    };
    let kept = SubmitArgs { dry_run: args.dry_run, ..SubmitArgs::kept(&args.folder.tables)? };
    let request = Request::new(console, kept)?;
    submit(console, &request, call)
}

pub(super) fn cancel(console: &mut Console<'_>, args: &FolderArgs) -> Outcome {
    let state = StateFolder::new(&args.tables);
    let (mut submitted, living) = jobs_of(&state)?;
    if submitted.is_empty() {
        return Err(Failure::new(format!("no jobs are known of {}", args.tables.display())));
    }
    Slurm.cancel(living.keys()).map_err(Failure::new)?;
    // What has ended by itself stays known; what was never to begin, because of that, has nothing to say.
    submitted.retain(|_, job| !living.contains_key(&job.job) && state.has_begun(&job.job));
    state.write_submitted(&submitted).map_err(Failure::new)?;
    writeln!(console.out, "{} cancelled; finished tables stay", plural(living.len() as u64, "job"))?;
    Ok(Answer::Yes)
}

/// The jobs of a set, and those of them that live.
fn jobs_of(state: &StateFolder) -> Result<(SubmittedJobs, Living), Failure> {
    let submitted = state.submitted().map_err(Failure::new)?;
    let living = Slurm.living(submitted.values().map(|job| &job.job)).map_err(Failure::new)?;
    Ok((submitted, living))
}

/// Fails while jobs of another set wait or run in the folder: the job that finishes one set would cut off
/// what those of the other need.
fn check_same_set(args: &SubmitArgs) -> Result<(), Failure> {
    let state = StateFolder::new(&args.tables);
    let Some(before) = state.request::<SubmitArgs>().map_err(Failure::new)? else { return Ok(()) };
    if (&before.variant, &before.wanted, &before.metric) == (&args.variant, &args.wanted, &args.metric) {
        return Ok(());
    }
    let (_, living) = jobs_of(&state)?;
    if living.is_empty() {
        return Ok(());
    }
    let wanted = match before.wanted {
        Wanted { men: Some(men), .. } => format!("--men {men}"),
        Wanted { men: None, table } if table.is_empty() => "all tables".into(),
        Wanted { men: None, table } => format!("--table {}", table.join(" --table ")),
    };
    Err(Failure::new(format!(
        "{} of another set ({wanted}) wait or run in {}: submit that one again, wait for its end, or end it \
         with `cluster cancel`",
        plural(living.len() as u64, "job"),
        args.tables.display()
    )))
}

/// Submits what is missing of a set: an array of jobs a level, and a job that finishes the set behind all.
fn submit(console: &mut Console<'_>, request: &Request, call: Call) -> Outcome {
    request.check_memory()?;
    let Request { args, set, is_done, state, .. } = request;
    let (mut submitted, living) = match args.dry_run {
        true => (SubmittedJobs::new(), Living::new()),
        false => jobs_of(state)?,
    };
    let job_at_work = |at: usize| {
        let job = submitted.get(&set.tables[at].name)?;
        living.contains_key(&job.job).then(|| job.job.clone())
    };
    let at_work: Vec<Option<String>> = (0..set.tables.len()).map(job_at_work).collect();
    let places: Vec<usize> =
        (0..set.tables.len()).filter(|&at| !is_done[at] && at_work[at].is_none()).collect();
    let left = set.without(|at| is_done[at] || at_work[at].is_some());
    let (command, options) = (request.command(), request.options(call));
    let workflow = Workflow { set: &left, command: &command, options: &options, tables: &args.tables };
    let levels = workflow.levels();
    tell(console, request, &workflow, &levels, at_work.iter().flatten().count())?;
    if args.dry_run {
        for level in &levels {
            writeln!(
                console.out,
                "# {}\n{}",
                state.script(&level.name(&left)).display(),
                workflow.script(level)
            )?;
        }
        return Ok(Answer::Yes);
    }
    let finish = submitted.remove(StateFolder::END).filter(|finish| living.contains_key(&finish.job));
    let is_whole = is_done.iter().all(|&is_done| is_done);
    if levels.is_empty() && (finish.is_some() || is_whole && state.finished().exists()) {
        return Ok(Answer::Yes);
    }
    let make_folder = fs::create_dir_all(&args.tables);
    make_folder.map_err(|error| Failure::new(format!("{}: {error}", args.tables.display())))?;
    state.write_request(args).map_err(Failure::new)?;
    // A new one follows all.
    Slurm.cancel(finish.iter().map(|finish| &finish.job)).map_err(Failure::new)?;
    if !is_whole {
        state.forget_finished().map_err(Failure::new)?;
    }
    let (mut arrays, mut n_jobs) = (Vec::<String>::new(), 0);
    for level in &levels {
        // Beside other levels jobs wait for what is being made already.
        let needed = level.jobs.iter().flatten().flat_map(|&at| &set.tables[places[at]].needs);
        let needed: BTreeSet<&String> = needed.filter_map(|&needed| at_work[needed].as_ref()).collect();
        let after = level.needs.iter().map(|&needed| &arrays[needed]).chain(needed);
        let script = state.write_script(&level.name(&left), &workflow.script(level)).map_err(Failure::new)?;
        let number = Slurm
            .submit(&script, &after.cloned().collect::<Vec<_>>())
            .map_err(|error| refused(error, n_jobs))?;
        for (place, job) in level.jobs.iter().enumerate() {
            for &at in job {
                let table = &left.tables[at].name;
                state.forget_failure(table).map_err(Failure::new)?;
                let memory_bytes = workflow.memory_bytes(level);
                let job = Submitted { job: format!("{number}_{place}"), memory_bytes };
                submitted.insert(table.clone(), job);
            }
        }
        // Kept at once, so that whatever comes next no job is submitted twice.
        state.write_submitted(&submitted).map_err(Failure::new)?;
        n_jobs += level.jobs.len();
        arrays.push(number);
    }
    let all: BTreeSet<String> = arrays.iter().chain(at_work.iter().flatten()).cloned().collect();
    // The last job reads all files, those that are there already too.
    let finish = Workflow { set, ..workflow };
    let script = state.write_script("finish", &finish.finish_script()).map_err(Failure::new)?;
    let number = Slurm
        .submit(&script, &all.into_iter().collect::<Vec<_>>())
        .map_err(|error| refused(error, n_jobs))?;
    let job = Submitted { job: format!("{number}_0"), memory_bytes: finish.finish_bytes() };
    submitted.insert(StateFolder::END.into(), job);
    state.write_submitted(&submitted).map_err(Failure::new)?;
    let arrays = match &arrays[..] {
        [] => String::new(),
        [one] => format!(" (array {one})"),
        [first, .., last] => format!(" (arrays {first} to {last})"),
    };
    writeln!(
        console.out,
        "submitted {}{arrays}; job {number} checks all files when they are done",
        plural(n_jobs as u64, "job"),
    )?;
    Ok(Answer::Yes)
}

fn refused(error: SlurmError, n_jobs: usize) -> Failure {
    let jobs = plural(n_jobs as u64, "job");
    Failure::new(format!("{error}\n{jobs} of this call are submitted and stay; submit again to go on"))
}

/// Says what is going to be done.
fn tell(
    console: &mut Console<'_>,
    request: &Request,
    workflow: &Workflow<'_>,
    levels: &[Level],
    n_at_work: usize,
) -> Result<(), Failure> {
    let left: &TableSet = workflow.set;
    let n_done = request.is_done.iter().filter(|&&is| is).count();
    let n_tables = plural(request.set.tables.len() as u64, "table");
    let at_work = if n_at_work > 0 { format!(", {n_at_work} at work or waiting") } else { String::new() };
    writeln!(
        console.err,
        "{n_tables} of {}: {n_done} done{at_work}, {} to be made by {}",
        request.jobs.edition,
        left.tables.len(),
        plural(levels.iter().map(|level| level.jobs.len() as u64).sum(), "job"),
    )?;
    if levels.is_empty() {
        return Ok(());
    }
    let most_bytes = left.tables.iter().map(|table| table.memory_bytes).max().unwrap_or(0);
    writeln!(
        console.err,
        "about {} of work, at least {} on any number of nodes; the largest job takes {} of memory, all files {}",
        seconds(Duration::from_secs_f64(left.total_seconds())),
        seconds(Duration::from_secs_f64(left.critical_seconds())),
        bytes(most_bytes),
        bytes(left.tables.iter().map(|table| table.disk_bytes).sum()),
    )?;
    let Some(most) = request.args.max_time else { return Ok(()) };
    let cut: Vec<&Level> = levels.iter().filter(|level| workflow.minutes(level) > most).collect();
    if let Some(longest) = cut.iter().max_by_key(|level| workflow.minutes(level)) {
        writeln!(
            console.err,
            "--max-time cuts the time of {}, of {} from {} minutes to {most}: one that is killed for it \
             goes on when it is submitted again if its table is solved by a log (a smaller --max-memory), and \
             from the beginning otherwise",
            plural(cut.iter().map(|level| level.jobs.len() as u64).sum(), "job"),
            longest.name(left),
            workflow.minutes(longest),
        )?;
    }
    Ok(())
}
