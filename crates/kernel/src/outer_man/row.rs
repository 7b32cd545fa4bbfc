//! Finds the rows of an outer man, and the placements of a row in which a square is free.

use crate::Word;

/// The rows of an outer man: row `first + square × stride` for each square of the board.
#[derive(Clone, Copy, Debug)]
pub struct OuterRows<'a> {
    /// The row of square 0.
    pub first: usize,
    /// Rows from one square to the next.
    pub stride: usize,
    /// By row: whether the man's square is free of all men but those of the row and the lane.
    pub passable: &'a [bool],
    /// Words of a row, and squares of the board.
    pub row_len: usize,
}

impl OuterRows<'_> {
    #[inline(always)]
    pub(crate) fn row(&self, square: usize) -> usize {
        self.first + square * self.stride
    }
}

/// Halves of words that are taken through all lines together: a part of a row.
pub(crate) const AT_ONCE: usize = 8;

#[inline(always)]
pub(crate) fn or<const N: usize>(dst: &mut [u64], sum: [u64; N]) {
    let dst = &mut dst[..N];
    (0..N).for_each(|i| dst[i] |= sum[i]);
}

/// What of these halves may pass through a square: the placements whose men do not stand on it.
#[inline(always)]
pub(crate) fn passed<W: Word, const N: usize>(halves: [u64; N], square: usize, at: usize) -> [u64; N] {
    let mut halves = halves;
    let bit = 1u64 << (square % 64);
    // Half by half what is kept, and no writes into the middle: the halves stay in a register.
    for (i, half) in halves.iter_mut().enumerate() {
        // Of words of two halves the bit is in every second.
        let kept = if (at + i) % W::HALVES == square / 64 { !bit } else { u64::MAX };
        *half &= if (at + i) / W::HALVES == square { 0 } else { kept };
    }
    halves
}

/// The placements of some halves in which a square is free.
#[inline(always)]
pub(crate) fn free<W: Word, const N: usize>(is_passable: bool, square: usize, at: usize) -> [u64; N] {
    if is_passable { passed::<W, N>([u64::MAX; N], square, at) } else { [0; N] }
}

#[inline(always)]
pub(crate) fn halves_at<const N: usize>(halves: &[u64], at: usize) -> &[u64; N] {
    halves[at..at + N].first_chunk().expect("as long as it was cut")
}
