//! Logs what each half-step finds, so that a table need not be in memory while it is solved.
//!
//! An entry is a value, a block, and the placements of this block that have the value: each placement of a
//! side to move is in one entry, or it is drawn or illegal. When the passes are over, the codes of a block
//! are made of its entries (`job/logged.rs`). So a table takes a few bits a placement until then, on the
//! disk or in memory, where codes would take a byte or two.

mod store;

pub use store::{LogEntry, LogStep, LogStore, MemoryLog, StoredEntry, StoredLog};

use crate::failure::FirstError;
use crate::packed;
use index::BlockId;
use kernel::Word;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use variant::Side;

/// The log of one side to move.
pub(crate) struct SideLog<'a> {
    stm: Side,
    store: &'a dyn LogStore,
    /// By block.
    entries: Vec<Mutex<Vec<LoggedSet>>>,
    /// How many placements have been entered.
    n_placements: AtomicU64,
    failure: FirstError,
}

/// An entry of one block, and where its placements are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LoggedSet {
    pub(crate) code: u16,
    pub(crate) place: u64,
    pub(crate) n_bytes: u32,
}

impl<'a> SideLog<'a> {
    pub(crate) fn new(stm: Side, store: &'a dyn LogStore, n_blocks: usize) -> Self {
        let entries = (0..n_blocks).map(|_| Mutex::default()).collect();
        SideLog { stm, store, entries, n_placements: AtomicU64::new(0), failure: FirstError::default() }
    }

    /// Enters a value for every bit of the live rows of a block's words. That the entry could not be written
    /// is remembered.
    ///
    /// Shape: `words` are rows of `row_len`, with `lane_len` placements each.
    pub(crate) fn enter<W: Word>(
        &self,
        block: BlockId,
        code: u16,
        words: &[W],
        live: &[bool],
        (row_len, lane_len): (usize, usize),
    ) {
        if live.contains(&true) {
            let mut set = Vec::new();
            packed::pack(words, live, (row_len, lane_len), &mut Vec::new(), &mut set);
            self.enter_packed(block, code, &set);
        }
    }

    /// The same of placements that are packed already.
    pub(crate) fn enter_packed(&self, block: BlockId, code: u16, set: &[u8]) {
        let n_placements = packed::n_packed(set).unwrap_or(0);
        if n_placements == 0 {
            return;
        }
        self.n_placements.fetch_add(n_placements as u64, Ordering::Relaxed);
        let entry = LogEntry { stm: self.stm, code, block };
        match self.store.append(entry, set) {
            Ok(place) => {
                let kept = LoggedSet { code, place, n_bytes: set.len() as u32 };
                self.entries[block.index()].lock().unwrap_or_else(PoisonError::into_inner).push(kept);
            }
            Err(error) => self.failure.note(error),
        }
    }

    /// Takes over an entry that the log had when it was opened. Entries of a block come in their order.
    ///
    /// # Panics
    /// If there is no such block.
    pub(crate) fn restore(&self, stored: &StoredEntry) {
        let StoredEntry { entry, place, n_bytes, .. } = *stored;
        let kept = LoggedSet { code: entry.code, place, n_bytes };
        let entries = &self.entries[entry.block.index()];
        entries.lock().unwrap_or_else(PoisonError::into_inner).push(kept);
    }

    /// How many placements have been entered since the log was opened.
    pub(crate) fn n_placements(&self) -> u64 {
        self.n_placements.load(Ordering::Relaxed)
    }

    /// Whether an entry could not be written.
    pub(crate) fn has_failed(&self) -> bool {
        self.failure.is_some()
    }

    /// Why an entry could not be written, if that is so.
    pub(crate) fn take_failure(&self) -> Option<io::Error> {
        self.failure.take()
    }

    /// The entries of each block.
    pub(crate) fn into_entries(self) -> Vec<Vec<LoggedSet>> {
        let own =
            |entries: Mutex<Vec<LoggedSet>>| entries.into_inner().unwrap_or_else(PoisonError::into_inner);
        self.entries.into_iter().map(own).collect()
    }
}
