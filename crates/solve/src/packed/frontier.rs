//! Stores what one ply has found as packed sets, by block.

use super::set::{n_packed, unpack_words};
use kernel::Word;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Placements of a slice, packed block by block: a block may have several sets, which count together.
#[derive(Debug)]
pub(crate) struct PackedFrontier {
    /// No other frontier has this number, and this one has another after it was cleared.
    id: u64,
    /// By block.
    sets: Vec<Vec<Arc<[u8]>>>,
    n_rows: usize,
    row_len: usize,
    lane_len: usize,
}

/// A number that no other frontier has.
fn new_id() -> u64 {
    static LAST: AtomicU64 = AtomicU64::new(0);
    LAST.fetch_add(1, Ordering::Relaxed) + 1
}

impl PackedFrontier {
    /// Nothing, in so many blocks of `n_rows` rows of `row_len` words of `lane_len` placements.
    pub(crate) fn new(n_blocks: usize, n_rows: usize, row_len: usize, lane_len: usize) -> Self {
        PackedFrontier { id: new_id(), sets: vec![Vec::new(); n_blocks], n_rows, row_len, lane_len }
    }

    pub(crate) fn id(&self) -> u64 {
        self.id
    }

    pub(crate) fn n_blocks(&self) -> usize {
        self.sets.len()
    }

    pub(crate) fn rows_per_block(&self) -> usize {
        self.n_rows
    }

    pub(crate) fn words_per_block(&self) -> usize {
        self.n_rows * self.row_len
    }

    /// The sets of a block.
    pub(crate) fn sets(&self, block: usize) -> &[Arc<[u8]>] {
        &self.sets[block]
    }

    /// How many placements there are, those of each set by themselves.
    pub(crate) fn n_placements(&self) -> u64 {
        self.sets.iter().flatten().map(|set| n_packed(set).expect("a set that was packed") as u64).sum()
    }

    /// Adds a set to a block.
    pub(crate) fn join(&mut self, block: usize, set: Arc<[u8]>) {
        self.sets[block].push(set);
    }

    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        self.sets.iter_mut().for_each(Vec::clear);
        self.id = new_id();
    }

    /// Calls `visit` with the words of a block that hold something, those of each set by themselves.
    pub(crate) fn unpack<W: Word>(&self, block: usize, mut visit: impl FnMut(usize, W)) {
        for set in &self.sets[block] {
            let is_set = unpack_words(set, self.words_per_block(), self.lane_len, &mut visit);
            assert!(is_set, "a set that was packed is unpacked");
        }
    }
}
