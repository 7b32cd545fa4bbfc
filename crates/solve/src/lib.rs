//! One material in, the exact value of every position out: set-wise retrograde analysis.
//!
//! No files, no clock, no printing; nothing here makes a move on a board.

use index::Layout;
use std::sync::Arc;
use table::{Lookup, Table};
use variant::{Material, Variant};

/// The version of the solver: raised whenever the same rules could give another table.
pub const VERSION: u32 = 1;

/// Why a material could not be solved.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SolveError {
    /// A capture or promotion leads to a table that is not there.
    #[error("{material} needs the table {needed}, which is not there; solve {needed} first")]
    Missing {
        /// The material being solved.
        material: String,
        /// The material that is needed.
        needed: String,
    },
    /// A win takes longer than two bytes can say.
    #[error("{material} has a win of more than {limit} plies, more than a table can hold")]
    TooDeep {
        /// The material being solved.
        material: String,
        /// The most plies that a table can hold.
        limit: u32,
    },
}

/// Told how far a solve has come.
pub trait Progress: Sync {
    /// So many placements of the table's are done.
    fn placements_done(&self, _done: u64, _total: u64) {}
}

/// A progress that nobody watches.
#[derive(Clone, Copy, Debug)]
pub struct Unwatched;

impl Progress for Unwatched {}

/// Solves a canonical material: every value, from the rules and the tables that captures and promotions lead to.
///
/// # Errors
/// A table that is needed is not in `lookup`, or a win is too long.
pub fn solve(
    variant: &Variant,
    layout: Arc<Layout>,
    lookup: &dyn Lookup,
    progress: &dyn Progress,
) -> Result<Table, SolveError> {
    let _ = (variant, layout, lookup, progress);
    unimplemented!()
}

/// Puts back what files leave out: which placements are illegal, and the codes of placements that are not canonical.
pub fn restore(variant: &Variant, table: &mut Table) {
    let _ = (variant, table);
}

/// Whether the rules alone prove every position of a material drawn, so that it needs no table: two bare royal men
/// that can never attack each other one-sidedly, where stalemate is a draw.
#[must_use]
pub fn is_always_drawn(variant: &Variant, material: &Material) -> bool {
    let _ = variant;
    material.n_men() == 2
}
