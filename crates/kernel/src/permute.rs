//! Permutations of the bits of a word: what a symmetry of the board does to the man in the lane.
//!
//! A permutation moves each bit by so many places, and a symmetry of a board moves many bits by the same number: a mirror
//! of the ranks all those of a rank. So a word is permuted by one rotation for each different number, and that is done
//! to eight words at once.

use crate::{Pack, Word};

/// A permutation of the bits of a word.
#[derive(Clone, Debug)]
pub enum LanePermutation<W> {
    /// Every bit stays.
    Identity,
    /// A symmetry of the 8×8 board, by swaps of groups of bits: transpose, then mirror files, then mirror ranks.
    Square8 {
        /// Exchange files and ranks.
        transpose: bool,
        /// Exchange left and right.
        mirror_files: bool,
        /// Exchange near and far.
        mirror_ranks: bool,
    },
    /// Any other: by how much bits are rotated up, and which, as they are before.
    Rotations(Vec<(u32, W)>),
}

impl<W: Word> LanePermutation<W> {
    /// The permutation that takes bit `i` to bit `map[i]`.
    ///
    /// Shape: `map` has a row of `n` distinct numbers below `n`, `n` at most the bits of a word.
    #[must_use]
    pub fn from_map(map: &[u8]) -> Self {
        assert!(map.len() <= W::BITS && map.iter().all(|&to| (to as usize) < map.len()));
        if map.iter().enumerate().all(|(i, &to)| i == to as usize) {
            return LanePermutation::Identity;
        }
        if map.len() == 64 && W::BITS == 64 {
            for bits in 0..8 {
                let candidate = LanePermutation::Square8 {
                    transpose: bits & 4 != 0,
                    mirror_files: bits & 1 != 0,
                    mirror_ranks: bits & 2 != 0,
                };
                let same =
                    |(i, &to): (usize, &u8)| permute_word(W::bit(i), &candidate) == W::bit(to as usize);
                if map.iter().enumerate().all(same) {
                    return candidate;
                }
            }
        }
        let mut rotations: Vec<(u32, W)> = Vec::new();
        for (from, &to) in map.iter().enumerate() {
            let by = (i32::from(to) - from as i32).rem_euclid(W::BITS as i32) as u32;
            match rotations.iter_mut().find(|(own, _)| *own == by) {
                Some((_, bits)) => *bits |= W::bit(from),
                None => rotations.push((by, W::bit(from))),
            }
        }
        LanePermutation::Rotations(rotations)
    }
}

/// A word with its bits permuted.
#[must_use]
#[inline(always)]
pub fn permute_word<W: Word>(word: W, permutation: &LanePermutation<W>) -> W {
    match permutation {
        LanePermutation::Identity => word,
        LanePermutation::Square8 { transpose, mirror_files, mirror_ranks } => {
            let mut word = word.half(0);
            if *transpose {
                word = transposed(word);
            }
            if *mirror_files {
                word = mirrored_bytes(word);
            }
            if *mirror_ranks {
                word = word.swap_bytes();
            }
            W::from_half(0, word)
        }
        LanePermutation::Rotations(rotations) => rotated(word, rotations),
    }
}

/// Words with their bits rotated, each by its own number.
#[inline(always)]
pub(crate) fn rotated<P: Pack>(words: P, rotations: &[(u32, P::Word)]) -> P {
    let none = P::splat(P::Word::ZERO);
    rotations.iter().fold(none, |sum, &(by, bits)| sum.or(words.and(P::splat(bits)).rotated(by)))
}

/// The bits of `word` that differ from those `by` places above, under `mask`, exchanged with them.
#[inline(always)]
fn exchanged(word: u64, by: u32, mask: u64) -> u64 {
    let differ = (word ^ (word >> by)) & mask;
    word ^ differ ^ (differ << by)
}

/// An 8×8 matrix of bits transposed: 1×1 squares within 2×2, 2×2 within 4×4, 4×4 within 8×8.
#[inline(always)]
fn transposed(word: u64) -> u64 {
    let word = exchanged(word, 7, 0x00AA_00AA_00AA_00AA);
    let word = exchanged(word, 14, 0x0000_CCCC_0000_CCCC);
    exchanged(word, 28, 0x0000_0000_F0F0_F0F0)
}

/// Every byte with its bits in reverse order.
#[inline(always)]
fn mirrored_bytes(word: u64) -> u64 {
    let word = (word >> 1 & 0x5555_5555_5555_5555) | (word & 0x5555_5555_5555_5555) << 1;
    let word = (word >> 2 & 0x3333_3333_3333_3333) | (word & 0x3333_3333_3333_3333) << 2;
    (word >> 4 & 0x0F0F_0F0F_0F0F_0F0F) | (word & 0x0F0F_0F0F_0F0F_0F0F) << 4
}
