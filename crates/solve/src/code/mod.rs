//! Writes codes to many placements at a time.

mod batch;
mod marking;

pub(crate) use batch::Batch;
pub(crate) use marking::mark_where;

use kernel::{Word, store_bytes, store_bytes_at_places, store_pairs, store_pairs_at_places};
use table::{Code, CodesMut};

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
    match C::borrowed_mut(codes) {
        CodesMut::Narrow(codes) | CodesMut::Split(codes, _) => {
            store_bytes(codes, words, live, row_len, lane_len, number as u8);
        }
        CodesMut::Wide(codes) => store_pairs(codes, words, live, row_len, lane_len, number),
    }
}

/// Writes a code for every bit of the words at `places`.
///
/// Shape: `codes` has `lane_len` codes a word.
fn store_at_places<C: Code, W: Word>(codes: &mut [C], places: &[u16], bits: &[W], lane_len: usize, code: C) {
    let number = code.into();
    match C::borrowed_mut(codes) {
        CodesMut::Narrow(codes) | CodesMut::Split(codes, _) => {
            store_bytes_at_places(codes, places, bits, lane_len, number as u8);
        }
        CodesMut::Wide(codes) => store_pairs_at_places(codes, places, bits, lane_len, number),
    }
}

/// Writes a code for every bit of the word at a place.
///
/// Shape: `codes` has `lane_len` codes a word.
#[inline]
pub(crate) fn store_word<C: Code, W: Word>(codes: &mut [C], place: usize, word: W, lane_len: usize, code: C) {
    let codes = &mut codes[place * lane_len..];
    word.bits().for_each(|at| codes[at] = code);
}

#[cfg(test)]
mod tests;
