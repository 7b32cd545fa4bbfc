//! Writes codes wherever a word has a bit, and gathers the words that have any, each with its place.
//!
//! A half of a word is the mask of one store of up to 64 codes of a byte, and of two of codes of two bytes.

use crate::Word;
use crate::dispatch::kernel;

kernel! {
    /// Writes a code wherever a word of a live row has a bit: `lane_len` codes a word.
    ///
    /// Shape: `codes` has `lane_len` codes for each of `words`, which are rows of `row_len`.
    pub fn store_bytes / store_bytes_at<W>(codes: &mut [u8], words: &[W], live: &[bool], row_len: usize, lane_len: usize, code: u8) {
        avx512 => mask::store_bytes(codes, words, live, row_len, lane_len, code),
        portable => store(codes, words, live, row_len, lane_len, code),
    }
}

kernel! {
    /// Writes a code wherever a word has a bit, the words being at `places`: `lane_len` codes a word.
    pub fn store_bytes_at_places / store_bytes_at_places_at<W>(codes: &mut [u8], places: &[u16], bits: &[W], lane_len: usize, code: u8) {
        avx512 => mask::store_bytes_at_places(codes, places, bits, lane_len, code),
        portable => store_at_places(codes, places, bits, lane_len, code),
    }
}

kernel! {
    /// Like `store_bytes_at_places`, for codes of two bytes.
    pub fn store_pairs_at_places / store_pairs_at_places_at<W>(codes: &mut [u16], places: &[u16], bits: &[W], lane_len: usize, code: u16) {
        avx512 => mask::store_pairs_at_places(codes, places, bits, lane_len, code),
        portable => store_at_places(codes, places, bits, lane_len, code),
    }
}

/// Like [`store_bytes`], for codes of two bytes.
///
/// Shape: as for [`store_bytes`].
pub fn store_pairs<W: Word>(
    codes: &mut [u16],
    words: &[W],
    live: &[bool],
    row_len: usize,
    lane_len: usize,
    code: u16,
) {
    store(codes, words, live, row_len, lane_len, code);
}

fn store<C: Copy, W: Word>(
    codes: &mut [C],
    words: &[W],
    live: &[bool],
    row_len: usize,
    lane_len: usize,
    code: C,
) {
    assert!(words.len() == live.len() * row_len && codes.len() == words.len() * lane_len);
    let rows = codes.chunks_exact_mut(row_len * lane_len).zip(words.chunks_exact(row_len));
    for ((codes, words), _) in rows.zip(live).filter(|(_, live)| **live) {
        for (codes, &word) in codes.chunks_exact_mut(lane_len).zip(words) {
            word.bits().for_each(|at| codes[at] = code);
        }
    }
}

fn store_at_places<C: Copy, W: Word>(codes: &mut [C], places: &[u16], bits: &[W], lane_len: usize, code: C) {
    assert_eq!(places.len(), bits.len(), "a place for each word");
    for (&place, &word) in places.iter().zip(bits) {
        let codes = &mut codes[usize::from(place) * lane_len..][..lane_len];
        word.bits().for_each(|at| codes[at] = code);
    }
}

#[cfg(target_arch = "x86_64")]
mod mask {
    //! Halves of words are masks of stores.

    use crate::Word;
    use std::arch::x86_64::{
        __m512i, _mm512_mask_storeu_epi8, _mm512_mask_storeu_epi16, _mm512_set1_epi8, _mm512_set1_epi16,
    };

    #[target_feature(enable = "avx512f,avx512vl,avx512bw")]
    pub(super) fn store_bytes<W: Word>(
        codes: &mut [u8],
        words: &[W],
        live: &[bool],
        row_len: usize,
        lane_len: usize,
        code: u8,
    ) {
        assert!(words.len() == live.len() * row_len && codes.len() == words.len() * lane_len);
        let code = _mm512_set1_epi8(code.cast_signed());
        let rows = codes.chunks_exact_mut(row_len * lane_len).zip(words.chunks_exact(row_len));
        for ((codes, words), _) in rows.zip(live).filter(|(_, live)| **live) {
            let lanes = codes.chunks_exact_mut(lane_len).zip(words);
            for (lane, &word) in lanes.filter(|(_, word)| **word != W::ZERO) {
                store_word(lane, word, code);
            }
        }
    }

    #[target_feature(enable = "avx512f,avx512vl,avx512bw")]
    pub(super) fn store_bytes_at_places<W: Word>(
        codes: &mut [u8],
        places: &[u16],
        bits: &[W],
        lane_len: usize,
        code: u8,
    ) {
        assert_eq!(places.len(), bits.len(), "a place for each word");
        let code = _mm512_set1_epi8(code.cast_signed());
        for (&place, &word) in places.iter().zip(bits) {
            store_word(&mut codes[usize::from(place) * lane_len..][..lane_len], word, code);
        }
    }

    #[target_feature(enable = "avx512f,avx512vl,avx512bw")]
    fn store_word<W: Word>(lane: &mut [u8], word: W, code: __m512i) {
        if W::HALVES == 1 {
            return store(lane, word.half(0), code);
        }
        for (half, lane) in lane.chunks_mut(64).enumerate() {
            store(lane, word.half(half), code);
        }
    }

    #[target_feature(enable = "avx512f,avx512vl,avx512bw")]
    fn store(lane: &mut [u8], half: u64, code: __m512i) {
        let on_board = half & u64::MAX >> (64 - lane.len().min(64));
        #[expect(unsafe_code, reason = "a masked store through a pointer")]
        // SAFETY: the pointer is to the bytes of a slice that is borrowed mutably, a masked store writes only
        // those whose bits are set, and `on_board` has none at or beyond the length of the slice.
        unsafe {
            _mm512_mask_storeu_epi8(lane.as_mut_ptr().cast(), on_board, code);
        }
    }

    #[target_feature(enable = "avx512f,avx512vl,avx512bw")]
    pub(super) fn store_pairs_at_places<W: Word>(
        codes: &mut [u16],
        places: &[u16],
        bits: &[W],
        lane_len: usize,
        code: u16,
    ) {
        assert_eq!(places.len(), bits.len(), "a place for each word");
        let code = _mm512_set1_epi16(code.cast_signed());
        for (&place, &word) in places.iter().zip(bits) {
            let codes = &mut codes[usize::from(place) * lane_len..][..lane_len];
            for (quarter, lane) in codes.chunks_mut(32).enumerate() {
                store_pairs(lane, (word.half(quarter / 2) >> (32 * (quarter % 2))) as u32, code);
            }
        }
    }

    #[target_feature(enable = "avx512f,avx512vl,avx512bw")]
    fn store_pairs(lane: &mut [u16], quarter: u32, code: __m512i) {
        let on_board = quarter & u32::MAX >> (32 - lane.len().min(32));
        #[expect(unsafe_code, reason = "a masked store through a pointer")]
        // SAFETY: the pointer is to the numbers of a slice that is borrowed mutably, a masked store writes
        // only those whose bits are set, and `on_board` has none at or beyond the length of the slice.
        unsafe {
            _mm512_mask_storeu_epi16(lane.as_mut_ptr().cast(), on_board, code);
        }
    }
}

kernel! {
    /// Puts down the words of a row that are not empty, each with its place, the row's first word having
    /// place `first`; returns how many there are. What comes behind them in `places` and `bits` is not kept.
    ///
    /// Shape: `places` and `bits` have room for as many entries as there are words, whose places have 16
    /// bits.
    #[must_use]
    pub fn gather / gather_at<W>(words: &[W], first: usize, places: &mut [u16], bits: &mut [W]) -> usize {
        gfni if W::HALVES == 1 => {
            let n_found = compressed::gather(W::halves(words), first, places, W::halves_mut(bits));
            gather_rest(words, first, places, bits, (words.len() / 8 * 8, n_found))
        },
        portable => gather_rest(words, first, places, bits, (0, 0)),
    }
}

/// Puts down the words behind the first `n_done`, of which `n_found` are put down.
#[inline(always)]
fn gather_rest<W: Word>(
    words: &[W],
    first: usize,
    places: &mut [u16],
    bits: &mut [W],
    (n_done, mut n_found): (usize, usize),
) -> usize {
    assert!(first + words.len() <= 1 << 16 && places.len() >= words.len() && bits.len() >= words.len());
    for (x, &word) in words.iter().enumerate().skip(n_done) {
        // Written always and kept if it is not empty: no branch to be guessed.
        places[n_found] = (first + x) as u16;
        bits[n_found] = word;
        n_found += usize::from(word != W::ZERO);
    }
    n_found
}

#[cfg(target_arch = "x86_64")]
mod compressed {
    //! Eight words at a time: those that are not empty are moved together in a register.

    use crate::vector::{load, store};
    use std::arch::x86_64::{
        _mm_add_epi16, _mm_maskz_compress_epi16, _mm_set_epi16, _mm_set1_epi16, _mm_storeu_si128,
        _mm512_maskz_compress_epi64, _mm512_test_epi64_mask,
    };

    /// The words up to the last multiple of eight; how many are not empty.
    #[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512vbmi2")]
    pub(super) fn gather(words: &[u64], first: usize, places: &mut [u16], bits: &mut [u64]) -> usize {
        let mut n_found = 0;
        for (eight, words) in words.as_chunks::<8>().0.iter().enumerate() {
            // No more has been found than there were words before these, so there is room for eight.
            let place: &mut [u16; 8] = places[n_found..].first_chunk_mut().expect("room for all words");
            let found: &mut [u64; 8] = bits[n_found..].first_chunk_mut().expect("room for all words");
            let words = load(words);
            let full = _mm512_test_epi64_mask(words, words);
            let own = _mm_add_epi16(
                _mm_set1_epi16(((first + eight * 8) as u16).cast_signed()),
                _mm_set_epi16(7, 6, 5, 4, 3, 2, 1, 0),
            );
            #[expect(unsafe_code, reason = "a store through a pointer")]
            // SAFETY: the pointer is to 16 bytes that are borrowed mutably; the store is unaligned and
            // writes no others.
            unsafe {
                _mm_storeu_si128(place.as_mut_ptr().cast(), _mm_maskz_compress_epi16(full, own));
            }
            store(found, _mm512_maskz_compress_epi64(full, words));
            n_found += full.count_ones() as usize;
        }
        n_found
    }
}
