//! Loads and stores vectors of eight halves of words.

use std::arch::x86_64::{__m512i, _mm512_loadu_si512, _mm512_storeu_si512};

/// The vector of these halves.
#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) fn load(halves: &[u64; 8]) -> __m512i {
    #[expect(unsafe_code, reason = "a load through a pointer")]
    // SAFETY: the pointer is to 64 bytes that are borrowed; the load is unaligned and reads no others.
    unsafe {
        _mm512_loadu_si512(halves.as_ptr().cast())
    }
}

/// Writes a vector to these halves.
#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) fn store(halves: &mut [u64; 8], vector: __m512i) {
    #[expect(unsafe_code, reason = "a store through a pointer")]
    // SAFETY: the pointer is to 64 bytes that are borrowed mutably; the store is unaligned and writes no
    // others.
    unsafe {
        _mm512_storeu_si512(halves.as_mut_ptr().cast(), vector);
    }
}
