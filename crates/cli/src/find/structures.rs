//! `find FILE.tss`: searches what structures know exactly.

use super::run::{FindArgs, Run};
use crate::structure::open_file;
use crate::{Console, Failure, Game, Outcome, Thing, Watch, count, pool};
use ::find::Query;
use library::LoadedTables;
use std::collections::BTreeSet;
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
    {
        let watch = Watch::new(console.is_watched, &mut *console.err);
        let out = &mut *console.out;
        // The bounds of a material are searched as one table.
        let names = structures.iter().flat_map(|own| own.tables().map(|(name, ..)| (own.path(), name)));
        let n_tables = names.collect::<BTreeSet<_>>().len();
        watch.start(n_tables, structures.iter().map(|structure| structure.n_values()).sum());
        watch.during(|| {
            pool.install(|| {
                for (structure, tables) in structures.iter().zip(&tables) {
                    run.folder = tables;
                    for known in structure.known_tables(|_| true) {
                        let (known, begin) = (known?, Instant::now());
                        n_open += known.n_open;
                        let layout = known.table.layout();
                        let job = watch.begin(layout.name(), layout.len() as u64);
                        let loaded = LoadedTables { tables: vec![known.table.clone()], successors: None };
                        let is_enough = run.search(loaded, &job, out, begin)?;
                        job.finish_silently();
                        if is_enough {
                            return Ok(());
                        }
                    }
                }
                Ok::<_, Failure>(())
            })
        })?;
    }
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
