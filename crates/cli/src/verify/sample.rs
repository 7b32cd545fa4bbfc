//! Says how many placements of a table are checked unless something else is asked for.

/// Up to so many men every position is checked.
pub(super) const MAX_MEN_IN_FULL: usize = 4;

/// How many placements are checked of larger tables, with each side to move.
pub(super) const N_PLACEMENTS: u64 = 1_000_000;

/// The same of a Syzygy file that says who wins: each look-up makes captures.
pub(super) const N_RESULTS: u64 = 100_000;

/// The same of one with distances: half of the look-ups make every move.
pub(super) const N_DISTANCES: u64 = 4_096;
