//! Solves the slices of a material with pawns in order: level by level, the most advanced pawns first.
//!
//! A pawn move leads from a slice to another level, so slices of one level need nothing of each other and are
//! solved in parallel.

use super::slice::SliceSolver;
use super::width::{Sides, illegal_codes, owned, widened};
use crate::Progress;
use crate::pass::{Halt, Longest};
use crate::word::SolverWord;
use index::{SliceId, SliceRange};
use rayon::prelude::*;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use table::{Code, Codes, CodesRef, Ply, View};

/// Solves all levels, with one byte a value as long as that suffices if `is_narrow`, and with two from the
/// first level that does not fit.
pub(super) fn solve_levels<W: SolverWord>(
    solver: &SliceSolver<'_, W>,
    is_narrow: bool,
) -> Result<[Option<Codes>; 2], Halt> {
    let (layout, metric) = (solver.layout, solver.scale.metric());
    let done = Done { progress: solver.progress, n: AtomicU64::new(0), n_total: layout.len() as u64 };
    let levels = layout.levels();
    let mut n_solved = 0;
    let mut longest = [Longest::default(); 2];
    let mut wide: Sides<u16>;
    if is_narrow {
        let mut codes: Sides<u8> = illegal_codes(layout);
        while n_solved < levels.len()
            && solve_level(solver, &levels[n_solved], &mut codes, &mut longest, &done).is_ok()
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
        let n_done = levels[n_solved].first().span(layout.slice_len()).start;
        done.n.store(n_done as u64, Ordering::Relaxed);
        wide = widened(codes, n_done, metric, longest);
    } else {
        wide = illegal_codes(layout);
    }
    for level in &levels[n_solved..] {
        solve_level(solver, level, &mut wide, &mut longest, &done)?;
    }
    Ok(owned(wide, metric, longest))
}

/// Counts the placements that are done.
struct Done<'a> {
    progress: &'a dyn Progress,
    n: AtomicU64,
    n_total: u64,
}

impl Done<'_> {
    fn add(&self, n_placements: u64) {
        let n = self.n.fetch_add(n_placements, Ordering::Relaxed) + n_placements;
        self.progress.placements_done(n, self.n_total);
    }
}

/// Solves the slices of a level; the codes of the levels before it are final. `longest` has the longest
/// values of those levels, and gets those of this one if all goes well.
fn solve_level<C: Code, W: SolverWord>(
    solver: &SliceSolver<'_, W>,
    level: &SliceRange,
    codes: &mut Sides<C>,
    longest: &mut [Longest; 2],
    done: &Done<'_>,
) -> Result<(), Halt> {
    let layout = solver.layout;
    let slice_len = layout.slice_len();
    let Range { start: split, end } = level.span(slice_len);
    let n_level = end - split;
    let [white, black] = codes;
    let (white_done, white_new) = white.as_mut().expect("kept").split_at_mut(split);
    let (black_done, black_new) = match black {
        Some(black) => {
            let (done, new) = black.split_at_mut(split);
            (Some(done), Some(&mut new[..n_level]))
        }
        None => (None, None),
    };
    let metric = solver.scale.metric();
    let before = *longest;
    let solved: [Option<CodesRef<'_>>; 2] = [
        Some(C::borrowed(white_done).under(metric, Ply(before[0].win))),
        black_done.map(|codes| C::borrowed(codes).under(metric, Ply(before[1].win))),
    ];
    let own = View::new(layout, solved, layout.men()).expect("a layout's own men match");
    let one = |slice: SliceId, white: &mut [C], black: Option<&mut [C]>| {
        if solver.progress.is_interrupted() {
            return Err(Halt);
        }
        let longest = solver.solve(slice, &own, [Some(white), black], before)?;
        done.add(slice_len as u64);
        Ok(longest)
    };
    let joined = |a: [Longest; 2], b: [Longest; 2]| Ok([a[0].max(b[0]), a[1].max(b[1])]);
    let slices = level.clone().collect::<Vec<_>>().into_par_iter();
    let slices = slices.zip(white_new[..n_level].par_chunks_mut(slice_len));
    let found = match black_new {
        Some(black) => slices
            .zip(black.par_chunks_mut(slice_len))
            .map(|((slice, white), black)| one(slice, white, Some(black)))
            .try_reduce(|| before, joined),
        None => slices.map(|(slice, white)| one(slice, white, None)).try_reduce(|| before, joined),
    }?;
    // Each slice has seen to its own values; those of several have to fit together as well.
    let fits =
        |longest: &Longest| C::most_plies(metric).is_none_or(|most| longest.win + longest.loss <= most);
    if !found.iter().all(fits) {
        return Err(Halt);
    }
    *longest = found;
    Ok(())
}
