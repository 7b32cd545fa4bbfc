//! Stores the words of a plane from the start of a cache line on.
//!
//! Kernels take 64 bytes at a time. Bytes that lie in two cache lines cost two accesses, and an allocator
//! starts large vectors in the middle of a line, so that every access would be such a one.

use kernel::Word;
use std::ops::{Deref, DerefMut};

/// The words of a plane, used again from slice to slice.
#[derive(Default, Debug)]
pub(crate) struct AlignedWords<W> {
    /// The words, and more where a line has begun before them.
    room: Vec<W>,
    start: usize,
    n_words: usize,
}

const LINE_BYTES: usize = 64;

impl<W: Word> AlignedWords<W> {
    /// Makes room for so many words. Words at their old places keep their bits; new ones are empty.
    pub(crate) fn resize(&mut self, n_words: usize) {
        let surplus = LINE_BYTES / size_of::<W>();
        if self.room.len() < n_words + surplus {
            let mut room = vec![W::ZERO; n_words + surplus];
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
