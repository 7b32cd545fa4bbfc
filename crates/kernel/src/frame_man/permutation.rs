//! Permutes the bits of a word as a symmetry of the board moves the lane man.
//!
//! A permutation moves each bit by so many places, and a mirror of a board moves many bits by the same
//! number: one of the ranks all those of a rank. So a word is permuted by one shift for each different
//! number, and that is done to eight words at once. Half a turn moves every bit by a number of its own, but
//! it is the word backwards; a turn by a quarter is an exchange of files and ranks, and then a mirror. Of
//! these ways the one with the fewest shifts is taken.

use super::window::Windows;
use crate::{Pack, Word};

/// A permutation of the bits of a word.
#[derive(Clone, Debug)]
pub enum LanePermutation<W> {
    /// Every bit stays.
    Identity,
    /// A symmetry of the 8×8 board, by swaps of groups of bits: transpose, then mirror files, then mirror
    /// ranks.
    Square8 {
        /// Exchange files and ranks.
        transpose: bool,
        /// Exchange left and right.
        mirror_files: bool,
        /// Exchange near and far.
        mirror_ranks: bool,
    },
    /// Any other.
    Stages {
        /// One after the other.
        stages: Vec<Stage<W>>,
        /// The same for those who have instructions for it: of words of 128 bits.
        windows: Option<Windows>,
    },
}

/// One stage of a permutation.
#[derive(Clone, Debug)]
pub enum Stage<W> {
    /// The whole word backwards.
    Reversal,
    /// By how much bits are moved up, and which, as they are before.
    Shifts(Vec<(i32, W)>),
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
        let n = map.len();
        let side = n.isqrt();
        let exchanged: Vec<usize> = (0..n).map(|i| i % side.max(1) * side + i / side.max(1)).collect();
        let (as_it_is, backwards): (Vec<usize>, Vec<usize>) = ((0..n).collect(), (0..n).rev().collect());
        let mut first = vec![(Vec::new(), as_it_is), (vec![Stage::Reversal], backwards)];
        if side * side == n {
            first.push((vec![Stage::Shifts(shifts(&exchanged))], exchanged));
        }
        let ways = first.into_iter().map(|(mut stages, places)| {
            // Bits that the first stage moves to the upper end of the word have that much further to go.
            let surplus = if matches!(stages.first(), Some(Stage::Reversal)) { W::BITS - n } else { 0 };
            let mut rest = vec![0; n + surplus];
            (0..n).for_each(|i| rest[places[i] + surplus] = usize::from(map[i]));
            stages.push(Stage::Shifts(shifts_from(&rest, surplus)));
            stages
        });
        let n_shifts = |stages: &Vec<Stage<W>>| -> usize {
            let of = |stage: &Stage<W>| if let Stage::Shifts(shifts) = stage { shifts.len() } else { 1 };
            stages.iter().map(of).sum()
        };
        LanePermutation::Stages {
            stages: ways.min_by_key(n_shifts).unwrap_or_default(),
            windows: (W::HALVES == 2).then(|| Windows::new(map)),
        }
    }
}

/// The shifts that take bit `i` to bit `map[i]`.
fn shifts<W: Word>(map: &[usize]) -> Vec<(i32, W)> {
    shifts_from(map, 0)
}

/// The same for the bits from `first` on.
fn shifts_from<W: Word>(map: &[usize], first: usize) -> Vec<(i32, W)> {
    let mut shifts: Vec<(i32, W)> = Vec::new();
    for (from, &to) in map.iter().enumerate().skip(first) {
        let by = to as i32 - from as i32;
        match shifts.iter_mut().find(|(own, _)| *own == by) {
            Some((_, bits)) => *bits |= W::bit(from),
            None => shifts.push((by, W::bit(from))),
        }
    }
    shifts
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
        LanePermutation::Stages { stages, .. } => staged(word, stages),
    }
}

/// Words permuted stage by stage.
#[inline(always)]
pub(crate) fn staged<P: Pack>(words: P, stages: &[Stage<P::Word>]) -> P {
    let mut words = words;
    for stage in stages {
        words = match stage {
            Stage::Reversal => words.reversed(),
            Stage::Shifts(shifts) => {
                let mut sum = P::splat(P::Word::ZERO);
                for &(by, bits) in shifts {
                    sum = sum.or(words.and(P::splat(bits)).moved(by));
                }
                sum
            }
        };
    }
    words
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
