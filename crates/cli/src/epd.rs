//! `stats --epd`: lists the longest wins and losses and the mutual zugzwangs of a table, with either side to
//! move.
//!
//! Most files keep one side to move, so a table may be solved again from those that its moves lead to. That
//! takes seconds where looking up each position takes an hour.

use crate::args::StatsArgs;
use crate::console::Console;
use crate::export::failure;
use crate::game::Game;
use crate::pool::pool;
use crate::progress::Watch;
use crate::{Answer, Failure, Outcome};
use ::plan::{Plan, Request};
use ::stats::{Listing, longest_epd, zugzwangs_epd};
use format::Summary;
use library::figure::{count, plural};
use library::{Edition, PlannedTables, TableFiles};
use rayon::ThreadPool;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use table::Table;
use variant::Metric;

/// The most lines of a kind on a terminal, unless somebody asks. A file or a program gets all of them.
const MAX_ON_TERMINAL: u64 = 1000;

pub(crate) fn run(console: &mut Console<'_>, args: &StatsArgs, summary: &Summary) -> Outcome {
    let folder = args.file.parent().unwrap_or(Path::new(""));
    let game = Game::find_beside(args.variant.as_deref(), &summary.metadata.variant, folder)?;
    let metric = summary.metric.parse().map_err(Failure::new)?;
    let files = TableFiles::new(Edition::new(&game.variant, metric), folder);
    let pool = pool(None)?;
    let table = table(console, &pool, &game, &files, &summary.material)?;
    print(console, &pool, args, &game, metric, &table)
}

/// Prints the lists of a table that is there.
pub(crate) fn print(
    console: &mut Console<'_>,
    pool: &ThreadPool,
    args: &StatsArgs,
    game: &Game,
    metric: Metric,
    table: &Table,
) -> Outcome {
    let name = table.layout().name();
    let limit = args.limit.or(console.out_width.map(|_| MAX_ON_TERMINAL)).unwrap_or(u64::MAX);
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let mut lists = pool.install(|| longest_epd(&game.variant, metric, table, limit));
    lists.push(pool.install(|| zugzwangs_epd(&game.variant, table, limit)));
    for list in &lists {
        list.lines.iter().try_for_each(|line| writeln!(console.out, "{line}"))?;
        if let Some(note) = note(list) {
            console.tell(&format!("{name}: {note}"))?;
        }
    }
    Ok(Answer::Yes)
}

/// What a list does not show by itself: that it goes on, and why others count more positions.
fn note(list: &Listing) -> Option<String> {
    let Listing { title, lines, n_all, n_counted } = list;
    let mut notes = Vec::new();
    if (lines.len() as u64) < *n_all {
        let (n_lines, n_all) = (count(lines.len() as u64), count(*n_all));
        notes.push(format!("the first {n_lines} of {n_all}; --limit N lists more"));
    }
    if n_counted != n_all {
        let (n_all, n_counted) = (plural(*n_all, "position"), count(*n_counted));
        notes.push(format!(
            "{n_all}; the statistics tell like men apart (two rooks that change places) and count {n_counted}"
        ));
    }
    (!notes.is_empty()).then(|| format!("{title}: {}", notes.join("; ")))
}

/// The table with both sides to move.
fn table(
    console: &mut Console<'_>,
    pool: &ThreadPool,
    game: &Game,
    files: &TableFiles,
    name: &str,
) -> Result<Arc<Table>, Failure> {
    let material = game.material(name)?;
    let plan = Plan::new(&game.variant, &Request::Table(material.clone())).map_err(Failure::new)?;
    let wanted = BTreeSet::from([material]);
    let mut tables = PlannedTables::new(files, &plan, &wanted)?;
    let places = tables.places();
    let watch = Watch::new(console.is_watched, &mut *console.err);
    if places.len() > 1 {
        watch.start(places.len(), tables.n_values());
    }
    let mut last = None;
    for place in places {
        let job = plan.job(place);
        let watching = watch.begin(&job.name, job.n_values());
        let table = pool.install(|| tables.get(place));
        last = table.map_err(|error| failure(error, game, files.folder(), console.program.name))?;
        watching.finish_silently();
        tables.forget(place);
    }
    watch.close();
    match last {
        Some(table) => Ok(table),
        // What the rules prove drawn is in no plan.
        None => Ok(Arc::new(pool.install(|| files.read(name)).map_err(Failure::new)?)),
    }
}
