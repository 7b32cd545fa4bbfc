//! Loads and stores vectors: of eight halves of words, whole or as far as a slice reaches, and of bytes.

use std::arch::x86_64::{
    __m256i, __m512i, _mm256_loadu_si256, _mm512_loadu_si512, _mm512_mask_storeu_epi64,
    _mm512_maskz_loadu_epi64, _mm512_storeu_si512,
};

/// Slices that are loaded and stored in part have a bit for each half in a `u32`.
const MAX_HALVES: usize = 31;

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

/// The vector of these bytes.
#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) fn load_bytes(bytes: &[u8; 64]) -> __m512i {
    #[expect(unsafe_code, reason = "a load through a pointer")]
    // SAFETY: the pointer is to 64 bytes that are borrowed; the load is unaligned and reads no others.
    unsafe {
        _mm512_loadu_si512(bytes.as_ptr().cast())
    }
}

/// Writes a vector to these bytes.
#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) fn store_bytes(bytes: &mut [u8; 64], vector: __m512i) {
    #[expect(unsafe_code, reason = "a store through a pointer")]
    // SAFETY: the pointer is to 64 bytes that are borrowed mutably; the store is unaligned and writes no
    // others.
    unsafe {
        _mm512_storeu_si512(bytes.as_mut_ptr().cast(), vector);
    }
}

/// The vector of these bytes.
#[inline]
#[target_feature(enable = "avx2")]
pub(crate) fn load_32_bytes(bytes: &[u8; 32]) -> __m256i {
    #[expect(unsafe_code, reason = "a load through a pointer")]
    // SAFETY: the pointer is to 32 bytes that are borrowed; the load is unaligned and reads no others.
    unsafe {
        _mm256_loadu_si256(bytes.as_ptr().cast())
    }
}

/// The vector of the eight halves from `first` on, of those whose bit is in `which`; zero for all others and
/// where the slice has no more.
#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) fn load_some(halves: &[u64], first: usize, which: u32) -> __m512i {
    let those = (which & all_of(halves)) >> first;
    #[expect(unsafe_code, reason = "a masked load through a pointer")]
    // SAFETY: a masked load reads only those of its halves whose bits are set, and `all_of` has a bit for
    // none at or beyond the length of the slice.
    unsafe {
        _mm512_maskz_loadu_epi64(those as u8, halves.as_ptr().wrapping_add(first).cast())
    }
}

/// Writes a vector to the eight halves from `first` on, to as many as there are.
#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) fn store_some(halves: &mut [u64], first: usize, vector: __m512i) {
    let those = all_of(halves) >> first;
    #[expect(unsafe_code, reason = "a masked store through a pointer")]
    // SAFETY: a masked store writes only those of its halves whose bits are set, and `all_of` has a bit for
    // none at or beyond the length of the slice, which is borrowed mutably.
    unsafe {
        _mm512_mask_storeu_epi64(halves.as_mut_ptr().wrapping_add(first).cast(), those as u8, vector);
    }
}

/// A bit for each half of a slice.
#[inline]
#[target_feature(enable = "avx512f")]
fn all_of(halves: &[u64]) -> u32 {
    assert!(halves.len() <= MAX_HALVES, "{} halves, at most {MAX_HALVES}", halves.len());
    (1 << halves.len()) - 1
}
