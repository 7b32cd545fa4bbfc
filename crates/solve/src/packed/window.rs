//! Unpacks the blocks of a packed frontier, or of a plane on the disk, that one block's moves lead into.
//!
//! Blocks are visited in the order in which a frame man goes from one to the next, so most of what a block
//! needs has been unpacked for the one before it. What was not asked for longest gives way.

use super::set::unpack_words;
use super::{SetRoom, StoredSet};
use index::BlockId;
use kernel::Word;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Blocks of one source, as words.
#[derive(Default, Debug)]
pub(crate) struct Window<W> {
    /// The source whose blocks these are.
    id: u64,
    /// By block of the source: its slot; the first slot, which is empty, where it has none.
    slots: Vec<u32>,
    /// By slot but the first: the block, and when it was last asked for.
    owners: Vec<Option<(BlockId, u64)>>,
    clock: u64,
    words: Vec<W>,
    /// By row.
    live: Vec<bool>,
}

/// The words of some blocks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WindowView<'w, W> {
    pub(crate) words: &'w [W],
    pub(crate) live: &'w [bool],
    /// By block: the place of its words among these, in blocks.
    pub(crate) slots: &'w [u32],
}

impl<W: Word> Window<W> {
    /// Unpacks these blocks, as far as they are not there; those that are asked for at once are kept
    /// however many they are.
    pub(crate) fn load(
        &mut self,
        source: &impl BlockSource<W>,
        blocks: impl Iterator<Item = BlockId> + Clone,
    ) -> WindowView<'_, W> {
        if self.id != source.id() {
            self.id = source.id();
            self.slots.clear();
            self.slots.resize(source.n_blocks(), 0);
            self.owners.fill(None);
        }
        if self.words.is_empty() {
            self.words.resize(source.words_per_block(), W::ZERO);
            self.live.resize(source.rows_per_block(), false);
        }
        self.clock += 1;
        let clock = self.clock;
        let is_wanted = |&block: &BlockId| source.has(block);
        // What is there and wanted stays.
        for block in blocks.clone().filter(is_wanted).filter(|block| self.slots[block.index()] != 0) {
            self.owners[self.slots[block.index()] as usize - 1] = Some((block, clock));
        }
        for block in blocks.filter(is_wanted) {
            if self.slots[block.index()] == 0 {
                let slot = self.free_slot(source);
                self.owners[slot] = Some((block, clock));
                self.slots[block.index()] = slot as u32 + 1;
                self.unpack(source, block, slot + 1);
            }
        }
        WindowView { words: &self.words, live: &self.live, slots: &self.slots }
    }

    /// A slot that is not wanted now.
    fn free_slot(&mut self, source: &impl BlockSource<W>) -> usize {
        let used = |slot: &usize| self.owners[*slot].map_or(0, |(_, used)| used);
        let oldest = (0..self.owners.len()).min_by_key(used);
        if let Some(slot) = oldest.filter(|slot| used(slot) == 0) {
            return slot;
        }
        if let Some(slot) =
            oldest.filter(|slot| self.owners.len() >= source.n_slots() && used(slot) < self.clock)
        {
            if let Some((block, _)) = self.owners[slot].take() {
                self.slots[block.index()] = 0;
            }
            return slot;
        }
        self.owners.push(None);
        // The first slot is there for all blocks that hold nothing.
        let n_slots = self.owners.len() + 1;
        self.words.resize(n_slots * source.words_per_block(), W::ZERO);
        self.live.resize(n_slots * source.rows_per_block(), false);
        self.owners.len() - 1
    }

    fn unpack(&mut self, source: &impl BlockSource<W>, block: BlockId, slot: usize) {
        let (n_words, n_rows) = (source.words_per_block(), source.rows_per_block());
        let words = &mut self.words[slot * n_words..(slot + 1) * n_words];
        source.unpack(block, words, &mut self.live[slot * n_rows..(slot + 1) * n_rows]);
    }
}

#[cfg(test)]
mod tests {
    use super::Window;
    use crate::packed::{PackedFrontier, SetRoom, StoredSet, pack};
    use index::BlockId;

    /// Returns a frontier of `n_blocks` blocks of two rows of two words; each has its number in a word.
    fn frontier(n_blocks: usize) -> PackedFrontier {
        let mut frontier = PackedFrontier::new(n_blocks, (2, 2, 64), SetRoom::default());
        for block in (0..n_blocks).filter(|block| block % 5 != 0) {
            let mut set = Vec::new();
            pack(&[0, 0, block as u64, 0], &[false, true], (2, 64), &mut Vec::new(), &mut set);
            frontier.join(BlockId::from_index(block), StoredSet::Memory(set.into()));
        }
        frontier
    }

    #[test]
    fn blocks_come_and_go() {
        let (first, second) = (frontier(100), frontier(90));
        let mut window = Window::<u64>::default();
        for frontier in [&first, &second, &first] {
            for step in 0..500 {
                let wanted = (0..1 + step % 40).map(|i| (step * 7 + i * i) % 90);
                let view = window.load(frontier, wanted.clone().map(BlockId::from_index));
                for block in wanted {
                    let slot = view.slots[block] as usize;
                    let number = if block % 5 == 0 { 0 } else { block as u64 };
                    assert_eq!(view.words[slot * 4..slot * 4 + 4], [0, 0, number, 0], "block {block}");
                    assert_eq!(view.live[slot * 2..slot * 2 + 2], [false, number != 0], "block {block}");
                }
            }
        }
        assert!(window.owners.len() < 60, "{} slots", window.owners.len());
    }
}

/// Blocks of placements that are not at hand as words.
pub(crate) trait BlockSource<W> {
    /// No other source has this number, and this one has another after it has changed.
    fn id(&self) -> u64;

    fn n_blocks(&self) -> usize;

    fn words_per_block(&self) -> usize;

    fn rows_per_block(&self) -> usize;

    /// How many of the blocks a window keeps.
    fn n_slots(&self) -> usize;

    /// Whether a block may hold anything.
    fn has(&self, block: BlockId) -> bool;

    /// Writes a block over these words, of which rows that are not live hold nothing; `live` says by row
    /// whether it may hold something.
    fn unpack(&self, block: BlockId, words: &mut [W], live: &mut [bool]);
}

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
    /// Nothing, in `n_blocks` blocks of `n_rows` rows of `row_len` words of `lane_len` placements; sets are
    /// kept in this room.
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
