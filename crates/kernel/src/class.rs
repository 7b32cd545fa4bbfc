//! Splits codes of one byte into sets by their class, and joins sets to codes again.
//!
//! A byte is 0, 1, 2, or 3 and more; of the last the odd ones are a class and the even ones. So 64 bytes
//! become a half of a word for each class by a few comparisons, and the bits of the halves become bytes
//! again.

use crate::Word;
use crate::dispatch::kernel;

/// The sets of four classes of bytes: a word for each row.
#[derive(Debug)]
pub struct Classes<'a, W> {
    /// 0.
    pub zero: &'a mut [W],
    /// 2.
    pub two: &'a mut [W],
    /// 3 and more, odd.
    pub odd: &'a mut [W],
    /// 3 and more, even.
    pub even: &'a mut [W],
}

kernel! {
    /// Sets the words of each class: a word has a bit for each byte of its row that is of the class.
    ///
    /// Shape: `codes` has `row_len` bytes for each word, at most as many as a word has bits.
    pub fn split_bytes / split_bytes_at<W>(codes: &[u8], row_len: usize, classes: Classes<'_, W>) {
        avx512 => split_body(codes, row_len, classes, |bytes| wide::halves(bytes)),
        avx2 => split_body(codes, row_len, classes, |bytes| narrow::halves(bytes)),
        portable => split_body(codes, row_len, classes, halves),
    }
}

kernel! {
    /// Writes a byte for each bit: 1, 2, 3 and 4 where it is in the set of that number, and else 0.
    ///
    /// Shape: `codes` has `row_len` bytes for each word of a set; no bit is in two sets.
    pub fn join_bytes / join_bytes_at<W>(
        codes: &mut [u8], row_len: usize, ones: &[W], twos: &[W], threes: &[W], fours: &[W],
    ) {
        avx512 => join_body(codes, row_len, [ones, twos, threes, fours], |bits| wide::bytes(bits)),
        avx2 => join_body(codes, row_len, [ones, twos, threes, fours], bytes),
        portable => join_body(codes, row_len, [ones, twos, threes, fours], bytes),
    }
}

/// How many bytes belong to a half of a word.
const HALF: usize = 64;

/// The halves of the four classes, in the order of [`Classes`].
type Halves = [u64; 4];

#[inline(always)]
fn split_body<W: Word>(
    codes: &[u8],
    row_len: usize,
    classes: Classes<'_, W>,
    halves: impl Fn(&[u8; HALF]) -> Halves,
) {
    let Classes { zero, two, odd, even } = classes;
    let n = zero.len();
    assert!(codes.len() == n * row_len && row_len <= W::BITS, "{} bytes for {n} words", codes.len());
    assert!(two.len() == n && odd.len() == n && even.len() == n, "a word for each row");
    let sets = zero.iter_mut().zip(two).zip(odd.iter_mut().zip(even));
    for (((zero, two), (odd, even)), row) in sets.zip(codes.chunks_exact(row_len)) {
        let mut sums = [W::ZERO; 4];
        for (half, part) in row.chunks(HALF).enumerate() {
            let found = match <&[u8; HALF]>::try_from(part) {
                Ok(bytes) => halves(bytes),
                Err(_) => {
                    let mut bytes = [0; HALF];
                    bytes[..part.len()].copy_from_slice(part);
                    let here = u64::MAX >> (HALF - part.len());
                    halves(&bytes).map(|bits| bits & here)
                }
            };
            sums.iter_mut().zip(found).for_each(|(sum, bits)| *sum |= W::from_half(half, bits));
        }
        [*zero, *two, *odd, *even] = sums;
    }
}

/// The low bit of each of eight bytes.
#[inline(always)]
fn low_bits(bytes: u64) -> u64 {
    (bytes & 0x0101_0101_0101_0101).wrapping_mul(0x0102_0408_1020_4080) >> 56
}

#[inline(always)]
fn halves(bytes: &[u8; HALF]) -> Halves {
    let mut sums = [0; 4];
    for (i, eight) in bytes.as_chunks::<8>().0.iter().enumerate() {
        let own = u64::from_le_bytes(*eight);
        // The high bit of each byte that is at least 3, that is not 0, and that is not 2.
        let low = own & 0x7F7F_7F7F_7F7F_7F7F;
        let from_three = (low + 0x7D7D_7D7D_7D7D_7D7D) | own;
        let not_zero = (low + 0x7F7F_7F7F_7F7F_7F7F) | own;
        let other = own ^ 0x0202_0202_0202_0202;
        let not_two = ((other & 0x7F7F_7F7F_7F7F_7F7F) + 0x7F7F_7F7F_7F7F_7F7F) | other;
        let decided = from_three >> 7;
        let found = [!not_zero >> 7, !not_two >> 7, decided & own, decided & !own];
        sums.iter_mut().zip(found).for_each(|(sum, bits)| *sum |= low_bits(bits) << (8 * i));
    }
    sums
}

#[inline(always)]
fn join_body<W: Word>(
    codes: &mut [u8],
    row_len: usize,
    [ones, twos, threes, fours]: [&[W]; 4],
    bytes: impl Fn([u64; 3]) -> [u8; HALF],
) {
    let n = ones.len();
    assert!(codes.len() == n * row_len && row_len <= W::BITS, "{} bytes for {n} words", codes.len());
    assert!(twos.len() == n && threes.len() == n && fours.len() == n, "a word for each row");
    for (i, row) in codes.chunks_exact_mut(row_len).enumerate() {
        for (half, part) in row.chunks_mut(HALF).enumerate() {
            let [one, two, three, four] = [ones, twos, threes, fours].map(|set| set[i].half(half));
            let joined = bytes([one | three, two | three, four]);
            match <&mut [u8; HALF]>::try_from(&mut *part) {
                Ok(whole) => *whole = joined,
                Err(_) => part.copy_from_slice(&joined[..part.len()]),
            }
        }
    }
}

/// Eight bytes for each byte of bits, each 1 where its bit is set.
const SPREAD: [u64; 256] = {
    let mut spread = [0; 256];
    let mut bits = 0;
    while bits < 256 {
        let mut at = 0;
        while at < 8 {
            spread[bits] |= ((bits >> at & 1) as u64) << (8 * at);
            at += 1;
        }
        bits += 1;
    }
    spread
};

/// The bytes that have these bits: 1, 2 and 4.
#[inline(always)]
fn bytes([one, two, four]: [u64; 3]) -> [u8; HALF] {
    let mut bytes = [0; HALF];
    for (i, eight) in bytes.as_chunks_mut::<8>().0.iter_mut().enumerate() {
        let spread = |bits: u64| SPREAD[(bits >> (8 * i)) as usize & 0xFF];
        *eight = (spread(one) | spread(two) << 1 | spread(four) << 2).to_le_bytes();
    }
    bytes
}

#[cfg(target_arch = "x86_64")]
mod wide {
    //! A half of a word is the mask of a comparison of 64 bytes.

    use super::{HALF, Halves};
    use crate::vector::{load_bytes, store_bytes};
    use std::arch::x86_64::{
        _mm512_cmpeq_epi8_mask, _mm512_cmpge_epu8_mask, _mm512_maskz_set1_epi8, _mm512_or_si512,
        _mm512_set1_epi8, _mm512_setzero_si512, _mm512_test_epi8_mask,
    };

    #[inline]
    #[target_feature(enable = "avx512f,avx512vl,avx512bw")]
    pub(super) fn halves(bytes: &[u8; HALF]) -> Halves {
        let own = load_bytes(bytes);
        let zero = _mm512_cmpeq_epi8_mask(own, _mm512_setzero_si512());
        let two = _mm512_cmpeq_epi8_mask(own, _mm512_set1_epi8(2));
        let decided = _mm512_cmpge_epu8_mask(own, _mm512_set1_epi8(3));
        let odd = _mm512_test_epi8_mask(own, _mm512_set1_epi8(1));
        [zero, two, decided & odd, decided & !odd]
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512vl,avx512bw")]
    pub(super) fn bytes([one, two, four]: [u64; 3]) -> [u8; HALF] {
        let (one, two) = (_mm512_maskz_set1_epi8(one, 1), _mm512_maskz_set1_epi8(two, 2));
        let joined = _mm512_or_si512(_mm512_or_si512(one, two), _mm512_maskz_set1_epi8(four, 4));
        let mut bytes = [0; HALF];
        store_bytes(&mut bytes, joined);
        bytes
    }
}

#[cfg(target_arch = "x86_64")]
mod narrow {
    //! Half a half of a word is the high bits of 32 bytes.

    use super::{HALF, Halves};
    use crate::vector::load_32_bytes;
    use std::arch::x86_64::{
        __m256i, _mm256_and_si256, _mm256_andnot_si256, _mm256_cmpeq_epi8, _mm256_max_epu8,
        _mm256_movemask_epi8, _mm256_set1_epi8, _mm256_setzero_si256, _mm256_slli_epi16,
    };

    #[inline]
    #[target_feature(enable = "avx2")]
    pub(super) fn halves(bytes: &[u8; HALF]) -> Halves {
        let (parts, _) = bytes.as_chunks::<32>();
        let (low, high) = (quarters(&parts[0]), quarters(&parts[1]));
        let mut both = [0; 4];
        for (class, half) in both.iter_mut().enumerate() {
            *half = u64::from(low[class]) | u64::from(high[class]) << 32;
        }
        both
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn quarters(bytes: &[u8; 32]) -> [u32; 4] {
        let own = load_32_bytes(bytes);
        let decided = _mm256_cmpeq_epi8(_mm256_max_epu8(own, _mm256_set1_epi8(3)), own);
        // The low bit of each byte becomes the high one; what comes from its neighbour is not asked for.
        let odd = _mm256_slli_epi16::<7>(own);
        [
            bits(_mm256_cmpeq_epi8(own, _mm256_setzero_si256())),
            bits(_mm256_cmpeq_epi8(own, _mm256_set1_epi8(2))),
            bits(_mm256_and_si256(decided, odd)),
            bits(_mm256_andnot_si256(odd, decided)),
        ]
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn bits(vector: __m256i) -> u32 {
        _mm256_movemask_epi8(vector).cast_unsigned()
    }
}
