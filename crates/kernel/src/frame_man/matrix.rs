//! Turns rows by products of bit matrices: a word of 64 bits, the squares of a board of 8 × 8, is turned in
//! two instructions.
//!
//! The product takes a constant whose byte `i` has one bit to a word whose byte `i` is a column of the
//! matrix, so the word as the matrix comes out transposed; its rows count from the last.

use super::permutation::{self, Image, LanePermutation, PART_WORDS, RowParts, Windows, permute_word};
use crate::Word;
use crate::vector::{load, store};
use std::arch::x86_64::{
    __m512i, _mm512_and_si512, _mm512_gf2p8affine_epi64_epi8, _mm512_multishift_epi64_epi8, _mm512_or_si512,
    _mm512_permutexvar_epi64, _mm512_set_epi64, _mm512_set1_epi64, _mm512_setzero_si512, _mm512_shuffle_epi8,
};

/// Byte `i` has bit `i`.
const DIAGONAL: i64 = 0x8040_2010_0804_0201_u64.cast_signed();
/// Byte `i` has bit `7 − i`.
const OTHER_DIAGONAL: i64 = 0x0102_0408_1020_4080;

/// Adds some parts of a row that is kept under a symmetry, as [`permutation::add_image`] does.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512vbmi,gfni")]
pub(super) fn add_image<W: Word>(dst: &mut [W], kept: &[W], image: &Image<W>, parts: RowParts) {
    if let LanePermutation::Stages { windows: Some(windows), .. } = &image.lane {
        return add_windows(dst, kept, (image, windows), parts);
    }
    let halves = (W::halves_mut(dst), W::halves(kept));
    let rows = (<&mut [u64; 64]>::try_from(halves.0), <&[u64; 64]>::try_from(halves.1));
    match (rows, &image.lane) {
        ((Ok(dst), Ok(kept)), &LanePermutation::Square8 { transpose, mirror_files, mirror_ranks }) => {
            add_square8(dst, kept, (transpose, mirror_files, mirror_ranks), parts);
        }
        _ => permutation::add_image(dst, kept, image, parts),
    }
}

#[target_feature(enable = "avx512f,avx512vl,avx512bw,gfni")]
fn add_square8(
    dst: &mut [u64; 64],
    kept: &[u64; 64],
    (transpose, mirror_files, mirror_ranks): (bool, bool, bool),
    parts: RowParts,
) {
    let backwards = _mm512_set_epi64(0, 1, 2, 3, 4, 5, 6, 7);
    let bytes_backwards = {
        let (low, high) = (0x0001_0203_0405_0607, 0x0809_0A0B_0C0D_0E0F);
        _mm512_set_epi64(high, low, high, low, high, low, high, low)
    };
    let diagonal = _mm512_set1_epi64(if mirror_ranks { OTHER_DIAGONAL } else { DIAGONAL });
    let reversal = _mm512_set1_epi64(DIAGONAL);
    for part in parts.among(8) {
        let rank = if mirror_ranks { 7 - part } else { part };
        let mut words = if transpose { file(kept, rank) } else { load(&kept.as_chunks::<8>().0[rank]) };
        if mirror_files {
            words = _mm512_permutexvar_epi64(backwards, words);
        }
        if transpose {
            if !mirror_files {
                words = _mm512_shuffle_epi8(words, bytes_backwards);
            }
            words = _mm512_gf2p8affine_epi64_epi8::<0>(diagonal, words);
        } else {
            if mirror_ranks {
                words = _mm512_shuffle_epi8(words, bytes_backwards);
            }
            if mirror_files {
                words = _mm512_gf2p8affine_epi64_epi8::<0>(words, reversal);
            }
        }
        let dst = &mut dst.as_chunks_mut::<8>().0[part];
        store(dst, _mm512_or_si512(load(dst), words));
    }
}

/// Rows of words of two halves.
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512vbmi,gfni")]
fn add_windows<W: Word>(dst: &mut [W], kept: &[W], (image, windows): (&Image<W>, &Windows), parts: RowParts) {
    assert!(W::HALVES == 2 && dst.len() == kept.len() && dst.len() == image.words.len());
    let n_parts = dst.len() / PART_WORDS;
    let places = image.words.as_chunks::<PART_WORDS>().0;
    {
        let (halves, kept) = (W::halves_mut(dst).as_chunks_mut::<8>().0, W::halves(kept));
        for part in parts.among(n_parts) {
            let words = [four(kept, &places[part], 0), four(kept, &places[part], 4)];
            for (dst, words) in halves[part * 2..part * 2 + 2].iter_mut().zip(through(words, windows)) {
                store(dst, _mm512_or_si512(load(dst), words));
            }
        }
    }
    let first = n_parts * PART_WORDS;
    for (dst, &place) in dst[first..].iter_mut().zip(&image.words[first..]) {
        *dst |= permute_word(kept[place as usize], &image.lane);
    }
}

/// Twice four words as windows leave them.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512vbmi,gfni")]
fn through(words: [__m512i; 2], windows: &Windows) -> [__m512i; 2] {
    let [mut low, mut high] = words;
    if windows.is_reversed {
        let (bytes, bits) =
            (every_word(0x0001_0203_0405_0607_0809_0A0B_0C0D_0E0F), _mm512_set1_epi64(DIAGONAL));
        low = _mm512_gf2p8affine_epi64_epi8::<0>(_mm512_shuffle_epi8(low, bytes), bits);
        high = _mm512_gf2p8affine_epi64_epi8::<0>(_mm512_shuffle_epi8(high, bytes), bits);
    }
    let mut sums = [_mm512_setzero_si512(); 2];
    for round in &windows.rounds {
        let bytes = every_word(u128::from_le_bytes(round.bytes));
        let (starts, kept) = (every_word(u128::from_le_bytes(round.starts)), every_word(round.kept));
        for (sum, words) in sums.iter_mut().zip([low, high]) {
            let cut = _mm512_multishift_epi64_epi8(starts, _mm512_shuffle_epi8(words, bytes));
            *sum = _mm512_or_si512(*sum, _mm512_and_si512(cut, kept));
        }
    }
    sums
}

/// Four words of two halves each, from place `first` on.
#[inline]
#[target_feature(enable = "avx512f")]
fn four(row: &[u64], places: &[u8; PART_WORDS], first: usize) -> __m512i {
    let half = |word: usize, half: usize| row[usize::from(places[first + word]) * 2 + half].cast_signed();
    _mm512_set_epi64(
        half(3, 1),
        half(3, 0),
        half(2, 1),
        half(2, 0),
        half(1, 1),
        half(1, 0),
        half(0, 1),
        half(0, 0),
    )
}

/// One word four times.
#[inline]
#[target_feature(enable = "avx512f")]
fn every_word(word: u128) -> __m512i {
    let (low, high) = ((word as u64).cast_signed(), ((word >> 64) as u64).cast_signed());
    _mm512_set_epi64(high, low, high, low, high, low, high, low)
}

/// The words of a file.
#[inline]
#[target_feature(enable = "avx512f")]
fn file(row: &[u64; 64], file: usize) -> __m512i {
    let word = |rank: usize| row[rank * 8 + file % 8].cast_signed();
    _mm512_set_epi64(word(7), word(6), word(5), word(4), word(3), word(2), word(1), word(0))
}
