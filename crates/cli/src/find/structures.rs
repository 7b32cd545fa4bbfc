//! `find FILE.tss`: searches what structures know exactly.

use super::run::{FindArgs, Run};
use crate::structure::{for_each_known, open_file};
use crate::{Console, Failure, Game, Outcome, Thing, count, pool};
use ::find::Query;
use library::LoadedTables;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

/// Searches these files, all of them structures of one game and one metric.
pub(super) fn run(console: &mut Console<'_>, args: &FindArgs, files: &[&Path]) -> Outcome {
    if let Some(other) = files.iter().find(|path| Thing::at(path) != Thing::Structure) {
        return Err(Failure::new(format!(
            "{} is no structure: search files of structures and tables in two commands",
            other.display()
        )));
    }
    if args.men.is_some() {
        return Err(Failure::new(
            "--men is about tables: leave it out where a file of a structure is searched",
        ));
    }
    let open = |path: &&Path| open_file(path, args.variant.as_deref(), &args.tables).map(Arc::new);
    let structures = files.iter().map(open).collect::<Outcome<Vec<_>>>()?;
    let metric = args.metric.unwrap_or(structures[0].metric());
    let game: Game = Thing::Structure.game(files[0], args.variant.as_deref())?;
    let query = Query::parse(&game.variant, metric, args.condition.as_deref().unwrap_or_default())?;
    for structure in &structures {
        if let Some(other) = query.metrics().iter().find(|&&metric| metric != structure.metric()) {
            let (path, own) = (structure.path().display(), structure.metric());
            return Err(Failure::new(format!("{path} has {own} and no {other}: ask for {own} alone")));
        }
        if structure.book().variant().rules != structures[0].book().variant().rules {
            return Err(Failure::new("these structures are of several games: search them one by one"));
        }
    }
    let tables: Vec<_> = structures.iter().map(|structure| structure.known_tablebase()).collect();
    let mut run = Run::new(console, args, &game, &query, &tables[0])?;
    run.passes_over = true;
    let (pool, mut n_open) = (pool(args.threads)?, 0);
    for_each_known(
        console,
        &pool,
        &structures,
        |_| true,
        |place, known, job, out| {
            run.folder = &tables[place];
            n_open += known.n_open;
            let loaded = LoadedTables { tables: vec![known.table], successors: None };
            let is_enough = run.search(loaded, job, out, Instant::now())?;
            Ok(if is_enough { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
        },
    )?;
    let n_unknown: u64 = run.counts.iter().map(|(_, tally, _)| tally.n_unknown).sum();
    if n_open + n_unknown > 0 {
        console.tell(&format!(
            "passed over: {} placements that are open, {} with moves that are not known",
            count(n_open),
            count(n_unknown)
        ))?;
    }
    pool.install(|| run.finish(console))
}
