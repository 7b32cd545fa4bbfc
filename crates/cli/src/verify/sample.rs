//! Says how many placements of a table are checked unless something else is asked for.

/// Up to so many men every position is checked.
pub(super) const MAX_MEN_IN_FULL: usize = 4;

/// How many placements are checked of larger tables, with each side to move.
pub(super) const N_PLACEMENTS: u64 = 1_000_000;

/// The same of flat and Syzygy files, whose values take a hundred times as long: a position is looked up by
/// its squares, and captures are made.
pub(super) const N_EXCHANGE: u64 = 16_384;

/// The same of Syzygy files with distances: half of the look-ups make every move.
pub(super) const N_DISTANCES: u64 = 4_096;
