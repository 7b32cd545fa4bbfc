//! Holds the open sets of a pass, in memory or on the disk.

use super::alignment::AlignedWords;
use super::disk::DiskPlane;
use crate::packed::BlockSource;
use index::BlockId;
use kernel::Word;
use std::io;

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
    /// The blocks, of so many words, each to be changed by itself.
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

const NOT_AT_HAND: &str = "planes are on the disk only where nobody asks for all their words";

impl<W: Word> OpenPlane<W> {
    /// Makes room for so many words in memory.
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

    /// Whether a block of so many words is empty.
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

    /// Whether something could not be read or written.
    pub(crate) fn has_failed(&self) -> bool {
        matches!(self, OpenPlane::Disk(plane) if plane.failure().is_some())
    }

    /// Why it could not, if that is so.
    pub(crate) fn take_failure(&self) -> Option<io::Error> {
        match self {
            OpenPlane::Memory(_) => None,
            OpenPlane::Disk(plane) => plane.failure().take(),
        }
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
