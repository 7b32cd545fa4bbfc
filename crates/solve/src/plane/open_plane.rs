//! Stores the open sets of a pass: in memory, or on the disk, whose blocks are read when they are asked for
//! and written when they have changed.

use super::frontier::AlignedWords;
use crate::packed::{BlockSource, FirstError, PlaneFile, new_id};
use index::{BlockId, BlockRange};
use kernel::Word;
use std::marker::PhantomData;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// A plane of a pass.
#[derive(Debug)]
pub(crate) enum OpenPlane<W> {
    Memory(AlignedWords<W>),
    /// Only where frontiers are packed.
    Disk(DiskPlane<W>),
}

impl<W: Default> Default for OpenPlane<W> {
    fn default() -> Self {
        OpenPlane::Memory(AlignedWords::default())
    }
}

/// A plane whose blocks are visited, each by one thread.
pub(crate) enum OpenBlocks<'a, W> {
    Memory(&'a mut [W]),
    Disk(&'a DiskPlane<W>),
}

impl<'a, W> OpenBlocks<'a, W> {
    /// Its words, where it is in memory.
    ///
    /// # Panics
    /// If it is on the disk.
    pub(crate) fn words(self) -> &'a mut [W] {
        match self {
            OpenBlocks::Memory(words) => words,
            OpenBlocks::Disk(_) => panic!("{NOT_AT_HAND}"),
        }
    }
}

impl<'a, W: Word> OpenBlocks<'a, W> {
    /// Returns the blocks, of `n_words` words each, to be changed one by one.
    pub(crate) fn each(self, n_words: usize) -> Vec<OneBlock<'a, W>> {
        match self {
            OpenBlocks::Memory(words) => words.chunks_exact_mut(n_words).map(OneBlock::Memory).collect(),
            OpenBlocks::Disk(plane) => {
                plane.blocks().map(|block| OneBlock::Disk(plane, block, None)).collect()
            }
        }
    }
}

/// A block of a plane that is changed. What is changed is there when this is dropped.
pub(crate) enum OneBlock<'a, W: Word> {
    Memory(&'a mut [W]),
    /// The plane, the block, and its words once they have been asked for.
    Disk(&'a DiskPlane<W>, BlockId, Option<Vec<W>>),
}

impl<W: Word> OneBlock<'_, W> {
    /// The words of the block.
    pub(crate) fn words(&mut self) -> &mut [W] {
        match self {
            OneBlock::Memory(words) => words,
            OneBlock::Disk(plane, block, words) => words.get_or_insert_with(|| {
                let mut words = vec![W::ZERO; plane.words_per_block()];
                plane.load(*block, &mut words);
                words
            }),
        }
    }
}

impl<W: Word> Drop for OneBlock<'_, W> {
    fn drop(&mut self) {
        if let OneBlock::Disk(plane, block, Some(words)) = self {
            plane.store(*block, words);
        }
    }
}

const NOT_AT_HAND: &str = "planes are on the disk only where no reader asks for all their words";

impl<W: Word> OpenPlane<W> {
    /// Makes room for `n_words` words in memory.
    pub(crate) fn resize(&mut self, n_words: usize) {
        if let OpenPlane::Disk(_) = self {
            *self = OpenPlane::default();
        }
        if let OpenPlane::Memory(words) = self {
            words.resize(n_words);
        }
    }

    /// Its words, where it is in memory.
    ///
    /// # Panics
    /// If it is on the disk.
    pub(crate) fn words(&self) -> &[W] {
        match self {
            OpenPlane::Memory(words) => words,
            OpenPlane::Disk(_) => panic!("{NOT_AT_HAND}"),
        }
    }

    /// The plane, to visit blocks.
    pub(crate) fn blocks(&mut self) -> OpenBlocks<'_, W> {
        match self {
            OpenPlane::Memory(words) => OpenBlocks::Memory(words),
            OpenPlane::Disk(plane) => OpenBlocks::Disk(plane),
        }
    }

    /// Whether a block of `n_words` words is empty.
    pub(crate) fn is_empty(&self, block: BlockId, n_words: usize) -> bool {
        match self {
            OpenPlane::Memory(words) => words[block.span(n_words)].iter().all(|&word| word == W::ZERO),
            OpenPlane::Disk(plane) => plane.is_empty(block),
        }
    }

    /// The plane, to change single words; those of a block should come after each other.
    pub(crate) fn change(&mut self) -> Change<'_, W> {
        Change { plane: self.blocks(), block: None, room: Vec::new() }
    }
}

impl<W: Word> From<Vec<W>> for OpenPlane<W> {
    fn from(words: Vec<W>) -> Self {
        OpenPlane::Memory(words.into())
    }
}

/// Changes words of a plane. What is changed is there when this is dropped.
pub(crate) struct Change<'a, W: Word> {
    plane: OpenBlocks<'a, W>,
    /// The block that `room` holds.
    block: Option<BlockId>,
    room: Vec<W>,
}

impl<W: Word> Change<'_, W> {
    /// A word, by its number in the plane.
    #[inline]
    pub(crate) fn word(&mut self, number: usize) -> &mut W {
        match &mut self.plane {
            OpenBlocks::Memory(words) => &mut words[number],
            OpenBlocks::Disk(plane) => {
                let n_words = plane.words_per_block();
                let block = BlockId::from_index(number / n_words);
                if self.block != Some(block) {
                    if let Some(last) = self.block.replace(block) {
                        plane.store(last, &self.room);
                    }
                    self.room.resize(n_words, W::ZERO);
                    plane.load(block, &mut self.room);
                }
                &mut self.room[number % n_words]
            }
        }
    }
}

impl<W: Word> Drop for Change<'_, W> {
    fn drop(&mut self) {
        if let (OpenBlocks::Disk(plane), Some(block)) = (&self.plane, self.block) {
            plane.store(block, &self.room);
        }
    }
}

/// Bytes of words that are on their way at once.
const PIECE_BYTES: usize = 1 << 15;

/// A plane in a file.
#[derive(Debug)]
pub(crate) struct DiskPlane<W> {
    file: Box<dyn PlaneFile>,
    /// Another number after each change, which no other source of blocks has.
    id: AtomicU64,
    /// By block: whether it has any bit. One that has none is neither read nor written.
    has_bits: Vec<AtomicBool>,
    words_per_block: usize,
    row_len: usize,
    n_slots: usize,
    failure: Arc<FirstError>,
    words: PhantomData<W>,
}

impl<W: Word> DiskPlane<W> {
    /// Makes an empty plane of `n_blocks` blocks of `words_per_block` words, in rows of `row_len`. A window
    /// keeps `n_slots` blocks of it; that something cannot be read or written is noted in `failure`.
    pub(crate) fn new(
        file: Box<dyn PlaneFile>,
        (n_blocks, words_per_block, row_len): (usize, usize, usize),
        n_slots: usize,
        failure: Arc<FirstError>,
    ) -> Self {
        DiskPlane {
            file,
            id: AtomicU64::new(new_id()),
            has_bits: (0..n_blocks).map(|_| AtomicBool::new(false)).collect(),
            words_per_block,
            row_len,
            n_slots,
            failure,
            words: PhantomData,
        }
    }

    /// All blocks.
    pub(crate) fn blocks(&self) -> BlockRange {
        BlockRange::new(0..self.has_bits.len())
    }

    /// Whether a block has no bit.
    pub(crate) fn is_empty(&self, block: BlockId) -> bool {
        !self.has_bits[block.index()].load(Ordering::Relaxed)
    }

    /// Reads a block. That it cannot be read is remembered, and it is empty then.
    pub(crate) fn load(&self, block: BlockId, words: &mut [W]) {
        assert_eq!(words.len(), self.words_per_block, "the words of a block");
        if self.is_empty(block) {
            return words.fill(W::ZERO);
        }
        let mut room = [0; PIECE_BYTES];
        let mut place = self.place(block);
        for words in words.chunks_mut(PIECE_BYTES / size_of::<W>()) {
            let bytes = &mut room[..size_of_val(words)];
            if let Err(error) = self.file.read(place, bytes) {
                self.failure.note(error);
                words.fill(W::ZERO);
            } else {
                let (halves, _) = bytes.as_chunks::<{ size_of::<u64>() }>();
                for (word, halves) in words.iter_mut().zip(halves.chunks_exact(W::HALVES)) {
                    let half = |half: usize| W::from_half(half, u64::from_le_bytes(halves[half]));
                    *word = (0..W::HALVES).fold(W::ZERO, |word, at| word | half(at));
                }
            }
            place += bytes.len() as u64;
        }
    }

    /// Writes a block; what was read of the plane before is out of date. That it cannot be written is
    /// remembered.
    pub(crate) fn store(&self, block: BlockId, words: &[W]) {
        assert_eq!(words.len(), self.words_per_block, "the words of a block");
        self.id.store(new_id(), Ordering::Relaxed);
        let has_bits = words.iter().any(|&word| word != W::ZERO);
        self.has_bits[block.index()].store(has_bits, Ordering::Relaxed);
        if !has_bits {
            return;
        }
        let mut room = [0; PIECE_BYTES];
        let mut place = self.place(block);
        for words in words.chunks(PIECE_BYTES / size_of::<W>()) {
            let bytes = &mut room[..size_of_val(words)];
            let (halves, _) = bytes.as_chunks_mut::<{ size_of::<u64>() }>();
            for (&word, halves) in words.iter().zip(halves.chunks_exact_mut(W::HALVES)) {
                halves.iter_mut().enumerate().for_each(|(at, half)| *half = word.half(at).to_le_bytes());
            }
            if let Err(error) = self.file.write(place, bytes) {
                return self.failure.note(error);
            }
            place += bytes.len() as u64;
        }
    }

    fn place(&self, block: BlockId) -> u64 {
        block.index() as u64 * (self.words_per_block * size_of::<W>()) as u64
    }
}

impl<W: Word> BlockSource<W> for DiskPlane<W> {
    fn id(&self) -> u64 {
        self.id.load(Ordering::Relaxed)
    }

    fn n_blocks(&self) -> usize {
        self.has_bits.len()
    }

    fn words_per_block(&self) -> usize {
        self.words_per_block
    }

    fn rows_per_block(&self) -> usize {
        self.words_per_block / self.row_len
    }

    fn n_slots(&self) -> usize {
        self.n_slots
    }

    fn has(&self, block: BlockId) -> bool {
        !self.is_empty(block)
    }

    fn unpack(&self, block: BlockId, words: &mut [W], live: &mut [bool]) {
        self.load(block, words);
        live.fill(true);
    }
}
