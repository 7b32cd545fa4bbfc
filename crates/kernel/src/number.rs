//! Finds the distinct numbers of a row of small numbers, one for each bit of a word, and the bits of each.
//!
//! The solver reads the values of a word's placements at once and wants a word for each different value.
//! Comparing the whole row with the first value that has no word yet, again and again, costs a few
//! instructions a value and none a bit.

use crate::Word;
use crate::dispatch::kernel;

/// The most bits of a word.
const MOST_BITS: usize = 128;

/// A row's different numbers, each with the bits that have it.
#[derive(Clone, Debug)]
pub struct Distinct<W> {
    found: [(i16, W); MOST_BITS],
    n_found: usize,
}

impl<W: Word> Default for Distinct<W> {
    fn default() -> Self {
        Distinct { found: [(0, W::ZERO); MOST_BITS], n_found: 0 }
    }
}

impl<W: Word> Distinct<W> {
    /// The different numbers, in the order of their first bits.
    #[must_use]
    pub fn found(&self) -> &[(i16, W)] {
        &self.found[..self.n_found]
    }

    /// Finds the different numbers of a row among the bits of `among`.
    ///
    /// Shape: a number for each bit of a word.
    #[inline]
    pub fn find(&mut self, row: &[i16], among: W) {
        find(self, row, among);
    }

    #[inline(always)]
    fn find_portable(&mut self, row: &[i16], among: W) {
        let (halves, _) = row.as_chunks::<64>();
        self.find_by(row, among, |number, half| {
            halves[half].iter().zip(0..).fold(0, |bits, (&own, at)| bits | u64::from(own == number) << at)
        });
    }

    /// The loop of all levels; `equal` says which bits of a half have a number.
    #[inline(always)]
    fn find_by(&mut self, row: &[i16], among: W, equal: impl Fn(i16, usize) -> u64) {
        assert_eq!(row.len(), W::BITS, "a number for each bit");
        self.n_found = 0;
        let mut rest = among;
        // Each round takes the lowest bit away at least, so there are at most as many as bits.
        for slot in &mut self.found {
            if rest == W::ZERO {
                return;
            }
            let number = row[rest.lowest()];
            let halves = (0..W::HALVES).map(|half| W::from_half(half, equal(number, half)));
            let bits = halves.fold(W::ZERO, |sum, half| sum | half) & rest;
            *slot = (number, bits);
            self.n_found += 1;
            rest &= !bits;
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    fn find_avx512(&mut self, row: &[i16], among: W) {
        use std::arch::x86_64::{
            __m512i, _mm512_cmpeq_epi16_mask, _mm512_loadu_si512, _mm512_set1_epi16, _mm512_setzero_si512,
        };
        let mut vectors = [_mm512_setzero_si512(); 4];
        for (vector, numbers) in vectors.iter_mut().zip(row.chunks_exact(32)) {
            #[expect(unsafe_code, reason = "a load of a vector")]
            // SAFETY: `numbers` has 32 numbers of 2 bytes, which are the 64 bytes that an unaligned load of a
            // vector reads.
            let loaded = unsafe { _mm512_loadu_si512(numbers.as_ptr().cast::<__m512i>()) };
            *vector = loaded;
        }
        self.find_by(row, among, |number, half| {
            let number = _mm512_set1_epi16(number);
            let low = _mm512_cmpeq_epi16_mask(vectors[2 * half], number);
            let high = _mm512_cmpeq_epi16_mask(vectors[2 * half + 1], number);
            u64::from(low) | u64::from(high) << 32
        });
    }

    #[cfg(target_arch = "x86_64")]
    #[inline]
    #[target_feature(enable = "avx2")]
    fn find_avx2(&mut self, row: &[i16], among: W) {
        use std::arch::x86_64::{
            __m256i, _mm256_cmpeq_epi16, _mm256_loadu_si256, _mm256_movemask_epi8, _mm256_packs_epi16,
            _mm256_permute4x64_epi64, _mm256_set1_epi16, _mm256_setzero_si256,
        };
        let mut vectors = [_mm256_setzero_si256(); 8];
        for (vector, numbers) in vectors.iter_mut().zip(row.chunks_exact(16)) {
            #[expect(unsafe_code, reason = "a load of a vector")]
            // SAFETY: `numbers` has 16 numbers of 2 bytes, which are the 32 bytes that an unaligned load
            // reads.
            let loaded = unsafe { _mm256_loadu_si256(numbers.as_ptr().cast::<__m256i>()) };
            *vector = loaded;
        }
        self.find_by(row, among, |number, half| {
            let number = _mm256_set1_epi16(number);
            let equal = |vector| _mm256_cmpeq_epi16(vector, number);
            // Packing takes the halves of both vectors in turn; the permutation brings them into order.
            let bits = |a, b| {
                let packed = _mm256_packs_epi16(equal(a), equal(b));
                u64::from(_mm256_movemask_epi8(_mm256_permute4x64_epi64::<0b11_01_10_00>(packed)) as u32)
            };
            let own = &vectors[4 * half..4 * half + 4];
            bits(own[0], own[1]) | bits(own[2], own[3]) << 32
        });
    }
}

kernel! {
    pub(crate) fn find / find_at<W>(distinct: &mut Distinct<W>, row: &[i16], among: W) {
        avx512 => distinct.find_avx512(row, among),
        avx2 => distinct.find_avx2(row, among),
        portable => distinct.find_portable(row, among),
    }
}
