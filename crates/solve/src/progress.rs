//! Reports how far a solve has come.

use geometry::Square;
use std::sync::atomic::{AtomicBool, Ordering};
use table::Ply;
use variant::{Man, Side};

/// Watches how far a solve has come.
pub trait Progress: Sync {
    /// So many placements of the table's `total` are done.
    fn placements_done(&self, _done: u64, _total: u64) {}

    /// Whether [`Self::ply_found`] is to be called; to count what a ply has found takes a little time.
    fn asks_for_plies(&self) -> bool {
        false
    }

    /// A ply of a pass has been found, in one slice of the table. Slices are solved side by side, but the
    /// plies of each are reported in order, White's wins first. A slice whose values have outgrown their
    /// codes is solved, and reported, again.
    fn ply_found(&self, _found: &FoundPly<'_>) {}

    /// A ply of a pass for this side's wins is in the log, of a slice that is solved into one.
    fn ply_logged(&self, _attacker: Side, _ply: u32) {}

    /// Whether the codes may take a second byte each from now on; asked once, where one byte does not suffice
    /// for a table in memory. If not, the table is not solved.
    fn may_widen(&self) -> bool {
        true
    }

    /// Whether the solve is to stop: between two plies, from where a log can be gone on with. What is in
    /// memory alone is lost. A slice of two royal men and pawns under `wdl`, which has no plies, is finished.
    fn is_interrupted(&self) -> bool {
        false
    }
}

/// What one ply of a pass has found in a slice: placements, those that stand for the same position apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FoundPly<'a> {
    /// The pawns of the slice with their squares; none in a table without pawns.
    pub pawns: &'a [(Man, Square)],
    /// The side whose wins the pass finds.
    pub attacker: Side,
    /// The ply; under `wdl` the number of the step.
    pub ply: Ply,
    /// How many placements the attacker, to move, wins in so many plies.
    pub n_won: u64,
    /// How many placements his opponent, to move, loses in so many plies.
    pub n_lost: u64,
}

/// A progress that nobody watches.
#[derive(Clone, Copy, Debug)]
pub struct Unwatched;

impl Progress for Unwatched {}

/// A progress that nobody watches, and that ends when the flag is set.
impl Progress for AtomicBool {
    fn is_interrupted(&self) -> bool {
        self.load(Ordering::Relaxed)
    }
}
