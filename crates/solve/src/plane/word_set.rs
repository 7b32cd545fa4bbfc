//! Stores the words of a plane that have any bits: listed one by one, or packed block by block.

use crate::ground::Ground;
use crate::packed;
use kernel::Word;
use std::sync::Arc;

/// Some words of a plane with their bits, each once.
#[derive(Default, Debug)]
pub(crate) struct WordSet<W> {
    listed: Vec<(u32, W)>,
    packed: PackedBlocks,
}

/// Packed sets of placements of some blocks.
#[derive(Default, Debug)]
pub(crate) struct PackedBlocks {
    /// The block, and its set.
    sets: Vec<(u32, Arc<[u8]>)>,
    words_per_block: usize,
    lane_len: usize,
}

impl<W: Word> WordSet<W> {
    /// These words, of which none has a number twice.
    pub(crate) fn listed(listed: Vec<(u32, W)>) -> Self {
        WordSet { listed, packed: PackedBlocks::default() }
    }

    /// The words of these blocks.
    pub(crate) fn packed(packed: PackedBlocks) -> Self {
        WordSet { listed: Vec::new(), packed }
    }

    /// Calls `visit` with each word's number and bits.
    pub(crate) fn for_each(&self, mut visit: impl FnMut(usize, W)) {
        for &(word, bits) in &self.listed {
            visit(word as usize, bits);
        }
        self.packed.for_each(0..self.packed.sets.len(), visit);
    }
}

impl PackedBlocks {
    /// No sets of any block.
    pub(crate) fn new<W: Word>(ground: &Ground<'_, W>) -> Self {
        let (words_per_block, lane_len) = (ground.words_per_block(), ground.lane_len());
        PackedBlocks { sets: Vec::new(), words_per_block, lane_len }
    }

    /// How many sets there are.
    pub(crate) fn len(&self) -> usize {
        self.sets.len()
    }

    /// Adds what was packed of a block.
    pub(crate) fn push(&mut self, block: usize, set: Arc<[u8]>) {
        self.sets.push((block as u32, set));
    }

    /// Some of the sets, each with its block.
    pub(crate) fn sets(&self, sets: std::ops::Range<usize>) -> &[(u32, Arc<[u8]>)] {
        &self.sets[sets]
    }

    /// Calls `visit` with the number and the bits of each word of some of the sets.
    pub(crate) fn for_each<W: Word>(&self, sets: std::ops::Range<usize>, mut visit: impl FnMut(usize, W)) {
        for (block, set) in &self.sets[sets] {
            let first = *block as usize * self.words_per_block;
            let is_set = packed::unpack_words(set, self.words_per_block, self.lane_len, |word, bits| {
                visit(first + word, bits);
            });
            assert!(is_set, "a set that was packed is unpacked");
        }
    }
}
