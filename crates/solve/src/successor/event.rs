//! Sorts bits of words by the ply at which they enter a plane.
//!
//! There are many, one for each word and each ply at which some of its placements are due, and most have a
//! single bit. So single bits are kept apart from words of several: five bytes each instead of twelve.

use crate::ground::{Ground, block_ranges};
use crate::packed::{self, Spill, StoredSet};
use crate::plane::{Frontier, PackedBlocks};
use crate::pool::Room;
use index::{BlockId, BlockRange};
use kernel::{Word, repeated};
use std::sync::Arc;
use table::threads;
use variant::Metric;

/// Bits of words, sorted by the ply at which they are due.
#[derive(Default, Debug)]
pub(crate) struct Events<W> {
    /// Those of each part in which the slice was read.
    parts: Vec<(Sorted<u8>, Sorted<W>)>,
    /// Others, packed by ply and block.
    packed: PackedEvents,
}

/// Sets of placements by the ply at which they are due.
#[derive(Default, Debug)]
struct PackedEvents {
    sets: PackedBlocks,
    /// Where the sets of each ply start, and where the last ends.
    starts: Vec<usize>,
}

/// The events of one block, packed: a set of placements for each ply, in ascending order.
pub(super) type BlockEvents = Vec<(u16, StoredSet)>;

/// Words, each with something, sorted by ply.
#[derive(Default, Debug)]
struct Sorted<T> {
    words: Vec<u32>,
    bits: Vec<T>,
    /// Where the events of each ply start, and where the last ends.
    starts: Vec<u32>,
}

/// A single bit as it is found: its ply, itself, and its word.
type FoundBit = (u16, u8, u32);

/// Several bits as they are found: their ply, their word, and themselves.
type FoundBits<W> = (u16, u32, W);

/// Events in the order in which they were found; it can be used again.
#[derive(Default, Debug)]
pub(crate) struct Gathering<W> {
    single: Vec<FoundBit>,
    several: Vec<FoundBits<W>>,
}

impl<W: Word> Gathering<W> {
    /// Notes that bits of a word, not none, are due at a ply; `Ground` sees to it that word numbers fit.
    #[inline]
    pub(crate) fn add(&mut self, ply: u16, word: usize, bits: W) {
        if bits.without_lowest() == W::ZERO {
            self.single.push((ply, bits.lowest() as u8, word as u32));
        } else {
            self.several.push((ply, word as u32, bits));
        }
    }

    /// Forgets everything.
    fn clear(&mut self) {
        self.single.clear();
        self.several.clear();
    }

    /// How much memory it holds, in events.
    fn capacity(&self) -> usize {
        self.single.capacity() + self.several.capacity()
    }
}

/// Wins and losses in the order in which they were found.
#[derive(Default, Debug)]
pub(crate) struct Decisions<W> {
    pub(crate) won: Gathering<W>,
    pub(crate) lost: Gathering<W>,
}

/// Larger gatherings are given back: there are few slices that need them.
const MAX_SPARE: usize = 1 << 16;

impl<W: Word> Decisions<W> {
    /// The wins and the losses of one part.
    pub(crate) fn sorted(&self) -> (Events<W>, Events<W>) {
        (Events::sorted(&self.won), Events::sorted(&self.lost))
    }
}

impl<W: Word> Room for Decisions<W> {
    /// Large gatherings are given back.
    fn tidy(&mut self) -> bool {
        self.won.clear();
        self.lost.clear();
        self.won.capacity() + self.lost.capacity() < MAX_SPARE
    }
}

/// What captures of one side take for each word of a slice, a word having this number of bytes: the word and
/// which of them are legal, and one ply at which one of them is due.
///
/// Units: bytes.
pub(crate) const fn capture_bytes(word_bytes: u64) -> u64 {
    // The number of a word is as far apart as words are.
    2 * word_bytes + (size_of::<u32>() + size_of::<u8>()) as u64
}

/// What pawn moves of one side take for each word of a slice: the plane of those that there are, and the
/// plies at which some are due, some as they are found and others sorted.
///
/// Units: bytes.
pub(crate) fn exit_bytes(metric: Metric, word_bytes: u64) -> u64 {
    // Distances that a pawn move ends have few values: won or lost at once, or beyond the n-move rule.
    let n_plies = match metric {
        Metric::Wdl | Metric::Dtz => 2,
        Metric::Dtz50 => 4,
        Metric::Dtc | Metric::Dtm | Metric::Dtm50 | Metric::Help => 6,
    };
    let gathered = (size_of::<FoundBit>() + size_of::<u32>()) as u64 + word_bytes;
    word_bytes + n_plies * gathered
}

impl<W: Word> Events<W> {
    /// Everything found in a part, sorted by ply, and within a ply in the order found.
    fn sorted(found: &Gathering<W>) -> Self {
        let single = Sorted::new(&found.single, |&(ply, bit, word)| (ply, word, bit));
        let several = Sorted::new(&found.several, |&event| event);
        Events { parts: vec![(single, several)], packed: PackedEvents::default() }
    }

    /// The events of all parts of a slice.
    pub(super) fn joined(parts: impl IntoIterator<Item = Self>) -> Self {
        let parts = parts.into_iter().flat_map(|events| events.parts).collect();
        Events { parts, packed: PackedEvents::default() }
    }

    /// The packed events of a slice: those of each block, in the order of the blocks.
    pub(super) fn packed(ground: &Ground<'_, W>, blocks: impl IntoIterator<Item = BlockEvents>) -> Self {
        let own = |(block, events): (BlockId, BlockEvents)| {
            events.into_iter().map(move |(ply, set)| (ply, block, set))
        };
        let mut all: Vec<(u16, BlockId, StoredSet)> = ground.blocks().zip(blocks).flat_map(own).collect();
        all.sort_by_key(|&(ply, block, _)| (ply, block));
        let (mut sets, mut starts) = (PackedBlocks::new(ground), Vec::new());
        for (ply, block, set) in all {
            starts.resize(starts.len().max(usize::from(ply) + 1), sets.len());
            sets.push(block, set);
        }
        if sets.len() > 0 {
            starts.push(sets.len());
        }
        Events { packed: PackedEvents { sets, starts }, ..Events::default() }
    }

    /// Packs what is due in one block, ply by ply.
    pub(super) fn pack(&self, ground: &Ground<'_, W>, block: BlockId, room: &mut PackRoom<W>) -> BlockEvents {
        let (n, row_len) = (ground.words_per_block(), ground.row_len());
        let pack = |ply: usize| {
            room.words.resize(n, W::ZERO);
            room.live.resize(ground.n_rows(), false);
            let mut is_any = false;
            self.for_each_due(ply, |word, bits| {
                let place = word - block.span(n).start;
                room.words[place] |= bits;
                room.live[place / row_len] = true;
                is_any = true;
            });
            is_any.then(|| (ply as u16, room.take_packed(ground)))
        };
        (0..self.end()).filter_map(pack).collect()
    }

    /// Calls `visit` with the word numbers and bits due at a ply.
    pub(crate) fn for_each_due(&self, ply: usize, mut visit: impl FnMut(usize, W)) {
        for (single, several) in &self.parts {
            single.due(ply).for_each(|(word, bit)| visit(word, W::bit(bit.into())));
            several.due(ply).for_each(|(word, bits)| visit(word, bits));
        }
        self.for_each_packed(ply, visit);
    }

    /// Like `for_each_due`, of what is packed.
    fn for_each_packed(&self, ply: usize, visit: impl FnMut(usize, W)) {
        if let Some(&[start, end]) = self.packed.starts.get(ply..ply + 2) {
            self.packed.sets.for_each(start..end, visit);
        }
    }

    /// Adds what is due at a ply to a frontier, the parts of the slice by all threads; `cut` returns what is
    /// left of some bits of a word, and may change the word of a plane.
    pub(crate) fn enter_due(
        &self,
        ply: usize,
        ground: &Ground<'_, W>,
        frontier: &mut Frontier<W>,
        plane: &mut [W],
        cut: impl Fn(usize, W, &mut W) -> W + Sync,
    ) {
        if self.end() <= ply {
            return;
        }
        self.for_each_packed(ply, |word, bits| frontier.add_any(word, cut(word, bits, &mut plane[word])));
        let blocks = block_ranges(ground);
        let (n, mut rest, mut parts) = (ground.words_per_block(), plane, Vec::new());
        let runs = frontier.runs(blocks.iter().map(BlockRange::len));
        for ((part, blocks), run) in self.parts.iter().zip(blocks).zip(runs) {
            let (plane, others) = rest.split_at_mut(blocks.len() * n);
            parts.push((part, blocks.span(n).start, run, plane));
            rest = others;
        }
        threads::for_each(parts, |((single, several), first, mut run, plane)| {
            let mut enter = |word: usize, bits: W| {
                let bits = cut(word, bits, &mut plane[word - first]);
                run.add_any(word - first, bits);
            };
            single.due(ply).for_each(|(word, bit)| enter(word, W::bit(bit.into())));
            several.due(ply).for_each(|(word, bits)| enter(word, bits));
        });
        frontier.any |= frontier.live_blocks.contains(&true);
    }

    /// Takes the packed sets that are due at a ply, each with its block.
    pub(crate) fn take_packed_due(&self, ply: usize) -> Vec<(BlockId, StoredSet)> {
        match self.packed.starts.get(ply..ply + 2) {
            Some(&[start, end]) => self.packed.sets.take(start..end),
            _ => Vec::new(),
        }
    }

    /// The first ply after which nothing is due any more.
    pub(crate) fn end(&self) -> usize {
        let ends = self.parts.iter().map(|(single, several)| single.end().max(several.end()));
        ends.max().unwrap_or(0).max(self.packed.starts.len().saturating_sub(1))
    }
}

/// Room to pack the sets of a block.
#[derive(Default, Debug)]
pub(super) struct PackRoom<W> {
    /// A block that is empty between two sets.
    pub(super) words: Vec<W>,
    /// By row: whether it may have a bit.
    pub(super) live: Vec<bool>,
    /// The words of a set that hold something, each with its number.
    full: Vec<(u32, W)>,
    /// Where packed sets go that are not to be in memory.
    spill: Option<Arc<Spill>>,
}

impl<W: Word> PackRoom<W> {
    /// Room for sets that go into a spill, if there is one.
    pub(super) fn new(spill: Option<&Arc<Spill>>) -> Self {
        PackRoom { spill: spill.cloned(), ..PackRoom::default() }
    }

    /// Packs the block, and empties it.
    pub(super) fn take_packed(&mut self, ground: &Ground<'_, W>) -> StoredSet {
        let row_len = ground.row_len();
        let mut bytes = Vec::new();
        packed::pack(&self.words, &self.live, (row_len, ground.lane_len()), &mut self.full, &mut bytes);
        // All that there is has been packed.
        self.full.iter().for_each(|&(word, _)| self.words[word as usize] = W::ZERO);
        self.live.fill(false);
        StoredSet::new(bytes, self.spill.as_ref())
    }
}

impl<T: Copy + Default> Sorted<T> {
    /// Sorts by counting: how many there are of each ply says where each ply starts.
    fn new<E>(all: &[E], event: impl Fn(&E) -> (u16, u32, T)) -> Self {
        let n_events = all.len();
        assert!(u32::try_from(n_events).is_ok(), "{n_events} events in a part of a slice");
        let mut starts: Vec<u32> = Vec::new();
        for found in all {
            let ply = event(found).0 as usize;
            if ply + 2 > starts.len() {
                starts.resize(ply + 2, 0);
            }
            starts[ply + 1] += 1;
        }
        for ply in 1..starts.len() {
            starts[ply] += starts[ply - 1];
        }
        let mut sorted =
            Sorted { words: repeated(0, n_events), bits: repeated(T::default(), n_events), starts };
        // Each start is moved on by what is put there, so that it ends as the start of the next ply.
        for found in all {
            let (ply, word, bits) = event(found);
            let place = sorted.starts[ply as usize] as usize;
            sorted.starts[ply as usize] += 1;
            sorted.words[place] = word;
            sorted.bits[place] = bits;
        }
        if !sorted.starts.is_empty() {
            sorted.starts.rotate_right(1);
            sorted.starts[0] = 0;
        }
        sorted
    }

    fn due(&self, ply: usize) -> impl Iterator<Item = (usize, T)> + '_ {
        let range = match self.starts.get(ply..ply + 2) {
            Some(&[start, end]) => start as usize..end as usize,
            _ => 0..0,
        };
        self.words[range.clone()].iter().zip(&self.bits[range]).map(|(&word, &bits)| (word as usize, bits))
    }

    fn end(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }
}
