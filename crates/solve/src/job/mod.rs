//! Solves one material: its slices in order, each by a pass for either attacker.

mod finished_slice;
mod level;
mod marking;
mod material_log;
mod room;
mod single_slice;
mod slice;
mod slice_log;
mod slice_sequence;
mod width;

use crate::duel::Duel;
use crate::law::Law;
use crate::motion::Motion;
use crate::pass::Halt;
use crate::reach::Reach;
use crate::rule;
use crate::word::{SolverWord, has_small_words};
use crate::{Options, Progress, SolveError};
pub(crate) use finished_slice::SLICES_RUN_BYTES;
use index::Layout;
use level::solve_levels;
pub(crate) use material_log::log_material;
use room::{Rooms, SliceRoom};
use single_slice::solve_pawnless;
use slice::SliceSolver;
pub(crate) use slice_log::run_bytes;
pub(crate) use slice_sequence::{slices_at_once, solve_slices};
use std::sync::Arc;
use table::{Lookup, Scale, Table};
use variant::{Rules, Variant};

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
        solve_in_words::<u64>(variant, options, layout, lookup, progress)
    } else {
        solve_in_words::<u128>(variant, options, layout, lookup, progress)
    }
}

/// How many planes a slice has while it is solved, those of its rules included.
pub(crate) fn n_planes<W: SolverWord>(rules: &Rules) -> u64 {
    SliceRoom::<W>::n_planes(rules.must_capture) + rule::n_planes(rules)
}

/// Solves a material with words that have a bit for every square of the board.
fn solve_in_words<W: SolverWord>(
    variant: &Variant,
    options: Options,
    layout: Arc<Layout>,
    lookup: &dyn Lookup,
    progress: &dyn Progress,
) -> Result<Table, SolveError> {
    let reach = Reach::new(variant, layout.men(), lookup)?;
    let motion = Motion::<W>::new(variant, &layout);
    let law = Law::new(variant, &layout, &lookup.left_out());
    let solver = SliceSolver {
        variant,
        scale: Scale::new(options.metric, &variant.rules),
        layout: &layout,
        motion: &motion,
        law: &law,
        duel: Duel::new(&layout, &motion, &law, options.metric),
        others: reach.views(),
        rooms: &Rooms::default(),
        progress,
        attackers: options.attackers(&layout),
    };
    let solved = if layout.pawns().is_empty() {
        solve_pawnless(&solver, !options.wide)
    } else {
        solve_levels(&solver, !options.wide)
    };
    if let Some(error) = reach.take_failure() {
        let (material, what) = (layout.material().name(variant), error.to_string());
        return Err(SolveError::Unreadable { material, what });
    }
    match solved {
        Ok([white, black]) => Ok(Table::new(layout, white.expect("White to move is always kept"), black)),
        Err(Halt) => Err(solver.halted()),
    }
}
