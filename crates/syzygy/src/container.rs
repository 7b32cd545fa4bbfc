//! Names the flags and sizes of a file.

/// Flag of a side of a sub-table: Black is to move (of distances).
pub(crate) const BLACK_TO_MOVE: u8 = 1;
/// Flag: distances stand behind a map.
pub(crate) const MAPPED: u8 = 2;
/// Flag: wins are counted in plies.
pub(crate) const WIN_PLIES: u8 = 4;
/// Flag: losses are counted in plies.
pub(crate) const LOSS_PLIES: u8 = 8;
/// Flag: the map has two bytes an entry.
pub(crate) const WIDE: u8 = 16;
/// Flag: one value throughout.
pub(crate) const SINGLE: u8 = 0x80;

/// What stands before the checksum of a file of a game of its own: the hash of its rules, and zeros.
pub(crate) const RULES_BYTES: usize = 64;

/// Blocks of data begin at multiples of this.
pub(crate) const ALIGNMENT: usize = 64;
