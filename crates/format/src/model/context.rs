//! Hashes what stands around a run or a code into contexts, one for each counter that predicts a bit.
//!
//! Each number has a multiplier of its own, so that contexts which share a number share the product; the
//! upper half of the sum of a context's products finds its counter.

use super::misses::Misses;
use super::mixer::Contexts;
use super::neighbour::Neighbours;
use super::run::{Repeat, Run};

/// Stands for the misses or repetitions of a run that there is not.
const NO_RUN: u16 = 1 << 8;

/// What is predicted, which tells contexts of the same numbers apart.
const RUN: u32 = 0x51ab_7c03;
const LITERAL: u32 = 0xa91d_3e67;

/// The multipliers: odd, and of no pattern.
const A: u32 = 0x9e37_79b1;
const B: u32 = 0x85eb_ca77;
const C: u32 = 0xc2b2_ae3d;
const D: u32 = 0x27d4_eb2f;
const E: u32 = 0x1656_67b1;
const FIRST: u32 = 0xd35a_2d97;
const SECOND: u32 = 0x7feb_352d;
const ALIKE: u32 = 0x846c_a68b;
const MISSES: u32 = 0x6c62_272f;
const V0: u32 = 0xb529_7a4d;
const V1: u32 = 0x68e3_1da5;
const V2: u32 = 0x1b56_c4e9;
const AROUND: u32 = 0xf1bb_cdcb;
const SAME: u32 = 0x2545_f491;
const LAST: u32 = 0x3c6e_f373;

/// The part of a number in the hash of a context.
#[inline(always)]
fn part(number: u16, multiplier: u32) -> u32 {
    u32::from(number).wrapping_mul(multiplier)
}

/// The context of some parts.
macro_rules! context {
    ($first:expr $(, $other:expr)*) => { (($first)$(.wrapping_add($other))*  >> 16) as u16 };
}

/// The parts of the values on the three levels.
#[derive(Clone, Copy)]
pub(super) struct ValueParts([u32; 3]);

impl Run {
    /// The parts of the values of a code so many places into the run.
    #[inline(always)]
    pub(super) fn value_parts(&self, at: usize) -> ValueParts {
        let [v0, v1, v2] = self.values_at(self.start + at);
        ValueParts([part(v0, V0), part(v1, V1), part(v2, V2)])
    }

    /// The contexts that predict whether the run repeats the one a row before.
    #[inline]
    pub(super) fn contexts(&self, codes: &[u16], misses: &Misses, repeats: [Repeat; 3]) -> Contexts {
        let above = &codes[self.start - self.row..][..self.len];
        let (first, last) = (part(above[0], FIRST), part(above[self.len - 1], LAST));
        let same = self.same_behind(codes);
        let around = part(self.context(codes, same, repeats) as u16, AROUND);
        let of = |back: usize| misses.back(self, back).unwrap_or(NO_RUN);
        let n_of = |back: usize, multiplier: u32| part(of(back).count_ones() as u16, multiplier);
        let ValueParts([v0, v1, v2]) = self.value_parts(0);
        Contexts::new([
            context!(RUN, around),
            context!(RUN, first, last),
            context!(RUN, v1, v2),
            context!(RUN, v0, v1),
            context!(RUN, v0, v2, n_of(self.rank, MISSES)),
            context!(RUN, part(same.unwrap_or(NO_RUN), SAME), part(repeats[2] as u16, AROUND)),
            context!(RUN, part(of(self.row), MISSES), n_of(self.plane, SAME)),
            context!(RUN, first, around),
        ])
    }
}

impl Neighbours {
    /// The contexts that predict whether a guess is right, given the parts of the values, the second guess (0
    /// if there is none), which neighbours are alike and where guesses around were wrong.
    #[inline(always)]
    pub(super) fn guess_contexts(
        &self,
        ValueParts([v0, v1, v2]): ValueParts,
        (second, alike, misses): (u16, u16, u16),
    ) -> Contexts {
        let (first, alike) = (part(self.first, FIRST), part(alike, ALIKE));
        Contexts::new([
            context!(first, part(second, SECOND), alike),
            context!(part(self.a, A), part(self.c, C), part(self.e, E)),
            context!(first, part(self.b, B), part(self.d, D)),
            context!(first, v0, v1),
            context!(first, v0, v2),
            context!(alike, part(misses, MISSES)),
            context!(v0, v1),
            context!(first, v1, v2),
        ])
    }

    /// The contexts that predict the way to a code that is neither guess, given the parts of the values, the
    /// second guess and which neighbours are alike.
    #[inline(always)]
    pub(super) fn literal_contexts(
        &self,
        ValueParts([v0, v1, v2]): ValueParts,
        (second, alike): (u16, u16),
    ) -> Contexts {
        let (first, second) = (part(self.first, FIRST).wrapping_add(LITERAL), part(second, SECOND));
        Contexts::new([
            context!(part(self.a, A), LITERAL),
            context!(part(self.e, E), LITERAL),
            context!(first, second),
            context!(v1, v2, LITERAL),
            context!(first, v0),
            context!(first, v1),
            context!(v0, v1, LITERAL),
            context!(first, second, part(alike, ALIKE)),
        ])
    }
}
