//! Solves one material: its slices in order, each by a pass for either attacker.
//!
//! A material without pawns has one slice, whose codes are widened in the middle of a pass. With pawns the
//! slices are solved level by level, the most advanced pawns first.

mod finished_slice;
mod slice;
mod slice_log;
mod slice_sequence;

pub use finished_slice::{FinishedSlice, MemorySlices, SLICED_RUN_BYTES, SlicePage, SliceStore};
pub(crate) use slice_log::{blocks_at_once, log_material};
pub(crate) use slice_sequence::{slices_at_once, solve_slices};

use crate::clock::{self, ByClock, MOST_RULE_MOVES, SolveSlice};
use crate::pass::{Facts, Halt, Longest, Pass};
use crate::plane::PassPlanes;
use crate::reach::{Below, Reach};
use crate::word::{SolverWord, has_small_words};
use crate::{Options, Progress, SolveError, Step};
use index::{Layout, SliceId, SliceRange};
use slice::{
    Memory, Sides, SliceSolver, borrowed, illegal_codes, joined, mark_sides, no_slices, owned, sinks, widened,
};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use table::{Code, Codes, Lookup, Ply, Table, View, threads};
use variant::exit::Change;
use variant::{Metric, Variant};

/// Solves a material with one byte a value, and with two from where one does not suffice: in the middle of a
/// pass where there are no pawns, and otherwise from the level of slices on.
pub(crate) fn solve_material(
    variant: &Variant,
    options: Options,
    layout: Arc<Layout>,
    lookup: &dyn Lookup,
    progress: &dyn Progress,
) -> Result<Table, SolveError> {
    if has_small_words(layout.n_squares()) {
        solve_in_words::<u64>(variant, options, layout, lookup, clock::solve_slice::<u64, 64>, progress)
    } else {
        solve_in_words::<u128>(variant, options, layout, lookup, clock::solve_slice::<u128, 128>, progress)
    }
}

/// Solves a material with words that have a bit for every square of the board.
fn solve_in_words<W: SolverWord>(
    variant: &Variant,
    options: Options,
    layout: Arc<Layout>,
    lookup: &dyn Lookup,
    by_clock: SolveSlice<W>,
    progress: &dyn Progress,
) -> Result<Table, SolveError> {
    if options.metric == Metric::Dtm50 && variant.rules.n_move_rule.is_some_and(|n| n > MOST_RULE_MOVES) {
        let material = layout.material().name(variant);
        return Err(SolveError::ClockTooLong { material, most_moves: MOST_RULE_MOVES });
    }
    let reach = Reach::new(variant, &layout, lookup, Below::InMemory)?;
    let mut solver = SliceSolver::<W>::new(variant, options, &layout, lookup, &reach, progress);
    solver.by_clock = ByClock::new(by_clock, &layout, options.metric, &variant.rules);
    let solved = if layout.pawns().is_empty() && solver.by_clock.is_none() {
        solve_pawnless(&solver, !options.wide)
    } else {
        solve_levels(&solver, !options.wide)
    };
    if let Some(error) = reach.take_failure() {
        return Err(solver.unreadable(&error));
    }
    match solved {
        Ok([white, black]) => {
            let clocked = solver.by_clock.map(|by_clock| {
                let [of_white, of_black] = by_clock.clocked.into_inner();
                [Some(of_white), black.is_some().then_some(of_black)]
            });
            let table = Table::new(layout.clone(), white.expect("White to move is always kept"), black);
            Ok(table.with_clocked(clocked.unwrap_or_default()))
        }
        Err(Halt) => Err(solver.halted()),
    }
}

/// Solves the slice, with one byte a value as long as that suffices if `is_narrow`.
fn solve_pawnless<W: SolverWord>(
    solver: &SliceSolver<'_, W>,
    is_narrow: bool,
) -> Result<[Option<Codes>; 2], Halt> {
    let (layout, metric) = (solver.layout, solver.scale.metric());
    if let Some(known) = solver.lookup.known(SliceId::FIRST) {
        return Ok(known);
    }
    let (mut narrow, mut wide): (Sides<u8>, Sides<u16>) = match is_narrow {
        true => (illegal_codes(layout, layout.len()), [None, None]),
        false => ([None, None], illegal_codes(layout, layout.len())),
    };
    let mut longest = [Longest::default(); 2];
    let solve = |facts: &Facts<'_, W>, planes: &mut PassPlanes<W>| {
        mark_sides(facts, borrowed(&mut narrow));
        mark_sides(facts, borrowed(&mut wide));
        for &attacker in &solver.attackers {
            let watch = solver.watch(SliceId::FIRST, attacker);
            let mut pass = Pass::new(facts, attacker, planes, &watch);
            if narrow[0].is_some() {
                if pass.run(sinks(facts, borrowed(&mut narrow), attacker), &mut longest).is_ok() {
                    continue;
                }
                if solver.progress.is_interrupted() || !solver.progress.may_widen() {
                    return Err(Halt);
                }
                // What is found so far is written; the pass goes on from there.
                wide = widened(std::mem::take(&mut narrow), layout.len(), metric, longest);
            }
            pass.run(sinks(facts, borrowed(&mut wide), attacker), &mut longest)?;
        }
        Ok(())
    };
    solver.with_facts(SliceId::FIRST, &no_slices(layout), Memory::Ample, solve).0?;
    solver.progress.step(&Step::Placements(layout.len() as u64, layout.len() as u64));
    let codes = owned(narrow, metric, longest);
    Ok(if codes[0].is_some() { codes } else { owned(wide, metric, longest) })
}

/// Solves all levels, with one byte a value as long as that suffices if `is_narrow`, and with two from the
/// first level that does not fit.
///
/// A pawn move leads from a slice to another level, so slices of one level need nothing of each other and
/// are solved in parallel.
fn solve_levels<W: SolverWord>(
    solver: &SliceSolver<'_, W>,
    is_narrow: bool,
) -> Result<[Option<Codes>; 2], Halt> {
    let (layout, metric) = (solver.layout, solver.scale.metric());
    let n_done = AtomicU64::new(0);
    let levels = layout.levels();
    let mut n_solved = 0;
    let mut longest = [Longest::default(); 2];
    let mut wide: Sides<u16>;
    if is_narrow {
        let mut codes: Sides<u8> = illegal_codes(layout, layout.len());
        while n_solved < levels.len()
            && solve_level(solver, &levels[n_solved], &mut codes, &mut longest, &n_done).is_ok()
        {
            n_solved += 1;
        }
        if n_solved == levels.len() {
            return Ok(owned(codes, metric, longest));
        }
        if solver.progress.is_interrupted() || !solver.progress.may_widen() {
            return Err(Halt);
        }
        // The levels that are done keep their values; the one that did not fit is solved again.
        let n_kept = levels[n_solved].first().span(layout.slice_len()).start;
        n_done.store(n_kept as u64, Ordering::Relaxed);
        wide = widened(codes, n_kept, metric, longest);
    } else {
        wide = illegal_codes(layout, layout.len());
    }
    for level in &levels[n_solved..] {
        solve_level(solver, level, &mut wide, &mut longest, &n_done)?;
    }
    Ok(owned(wide, metric, longest))
}

/// Solves the slices of a level; the codes of the levels before it are final. `longest` has the longest
/// values of those levels, and gets those of this one if all goes well; `n_done` counts the placements that
/// are done.
fn solve_level<C: Code, W: SolverWord>(
    solver: &SliceSolver<'_, W>,
    level: &SliceRange,
    codes: &mut Sides<C>,
    longest: &mut [Longest; 2],
    n_done: &AtomicU64,
) -> Result<(), Halt> {
    let layout = solver.layout;
    let slice_len = layout.slice_len();
    let Range { start, end } = level.span(slice_len);
    let metric = solver.scale.metric();
    let before = *longest;
    let mut solved = [None; 2];
    // By side to move, the codes of each slice of the level.
    let mut new = [Vec::new(), Vec::new()];
    for (stm, codes) in codes.iter_mut().enumerate() {
        let Some(codes) = codes else {
            new[stm].resize_with(level.len(), || None);
            continue;
        };
        let (done, others) = codes.split_at_mut(start);
        solved[stm] = Some(C::borrowed(done).under(metric, Ply(before[stm].win)));
        new[stm].extend(others[..end - start].chunks_mut(slice_len).map(Some));
    }
    let own = View::new(layout, solved, layout.men()).expect("a layout's own men match");
    let own = solver.reach.entered(own, Change::new(None, None));
    let one = |slice: SliceId, codes: [Option<&mut [C]>; 2]| {
        if solver.progress.is_interrupted() {
            return Err(Halt);
        }
        let longest = solver.take_or_solve(slice, &own, codes, before)?;
        let n_done = n_done.fetch_add(slice_len as u64, Ordering::Relaxed) + slice_len as u64;
        solver.progress.step(&Step::Placements(n_done, layout.len() as u64));
        Ok(longest)
    };
    let [white, black] = new;
    let slices = level.clone().zip(white).zip(black);
    let found = threads::try_map(slices, |((slice, white), black)| one(slice, [white, black]))?;
    let found = found.into_iter().fold(before, joined);
    // Each slice has seen to its own values; those of several have to fit together as well.
    if !found.iter().all(|longest| longest.fit::<C>(metric)) {
        return Err(Halt);
    }
    *longest = found;
    Ok(())
}
