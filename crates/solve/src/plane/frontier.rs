//! Stores the placements found at one ply, and which rows and blocks have any.
//!
//! Few words have any late in a pass, so a set may also be stored as a list of words, or packed block by
//! block.

use crate::ground::Ground;
use crate::packed::{self, PackedFrontier, SetRoom, StoredSet};
use index::{BlockId, BlockRange};
use kernel::{Word, repeated};
use parking_lot::Mutex;
use std::mem;
use std::ops::{Deref, DerefMut};

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

    /// Like `reset`, with placements that are packed, of words of `lane_len` placements, and kept in this
    /// room.
    pub(crate) fn reset_packed(&mut self, n_blocks: usize, shape: (usize, usize, usize), room: SetRoom) {
        self.reset(n_blocks, 0, 0);
        self.packed = Some(PackedFrontier::new(n_blocks, shape, room));
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

    /// Cuts it into runs of these numbers of blocks, one behind the other; what is added to them does not
    /// count as any yet.
    pub(crate) fn runs(&mut self, lens: impl Iterator<Item = usize>) -> Vec<FrontierRun<'_, W>> {
        let (row_len, n_rows) = (self.row_len, self.n_rows);
        let (mut words, mut live, mut live_blocks) =
            (&mut self.words[..], &mut self.live[..], &mut self.live_blocks[..]);
        let run = |len: usize| FrontierRun {
            words: words.split_off_mut(..len * n_rows * row_len).expect("as many words"),
            live: live.split_off_mut(..len * n_rows).expect("as many rows"),
            live_blocks: live_blocks.split_off_mut(..len).expect("as many blocks"),
            row_len,
            n_rows,
        };
        lens.map(run).collect()
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

/// Some blocks of a frontier.
pub(crate) struct FrontierRun<'a, W> {
    words: &'a mut [W],
    live: &'a mut [bool],
    live_blocks: &'a mut [bool],
    row_len: usize,
    n_rows: usize,
}

impl<W: Word> FrontierRun<'_, W> {
    /// Adds bits of a word, if there are any.
    #[inline]
    pub(crate) fn add_any(&mut self, word: usize, bits: W) {
        if bits != W::ZERO {
            self.words[word] |= bits;
            let row = word / self.row_len;
            self.live[row] = true;
            self.live_blocks[row / self.n_rows] = true;
        }
    }
}

/// Some words of a plane with their bits, each once.
#[derive(Default, Debug)]
pub(crate) struct WordSet<W> {
    /// By part of the slice.
    listed: Vec<Vec<(u32, W)>>,
    packed: PackedBlocks,
}

/// Packed sets of placements of some blocks.
#[derive(Default, Debug)]
pub(crate) struct PackedBlocks {
    /// The block, and its set; those that were taken are gone.
    sets: Mutex<Vec<(BlockId, StoredSet)>>,
    words_per_block: usize,
    lane_len: usize,
}

impl<W: Word> WordSet<W> {
    /// These words of the parts of a slice, of which none has a number twice.
    pub(crate) fn listed(listed: Vec<Vec<(u32, W)>>) -> Self {
        WordSet { listed, packed: PackedBlocks::default() }
    }

    /// The words of these blocks.
    pub(crate) fn packed(packed: PackedBlocks) -> Self {
        WordSet { listed: Vec::new(), packed }
    }

    /// Forgets the packed words: they were asked for for the last time.
    pub(crate) fn forget_packed(&self) {
        self.packed.sets.lock().clear();
    }

    /// Calls `visit` with each word's number and bits.
    pub(crate) fn for_each(&self, mut visit: impl FnMut(usize, W)) {
        for &(word, bits) in self.listed.iter().flatten() {
            visit(word as usize, bits);
        }
        self.packed.for_each(0..self.packed.len(), visit);
    }
}

impl PackedBlocks {
    /// No sets of any block.
    pub(crate) fn new<W: Word>(ground: &Ground<'_, W>) -> Self {
        let (words_per_block, lane_len) = (ground.words_per_block(), ground.lane_len());
        PackedBlocks { sets: Mutex::default(), words_per_block, lane_len }
    }

    /// How many sets there are.
    pub(crate) fn len(&self) -> usize {
        self.sets.lock().len()
    }

    /// Adds what was packed of a block.
    pub(crate) fn push(&mut self, block: BlockId, set: StoredSet) {
        self.sets.lock().push((block, set));
    }

    /// Takes some of the sets, each with its block; they are gone from now on.
    pub(crate) fn take(&self, sets: std::ops::Range<usize>) -> Vec<(BlockId, StoredSet)> {
        let take = |(block, set): &mut (BlockId, StoredSet)| (*block, mem::replace(set, StoredSet::Gone));
        self.sets.lock()[sets].iter_mut().map(take).collect()
    }

    /// Calls `visit` with the number and the bits of each word of some of the sets.
    pub(crate) fn for_each<W: Word>(&self, sets: std::ops::Range<usize>, mut visit: impl FnMut(usize, W)) {
        for (block, set) in &self.sets.lock()[sets] {
            let Some(set) = set.get() else { continue };
            let first = block.span(self.words_per_block).start;
            let is_set = packed::unpack_words(&set, self.words_per_block, self.lane_len, |word, bits| {
                visit(first + word, bits);
            });
            assert!(is_set, "a set that was packed is unpacked");
        }
    }
}

/// The words of a plane, used again from slice to slice.
///
/// Kernels take 64 bytes at a time. Bytes that lie in two cache lines cost two accesses, and an allocator
/// starts large vectors in the middle of a line, so that every access would be such a one.
#[derive(Default, Debug)]
pub(crate) struct AlignedWords<W> {
    /// The words, and more where a line has begun before them.
    room: Vec<W>,
    start: usize,
    n_words: usize,
}

const LINE_BYTES: usize = 64;

impl<W: Word> AlignedWords<W> {
    /// Makes room for `n_words` words. Words at their old places keep their bits; new ones are empty.
    pub(crate) fn resize(&mut self, n_words: usize) {
        let surplus = LINE_BYTES / size_of::<W>();
        if self.room.len() < n_words + surplus {
            let mut room = repeated(W::ZERO, n_words + surplus);
            // Wherever the line begins, results are the same.
            let start = room.as_ptr().align_offset(LINE_BYTES).min(surplus);
            room[start..start + self.n_words].copy_from_slice(self);
            (self.room, self.start) = (room, start);
        }
        self.n_words = n_words;
    }
}

impl<W: Word> From<Vec<W>> for AlignedWords<W> {
    fn from(words: Vec<W>) -> Self {
        let mut aligned = AlignedWords::default();
        aligned.resize(words.len());
        aligned.copy_from_slice(&words);
        aligned
    }
}

impl<W> Deref for AlignedWords<W> {
    type Target = [W];

    fn deref(&self) -> &[W] {
        &self.room[self.start..self.start + self.n_words]
    }
}

impl<W> DerefMut for AlignedWords<W> {
    fn deref_mut(&mut self) -> &mut [W] {
        &mut self.room[self.start..self.start + self.n_words]
    }
}
