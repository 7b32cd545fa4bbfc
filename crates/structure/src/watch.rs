//! Follows a run from outside: how many slices are known, how many values are solved, whether it is to stop.

use crate::Limit;

/// Watches how far a run has come, from any thread.
pub trait Watch: Sync {
    /// So many slices that lie inside a limit are known, and more may follow.
    fn followed(&self, _limit: &Limit, _n_slices: usize) {}

    /// So many values of all are done; a table was finished, or goes on.
    fn done(&self, _n_values: u64, _n_all: u64, _table: &str) {}

    /// Whether the run is to stop; what is finished is kept.
    fn is_interrupted(&self) -> bool {
        false
    }
}

/// A run that nobody watches.
#[derive(Clone, Copy, Debug)]
pub struct Unwatched;

impl Watch for Unwatched {}
