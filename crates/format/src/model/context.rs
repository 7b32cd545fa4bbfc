//! Hashes what stands around a run or a code into contexts, one for each counter that predicts a bit.

use super::misses::Misses;
use super::mixer::Contexts;
use super::neighbour::Neighbours;
use super::run::{Repeat, Run};

/// Stands for the misses or repetitions of a run that there is not.
const NO_RUN: u16 = 1 << 8;

impl Run {
    /// The contexts that predict whether the run repeats the one a row before.
    #[inline]
    pub(super) fn contexts(&self, codes: &[u16], misses: &Misses, repeats: [Repeat; 3]) -> Contexts {
        let above = &codes[self.start - self.row..][..self.len];
        let (first, last) = (above[0], above[self.len - 1]);
        let same = self.same_behind(codes);
        let around = self.context(codes, same, repeats) as u16;
        let same = same.unwrap_or(NO_RUN);
        let of = |back: usize| misses.back(self, back).unwrap_or(NO_RUN);
        let (of_rank, of_row, of_plane) = (of(self.rank), of(self.row), of(self.plane));
        let [v0, v1, v2] = self.values_at(self.start);
        [
            hash(16, around, 0, 0),
            hash(17, first, last, u16::from(self.is_flat(codes))),
            hash(18, v1, v2, 0),
            hash(19, v0, v1, 0),
            hash(20, v0, v2, of_rank.count_ones() as u16),
            hash(21, same, repeats[2] as u16, 0),
            hash(22, of_row, of_plane.count_ones() as u16, 0),
            hash(23, first, around, 0),
        ]
    }
}

impl Neighbours {
    /// The contexts that predict whether a guess is right, given the second guess (0 if there is none), which
    /// neighbours are alike and where guesses around were wrong.
    #[inline(always)]
    pub(super) fn guess_contexts(
        &self,
        [v0, v1, v2]: [u16; 3],
        (second, alike, misses): (u16, u16, u16),
    ) -> Contexts {
        let Neighbours { a, b, c, d, e, first, .. } = *self;
        [
            hash(0, first, second, alike),
            hash(1, a, c, e),
            hash(2, first, b, d),
            hash(3, first, v0, v1),
            hash(4, first, v0, v2),
            hash(5, alike, misses, 0),
            hash(6, v0, v1, 0),
            hash(7, first, v1, v2),
        ]
    }

    /// The contexts that predict the way to a code that is neither guess, given the second guess and which
    /// neighbours are alike.
    #[inline(always)]
    pub(super) fn literal_contexts(&self, [v0, v1, v2]: [u16; 3], (second, alike): (u16, u16)) -> Contexts {
        let Neighbours { a, e, first, .. } = *self;
        [
            hash(8, a, 0, 0),
            hash(9, e, 0, 0),
            hash(10, first, second, 0),
            hash(11, v1, v2, 0),
            hash(12, first, v0, 0),
            hash(13, first, v1, 0),
            hash(14, v0, v1, 0),
            hash(15, first, second, alike),
        ]
    }
}

/// The hash of a context: its kind and three numbers.
#[inline(always)]
pub(super) fn hash(kind: u64, u: u16, v: u16, t: u16) -> u32 {
    let all = kind << 48 | u64::from(t) << 32 | u64::from(v) << 16 | u64::from(u);
    (all.wrapping_mul(0x9fb2_1c65_1e98_df25) >> 32) as u32
}
