//! `solve --position` and `solve --structure`: solves what can come from positions, and says what they are
//! worth.

use super::answer::{print, print_verdict};
use super::asked::{Asked, RunArgs};
use super::bound_in_words;
use super::shown::Shown;
use crate::args::SolveArgs;
use crate::console::Console;
use crate::pool::pool;
use crate::{Answer, Failure, Outcome};
use ::structure::{Bound, Question, SolvedStructure};
use library::figure::{count, plural};
use position::RuleBook;
use serde::Serialize;
use std::sync::Arc;

pub(crate) fn solve(console: &mut Console<'_>, args: &SolveArgs) -> Outcome {
    let game = super::game_of(args.variant.as_deref(), args.structure.structure.as_deref())?;
    let run =
        RunArgs { using: &args.using, metric: &args.metric, memory: args.memory, threads: args.threads };
    let folder = game.tables(args.out.as_deref());
    let (pool, book) = (pool(args.threads)?, RuleBook::new(&game.variant));
    let shown = Shown::new(console);
    let Asked { question, lent } =
        shown.during(|| pool.install(|| Asked::new(&game, &args.structure, &run, &shown)))?;
    let is_told = !question.is_whole && !args.json;
    let shown = shown.of(&question, is_told.then(|| book.clone()));
    let found = shown.during(|| pool.install(|| question.solve(&game.variant, &folder, &shown)));
    drop(shown);
    let found = found.map_err(Failure::new)?;
    for why in lent.iter().flat_map(|tables| tables.unfit()) {
        writeln!(console.err, "not used: {why}")?;
    }
    if question.is_whole {
        print_whole(console, &question, &found.structures, args.json)?;
    } else if found.structures.is_empty() {
        // A search that was stopped before anything was solved.
        for (root, verdict) in question.roots.iter().zip(&found.verdicts) {
            print_verdict(console, (&book, question.metric), &[], root, verdict, args.json)?;
        }
    } else {
        question.roots.iter().try_for_each(|root| print(console, &found.structures, root, args.json))?;
    }
    let Some(open) = found.open else { return Ok(Answer::Yes) };
    console.tell(&format!("open: {open}"))?;
    Ok(Answer::No)
}

#[derive(Serialize)]
struct WholeJson {
    file: String,
    metric: String,
    limit: String,
    bounds: Vec<Bound>,
    ways_for_pawns: usize,
    slices: usize,
    values: u64,
}

/// Prints what was solved of a structure file, a line for each file of results.
fn print_whole(
    console: &mut Console<'_>,
    question: &Question,
    structures: &[Arc<SolvedStructure>],
    as_json: bool,
) -> Result<(), Failure> {
    let n_ways = question.roots.len();
    let n_slices = |structure: &SolvedStructure| structure.tables().map(|(_, _, n)| n).sum::<usize>();
    if as_json {
        let json = structures.iter().map(|structure| WholeJson {
            file: structure.path().display().to_string(),
            metric: structure.metric().to_string(),
            limit: structure.limit().to_string(),
            bounds: structure.bounds().to_vec(),
            ways_for_pawns: n_ways,
            slices: n_slices(structure),
            values: structure.n_values(),
        });
        return console.print_json(&json.collect::<Vec<_>>());
    }
    for structure in structures {
        writeln!(
            console.out,
            "{}: {} for the pawns to stand, {} with all that comes from them, {} values of {}, {}, solved {}",
            structure.path().display(),
            plural(n_ways as u64, "way"),
            plural(n_slices(structure) as u64, "slice"),
            count(structure.n_values()),
            structure.metric(),
            bound_in_words(structure.bounds()),
            structure.limit(),
        )?;
    }
    Ok(())
}
