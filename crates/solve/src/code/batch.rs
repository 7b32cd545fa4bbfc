//! Collects what is found in one block, and writes it to the codes together.
//!
//! The codes of a block are many times as large as its words, and far away: to write them at every ply would
//! drive the planes out of the cache.

use super::{store_at_places, store_rows};
use kernel::{Word, gather};
use table::Code;

/// What has been found in one block and is not written yet.
///
/// An *entry* is a word with its place in the block; the entries of one ply stand together.
#[derive(Debug)]
pub(crate) struct Batch<C, W> {
    /// Room for entries, of which the first `n` are used.
    places: Vec<Place>,
    bits: Vec<W>,
    n: usize,
    /// Codes, each with the end of its entries.
    runs: Vec<(u32, C)>,
}

/// The number of a word in its block.
type Place = u16;

/// Larger blocks have more words than places have numbers, and are written at once: four free men make such
/// blocks on a board of more than 40 squares.
const MAX_WORDS: usize = 1 << Place::BITS;

/// So many entries are collected before they are written.
const N_ENTRIES: usize = 2048;

impl<C: Code, W: Word> Batch<C, W> {
    pub(crate) fn new() -> Self {
        Batch { places: Vec::new(), bits: Vec::new(), n: 0, runs: Vec::new() }
    }

    /// The most entries that a batch of a block of so many words ever has.
    const fn most_entries(n_words: usize) -> usize {
        if n_words > MAX_WORDS { 0 } else { N_ENTRIES + n_words }
    }

    /// The most memory that a batch of a block of so many words takes.
    ///
    /// Units: bytes.
    pub(crate) const fn most_bytes(n_words: usize) -> usize {
        Self::most_entries(n_words) * (size_of::<Place>() + size_of::<W>())
    }

    /// Collects a code for every bit of the live rows of `words`; when there are many, they are written to
    /// `codes`.
    pub(crate) fn push(
        &mut self,
        words: &[W],
        live: &[bool],
        row_len: usize,
        code: C,
        (codes, lane_len): (&mut [C], usize),
    ) {
        if words.len() > MAX_WORDS {
            return store_rows(codes, words, live, row_len, lane_len, code);
        }
        let most = Self::most_entries(words.len());
        for (row, words) in words.chunks_exact(row_len).enumerate().filter(|(row, _)| live[*row]) {
            // No larger than these entries ask for: there is a batch for each block, in fresh memory.
            let room = self.n + row_len;
            if self.places.len() < room {
                if self.places.capacity() < room {
                    // Never for more than can be collected before it is written: `most_bytes` counts on that.
                    let more = (2 * room).min(most) - self.places.len();
                    self.places.reserve_exact(more);
                    self.bits.reserve_exact(more);
                }
                self.places.resize(room, 0);
                self.bits.resize(room, W::ZERO);
            }
            self.n += gather(words, row * row_len, &mut self.places[self.n..], &mut self.bits[self.n..]);
        }
        self.runs.push((self.n as u32, code));
        if self.n >= N_ENTRIES {
            self.write(codes, lane_len);
        }
    }

    /// Writes everything, and forgets it.
    pub(crate) fn write(&mut self, codes: &mut [C], lane_len: usize) {
        let mut start = 0;
        for &(end, code) in &self.runs {
            let entries = start..end as usize;
            store_at_places(codes, &self.places[entries.clone()], &self.bits[entries], lane_len, code);
            start = end as usize;
        }
        self.n = 0;
        self.runs.clear();
    }
}
