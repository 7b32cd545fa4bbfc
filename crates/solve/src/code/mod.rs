//! Writes codes to many placements at a time: at once, wherever a placement is a position, or in batches of
//! a block.

use crate::ground::Ground;
use crate::pool::Scratch;
use index::BlockRange;
use kernel::{Word, gather, store_bytes, store_bytes_at_places, store_pairs, store_pairs_at_places};
use table::Code;

/// Writes a code for every bit of the live rows of `words`.
///
/// Shape: `words` are rows of `row_len`, `codes` has `lane_len` codes a word.
pub(crate) fn store_rows<C: Code, W: Word>(
    codes: &mut [C],
    words: &[W],
    live: &[bool],
    row_len: usize,
    lane_len: usize,
    code: C,
) {
    let number = code.into();
    C::borrowed_mut(codes).either(
        |codes| store_bytes(codes, words, live, row_len, lane_len, number as u8),
        |codes| store_pairs(codes, words, live, row_len, lane_len, number),
    );
}

/// Writes a code for every bit of the words at `places`.
///
/// Shape: `codes` has `lane_len` codes a word.
fn store_at_places<C: Code, W: Word>(codes: &mut [C], places: &[u16], bits: &[W], lane_len: usize, code: C) {
    let number = code.into();
    C::borrowed_mut(codes).either(
        |codes| store_bytes_at_places(codes, places, bits, lane_len, number as u8),
        |codes| store_pairs_at_places(codes, places, bits, lane_len, number),
    );
}

/// Writes a code for every bit of the word at a place.
///
/// Shape: `codes` has `lane_len` codes a word.
#[inline]
pub(crate) fn store_word<C: Code, W: Word>(codes: &mut [C], place: usize, word: W, lane_len: usize, code: C) {
    let codes = &mut codes[place * lane_len..];
    word.bits().for_each(|at| codes[at] = code);
}

/// Writes a code wherever a placement of these blocks is a position, or wherever it is none: a position has
/// its men on squares of their own, and is not illegal.
///
/// Shape: `illegal` has the words of the blocks, `codes` their codes.
pub(crate) fn mark_where<C: Code, W: Word>(
    ground: &Ground<'_, W>,
    illegal: &[W],
    mut blocks: BlockRange,
    codes: &mut [C],
    (code, is_position): (C, bool),
) {
    let (n_words, n_rows) = (ground.words_per_block(), ground.n_rows());
    let (row_len, lane_len) = (ground.row_len(), ground.lane_len());
    // Blocks of one word are written together, as the rows that they are.
    let at_once = if ground.is_word() { blocks.len() } else { 1 };
    let mut scratch = Scratch::default();
    let mut words = vec![W::ZERO; at_once * n_words];
    let live = vec![true; at_once * n_rows];
    // Where a square is missing no man stands, so that is no position either.
    let all = (0..lane_len).fold(W::ZERO, |all, at| all | W::bit(at));
    let chunks = codes.chunks_exact_mut((at_once * n_words * lane_len).max(1));
    for (codes, illegal) in chunks.zip(illegal.chunks_exact(at_once * n_words)) {
        let of_blocks = words.chunks_exact_mut(n_words).zip(illegal.chunks_exact(n_words));
        for ((words, illegal), block) in of_blocks.zip(&mut blocks) {
            if !ground.is_word() {
                ground.prepare(block, &mut scratch);
            }
            ground.fill_placements(block, &scratch, words);
            for (word, &illegal) in words.iter_mut().zip(illegal) {
                let positions = *word & !illegal;
                *word = if is_position { positions } else { all & !positions };
            }
        }
        store_rows(codes, &words, &live, row_len, lane_len, code);
    }
}

/// What has been found in one block and is not written yet.
///
/// An *entry* is a word with its place in the block; the entries of one ply stand together.
///
/// The codes of a block are many times as large as its words, and far away: to write them at every ply would
/// drive the planes out of the cache.
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

/// The entries that are collected before they are written.
const N_ENTRIES: usize = 2048;

/// The most entries that a batch of a block of `n_words` words ever has.
const fn most_entries(n_words: usize) -> usize {
    if n_words > MAX_WORDS { 0 } else { N_ENTRIES + n_words }
}

/// The most memory that a batch of a block of `n_words` words of `word_bytes` bytes takes.
///
/// Units: bytes.
pub(crate) const fn most_bytes(n_words: u64, word_bytes: u64) -> u64 {
    most_entries(n_words as usize) as u64 * (size_of::<Place>() as u64 + word_bytes)
}

impl<C: Code, W: Word> Batch<C, W> {
    pub(crate) fn new() -> Self {
        Batch { places: Vec::new(), bits: Vec::new(), n: 0, runs: Vec::new() }
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
        let most = most_entries(words.len());
        for (row, words) in words.chunks_exact(row_len).enumerate().filter(|(row, _)| live[*row]) {
            // No larger than these entries ask for: there is a batch for each block, in fresh memory.
            let room = self.n + row_len;
            if self.places.len() < room {
                if self.places.capacity() < room {
                    // Never for more than can be collected before it is written: [`most_bytes`] counts on
                    // that.
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

#[cfg(test)]
mod tests;
