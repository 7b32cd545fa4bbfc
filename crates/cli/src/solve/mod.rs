//! `solve`: tables are solved, written, checked, and told about.

mod budget;
mod folder;
mod job;
mod ledger;
mod overall;
mod report;
mod schedule;
mod space;
mod survey;
mod watch;

use crate::args::SolveArgs;
use crate::console::Console;
use crate::game::Game;
use crate::store::{Solver, Store};
use crate::{Answer, Failure, Outcome};
use ::plan::Job;
pub(crate) use budget::{Budget, agenda, available_bytes, parse_size};
pub(crate) use folder::Folder;
use job::{Done, Manner, Shop};
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::io::Write as _;
use std::time::Instant;
pub(crate) use survey::Keeping;
use survey::Survey;
pub(crate) use watch::Watch;

pub(crate) fn run(console: &mut Console<'_>, args: &SolveArgs) -> Outcome {
    tell_of_interrupts();
    run_with(console, args, &::solve::solve)
}

pub(crate) fn run_with(console: &mut Console<'_>, args: &SolveArgs, solver: &Solver<'_>) -> Outcome {
    let game = Game::load(&args.variant)?;
    let plan = game.plan(&args.wanted)?;
    let folder = Folder::open(&game.tables(args.out.as_deref()))?;
    let pool = pool(args.threads)?;
    let n_threads = pool.current_num_threads();
    let budget = Budget::new(args.memory);
    let keeping = Keeping { both_sides: args.both_sides };
    let survey = Survey::new(&game, &plan, folder.path(), args.force, keeping);
    let to_make = plan.jobs().zip(&survey.make).filter(|(_, make)| **make).map(|(job, _)| job);
    budget.check(to_make, n_threads)?;
    space::check(folder.path(), survey.disk_bytes(&plan, keeping))?;
    let begin = Instant::now();
    let n_values = plan.jobs().map(Job::n_values).sum();
    let watch = Watch::new(console.is_watched, plan.len() as u64, n_values, &mut *console.err);
    let (agenda, needs) = agenda(&plan, n_threads, budget.limit_bytes);
    let store = Store::new(&game.variant, folder.path(), &pool, solver, needs);
    let manner = Manner { force: args.force, verify: args.verify, budget, keeping };
    let shop = Shop::new(&game.variant, (&plan, &agenda, survey), store, &pool, &watch, manner);
    let mut results = schedule::run(&agenda, n_threads, &shop);
    for (place, result) in results.iter_mut().enumerate() {
        if let (Some(Ok(done)), Some(size_bytes)) = (result, shop.cut_size_bytes(place)) {
            done.size_bytes = size_bytes;
        }
    }
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
