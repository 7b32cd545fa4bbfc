//! Stores what one ply has found as packed sets, by block.

use super::set::unpack_words;
use super::source::BlockSource;
use super::spill::{SetRoom, StoredSet};
use index::BlockId;
use kernel::Word;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Placements of a slice, packed block by block: a block may have several sets, which count together.
#[derive(Debug)]
pub(crate) struct PackedFrontier {
    /// See [`BlockSource::id`].
    id: u64,
    /// By block.
    sets: Vec<Vec<StoredSet>>,
    room: Arc<SetRoom>,
    n_rows: usize,
    row_len: usize,
    lane_len: usize,
}

/// A number that no other source of blocks has.
pub(crate) fn new_id() -> u64 {
    static LAST: AtomicU64 = AtomicU64::new(0);
    LAST.fetch_add(1, Ordering::Relaxed) + 1
}

impl PackedFrontier {
    /// Nothing, in so many blocks of `n_rows` rows of `row_len` words of `lane_len` placements; sets are kept
    /// in this room.
    pub(crate) fn new(
        n_blocks: usize,
        (n_rows, row_len, lane_len): (usize, usize, usize),
        room: SetRoom,
    ) -> Self {
        let sets = vec![Vec::new(); n_blocks];
        PackedFrontier { id: new_id(), sets, room: Arc::new(room), n_rows, row_len, lane_len }
    }

    /// How many placements there are, those of each set by themselves.
    pub(crate) fn n_placements(&self) -> u64 {
        self.sets.iter().flatten().map(|set| set.n_placements() as u64).sum()
    }

    /// How many placements the sets of a block have, those of each by themselves.
    pub(crate) fn n_in(&self, block: BlockId) -> usize {
        self.sets[block.index()].iter().map(StoredSet::n_placements).sum()
    }

    /// Calls `visit` with the words of a block that hold something, by set, each with its number in the
    /// block.
    pub(crate) fn for_each_word<W: Word>(&self, block: BlockId, mut visit: impl FnMut(usize, W)) {
        for set in self.sets[block.index()].iter().filter_map(StoredSet::get) {
            let is_set = unpack_words(&set, self.n_rows * self.row_len, self.lane_len, &mut visit);
            assert!(is_set, "a set that was packed");
        }
    }

    /// Where its sets are kept.
    pub(crate) fn room(&self) -> &Arc<SetRoom> {
        &self.room
    }

    /// Adds a set to a block.
    pub(crate) fn join(&mut self, block: BlockId, set: StoredSet) {
        self.sets[block.index()].push(set);
    }

    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        self.sets.iter_mut().for_each(Vec::clear);
        self.room.clear();
        self.id = new_id();
    }
}

impl<W: Word> BlockSource<W> for PackedFrontier {
    fn id(&self) -> u64 {
        self.id
    }

    fn n_blocks(&self) -> usize {
        self.sets.len()
    }

    fn words_per_block(&self) -> usize {
        self.n_rows * self.row_len
    }

    fn rows_per_block(&self) -> usize {
        self.n_rows
    }

    fn n_slots(&self) -> usize {
        self.room.n_slots()
    }

    fn has(&self, block: BlockId) -> bool {
        !self.sets[block.index()].is_empty()
    }

    fn unpack(&self, block: BlockId, words: &mut [W], live: &mut [bool]) {
        for (row, live) in words.chunks_exact_mut(self.row_len).zip(&mut *live).filter(|(_, live)| **live) {
            row.fill(W::ZERO);
            *live = false;
        }
        self.for_each_word(block, |word, bits: W| {
            words[word] |= bits;
            live[word / self.row_len] = true;
        });
    }
}
