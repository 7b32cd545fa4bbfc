//! Unmoves of the man on the axis next to the lane: words move within their row, one word a square.
//!
//! On a board of 8 × 8 squares the words of a rank are one vector. A step then takes the vector of the rank that it leads
//! to, shifted by its files; a ride goes through the ranks from the far end, and along a rank by doubling, as the man
//! in the lane does. Word by word, as other boards have it, the same loop took a third of a solve.

use crate::dispatch::Level;
use crate::walk::{NOWHERE, Reach, Walk};

/// In every wanted row: `dst |= ` the placements from which a move of the man next to the lane leads into `src`.
///
/// Shape: as for `lane_moves`. `files` is the width of the board.
pub fn rank_moves(
    dst: &mut [u64],
    src: &[u64],
    wanted: &[bool],
    taken: &[u64],
    row_len: usize,
    files: usize,
    walks: &[Walk],
) {
    rank_moves_at(Level::detected(), dst, src, wanted, taken, row_len, (files, walks));
}

pub(crate) fn rank_moves_at(
    level: Level,
    dst: &mut [u64],
    src: &[u64],
    wanted: &[bool],
    taken: &[u64],
    row_len: usize,
    (files, walks): (usize, &[Walk]),
) {
    assert!(level <= Level::detected(), "{level:?} is not to be had here");
    let n_rows = wanted.len();
    assert!(dst.len() == n_rows * row_len && src.len() == dst.len() && taken.len() == n_rows);
    let rows = dst.chunks_exact_mut(row_len).zip(src.chunks_exact(row_len));
    let rows = rows.zip(wanted.iter().zip(taken)).filter(|(_, (wanted, _))| **wanted);
    for ((dst, src), (_, &taken)) in rows {
        #[cfg(target_arch = "x86_64")]
        if level >= Level::Avx512
            && let (8, Ok(dst), Ok(src)) =
                (files, <&mut [u64; 64]>::try_from(&mut *dst), <&[u64; 64]>::try_from(src))
        {
            #[expect(unsafe_code, reason = "the processor has the instructions")]
            // SAFETY: the level is not above `Level::detected`, which is `Avx512` or more only where avx512f, avx512vl
            // and avx512bw were found.
            unsafe {
                vector::ranks_of_eight(dst, src, taken, walks);
            }
            continue;
        }
        walks.iter().for_each(|walk| by_words(dst, src, taken, walk));
    }
}

/// The definition: along every line, square by square.
#[inline(always)]
fn by_words(dst: &mut [u64], src: &[u64], taken: u64, walk: &Walk) {
    let most = match walk.reach {
        Reach::Leap => 1,
        Reach::Ride { .. } => 64,
        Reach::Limited { most } => most,
    };
    for &s in &walk.order {
        let (mut t, mut way) = (walk.next[s as usize], u64::MAX);
        for _ in 0..most {
            if t == NOWHERE {
                break;
            }
            dst[s as usize] |= src[t as usize] & way;
            way &= pass(taken, t as usize);
            t = walk.next[t as usize];
        }
    }
}

/// The placements in which no other man stands on the square.
#[inline(always)]
fn pass(taken: u64, square: usize) -> u64 {
    (taken >> square & 1).wrapping_sub(1) & !(1 << square)
}

#[cfg(target_arch = "x86_64")]
mod vector {
    //! A rank is one vector.

    use super::{by_words, pass};
    use crate::walk::{Reach, Walk};
    use std::arch::x86_64::{
        __m512i, _mm512_add_epi64, _mm512_and_si512, _mm512_cmplt_epu64_mask, _mm512_loadu_si512,
        _mm512_maskz_permutexvar_epi64, _mm512_or_si512, _mm512_set_epi64, _mm512_set1_epi64,
        _mm512_setzero_si512, _mm512_storeu_si512,
    };

    #[target_feature(enable = "avx512f,avx512vl,avx512bw")]
    pub(super) fn ranks_of_eight(dst: &mut [u64; 64], src: &[u64; 64], taken: u64, walks: &[Walk]) {
        let zero = _mm512_setzero_si512();
        let mut sources = [zero; 8];
        let mut passes = [zero; 8];
        let mut sums = [zero; 8];
        for rank in 0..8 {
            sources[rank] = load(src, rank);
            sums[rank] = load(dst, rank);
            let way: [u64; 8] = std::array::from_fn(|file| pass(taken, rank * 8 + file));
            passes[rank] = load(&way, 0);
        }
        for walk in walks {
            if matches!(walk.reach, Reach::Limited { .. }) {
                by_words(dst, src, taken, walk);
                (0..8).for_each(|rank| sums[rank] = _mm512_or_si512(sums[rank], load(dst, rank)));
            } else {
                one_walk(&mut sums, &sources, &passes, walk);
            }
        }
        for (rank, sum) in sums.into_iter().enumerate() {
            store(dst, rank, sum);
        }
    }

    #[target_feature(enable = "avx512f,avx512vl,avx512bw")]
    fn one_walk(sums: &mut [__m512i; 8], sources: &[__m512i; 8], passes: &[__m512i; 8], walk: &Walk) {
        let ride = walk.reach != Reach::Leap;
        let (files, ranks) = (walk.step_files, walk.step_ranks);
        if ranks == 0 {
            for rank in 0..8 {
                let mut reached = sources[rank];
                if ride {
                    let (mut way, mut by) = (passes[rank], files);
                    for _ in 0..3 {
                        reached = _mm512_or_si512(reached, _mm512_and_si512(way, shifted(reached, by)));
                        way = _mm512_and_si512(way, shifted(way, by));
                        by *= 2;
                    }
                }
                sums[rank] = _mm512_or_si512(sums[rank], shifted(reached, files));
            }
            return;
        }
        let mut arrived = [_mm512_setzero_si512(); 8];
        for step in 0..8 {
            // From the rank that the walk leaves the board at, backwards.
            let rank = if ranks > 0 { 7 - step } else { step };
            let target = rank as i32 + ranks;
            if !(0..8).contains(&target) {
                continue;
            }
            let target = target as usize;
            let mut sum = sources[target];
            if ride {
                sum = _mm512_or_si512(sum, _mm512_and_si512(arrived[target], passes[target]));
            }
            arrived[rank] = shifted(sum, files);
            sums[rank] = _mm512_or_si512(sums[rank], arrived[rank]);
        }
    }

    /// Word `file + by` in the place of word `file`, nothing where there is none.
    #[target_feature(enable = "avx512f,avx512vl,avx512bw")]
    fn shifted(rank: __m512i, by: i32) -> __m512i {
        let files = _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0);
        let from = _mm512_add_epi64(files, _mm512_set1_epi64(i64::from(by)));
        // A negative file is a large one without its sign.
        let on_board = _mm512_cmplt_epu64_mask(from, _mm512_set1_epi64(8));
        _mm512_maskz_permutexvar_epi64(on_board, from, rank)
    }

    #[target_feature(enable = "avx512f")]
    fn load<const N: usize>(words: &[u64; N], rank: usize) -> __m512i {
        let words = &words[rank * 8..rank * 8 + 8];
        #[expect(unsafe_code, reason = "a load through a pointer")]
        // SAFETY: the pointer is to the 64 bytes of a slice of eight words; the load is unaligned and reads no others.
        unsafe {
            _mm512_loadu_si512(words.as_ptr().cast())
        }
    }

    #[target_feature(enable = "avx512f")]
    fn store(words: &mut [u64; 64], rank: usize, vector: __m512i) {
        let words = &mut words[rank * 8..rank * 8 + 8];
        #[expect(unsafe_code, reason = "a store through a pointer")]
        // SAFETY: the pointer is to the 64 bytes of a slice of eight words that is borrowed mutably; the store is
        // unaligned and writes no others.
        unsafe {
            _mm512_storeu_si512(words.as_mut_ptr().cast(), vector);
        }
    }
}
