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
use crate::edition::Edition;
use crate::game::Game;
use crate::store::{Solver, Store};
use crate::{Answer, Failure, Outcome};
use ::plan::{Job, Plan};
pub(crate) use budget::{Budget, agenda, available_bytes, parse_size};
pub(crate) use folder::Folder;
use job::{Done, Manner, Shop};
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::io::Write as _;
use std::path::Path;
use std::time::Instant;
pub(crate) use survey::Keeping;
use survey::Survey;
pub(crate) use watch::Watch;

pub(crate) fn run(console: &mut Console<'_>, args: &SolveArgs) -> Outcome {
    tell_of_interrupts();
    run_with(console, args, &|variant, metric, layout, lookup, progress| {
        ::solve::solve_with(variant, metric, layout, lookup, progress)
    })
}

pub(crate) fn run_with(console: &mut Console<'_>, args: &SolveArgs, solver: &Solver<'_>) -> Outcome {
    let game = Game::load(&args.variant)?;
    let metrics =
        if args.metric.is_empty() { vec![game.variant.default_metric] } else { args.metric.clone() };
    let editions = Edition::of_metrics(&game.variant, &metrics);
    let plan = game.plan(&args.wanted)?;
    let folder = Folder::open(&game.tables(args.out.as_deref()))?;
    let pool = pool(args.threads)?;
    let budget = Budget::new(args.memory);
    let manner = Manner {
        force: args.force,
        verify: args.verify,
        budget,
        keeping: Keeping::new(args.both_sides, args.small),
    };
    let site = Site { plan: &plan, folder: folder.path(), pool: &pool, solver, manner };
    let mut told = Vec::new();
    let mut failed = None;
    for edition in &editions {
        let begin = Instant::now();
        let mut made = site.run(console, edition, &[])?;
        if made.failure.is_some() && !made.stale.is_empty() {
            // What such a table needs may have left out a side to move, and nobody knew that it would be
            // needed.
            made = site.run(console, edition, &made.stale)?;
        }
        let Made { done, failure, .. } = made;
        let time = begin.elapsed();
        if args.json {
            told.push(
                serde_json::to_value(report::RunJson::new(edition, folder.path(), &done, time))
                    .map_err(Failure::new)?,
            );
        } else {
            if editions.len() > 1 || !edition.is_default() {
                writeln!(console.out, "{edition}:")?;
            }
            write!(console.out, "{}", report::text(folder.path(), &done, time))?;
        }
        console.out.flush()?;
        if let Some(failure) = failure {
            failed = Some((failure, done.len()));
            break;
        }
    }
    match &told[..] {
        [] => {}
        // Several are a list.
        [one] if editions.len() == 1 => console.print_json(one)?,
        all => console.print_json(&all)?,
    }
    console.out.flush()?;
    match failed {
        None => Ok(Answer::Yes),
        Some((Failure::Message(message), n_done)) => {
            let kept = format!("{n_done} of {} tables are done and stay", plan.len());
            Err(Failure::Message(format!("{message}\n{kept}; run again to go on")))
        }
        Some((other, _)) => Err(other),
    }
}

/// Where and how the tables of a run are made.
struct Site<'a> {
    plan: &'a Plan,
    folder: &'a Path,
    pool: &'a ThreadPool,
    solver: &'a Solver<'a>,
    manner: Manner,
}

impl<'a> Site<'a> {
    /// Makes the tables of an edition; `stale` are those that a run before this one has found to be no good.
    fn run(
        &self,
        console: &mut Console<'_>,
        edition: &Edition,
        stale: &[usize],
    ) -> Result<Made<'a>, Failure> {
        let Site { plan, folder, pool, solver, manner } = *self;
        let n_threads = pool.current_num_threads();
        let survey = Survey::new(edition, plan, folder, (manner.force, manner.keeping), stale)?;
        let to_make = plan.jobs().zip(&survey.make).filter(|(_, make)| **make).map(|(job, _)| job);
        manner.budget.check(to_make, n_threads)?;
        space::check(folder, survey.disk_bytes(plan, manner.keeping, edition.files()))?;
        let n_values = plan.jobs().map(Job::n_values).sum();
        let watch = Watch::new(console.is_watched, plan.len() as u64, n_values, &mut *console.err);
        let (agenda, needs) = agenda(plan, n_threads, manner.budget.limit_bytes);
        let store = Store::new(edition, folder, pool, solver, needs);
        let shop = Shop::new(edition, (plan, &agenda, survey), store, pool, &watch, manner);
        let mut results = schedule::run(&agenda, n_threads, &shop);
        for (place, result) in results.iter_mut().enumerate() {
            if let (Some(Ok(done)), Some(size_bytes)) = (result, shop.cut_size_bytes(place)) {
                done.size_bytes = size_bytes;
            }
        }
        let stale = shop.stale();
        drop(shop);
        watch.close();
        let (mut done, mut failure) = (Vec::new(), None);
        for (job, result) in plan.jobs().zip(results) {
            match result {
                Some(Ok(table)) => done.push((job, table)),
                Some(Err(error)) => failure = failure.or(Some(error)),
                None => {}
            }
        }
        Ok(Made { done, failure, stale })
    }
}

/// The tables that a run has made or found, and why there are not more.
struct Made<'a> {
    done: Vec<(&'a Job, Done)>,
    failure: Option<Failure>,
    /// The tables that looked done from outside and were not, by place in the plan.
    stale: Vec<usize>,
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
