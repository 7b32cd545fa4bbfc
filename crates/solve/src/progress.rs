//! Reports how far a solve has come.

/// Watches how far a solve has come.
pub trait Progress: Sync {
    /// So many placements of the table's `total` are done.
    fn placements_done(&self, _done: u64, _total: u64) {}

    /// Whether the solve is to stop where it can be gone on with: between two plies of a log.
    fn is_interrupted(&self) -> bool {
        false
    }
}

/// A progress that nobody watches.
#[derive(Clone, Copy, Debug)]
pub struct Unwatched;

impl Progress for Unwatched {}
