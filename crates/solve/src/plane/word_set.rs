//! Stores the words of a plane that have any bits: listed one by one, or packed block by block.

use crate::ground::Ground;
use crate::packed::{self, StoredSet};
use index::BlockId;
use kernel::Word;
use std::mem;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Some words of a plane with their bits, each once.
#[derive(Default, Debug)]
pub(crate) struct WordSet<W> {
    listed: Vec<(u32, W)>,
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
    /// These words, of which none has a number twice.
    pub(crate) fn listed(listed: Vec<(u32, W)>) -> Self {
        WordSet { listed, packed: PackedBlocks::default() }
    }

    /// The words of these blocks.
    pub(crate) fn packed(packed: PackedBlocks) -> Self {
        WordSet { listed: Vec::new(), packed }
    }

    /// Forgets the packed words: whoever asked for them has done so for the last time.
    pub(crate) fn forget_packed(&self) {
        self.packed.locked().clear();
    }

    /// Calls `visit` with each word's number and bits.
    pub(crate) fn for_each(&self, mut visit: impl FnMut(usize, W)) {
        for &(word, bits) in &self.listed {
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
        self.locked().len()
    }

    /// Adds what was packed of a block.
    pub(crate) fn push(&mut self, block: BlockId, set: StoredSet) {
        self.locked().push((block, set));
    }

    /// Takes some of the sets, each with its block; they are gone from now on.
    pub(crate) fn take(&self, sets: std::ops::Range<usize>) -> Vec<(BlockId, StoredSet)> {
        let take = |(block, set): &mut (BlockId, StoredSet)| (*block, mem::replace(set, StoredSet::Gone));
        self.locked()[sets].iter_mut().map(take).collect()
    }

    fn locked(&self) -> MutexGuard<'_, Vec<(BlockId, StoredSet)>> {
        self.sets.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Calls `visit` with the number and the bits of each word of some of the sets.
    pub(crate) fn for_each<W: Word>(&self, sets: std::ops::Range<usize>, mut visit: impl FnMut(usize, W)) {
        for (block, set) in &self.locked()[sets] {
            let Some(set) = set.get() else { continue };
            let first = block.span(self.words_per_block).start;
            let is_set = packed::unpack_words(&set, self.words_per_block, self.lane_len, |word, bits| {
                visit(first + word, bits);
            });
            assert!(is_set, "a set that was packed is unpacked");
        }
    }
}
