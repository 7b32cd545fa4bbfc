//! Keeps a plane on the disk: blocks of words that are read when they are asked for, and written when they
//! have changed.

use crate::failure::FirstError;
use crate::packed::{BlockSource, new_id};
use crate::plane_file::PlaneFile;
use index::{BlockId, BlockRange};
use kernel::Word;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

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
    failure: FirstError,
    words: PhantomData<W>,
}

impl<W: Word> DiskPlane<W> {
    /// An empty plane of so many blocks of so many words, which are rows of `row_len`; a window keeps so many
    /// blocks of it.
    pub(crate) fn new(
        file: Box<dyn PlaneFile>,
        (n_blocks, words_per_block, row_len): (usize, usize, usize),
        n_slots: usize,
    ) -> Self {
        DiskPlane {
            file,
            id: AtomicU64::new(new_id()),
            has_bits: (0..n_blocks).map(|_| AtomicBool::new(false)).collect(),
            words_per_block,
            row_len,
            n_slots,
            failure: FirstError::default(),
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

    /// What could not be read or written.
    pub(crate) fn failure(&self) -> &FirstError {
        &self.failure
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
