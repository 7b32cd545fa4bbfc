//! Solves a table in memory within the room that there is, also where it turns out to need two bytes a value.

use super::Builder;
use crate::progress::TableProgress;
use crate::queue::Grow;
use library::{LibraryError, MemoryTables};
use plan::Job;
use std::sync::atomic::{AtomicBool, Ordering};
use table::Table;
use variant::Side;

impl Builder<'_> {
    /// Solves a table in memory; none if it needs two bytes a value, and there is no room for them.
    pub(super) fn solve_in_memory(
        &self,
        job: &Job,
        tables: &MemoryTables,
        progress: &dyn TableProgress,
        grow: &Grow<'_>,
    ) -> Result<Option<Table>, LibraryError> {
        let bounded = Bounded { progress, grow, more_bytes: job.n_values(), is_full: AtomicBool::new(false) };
        let solved = self.pool.install(|| self.cache.solve(&job.material, tables, &bounded));
        match solved {
            Err(_) if bounded.is_full.into_inner() => Ok(None),
            solved => solved.map(Some),
        }
    }
}

/// A solve whose codes may take more memory than was estimated, as far as there is room.
struct Bounded<'a> {
    progress: &'a dyn TableProgress,
    grow: &'a Grow<'a>,
    /// What two bytes a value take beyond one.
    more_bytes: u64,
    /// Whether there was no room.
    is_full: AtomicBool,
}

impl solve::Progress for Bounded<'_> {
    fn placements_done(&self, done: u64, total: u64) {
        self.progress.placements_done(done, total);
    }

    fn asks_for_plies(&self) -> bool {
        self.progress.asks_for_plies()
    }

    fn ply_found(&self, found: &solve::FoundPly<'_>) {
        self.progress.ply_found(found);
    }

    fn ply_logged(&self, attacker: Side, ply: u32) {
        self.progress.ply_logged(attacker, ply);
    }

    fn may_widen(&self) -> bool {
        let has_room = self.progress.may_widen() && (self.grow)(self.more_bytes);
        self.is_full.store(!has_room, Ordering::Relaxed);
        has_room
    }

    fn is_interrupted(&self) -> bool {
        self.progress.is_interrupted()
    }
}
