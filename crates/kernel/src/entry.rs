//! Gathers the words of a row that are not empty, each with its place.

use crate::Word;
use crate::dispatch::kernel;

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
            // SAFETY: the pointer is to 16 bytes that are borrowed mutably; the store is unaligned and writes
            // no others.
            unsafe {
                _mm_storeu_si128(place.as_mut_ptr().cast(), _mm_maskz_compress_epi16(full, own));
            }
            store(found, _mm512_maskz_compress_epi64(full, words));
            n_found += full.count_ones() as usize;
        }
        n_found
    }
}
