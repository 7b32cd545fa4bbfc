//! What becomes of rows of found placements: cut down to what is still open, taken out of it, written as codes.
//!
//! Rows that are not live hold nothing, so nothing is done to them; a row in which nothing is left is live no more.
//! Every function returns whether any row is still live.

use crate::dispatch::{Level, kernel};

kernel! {
    /// `found &= open` in live rows.
    ///
    /// Shape: `found` and `open` are rows of `row_len` words; `live` has an entry a row.
    pub fn cut / cut_at(found: &mut [u64], live: &mut [bool], open: &[u64], row_len: usize) = cut_body;
}

kernel! {
    /// `found &= open` in live rows, less where two men share a square.
    ///
    /// Shape: as for `cut` and `placements`.
    pub fn cut_placements / cut_placements_at(found: &mut [u64], live: &mut [bool], open: &[u64], taken: &[u64], shared: &[bool], row_len: usize) = cut_placements_body;
}

kernel! {
    /// `found &= !gone` in live rows.
    ///
    /// Shape: as for `cut`.
    pub fn cut_out / cut_out_at(found: &mut [u64], live: &mut [bool], gone: &[u64], row_len: usize) = cut_out_body;
}

kernel! {
    /// `open &= !found` in live rows.
    ///
    /// Shape: as for `cut`.
    pub fn take / take_at(open: &mut [u64], found: &[u64], live: &[bool], row_len: usize) = take_body;
}

kernel! {
    /// Sets each word to the placements in which no two men share a square.
    ///
    /// Shape: `words` are rows of `row_len` words, one for each square of the innermost outer man; `taken` has the squares
    /// of all men but that one and the one in the lane, `shared` whether two of those share one. `squares` are the bits
    /// of the board.
    pub fn placements / placements_at(words: &mut [u64], taken: &[u64], shared: &[bool], row_len: usize, squares: u64) = placements_body;
}

#[inline(always)]
fn each_live(
    found: &mut [u64],
    live: &mut [bool],
    other: &[u64],
    row_len: usize,
    op: impl Fn(u64, u64) -> u64,
) {
    assert!(found.len() == live.len() * row_len && other.len() == found.len());
    let rows = found.chunks_exact_mut(row_len).zip(other.chunks_exact(row_len));
    for ((found, other), live) in rows.zip(live).filter(|(_, live)| **live) {
        let mut any = 0;
        for (found, &other) in found.iter_mut().zip(other) {
            *found = op(*found, other);
            any |= *found;
        }
        *live = any != 0;
    }
}

#[inline(always)]
fn cut_body(found: &mut [u64], live: &mut [bool], open: &[u64], row_len: usize) {
    each_live(found, live, open, row_len, |found, open| found & open);
}

#[inline(always)]
fn cut_placements_body(
    found: &mut [u64],
    live: &mut [bool],
    open: &[u64],
    taken: &[u64],
    shared: &[bool],
    row_len: usize,
) {
    assert!(found.len() == live.len() * row_len && open.len() == found.len());
    assert!(taken.len() == live.len() && shared.len() == live.len());
    let rows = found.chunks_exact_mut(row_len).zip(open.chunks_exact(row_len));
    let rows = rows.zip(live).zip(taken.iter().zip(shared)).filter(|((_, live), _)| **live);
    for (((found, open), live), (&taken, &shared)) in rows {
        let mut any = 0;
        let squares = if shared { 0 } else { !taken };
        for (x, (found, &open)) in found.iter_mut().zip(open).enumerate() {
            let own = (taken >> x & 1).wrapping_sub(1);
            *found &= open & own & squares & !(1 << x);
            any |= *found;
        }
        *live = any != 0;
    }
}

#[inline(always)]
fn cut_out_body(found: &mut [u64], live: &mut [bool], gone: &[u64], row_len: usize) {
    each_live(found, live, gone, row_len, |found, gone| found & !gone);
}

#[inline(always)]
fn take_body(open: &mut [u64], found: &[u64], live: &[bool], row_len: usize) {
    assert!(found.len() == live.len() * row_len && open.len() == found.len());
    let rows = open.chunks_exact_mut(row_len).zip(found.chunks_exact(row_len));
    for ((open, found), _) in rows.zip(live).filter(|(_, live)| **live) {
        open.iter_mut().zip(found).for_each(|(open, &found)| *open &= !found);
    }
}

#[inline(always)]
fn placements_body(words: &mut [u64], taken: &[u64], shared: &[bool], row_len: usize, squares: u64) {
    assert!(words.len() == taken.len() * row_len && shared.len() == taken.len() && row_len <= 64);
    let rows = words.chunks_exact_mut(row_len).zip(taken.iter().zip(shared));
    for (words, (&taken, &shared)) in rows {
        let squares = if shared { 0 } else { squares & !taken };
        for (x, word) in words.iter_mut().enumerate() {
            let own = (taken >> x & 1).wrapping_sub(1);
            *word = squares & own & !(1 << x);
        }
    }
}

/// Puts down the words of live rows that are not empty, each with its place, from entry `n` on; returns the entry after
/// the last.
///
/// Shape: `words` are rows of `row_len`, at most 65,536 words; `live` has an entry a row. `places` and `bits` have room for
/// as many entries as there are words.
pub fn gather(
    words: &[u64],
    live: &[bool],
    row_len: usize,
    places: &mut [u16],
    bits: &mut [u64],
    n: usize,
) -> usize {
    assert!(words.len() == live.len() * row_len && words.len() <= 1 << 16);
    let mut n = n;
    for (row, words) in words.chunks_exact(row_len).enumerate().filter(|(row, _)| live[*row]) {
        let (places, bits) = (&mut places[n..n + row_len], &mut bits[n..n + row_len]);
        let mut found = 0;
        for (x, &word) in words.iter().enumerate() {
            // Written always and kept if it is not empty: no branch to be guessed.
            places[found] = (row * row_len + x) as u16;
            bits[found] = word;
            found += usize::from(word != 0);
        }
        n += found;
    }
    n
}

/// Writes a code wherever a word of a live row has a bit: `lane_len` codes a word.
///
/// Shape: `codes` has `lane_len` codes for each of `words`, which are rows of `row_len`.
pub fn store_bytes(
    codes: &mut [u8],
    words: &[u64],
    live: &[bool],
    row_len: usize,
    lane_len: usize,
    code: u8,
) {
    store_bytes_at(Level::detected(), codes, words, live, row_len, lane_len, code);
}

pub(crate) fn store_bytes_at(
    level: Level,
    codes: &mut [u8],
    words: &[u64],
    live: &[bool],
    row_len: usize,
    lane_len: usize,
    code: u8,
) {
    assert!(level <= Level::detected(), "{level:?} is not to be had here");
    #[cfg(target_arch = "x86_64")]
    if level >= Level::Avx512 && lane_len == 64 {
        #[expect(unsafe_code, reason = "the processor has the instructions")]
        // SAFETY: the level is not above `Level::detected`, which is `Avx512` or more only where avx512f, avx512vl and
        // avx512bw were found.
        unsafe {
            vector::store_bytes(codes, words, live, row_len, code);
        }
        return;
    }
    store(codes, words, live, row_len, lane_len, code);
}

/// Writes a code wherever a word has a bit, the words being at `places`: `lane_len` codes a word.
pub fn store_bytes_at_places(codes: &mut [u8], places: &[u16], bits: &[u64], lane_len: usize, code: u8) {
    assert_eq!(places.len(), bits.len(), "a place for each word");
    #[cfg(target_arch = "x86_64")]
    if Level::detected() >= Level::Avx512 && lane_len == 64 {
        #[expect(unsafe_code, reason = "the processor has the instructions")]
        // SAFETY: `Level::detected` is `Avx512` or more only where avx512f, avx512vl and avx512bw were found.
        unsafe {
            vector::store_bytes_at_places(codes, places, bits, code);
        }
        return;
    }
    store_at_places(codes, places, bits, lane_len, code);
}

/// The same for codes of two bytes.
pub fn store_pairs_at_places(codes: &mut [u16], places: &[u16], bits: &[u64], lane_len: usize, code: u16) {
    store_at_places(codes, places, bits, lane_len, code);
}

fn store_at_places<C: Copy>(codes: &mut [C], places: &[u16], bits: &[u64], lane_len: usize, code: C) {
    for (&place, &word) in places.iter().zip(bits) {
        let codes = &mut codes[usize::from(place) * lane_len..][..lane_len];
        let mut rest = word;
        while rest != 0 {
            codes[rest.trailing_zeros() as usize] = code;
            rest &= rest - 1;
        }
    }
}

/// The same as [`store_bytes`] for codes of two bytes.
///
/// Shape: as for [`store_bytes`].
pub fn store_pairs(
    codes: &mut [u16],
    words: &[u64],
    live: &[bool],
    row_len: usize,
    lane_len: usize,
    code: u16,
) {
    store(codes, words, live, row_len, lane_len, code);
}

fn store<C: Copy>(codes: &mut [C], words: &[u64], live: &[bool], row_len: usize, lane_len: usize, code: C) {
    assert!(words.len() == live.len() * row_len && codes.len() == words.len() * lane_len);
    let rows = codes.chunks_exact_mut(row_len * lane_len).zip(words.chunks_exact(row_len));
    for ((codes, words), _) in rows.zip(live).filter(|(_, live)| **live) {
        for (codes, &word) in codes.chunks_exact_mut(lane_len).zip(words) {
            let mut rest = word;
            while rest != 0 {
                codes[rest.trailing_zeros() as usize] = code;
                rest &= rest - 1;
            }
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod vector {
    //! A word is the mask of one store of 64 bytes.

    use std::arch::x86_64::{__m512i, _mm512_mask_storeu_epi8, _mm512_set1_epi8};

    #[target_feature(enable = "avx512f,avx512vl,avx512bw")]
    pub(super) fn store_bytes(codes: &mut [u8], words: &[u64], live: &[bool], row_len: usize, code: u8) {
        assert!(words.len() == live.len() * row_len && codes.len() == words.len() * 64);
        let code = _mm512_set1_epi8(code.cast_signed());
        let (lanes, _) = codes.as_chunks_mut::<64>();
        let rows = lanes.chunks_exact_mut(row_len).zip(words.chunks_exact(row_len));
        for ((lanes, words), _) in rows.zip(live).filter(|(_, live)| **live) {
            for (lane, &word) in lanes.iter_mut().zip(words).filter(|(_, word)| **word != 0) {
                store(lane, word, code);
            }
        }
    }

    #[target_feature(enable = "avx512f,avx512vl,avx512bw")]
    pub(super) fn store_bytes_at_places(codes: &mut [u8], places: &[u16], bits: &[u64], code: u8) {
        let code = _mm512_set1_epi8(code.cast_signed());
        let (lanes, _) = codes.as_chunks_mut::<64>();
        for (&place, &word) in places.iter().zip(bits) {
            store(&mut lanes[usize::from(place)], word, code);
        }
    }

    #[target_feature(enable = "avx512f,avx512vl,avx512bw")]
    fn store(lane: &mut [u8; 64], word: u64, code: __m512i) {
        #[expect(unsafe_code, reason = "a masked store through a pointer")]
        // SAFETY: the pointer is to 64 bytes that are borrowed mutably, and the store writes no others.
        unsafe {
            _mm512_mask_storeu_epi8(lane.as_mut_ptr().cast(), word, code);
        }
    }
}
