//! Collects statistics of a solved table: counts by result and ply, longest wins, mutual zugzwangs; under the
//! n-move rule also cursed wins and blessed losses.
//!
//! [`Statistics`] are plain data: they stand in a table file's metadata, and one text form of them serves
//! terminal and snapshots. Everything is counted twice: modulo the symmetries of the board and unreduced,
//! like men being distinguishable both times.
//!
//! ```text
//!   Table ─ census (every stored place, weighted) ─► Count per code ─┐
//!         ─ zugzwang (both sides to move compared) ──────────────────┴► Statistics ─► text, EPD
//! ```
//!
//! A [`Contrast`] compares two tables of the same men under different rules. A [`ValueHash`] names the values
//! of a table, whatever codes and files they stand in.
//!
//! [`chart`] draws counts and boards of squares.
//!
//! Nothing here reads rules: the codes of a table in memory are exact, those of places that are not canonical
//! too.

mod by_ply;
mod census;
pub mod chart;
mod clock;
mod contrast;
mod dead;
mod epd;
mod statistics;
mod text;
mod value_hash;
mod zugzwang;

pub use by_ply::DecidedByPly;
pub use census::{Count, Longest, PlyCount};
pub use clock::{ClockChanges, ClockStatistics};
pub use contrast::{Change, Contrast, ContrastError, Ruled, SideContrast, Standing};
pub use dead::dead_positions;
pub use epd::{Listing, LongestPositions, longest_epd, zugzwangs_epd};
pub use statistics::{BeyondRule, Mean, SideStatistics, SquareFigures, Statistics};
pub use value_hash::ValueHash;
pub use zugzwang::{Zugzwang, ZugzwangKind, Zugzwangs};

#[cfg(test)]
mod tests;
