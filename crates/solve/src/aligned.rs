//! The words of a plane, from the start of a cache line on.
//!
//! Kernels take 64 bytes at a time. Those that lie in two cache lines cost two accesses, and the memory that
//! large vectors are given begins in the middle of a line, so that all of them would.

use kernel::Word;
use std::ops::{Deref, DerefMut};

/// The words of a plane, used again from slice to slice.
#[derive(Debug)]
pub(crate) struct Aligned<W> {
    /// The words, and more where a line has begun before them.
    room: Vec<W>,
    start: usize,
    n_words: usize,
}

const LINE_BYTES: usize = 64;

impl<W> Default for Aligned<W> {
    fn default() -> Self {
        Aligned { room: Vec::new(), start: 0, n_words: 0 }
    }
}

impl<W: Word> Aligned<W> {
    /// Makes room for so many words. They are what words at their places have been before; new ones are
    /// empty.
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

impl<W: Word> From<Vec<W>> for Aligned<W> {
    fn from(words: Vec<W>) -> Self {
        let mut aligned = Aligned::default();
        aligned.resize(words.len());
        aligned.copy_from_slice(&words);
        aligned
    }
}

impl<W> Deref for Aligned<W> {
    type Target = [W];

    fn deref(&self) -> &[W] {
        &self.room[self.start..self.start + self.n_words]
    }
}

impl<W> DerefMut for Aligned<W> {
    fn deref_mut(&mut self) -> &mut [W] {
        &mut self.room[self.start..self.start + self.n_words]
    }
}
