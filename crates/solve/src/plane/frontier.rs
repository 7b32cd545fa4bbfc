//! Stores the placements found at one ply, and which rows and blocks have any.

use super::alignment::AlignedWords;
use crate::packed::{PackedFrontier, SetRoom, StoredSet};
use crate::plane_file::PlaneFile;
use index::{BlockId, BlockRange};
use kernel::Word;

/// Of packed placements that have a file so much is in memory: a plane divided by this.
pub(crate) const PARTS_IN_MEMORY: usize = 20;

/// The same where memory is short: the words of a block divided by this.
const BLOCK_PARTS_IN_MEMORY: usize = 4;

/// Placements found at one ply.
#[derive(Default, Debug)]
pub(crate) struct Frontier<W> {
    pub(crate) words: AlignedWords<W>,
    /// By row: whether it may have a placement. Rows that are not live hold nothing.
    pub(crate) live: Vec<bool>,
    /// By block: whether a row is live.
    pub(crate) live_blocks: Vec<bool>,
    /// Whether a block is live.
    pub(crate) any: bool,
    /// The placements where they are packed; `words` and `live` have nothing then.
    pub(crate) packed: Option<PackedFrontier>,
    row_len: usize,
    n_rows: usize,
}

/// A set of placements of a slice, with the rows and blocks in which it has any.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlacementSet<'a, W> {
    pub(crate) words: &'a [W],
    /// By row.
    pub(crate) live: &'a [bool],
    /// By block.
    pub(crate) live_blocks: &'a [bool],
    /// The placements where they are packed.
    pub(crate) packed: Option<&'a PackedFrontier>,
}

impl<W: Word> Frontier<W> {
    /// Makes room for `n_blocks` blocks of `n_rows` rows of `row_len` words, and holds nothing.
    pub(crate) fn reset(&mut self, n_blocks: usize, n_rows: usize, row_len: usize) {
        self.clear();
        self.packed = None;
        let n_words = n_blocks * n_rows * row_len;
        self.words.resize(n_words);
        self.live.resize(n_blocks * n_rows, false);
        self.live_blocks.resize(n_blocks, false);
        (self.row_len, self.n_rows) = (row_len, n_rows);
    }

    /// The same with placements that are packed, of words of `lane_len` placements, and go into a file if
    /// there is one and they are many; where memory is short it is known how many blocks a window keeps.
    pub(crate) fn reset_packed(
        &mut self,
        n_blocks: usize,
        (n_rows, row_len, lane_len): (usize, usize, usize),
        (file, n_slots): (Option<Box<dyn PlaneFile>>, Option<usize>),
    ) {
        self.reset(n_blocks, 0, 0);
        let block_bytes = n_rows * row_len * size_of::<W>();
        let most_bytes = match n_slots {
            None => n_blocks * block_bytes / PARTS_IN_MEMORY,
            Some(_) => block_bytes / BLOCK_PARTS_IN_MEMORY,
        };
        let room = SetRoom::new(file, most_bytes as u64).with_slots(n_slots);
        self.packed = Some(PackedFrontier::new(n_blocks, (n_rows, row_len, lane_len), room));
    }

    /// Adds a packed set to a block, where placements are packed.
    ///
    /// # Panics
    /// If they are not.
    pub(crate) fn join(&mut self, block: BlockId, set: StoredSet) {
        self.packed.as_mut().expect("a packed frontier").join(block, set);
        self.live_blocks[block.index()] = true;
        self.any = true;
    }

    /// The placements, borrowed.
    pub(crate) fn as_set(&self) -> PlacementSet<'_, W> {
        let Frontier { words, live, live_blocks, packed, .. } = self;
        PlacementSet { words, live, live_blocks, packed: packed.as_ref() }
    }

    /// How many placements there are; of packed ones those of each set.
    pub(crate) fn n_placements(&self) -> u64 {
        if let Some(packed) = &self.packed {
            return packed.n_placements();
        }
        let rows = self.words.chunks_exact(self.row_len.max(1)).zip(&self.live);
        rows.filter(|(_, live)| **live).flat_map(|(row, _)| row).map(|word| word.n_bits() as u64).sum()
    }

    /// Forgets everything, touching only what there is.
    pub(crate) fn clear(&mut self) {
        if !self.any {
            return;
        }
        if let Some(packed) = &mut self.packed {
            packed.clear();
            self.live_blocks.fill(false);
            self.any = false;
            return;
        }
        let n_rows = self.n_rows;
        let blocks = BlockRange::new(0..self.live_blocks.len());
        for block in blocks.filter(|block| self.live_blocks[block.index()]) {
            for row in block.span(n_rows).filter(|&row| self.live[row]) {
                self.words[row * self.row_len..(row + 1) * self.row_len].fill(W::ZERO);
            }
            self.live[block.span(n_rows)].fill(false);
        }
        self.live_blocks.fill(false);
        self.any = false;
    }

    /// Adds bits of a word, if there are any.
    #[inline]
    pub(crate) fn add_any(&mut self, word: usize, bits: W) {
        if bits != W::ZERO {
            self.add(word, bits);
        }
    }

    /// Adds bits of a word; not none.
    #[inline]
    pub(crate) fn add(&mut self, word: usize, bits: W) {
        self.words[word] |= bits;
        let row = word / self.row_len;
        self.live[row] = true;
        self.live_blocks[row / self.n_rows] = true;
        self.any = true;
    }
}
