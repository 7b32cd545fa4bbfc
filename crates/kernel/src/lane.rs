//! Unmoves of the man in the lane: rotations inside a word.
//!
//! A ride repeats a step through free squares. The silly way is one rotation a repetition; the occluded fill
//! (Kogge–Stone) doubles the distance each round:
//!
//! ```text
//!   reached = targets                   pass = free squares from which the step stays on the board
//!   round 1: reached |= pass & reached one step back      pass &= pass one step back
//!   round 2: reached |= pass & reached two steps back     pass &= pass two steps back    … then one last step
//! ```
//!
//! A bit that a rotation brings round the end of the word lands on a square from which the step leaves the board, so
//! `sources` removes it.

use crate::dispatch::kernel;
use crate::walk::{Reach, Walk};

kernel! {
    /// In every wanted row: `dst |= ` the placements from which a move of the man in the lane leads into `src`.
    ///
    /// Shape: `dst` and `src` are rows of `row_len` words, one for each square of the innermost outer man; `wanted` and
    /// `taken` have an entry a row. `taken` has the squares of all men but those two, as bits.
    pub fn lane_moves / lane_moves_at(dst: &mut [u64], src: &[u64], wanted: &[bool], taken: &[u64], row_len: usize, walks: &[Walk]) = rows_body;
}

/// The same for one word: what `src` is reached from through the squares of `free`.
#[must_use]
#[inline]
pub fn lane_word(src: u64, free: u64, walks: &[Walk]) -> u64 {
    walks.iter().fold(0, |dst, walk| dst | reached([src], [free], walk)[0])
}

#[inline(always)]
fn rows_body(dst: &mut [u64], src: &[u64], wanted: &[bool], taken: &[u64], row_len: usize, walks: &[Walk]) {
    let n_rows = wanted.len();
    assert!(dst.len() == n_rows * row_len && src.len() == dst.len() && taken.len() == n_rows);
    let rows = dst.chunks_exact_mut(row_len).zip(src.chunks_exact(row_len));
    for ((dst, src), (_, &taken)) in rows.zip(wanted.iter().zip(taken)).filter(|(_, (wanted, _))| **wanted) {
        let (dst_eights, dst_rest) = dst.as_chunks_mut::<8>();
        let (src_eights, src_rest) = src.as_chunks::<8>();
        for (eight, (d, s)) in dst_eights.iter_mut().zip(src_eights).enumerate() {
            if s.iter().fold(0, |any, s| any | s) == 0 {
                continue;
            }
            let free: [u64; 8] = std::array::from_fn(|i| !(taken | 1 << (eight * 8 + i)));
            let mut sum = *d;
            for walk in walks {
                let reached = reached(*s, free, walk);
                (0..8).for_each(|i| sum[i] |= reached[i]);
            }
            *d = sum;
        }
        let first = row_len - dst_rest.len();
        for (i, (d, &s)) in dst_rest.iter_mut().zip(src_rest).enumerate() {
            let free = !(taken | 1 << (first + i));
            *d = walks.iter().fold(*d, |sum, walk| sum | reached([s], [free], walk)[0]);
        }
    }
}

#[inline(always)]
fn reached<const N: usize>(src: [u64; N], free: [u64; N], walk: &Walk) -> [u64; N] {
    let step = |words: [u64; N], by: u32| -> [u64; N] { words.map(|word| word.rotate_left(by)) };
    let and = |a: [u64; N], b: [u64; N]| -> [u64; N] { std::array::from_fn(|i| a[i] & b[i]) };
    let or = |a: [u64; N], b: [u64; N]| -> [u64; N] { std::array::from_fn(|i| a[i] | b[i]) };
    let sources = [walk.sources; N];
    match walk.reach {
        Reach::Leap => and(step(src, walk.rotate), sources),
        Reach::Ride { rounds } => {
            let (mut reached, mut pass, mut by) = (src, and(free, sources), walk.rotate);
            for _ in 0..rounds {
                reached = or(reached, and(pass, step(reached, by)));
                pass = and(pass, step(pass, by));
                by = by * 2 % 64;
            }
            and(step(reached, walk.rotate), sources)
        }
        Reach::Limited { most } => {
            let mut last = and(step(src, walk.rotate), sources);
            let mut all = last;
            for _ in 1..most {
                last = and(step(and(last, free), walk.rotate), sources);
                all = or(all, last);
            }
            all
        }
    }
}
