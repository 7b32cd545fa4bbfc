//! `solve`: tables are solved, written, checked, and told about.

mod folder;
mod job;
mod report;
mod schedule;
mod space;
mod watch;

use crate::args::SolveArgs;
use crate::console::Console;
use crate::game::Game;
use crate::store::{Solver, Store};
use crate::{Answer, Failure, Outcome};
use ::plan::{Job, Plan};
pub(crate) use folder::Folder;
use format::Summary;
use job::{Done, Manner, Shop};
use rayon::{ThreadPool, ThreadPoolBuilder};
use schedule::Agenda;
use std::io::Write as _;
use std::path::Path;
use std::time::Instant;
pub(crate) use watch::Watch;

pub(crate) fn run(console: &mut Console<'_>, args: &SolveArgs) -> Outcome {
    tell_of_interrupts();
    run_with(console, args, &::solve::solve)
}

pub(crate) fn run_with(console: &mut Console<'_>, args: &SolveArgs, solver: &Solver<'_>) -> Outcome {
    let game = Game::load(&args.variant)?;
    let plan = game.plan(&args.wanted)?;
    let folder = Folder::open(&game.tables(args.out.as_deref()))?;
    let manner = Manner { force: args.force, verify: args.verify };
    space::check(folder.path(), bytes_to_write(&game, &plan, folder.path(), args.force))?;
    let pool = pool(args.threads)?;
    let begin = Instant::now();
    let n_values = plan.jobs().map(Job::n_values).sum();
    let watch = Watch::new(console.is_watched, n_values, &mut *console.err);
    let store = Store::new(&game.variant, folder.path(), &pool, solver);
    let shop = Shop::new(&game.variant, &plan, store, &pool, &watch, manner);
    let agenda = Agenda {
        needed_by: (0..plan.len()).map(|place| plan.needed_by(place)).collect(),
        urgency: plan.remaining_work(),
    };
    let results = schedule::run(&agenda, pool.current_num_threads(), |place| shop.work(place));
    drop(shop);
    watch.close();
    let mut done: Vec<(&Job, Done)> = Vec::new();
    let mut failure = None;
    for (job, result) in plan.jobs().zip(results) {
        match result {
            Some(Ok(table)) => done.push((job, table)),
            Some(Err(error)) => failure = failure.or(Some(error)),
            None => {}
        }
    }
    if args.json {
        console.print_json(&report::RunJson::new(&game, folder.path(), &done, begin.elapsed()))?;
    } else {
        write!(console.out, "{}", report::text(folder.path(), &done, begin.elapsed()))?;
    }
    console.out.flush()?;
    match failure {
        None => Ok(Answer::Yes),
        Some(Failure::Message(message)) => {
            let kept = format!("{} of {} tables are done and stay", done.len(), plan.len());
            Err(Failure::Message(format!("{message}\n{kept}; run again to go on")))
        }
        Some(other) => Err(other),
    }
}

/// The threads that compute.
pub(crate) fn pool(n_threads: Option<u16>) -> Result<ThreadPool, Failure> {
    let builder = ThreadPoolBuilder::new().num_threads(n_threads.map_or(0, usize::from));
    builder.build().map_err(|error| Failure::new(format!("cannot start the threads: {error}")))
}

/// How much will be written, roughly: what has a file of these rules and this solver is taken as done.
fn bytes_to_write(game: &Game, plan: &Plan, folder: &Path, force: bool) -> u64 {
    let is_there = |job: &&Job| {
        let rules_hash = game.variant.rules_hash(&job.material);
        let summary = Summary::read(&folder.join(format::file_name(&job.name)));
        summary.is_ok_and(|summary| {
            summary.rules_hash.0 == rules_hash && summary.metadata.solver_version == ::solve::VERSION
        })
    };
    plan.jobs().filter(|job| force || !is_there(job)).map(Job::disk_bytes).sum()
}

/// A line for whoever presses Ctrl-C. Files appear whole or not at all, so nothing else is to be done.
fn tell_of_interrupts() {
    // Without the handler the run ends just so, only silently. It can be set once in a process.
    drop(ctrlc::set_handler(|| {
        let line = "\ninterrupted; the tables that are finished stay: run again to go on";
        drop(writeln!(std::io::stderr(), "{line}"));
        std::process::exit(130);
    }));
}

#[cfg(test)]
mod tests;
