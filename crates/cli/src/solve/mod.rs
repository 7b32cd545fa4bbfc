//! `solve`: builds tables and reports what is in them.

mod report;

use crate::args::SolveArgs;
use crate::console::Console;
use crate::game::Game;
use crate::pool::pool;
use crate::progress::Watch;
use crate::{Answer, Failure, Outcome, interrupt};
use ::plan::Job;
use library::{
    Build, BuildOptions, BuildProgress, BuiltTable, Edition, FileOptions, FolderLock, MemoryLimit, Outdated,
    Solver, TableProgress,
};
use report::Rows;
use std::time::Instant;

pub(crate) fn run(console: &mut Console<'_>, args: &SolveArgs) -> Outcome {
    interrupt::announce("the tables that are finished stay: run again to go on");
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
    game.tell_tables(console, &args.wanted.table)?;
    let lock = FolderLock::new(&game.tables(args.out.as_deref()))?;
    game.leave_rules(&lock)?;
    let (folder, pool) = (lock.folder(), pool(args.threads)?);
    let options = BuildOptions {
        force: args.force,
        verify: args.verify,
        memory: MemoryLimit::new(args.memory),
        files: FileOptions::new(args.both_sides, args.small),
    };
    let build = Build::new(&plan, &lock, &pool, options).with_solver(solver);
    let mut reports = Vec::new();
    let mut failed = None;
    for edition in &editions {
        let begin = Instant::now();
        let watch = Watch::new(console.is_watched, &mut *console.err);
        let watch = if args.small { watch.of_small_files() } else { watch };
        let title =
            if editions.len() > 1 || !edition.is_default() { format!("{edition}:\n") } else { String::new() };
        let rows =
            (!args.json).then(|| Rows::new(&plan, &mut *console.out, console.out_width, title.clone()));
        let shown = Shown { watch, rows };
        let built = build.run(edition, &shown);
        let Shown { watch, rows } = shown;
        watch.close();
        rows.map_or(Ok(()), Rows::close)?;
        let (built, time) = (built?, begin.elapsed());
        if args.json {
            let report = report::RunJson::new(edition, folder, &built.tables, time);
            reports.push(serde_json::to_value(report).map_err(Failure::new)?);
        } else {
            let title = if built.tables.is_empty() { title } else { String::new() };
            write!(console.out, "{title}{}", report::sum(folder, &built.tables, time))?;
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

/// Shows how far a build is, and its tables as they are finished.
struct Shown<'a> {
    watch: Watch<'a>,
    rows: Option<Rows<'a>>,
}

impl BuildProgress for Shown<'_> {
    fn start(&self, n_tables: usize, n_values: u64) {
        self.watch.start(n_tables, n_values);
    }

    fn found(&self, job: &Job) {
        self.watch.found(job);
    }

    fn outdated(&self, job: &Job, reason: &Outdated) {
        self.watch.outdated(job, reason);
    }

    fn built(&self, table: &BuiltTable) {
        if let Some(rows) = &self.rows {
            rows.print(table, |print| self.watch.beside(print));
        }
    }

    fn begin(&self, job: &Job) -> Box<dyn TableProgress + '_> {
        BuildProgress::begin(&self.watch, job)
    }
}

#[cfg(test)]
mod tests;
