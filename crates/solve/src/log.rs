//! Logs what each half-step finds, so that a table need not be in memory while it is solved.
//!
//! An entry is a value, a block, and the placements of this block that have the value: each placement of a
//! side to move is in one entry, or it is drawn or illegal. When the passes are over, the codes of a block
//! are made of its entries (`job/slice_log.rs`). So a table takes a few bits a placement until then, in
//! memory or wherever the caller has room for entries, where codes would take a byte or two.

use crate::packed::{self, FirstError, PlaneFile};
use index::BlockId;
use kernel::Word;
use parking_lot::Mutex;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use variant::Side;

/// The log of one side to move.
pub(crate) struct SideLog<'a> {
    stm: Side,
    store: &'a dyn LogStore,
    /// By block.
    entries: Vec<Mutex<Vec<LoggedSet>>>,
    /// How many placements have been entered.
    n_placements: AtomicU64,
    failure: Arc<FirstError>,
}

/// An entry of one block, and where its placements are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LoggedSet {
    pub(crate) code: u16,
    pub(crate) place: u64,
    pub(crate) n_bytes: u32,
}

impl<'a> SideLog<'a> {
    /// Nothing is entered yet; that an entry cannot be written is noted in `failure`.
    pub(crate) fn new(stm: Side, store: &'a dyn LogStore, n_blocks: usize, failure: Arc<FirstError>) -> Self {
        let entries = (0..n_blocks).map(|_| Mutex::default()).collect();
        SideLog { stm, store, entries, n_placements: AtomicU64::new(0), failure }
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

    /// Like `enter`, of placements that are packed already.
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
                self.entries[block.index()].lock().push(kept);
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
        entries.lock().push(kept);
    }

    /// How many placements have been entered since the log was opened.
    pub(crate) fn n_placements(&self) -> u64 {
        self.n_placements.load(Ordering::Relaxed)
    }

    /// Whether an entry, or what else is noted with it, could not be written.
    pub(crate) fn has_failed(&self) -> bool {
        self.failure.is_some()
    }

    /// The entries of each block.
    pub(crate) fn into_entries(self) -> Vec<Vec<LoggedSet>> {
        self.entries.into_iter().map(Mutex::into_inner).collect()
    }
}

/// What one half-step has found in one block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LogEntry {
    /// The side to move, whose values these are.
    pub stm: Side,
    /// The value, as the code of two bytes that it has.
    pub code: u16,
    /// The block.
    pub block: BlockId,
}

/// A ply of a pass, or the end of a pass.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LogStep {
    /// The side whose wins the pass finds.
    pub attacker: Side,
    /// The ply; none if the pass has come to its end.
    pub ply: Option<u32>,
}

/// An entry that a log had when it was opened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StoredEntry {
    /// The entry.
    pub entry: LogEntry,
    /// The step at which it was found.
    pub step: LogStep,
    /// The place of its placements.
    pub place: u64,
    /// How many bytes they take.
    pub n_bytes: u32,
}

/// What a log had when it was opened: all that belongs to whole steps.
#[derive(Clone, Default, Debug)]
pub struct StoredLog {
    /// In the order of the steps.
    pub entries: Vec<StoredEntry>,
    /// The last step that is whole.
    pub last: Option<LogStep>,
}

/// Keeps the entries of a log. Entries are appended by several threads, and read when all are there.
pub trait LogStore: Sync {
    /// Appends an entry and the placements that it is about; returns the place of these.
    ///
    /// # Errors
    /// There is no room for it.
    fn append(&self, entry: LogEntry, set: &[u8]) -> io::Result<u64>;

    /// Notes that all entries of a step are there.
    ///
    /// # Errors
    /// There is no room for it.
    fn commit(&self, _step: LogStep) -> io::Result<()> {
        Ok(())
    }

    /// Reads what was appended at a place.
    ///
    /// # Errors
    /// It cannot be read.
    fn read(&self, place: u64, set: &mut [u8]) -> io::Result<()>;

    /// Opens room on the disk for a plane, for what captures lead to, or for what a ply has found, where
    /// these are to be kept there and not in memory; the room is given back when it is dropped.
    ///
    /// # Errors
    /// There is no room for it.
    fn open_plane(&self) -> io::Result<Option<Box<dyn PlaneFile>>> {
        Ok(None)
    }

    /// How many blocks a thread is to keep in memory of each plane on the disk, where memory is so short that
    /// nothing else of them stays there, and that codes are made of few blocks at a time.
    fn n_slots(&self) -> Option<usize> {
        None
    }

    /// Takes what the log had when it was opened; nothing if it is a new one.
    fn take_stored(&self) -> StoredLog {
        StoredLog::default()
    }
}

/// A log in memory.
#[derive(Default, Debug)]
pub struct MemoryLog {
    /// Sets one after the other, in parts that are never moved.
    parts: Mutex<Vec<Vec<u8>>>,
}

/// How large a part is; no set lies in two, and a larger set has a part of its own.
const PART_BYTES: usize = 1 << 24;

/// A place is the number of a part, and a byte in it.
const OFFSET_BITS: u32 = 32;

impl LogStore for MemoryLog {
    fn append(&self, _: LogEntry, set: &[u8]) -> io::Result<u64> {
        let mut parts = self.parts.lock();
        let has_room = |part: &Vec<u8>| part.capacity() - part.len() >= set.len();
        if !parts.last().is_some_and(has_room) {
            parts.push(Vec::with_capacity(PART_BYTES.max(set.len())));
        }
        let number = parts.len() as u64 - 1;
        let part = parts.last_mut().expect("a part with room");
        let offset = part.len() as u64;
        part.extend_from_slice(set);
        Ok(number << OFFSET_BITS | offset)
    }

    fn read(&self, place: u64, set: &mut [u8]) -> io::Result<()> {
        let parts = self.parts.lock();
        let offset = (place & ((1 << OFFSET_BITS) - 1)) as usize;
        let part = parts.get((place >> OFFSET_BITS) as usize).and_then(|part| part.get(offset..));
        let kept = part.and_then(|part| part.get(..set.len()));
        set.copy_from_slice(kept.ok_or_else(|| io::Error::other("no such place in the log"))?);
        Ok(())
    }
}
