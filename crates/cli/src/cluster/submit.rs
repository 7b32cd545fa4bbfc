//! `cluster submit`: hands the jobs of a set to the engine, those that are missing.

use super::args::SubmitArgs;
use super::request::{Request, whole_path};
use crate::console::Console;
use crate::{Answer, Failure, Outcome};
use cluster::{
    Bundle, Dependency, Living, Slurm, Submitted, TableSet, bundles, memory_bytes, script, simulate,
    small_script,
};
use library::figure::{bytes, plural, seconds};
use std::collections::BTreeMap;
use std::fs;
use std::time::Duration;

/// The jobs that are no table's.
const FINISH: &str = "finish";
const MORE: &str = "submit-more";

pub(super) fn run(console: &mut Console<'_>, args: &SubmitArgs) -> Outcome {
    let args = SubmitArgs {
        variant: whole_path(&args.variant),
        tables: whole_path(&args.tables),
        program: args.program.clone().or_else(|| std::env::current_exe().ok()),
        ..args.clone()
    };
    let is_dry = args.dry_run;
    let request = Request::new(console, args)?;
    submit(console, &request, 100, is_dry)
}

/// Submits what is missing of a set, each job with so much of the memory that it is thought to take.
pub(super) fn submit(
    console: &mut Console<'_>,
    request: &Request,
    memory_percent: u64,
    is_dry: bool,
) -> Outcome {
    request.check_memory()?;
    let state = &request.state;
    let mut submitted = state.submitted().map_err(Failure::new)?;
    let living = if is_dry { Living::new() } else { Slurm.living().map_err(Failure::new)? };
    let lives = |table: &str| submitted.get(table).is_some_and(|job| living.contains_key(&job.job));
    let is_at_work: Vec<bool> = request.set.tables.iter().map(|table| lives(&table.name)).collect();
    let is_left = |at: usize| !request.is_done[at] && !is_at_work[at];
    let left = request.set.without(|at| !is_left(at));
    let places: Vec<usize> = (0..request.set.tables.len()).filter(|&at| is_left(at)).collect();
    let jobs = bundles(&left, request.args.bundle * 60.0);
    tell(console, request, &left, &jobs, is_at_work.iter().filter(|&&is| is).count())?;
    let n_done = request.is_done.iter().filter(|&&is| is).count();
    if n_done == request.set.tables.len() {
        return Ok(Answer::Yes);
    }
    let (command, options) = (request.command(), request.options(memory_percent));
    let text_of = |job: &Bundle| {
        let (memory_bytes, _) = job.most_bytes(&left);
        let mut command = command.clone();
        command.job.extend(["--memory".into(), memory_bytes.to_string()]);
        script(&left, job, &command, &options, &state.log(&job.name(&left)))
    };
    if is_dry {
        for job in &jobs {
            writeln!(console.out, "# {}\n{}", state.script(&job.name(&left)).display(), text_of(job))?;
        }
        return Ok(Answer::Yes);
    }
    let make_folder = || fs::create_dir_all(&request.args.tables);
    make_folder().map_err(|error| Failure::new(format!("{}: {error}", request.args.tables.display())))?;
    request.keep()?;
    let most_jobs = request.args.max_jobs.map_or(usize::MAX, |n| n as usize);
    // One is left for the job that submits more, or that finishes.
    let n_free = most_jobs.saturating_sub(living.len() + 1);
    let mut numbers: Vec<String> = Vec::new();
    for job in jobs.iter().take(n_free) {
        let name = job.name(&left);
        state.write_script(&name, &text_of(job)).map_err(Failure::new)?;
        let mut after: Vec<String> = job.needs.iter().map(|&needed| numbers[needed].clone()).collect();
        // What other jobs are making already.
        let needed = job.tables.iter().flat_map(|&at| &request.set.tables[places[at]].needs);
        let at_work = needed.filter(|&&needed| is_at_work[needed]);
        after.extend(at_work.filter_map(|&needed| {
            submitted.get(&request.set.tables[needed].name).map(|job| job.job.clone())
        }));
        after.sort();
        after.dedup();
        let number = Slurm
            .submit(&state.script(&name), &Dependency::AllWell(&after))
            .map_err(|error| refused(&error.to_string(), numbers.len()))?;
        for &at in &job.tables {
            let table = &left.tables[at].name;
            state.forget_failure(table).map_err(Failure::new)?;
            let job = Submitted {
                job: number.clone(),
                bundle: name.clone(),
                memory_bytes: memory_bytes(&left, job, &options),
            };
            submitted.insert(table.clone(), job);
        }
        // Kept at once, so that whatever comes next this job is not submitted twice.
        state.write_submitted(&submitted).map_err(Failure::new)?;
        numbers.push(number);
    }
    let working = submitted.values().map(|job| job.job.clone()).filter(|number| living.contains_key(number));
    let mut all: Vec<String> = numbers.iter().cloned().chain(working).collect();
    all.sort();
    all.dedup();
    let (name, text, after) = if numbers.len() < jobs.len() {
        (MORE, again(request), Dependency::AllEnded(&all))
    } else {
        (FINISH, command.of_set(), Dependency::AllWell(&all))
    };
    replace_follower(state, &living, &mut submitted)?;
    let text = small_script(name, &text, &options, &state.log(name), 24 * 60);
    state.write_script(name, &text).map_err(Failure::new)?;
    let number = Slurm
        .submit(&state.script(name), &after)
        .map_err(|error| refused(&error.to_string(), numbers.len()))?;
    let memory_bytes = 1 << 30;
    submitted.insert(FOLLOWER.into(), Submitted { job: number.clone(), bundle: name.into(), memory_bytes });
    state.write_submitted(&submitted).map_err(Failure::new)?;
    writeln!(
        console.out,
        "submitted {}{}; job {number} {}",
        plural(numbers.len() as u64, "job"),
        numbers.first().zip(numbers.last()).map_or_else(String::new, |(a, b)| format!(" ({a} to {b})")),
        if name == FINISH {
            "checks all files when they are done"
        } else {
            "submits the rest when they have ended"
        }
    )?;
    Ok(Answer::Yes)
}

/// The place of the job that follows all others among those that were submitted; no table is called so.
const FOLLOWER: &str = "(follower)";

/// Cancels the job that was to follow those of an earlier submission: a new one follows all.
fn replace_follower(
    state: &cluster::StateFolder,
    living: &Living,
    submitted: &mut BTreeMap<String, Submitted>,
) -> Result<(), Failure> {
    let own = std::env::var("SLURM_JOB_ID").unwrap_or_default();
    if let Some(follower) = submitted.remove(FOLLOWER) {
        // The job that submits more is that follower itself.
        if living.contains_key(&follower.job) && follower.job != own {
            Slurm.cancel(&[follower.job]).map_err(Failure::new)?;
        }
        state.write_submitted(submitted).map_err(Failure::new)?;
    }
    Ok(())
}

/// The command that submits what is missing then.
fn again(request: &Request) -> String {
    let words = [
        request.program(),
        "cluster".into(),
        "resubmit".into(),
        "--tables".into(),
        request.args.tables.display().to_string(),
    ];
    words.map(|word| cluster::quoted(&word)).join(" ")
}

fn refused(message: &str, n_submitted: usize) -> Failure {
    let jobs = plural(n_submitted as u64, "job");
    Failure::new(format!("{message}\n{jobs} of this call are submitted and stay; submit again to go on"))
}

/// Says what is going to be done.
fn tell(
    console: &mut Console<'_>,
    request: &Request,
    left: &TableSet,
    jobs: &[Bundle],
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
    let simulated = simulate(left, jobs, usize::MAX, 0.0);
    writeln!(
        console.err,
        "about {} of work, at least {} on any number of nodes; the largest job takes {} of memory, all files {}",
        seconds(Duration::from_secs_f64(simulated.work_seconds)),
        seconds(Duration::from_secs_f64(simulated.critical_seconds)),
        bytes(most(|table| table.memory_bytes)),
        bytes(left.tables.iter().map(|table| table.disk_bytes).sum()),
    )?;
    Ok(())
}
