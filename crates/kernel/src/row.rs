//! Rows of sixty-four small numbers, one for each bit of a word: which bits have which number.
//!
//! The solver reads the values of 64 placements at once and wants a word for each different value. Comparing the whole
//! row with the first value that has no word yet, again and again, costs a few instructions a value and none a bit.

use crate::Level;

/// A row's different numbers, each with the bits that have it.
#[derive(Clone, Debug)]
pub struct Distinct {
    found: [(i16, u64); 64],
    n_found: usize,
}

impl Default for Distinct {
    fn default() -> Self {
        Distinct { found: [(0, 0); 64], n_found: 0 }
    }
}

impl Distinct {
    /// The different numbers, in the order of their first bits.
    #[must_use]
    pub fn found(&self) -> &[(i16, u64)] {
        &self.found[..self.n_found]
    }

    /// Finds the different numbers of a row among the bits of `among`.
    #[inline]
    pub fn find(&mut self, row: &[i16; 64], among: u64) {
        self.find_at(Level::detected(), row, among);
    }

    #[inline]
    pub(crate) fn find_at(&mut self, level: Level, row: &[i16; 64], among: u64) {
        assert!(level <= Level::detected(), "{level:?} is not to be had here");
        #[cfg(target_arch = "x86_64")]
        {
            if level >= Level::Avx512 {
                #[expect(unsafe_code, reason = "the processor has the instructions")]
                // SAFETY: the level is not above `Level::detected`, which is `Avx512` or more only where avx512f and
                // avx512bw were found.
                return unsafe { self.find_avx512(row, among) };
            }
            if level >= Level::Avx2 {
                #[expect(unsafe_code, reason = "the processor has the instructions")]
                // SAFETY: the level is not above `Level::detected`, which is `Avx2` or more only where avx2 was found.
                return unsafe { self.find_avx2(row, among) };
            }
        }
        self.find_by(row, among, |number| {
            row.iter().zip(0..).fold(0, |bits, (&own, at)| bits | u64::from(own == number) << at)
        });
    }

    /// The loop of all levels; `equal` says which bits have a number.
    #[inline(always)]
    fn find_by(&mut self, row: &[i16; 64], among: u64, equal: impl Fn(i16) -> u64) {
        self.n_found = 0;
        let mut rest = among;
        // Each round takes the lowest bit away at least, so there are at most 64.
        for slot in &mut self.found {
            if rest == 0 {
                return;
            }
            let number = row[rest.trailing_zeros() as usize];
            let bits = equal(number) & rest;
            *slot = (number, bits);
            self.n_found += 1;
            rest &= !bits;
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f,avx512bw")]
    fn find_avx512(&mut self, row: &[i16; 64], among: u64) {
        use std::arch::x86_64::{__m512i, _mm512_cmpeq_epi16_mask, _mm512_loadu_si512, _mm512_set1_epi16};
        let (low, high) = row.split_at(32);
        #[expect(unsafe_code, reason = "a load of a vector")]
        // SAFETY: `low` has 32 numbers of 2 bytes, which are the 64 bytes that an unaligned load of a vector reads.
        let low = unsafe { _mm512_loadu_si512(low.as_ptr().cast::<__m512i>()) };
        #[expect(unsafe_code, reason = "a load of a vector")]
        // SAFETY: `high` is the other 32 of the 64 numbers of the row: 64 bytes.
        let high = unsafe { _mm512_loadu_si512(high.as_ptr().cast::<__m512i>()) };
        self.find_by(row, among, |number| {
            let number = _mm512_set1_epi16(number);
            let (low, high) = (_mm512_cmpeq_epi16_mask(low, number), _mm512_cmpeq_epi16_mask(high, number));
            u64::from(low) | u64::from(high) << 32
        });
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    fn find_avx2(&mut self, row: &[i16; 64], among: u64) {
        use std::arch::x86_64::{
            __m256i, _mm256_cmpeq_epi16, _mm256_loadu_si256, _mm256_movemask_epi8, _mm256_packs_epi16,
            _mm256_permute4x64_epi64, _mm256_set1_epi16, _mm256_setzero_si256,
        };
        let mut vectors = [_mm256_setzero_si256(); 4];
        for (vector, numbers) in vectors.iter_mut().zip(row.chunks_exact(16)) {
            #[expect(unsafe_code, reason = "a load of a vector")]
            // SAFETY: `numbers` has 16 numbers of 2 bytes, which are the 32 bytes that an unaligned load reads.
            let loaded = unsafe { _mm256_loadu_si256(numbers.as_ptr().cast::<__m256i>()) };
            *vector = loaded;
        }
        self.find_by(row, among, |number| {
            let number = _mm256_set1_epi16(number);
            let equal = |vector| _mm256_cmpeq_epi16(vector, number);
            // Packing takes the halves of both vectors in turn; the permutation brings them into order.
            let bits = |a, b| {
                let packed = _mm256_packs_epi16(equal(a), equal(b));
                u64::from(_mm256_movemask_epi8(_mm256_permute4x64_epi64::<0b11_01_10_00>(packed)) as u32)
            };
            bits(vectors[0], vectors[1]) | bits(vectors[2], vectors[3]) << 32
        });
    }
}
