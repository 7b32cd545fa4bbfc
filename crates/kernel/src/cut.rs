//! Cuts rows of found placements down to what is still open, and takes them out of it.
//!
//! Rows that are not live hold nothing, so they are skipped; a row in which nothing is left is live no more.

use crate::Word;
use crate::dispatch::kernel;

kernel! {
    /// `found &= open` in live rows.
    ///
    /// Shape: `found` and `open` are rows of `row_len` words; `live` has an entry a row.
    pub fn cut / cut_at<W>(found: &mut [W], live: &mut [bool], open: &[W], row_len: usize) = cut_body;
}

kernel! {
    /// `found &= open` in live rows, less where two men share a square.
    ///
    /// Shape: as for `cut` and `placements`.
    pub fn cut_placements / cut_placements_at<W>(found: &mut [W], live: &mut [bool], open: &[W], taken: &[W], shared: &[bool], row_len: usize) {
        avx512 => mask::cut_placements(found, live, open, taken, shared, row_len),
        avx2 => cut_placements_body(found, live, open, taken, shared, row_len),
        portable => cut_placements_body(found, live, open, taken, shared, row_len),
    }
}

kernel! {
    /// `found &= !gone` in live rows.
    ///
    /// Shape: as for `cut`.
    pub fn cut_out / cut_out_at<W>(found: &mut [W], live: &mut [bool], gone: &[W], row_len: usize) = cut_out_body;
}

kernel! {
    /// `open &= !found` in live rows.
    ///
    /// Shape: as for `cut`.
    pub fn take / take_at<W>(open: &mut [W], found: &[W], live: &[bool], row_len: usize) = take_body;
}

kernel! {
    /// Sets each word to the placements in which no two men share a square.
    ///
    /// Shape: `words` are rows of `row_len` words; `taken` has the squares of all men but the row man and the
    /// lane man, `shared` whether two of those share one. `squares` are the bits of the board.
    pub fn placements / placements_at<W>(words: &mut [W], taken: &[W], shared: &[bool], row_len: usize, squares: W) = placements_body;
}

#[inline(always)]
fn each_live<W: Word>(
    found: &mut [W],
    live: &mut [bool],
    other: &[W],
    row_len: usize,
    op: impl Fn(u64, u64) -> u64,
) {
    assert!(found.len() == live.len() * row_len && other.len() == found.len());
    let rows = found.chunks_exact_mut(row_len).zip(other.chunks_exact(row_len));
    for ((found, other), live) in rows.zip(live).filter(|(_, live)| **live) {
        let mut any = 0;
        for (found, &other) in W::halves_mut(found).iter_mut().zip(W::halves(other)) {
            *found = op(*found, other);
            any |= *found;
        }
        *live = any != 0;
    }
}

#[inline(always)]
fn cut_body<W: Word>(found: &mut [W], live: &mut [bool], open: &[W], row_len: usize) {
    each_live(found, live, open, row_len, |found, open| found & open);
}

#[inline(always)]
fn cut_placements_body<W: Word>(
    found: &mut [W],
    live: &mut [bool],
    open: &[W],
    taken: &[W],
    shared: &[bool],
    row_len: usize,
) {
    assert!(found.len() == live.len() * row_len && open.len() == found.len());
    assert!(taken.len() == live.len() && shared.len() == live.len());
    let rows = found.chunks_exact_mut(row_len).zip(open.chunks_exact(row_len));
    let rows = rows.zip(live).zip(taken.iter().zip(shared)).filter(|((_, live), _)| **live);
    for (((found, open), live), (&taken, &shared)) in rows {
        let mut any = W::ZERO;
        let squares = if shared { W::ZERO } else { !taken };
        for (x, (found, &open)) in found.iter_mut().zip(open).enumerate() {
            let own = W::when(!taken.has(x));
            *found &= open & own & squares & !W::bit(x);
            any |= *found;
        }
        *live = any != W::ZERO;
    }
}

#[inline(always)]
fn cut_out_body<W: Word>(found: &mut [W], live: &mut [bool], gone: &[W], row_len: usize) {
    each_live(found, live, gone, row_len, |found, gone| found & !gone);
}

#[inline(always)]
fn take_body<W: Word>(open: &mut [W], found: &[W], live: &[bool], row_len: usize) {
    assert!(found.len() == live.len() * row_len && open.len() == found.len());
    let rows = open.chunks_exact_mut(row_len).zip(found.chunks_exact(row_len));
    for ((open, found), _) in rows.zip(live).filter(|(_, live)| **live) {
        let (open, found) = (W::halves_mut(open), W::halves(found));
        open.iter_mut().zip(found).for_each(|(open, &found)| *open &= !found);
    }
}

#[inline(always)]
fn placements_body<W: Word>(words: &mut [W], taken: &[W], shared: &[bool], row_len: usize, squares: W) {
    assert!(words.len() == taken.len() * row_len && shared.len() == taken.len() && row_len <= W::BITS);
    let rows = words.chunks_exact_mut(row_len).zip(taken.iter().zip(shared));
    for (words, (&taken, &shared)) in rows {
        let squares = if shared { W::ZERO } else { squares & !taken };
        for (x, word) in words.iter_mut().enumerate() {
            *word = squares & W::when(!taken.has(x)) & !W::bit(x);
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod mask {
    //! Bits of the squares that are taken are masks of words.

    use crate::Word;
    use crate::vector;
    use std::arch::x86_64::{
        __m512i, _mm512_and_si512, _mm512_andnot_si512, _mm512_maskz_and_epi64, _mm512_or_si512,
        _mm512_set_epi64, _mm512_setzero_si512, _mm512_test_epi64_mask,
    };

    #[target_feature(enable = "avx512f,avx512vl,avx512bw")]
    pub(super) fn cut_placements<W: Word>(
        found: &mut [W],
        live: &mut [bool],
        open: &[W],
        taken: &[W],
        shared: &[bool],
        row_len: usize,
    ) {
        assert!(found.len() == live.len() * row_len && open.len() == found.len() && row_len <= W::BITS);
        assert!(taken.len() == live.len() && shared.len() == live.len());
        let rows = found.chunks_exact_mut(row_len).zip(open.chunks_exact(row_len));
        let rows = rows.zip(live).zip(taken.iter().zip(shared)).filter(|((_, live), _)| **live);
        for (((found, open), live), (&taken, &shared)) in rows {
            *live = !shared && cut_row(found, open, taken);
            if shared {
                found.fill(W::ZERO);
            }
        }
    }

    /// Cuts a row down to `open` and to where no man stands on a square of `taken` or both on one; whether
    /// anything is left.
    #[inline]
    #[target_feature(enable = "avx512f,avx512vl,avx512bw")]
    fn cut_row<W: Word>(found: &mut [W], open: &[W], taken: W) -> bool {
        let half = |half: usize| (!taken.half(half % W::HALVES)).cast_signed();
        let (low, high) = (half(0), half(1));
        let free = _mm512_set_epi64(high, low, high, low, high, low, high, low);
        let own = &W::own_bits()[..found.len() * W::HALVES];
        let (found, open) = (W::halves_mut(found), W::halves(open));
        let mut any = _mm512_setzero_si512();
        let eights = found.chunks_mut(8).zip(open.chunks(8).zip(own.chunks(8)));
        for (eight, (found, (open, own))) in eights.enumerate() {
            let first = eight * 8 / W::HALVES;
            let squares = !(taken.half(first / 64) >> (first % 64));
            let squares = if W::HALVES == 1 { squares as u8 } else { TWICE[squares as usize % 16] };
            let cut = _mm512_and_si512(load(found), load(open));
            let cut = _mm512_maskz_and_epi64(squares, cut, _mm512_andnot_si512(load(own), free));
            any = _mm512_or_si512(any, cut);
            put(found, cut);
        }
        _mm512_test_epi64_mask(any, any) != 0
    }

    /// Every bit of four twice.
    const TWICE: [u8; 16] = {
        let mut twice = [0; 16];
        let mut bits = 0;
        while bits < 16 {
            let apart = bits & 1 | (bits & 2) << 1 | (bits & 4) << 2 | (bits & 8) << 3;
            twice[bits] = (apart * 3) as u8;
            bits += 1;
        }
        twice
    };

    /// Up to eight halves, and nothing where there are no more.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn load(halves: &[u64]) -> __m512i {
        vector::load_some(halves, 0, u32::MAX)
    }

    /// Writes up to eight halves, as many as there are.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn put(halves: &mut [u64], vector: __m512i) {
        match halves.first_chunk_mut::<8>() {
            Some(halves) => vector::store(halves, vector),
            None => vector::store_some(halves, 0, vector),
        }
    }
}
