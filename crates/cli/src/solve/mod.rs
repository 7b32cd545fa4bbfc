//! `solve`: builds tables and reports what is in them.

mod report;

use crate::args::SolveArgs;
use crate::console::Console;
use crate::game::Game;
use crate::planning::Planning;
use crate::pool::pool;
use crate::progress::Watch;
use crate::{Answer, Failure, Outcome};
use ::plan::{Job, Request};
use library::{
    Build, BuildFootprint, BuildOptions, Edition, FileOptions, FolderLock, MemoryLimit, Solver, TableFiles,
    check_largest,
};
use std::io::Write as _;
use std::path::Path;
use std::time::Instant;

pub(crate) fn run(console: &mut Console<'_>, args: &SolveArgs) -> Outcome {
    announce_interrupts();
    run_with(console, args, &|variant, metric, layout, lookup, progress| {
        ::solve::solve_with(variant, metric, layout, lookup, progress)
    })
}

pub(crate) fn run_with(console: &mut Console<'_>, args: &SolveArgs, solver: &Solver<'_>) -> Outcome {
    let game = Game::load(&args.variant)?;
    let metrics =
        if args.metric.is_empty() { vec![game.variant.default_metric] } else { args.metric.clone() };
    let editions = Edition::of_metrics(&game.variant, &metrics);
    let (request, pool) = (game.request(&args.wanted)?, pool(args.threads)?);
    let options = BuildOptions {
        force: args.force,
        verify: args.verify,
        memory: MemoryLimit::new(args.memory),
        files: FileOptions::new(args.both_sides, args.small),
    };
    let folder = game.tables(args.out.as_deref());
    for edition in &editions {
        check_largest_of(edition, &folder, &request, &options, pool.current_num_threads())?;
    }
    let plan = game.plan(&request, &mut Planning::new(console.is_watched))?;
    let lock = FolderLock::new(&folder)?;
    let folder = lock.folder();
    let build = Build::new(&plan, &lock, &pool, options).with_solver(solver);
    let mut reports = Vec::new();
    let mut failed = None;
    for edition in &editions {
        let begin = Instant::now();
        let watch = Watch::new(console.is_watched, &mut *console.err);
        let built = build.run(edition, &watch);
        watch.close();
        let (built, time) = (built?, begin.elapsed());
        if args.json {
            let report = report::RunJson::new(edition, folder, &built.tables, time);
            reports.push(serde_json::to_value(report).map_err(Failure::new)?);
        } else {
            if editions.len() > 1 || !edition.is_default() {
                writeln!(console.out, "{edition}:")?;
            }
            write!(console.out, "{}", report::text(folder, &built.tables, time))?;
        }
        console.out.flush()?;
        if let Some(error) = built.error {
            failed = Some((Failure::from(error), built.tables.len()));
            break;
        }
    }
    match &reports[..] {
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

/// Refuses at once what would be refused after the whole plan is made: the largest table, if it is not there.
fn check_largest_of(
    edition: &Edition,
    folder: &Path,
    request: &Request,
    options: &BuildOptions,
    n_threads: usize,
) -> Result<(), Failure> {
    let files = TableFiles::new(edition.clone(), folder);
    let is_there = |job: &Job| {
        !options.force && edition.metrics().iter().all(|&metric| files.path(&job.name, metric).exists())
    };
    let footprint = BuildFootprint { edition, files: options.files, n_threads };
    Ok(check_largest(options.memory, request, &footprint, is_there)?)
}

/// Prints a line when somebody presses Ctrl-C. Files appear whole or not at all, so nothing else is to be
/// done.
fn announce_interrupts() {
    // Without the handler the run ends just so, only silently. It can be set once in a process.
    drop(ctrlc::set_handler(|| {
        let line = "\ninterrupted; the tables that are finished stay: run again to go on";
        drop(writeln!(std::io::stderr(), "{line}"));
        std::process::exit(130);
    }));
}

#[cfg(test)]
mod tests;
