//! Codes as the solver writes them: to many placements at a time.

use kernel::{store_bytes, store_pairs};
use table::Code;

/// A code that can be written wherever a set of placements has a bit.
pub(crate) trait Storable: Code {
    /// Writes a code for every bit of the live rows of `words`.
    ///
    /// Shape: `words` are rows of `row_len`, `codes` has `lane_len` codes a word.
    fn store(codes: &mut [Self], words: &[u64], live: &[bool], row_len: usize, lane_len: usize, code: Self);
}

impl Storable for u8 {
    fn store(codes: &mut [u8], words: &[u64], live: &[bool], row_len: usize, lane_len: usize, code: u8) {
        store_bytes(codes, words, live, row_len, lane_len, code);
    }
}

impl Storable for u16 {
    fn store(codes: &mut [u16], words: &[u64], live: &[bool], row_len: usize, lane_len: usize, code: u16) {
        store_pairs(codes, words, live, row_len, lane_len, code);
    }
}
