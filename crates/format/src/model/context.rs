//! Hashes what stands around a run or a code into contexts, one for each counter that predicts a bit: the
//! neighbours of a code that were passed before it, the run that it is in, and where first guesses missed.
//!
//! Each number has a multiplier of its own, so that contexts which share a number share the product; the
//! upper half of the sum of a context's products finds its counter.

use crate::model::mixer::Contexts;
use crate::tile::Grid;
use wide::u16x8;

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
    /// The parts of the values of a code this many places into the run.
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

/// How many sets of neighbours that are alike there are, and of neighbours that were guessed wrong.
pub(super) const N_ALIKE: usize = 1 << 9;
pub(super) const N_MISSES: usize = 1 << 6;

/// Where nothing stands before a code.
const NOTHING: u16 = 1;

/// The runs around a run whose codes are passed one by one: where there is none, an empty one.
///
/// ```text
///   innermost level ─►
///        ac   c   cn      the row before (second level one step back)
///        a   (x)          b: a rank before a          d: a rank before c
///
///        ae   e   en      the plane before (third level one step back); ce: the row before that
/// ```
pub(super) struct Surroundings<'a> {
    /// The codes of the block before the run.
    before: &'a [u16],
    run: &'a Run,
    row: &'a [u16],
    plane: &'a [u16],
    /// The row before the plane, and the place in the run of the first code that has such a neighbour: not 0
    /// where the block begins within a rank.
    behind: &'a [u16],
    first_behind: usize,
    rank: &'a [u16],
    row_rank: &'a [u16],
}

impl<'a> Surroundings<'a> {
    #[inline(always)]
    pub(super) fn new(run: &'a Run, before: &'a [u16]) -> Self {
        let at = |back: usize| if back > 0 { &before[run.start - back..][..run.len] } else { &[] };
        let both = run.row + run.plane;
        let first_behind = both.saturating_sub(run.start);
        let has_both = run.row > 0 && run.plane > 0 && first_behind < run.len;
        Surroundings {
            before,
            run,
            row: at(run.row),
            plane: at(run.plane),
            behind: if has_both {
                &before[run.start + first_behind - both..][..run.len - first_behind]
            } else {
                &[]
            },
            first_behind,
            rank: at(run.rank),
            row_rank: at(run.row_rank),
        }
    }
}

/// The neighbours of a code, those that there are not replaced by others, and the first guess.
pub(super) struct Neighbours {
    pub(super) a: u16,
    pub(super) b: u16,
    pub(super) c: u16,
    pub(super) d: u16,
    pub(super) e: u16,
    pub(super) ac: u16,
    pub(super) ae: u16,
    pub(super) ce: u16,
    pub(super) cn: u16,
    pub(super) en: u16,
    pub(super) first: u16,
}

impl Neighbours {
    /// Those of the code this many places into a run, of which the codes before it are `passed`.
    #[inline(always)]
    pub(super) fn new(around: &Surroundings<'_>, passed: &[u16], at: usize) -> Self {
        let Surroundings { before, run, row, plane, behind, first_behind, rank, row_rank } = *around;
        let (c, e) = (row.get(at).copied(), plane.get(at).copied());
        // One step back: inside of the run, or a rank before its first code.
        let (a, ac, ae) = if at > 0 {
            (Some(passed[at - 1]), row.get(at - 1).copied(), plane.get(at - 1).copied())
        } else if run.first_step > 0 {
            let back = |back: usize| {
                let is_there = back > 0 && run.first_step + back <= run.start;
                is_there.then(|| before[run.start - run.first_step - back])
            };
            (Some(before[run.start - run.first_step]), back(run.row), back(run.plane))
        } else {
            (None, None, None)
        };
        let has_a = a.is_some();
        let a = a.or(c).or(e).unwrap_or(NOTHING);
        let has_c = c.is_some();
        let (c, e) = (c.unwrap_or(a), e.unwrap_or(a));
        let (ac, ae) = (ac.unwrap_or(if has_a { a } else { c }), ae.unwrap_or(if has_a { a } else { e }));
        let ce = behind.get(at.wrapping_sub(first_behind)).copied().unwrap_or(if has_c { c } else { e });
        let (cn, en) = (row.get(at + 1).copied().unwrap_or(c), plane.get(at + 1).copied().unwrap_or(e));
        let first = match () {
            () if c == ac => a,
            () if a == ac => c,
            () if e == ae || a == c => a,
            () if a == ae => e,
            () => c,
        };
        let (b, d) = (rank.get(at).copied().unwrap_or(a), row_rank.get(at).copied().unwrap_or(c));
        Neighbours { a, b, c, d, e, ac, ae, ce, cn, en, first }
    }

    /// The likeliest code and, if all around are not the same, the next one.
    #[inline]
    pub(super) fn guesses(&self) -> (u16, Option<u16>) {
        let others = [self.a, self.c, self.e, self.b, self.d, self.cn, self.en, self.ac];
        (self.first, others.into_iter().find(|&code| code != self.first))
    }

    /// Which of the three nearest neighbours are alike, in three bits.
    #[inline]
    pub(super) fn nearest_alike(&self) -> usize {
        usize::from(self.a == self.c)
            | usize::from(self.a == self.e) << 1
            | usize::from(self.c == self.e) << 2
    }

    /// Which neighbours are alike, in nine bits.
    #[inline]
    pub(super) fn alike(&self) -> u16 {
        let Neighbours { a, c, e, ac, ae, ce, .. } = *self;
        let pairs = [(a, ac), (c, ac), (a, ae), (e, ae), (c, ce), (e, ce)];
        let further =
            pairs.iter().zip(0..).fold(0, |bits, ((one, other), at)| bits | u16::from(one == other) << at);
        further | (self.nearest_alike() as u16) << 6
    }
}

/// Consecutive codes of a row, a rank of the innermost level at most.
///
/// A run holds how far back the neighbours of its codes are, because that is the same for all of them.
pub(super) struct Run {
    /// The place of the first in the block.
    pub(super) start: usize,
    pub(super) len: usize,
    /// How far back the neighbours are: one rank on the innermost level, one step on the second and on the
    /// third; 0 where there is none.
    pub(super) rank: usize,
    pub(super) row: usize,
    pub(super) plane: usize,
    /// One step on the innermost level, of the first code; 1 for the others.
    pub(super) first_step: usize,
    /// One rank on the second level.
    pub(super) row_rank: usize,
    /// The values on the three levels, of the first code.
    pub(super) values: [usize; 3],
}

/// Whether a run repeated the one a row before, as far as another run can ask.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Repeat {
    No,
    Yes,
    /// There is no such run, or it has no row before it.
    Unknown,
}

impl Run {
    /// The runs of a block of this many codes, which begins at place `first` of its tile.
    pub(super) fn all(grid: &Grid, first: usize, n_codes: usize) -> impl Iterator<Item = Run> + use<> {
        let Grid { sizes, are_squares, files } = *grid;
        let strides: [usize; 3] = std::array::from_fn(|level| grid.stride(level));
        let mut values: [usize; 3] = std::array::from_fn(|level| grid.value(level, first));
        let mut start = 0;
        std::iter::from_fn(move || {
            if start == n_codes {
                return None;
            }
            let len = (files - values[0] % files).min(sizes[0] - values[0]).min(n_codes - start);
            let within = |back: usize| if back <= start { back } else { 0 };
            let step = |level: usize| {
                let n_values = match are_squares[level] {
                    true if !values[level].is_multiple_of(files) => 1,
                    true if values[level] >= files => files,
                    false if values[level] > 0 => 1,
                    _ => 0,
                };
                within(n_values * strides[level])
            };
            let rank_of = |level: usize| {
                let has_rank = are_squares[level] && values[level] >= files;
                within(usize::from(has_rank) * files * strides[level])
            };
            let rank = rank_of(0);
            let first_step = if are_squares[0] { rank } else { step(0) };
            let (row, plane, row_rank) = (step(1), step(2), rank_of(1));
            let run = Run { start, len, rank, row, plane, first_step, row_rank, values };
            start += len;
            // No division: the values go on as the digits of a counter do.
            values[0] += len;
            for level in 0..3 {
                if values[level] == sizes[level] {
                    values[level] = 0;
                    if let Some(next) = values.get_mut(level + 1) {
                        *next += 1;
                    }
                }
            }
            Some(run)
        })
    }

    /// The context of a run that has a row before it, given which of the codes behind it are the same, and
    /// whether the runs a rank, a row and a plane before it were repeats.
    #[inline]
    pub(super) fn context(&self, codes: &[u16], same: Option<u16>, repeats: [Repeat; 3]) -> usize {
        let same = match same {
            Some(same) => {
                let n_same = same.count_ones() as usize;
                n_same * 2 / self.len + usize::from(n_same == self.len)
            }
            None => 4,
        };
        let [rank, row, plane] = repeats.map(|repeat| repeat as usize);
        (((rank * 3 + row) * 3 + plane) * 5 + same) * 2 + usize::from(self.is_flat(codes))
    }

    /// Whether all codes of the run a row before are the same.
    #[inline]
    pub(super) fn is_flat(&self, codes: &[u16]) -> bool {
        let above = &codes[self.start - self.row..][..self.len];
        match above.first_chunk() {
            Some(&eight) if self.len == 8 => eight == [above[0]; 8],
            _ => above.iter().all(|&code| code == above[0]),
        }
    }

    /// Which codes of the run a plane before are those of the run a row before that, one bit each; none if
    /// there are no such runs.
    #[inline]
    pub(super) fn same_behind(&self, codes: &[u16]) -> Option<u16> {
        if self.plane == 0 || self.plane + self.row > self.start {
            return None;
        }
        let behind = self.start - self.plane;
        Some(equal(&codes[behind..behind + self.len], &codes[behind - self.row..][..self.len]))
    }

    /// Gives the run the codes of the run a row before.
    #[inline]
    pub(super) fn repeat(&self, codes: &mut [u16]) {
        let (above, run) = codes[self.start - self.row..].split_at_mut(self.row);
        match (above.first_chunk::<8>(), run.first_chunk_mut::<8>()) {
            (Some(above), Some(run)) if self.len == 8 => *run = *above,
            _ => run[..self.len].copy_from_slice(&above[..self.len]),
        }
    }

    /// The values on the levels, of a code of the run.
    #[inline]
    pub(super) fn values_at(&self, place: usize) -> [u16; 3] {
        let [inner, second, third] = self.values;
        [inner + place - self.start, second, third].map(|value| value as u16)
    }
}

/// Which codes of two runs are the same, one bit each.
#[inline]
pub(super) fn equal(one: &[u16], other: &[u16]) -> u16 {
    // Nearly all boards have eight files.
    if let (Ok(&one), Ok(&other)) = (one.try_into(), other.try_into()) {
        let (one, other): ([u16; 8], [u16; 8]) = (one, other);
        return u16x8::new(one).simd_eq(u16x8::new(other)).to_bitmask() as u16;
    }
    one.iter().zip(other).zip(0..).fold(0, |bits, ((one, other), at)| bits | u16::from(one == other) << at)
}

/// The misses of the runs of a block that have been passed.
#[derive(Default)]
pub(super) struct Misses {
    /// By the place where a run begins, one bit for each of its codes.
    of_runs: Vec<u16>,
}

impl Misses {
    /// Forgets all, for a block of this many codes.
    pub(super) fn clear(&mut self, n_codes: usize) {
        self.of_runs.clear();
        self.of_runs.resize(n_codes, 0);
    }

    /// Those of the run that begins so far back from the beginning of this one; none if there is no such
    /// run.
    #[inline]
    pub(super) fn back(&self, run: &Run, back: usize) -> Option<u16> {
        (back > 0).then(|| self.of_runs[run.start - back])
    }

    /// Those around a run whose codes are about to be passed.
    #[inline]
    pub(super) fn around(&self, run: &Run) -> RunMisses {
        // A run that the end of the block cuts is shorter than those before it.
        let of_len = ((1u32 << run.len) - 1) as u16;
        let of = |back: usize| self.back(run, back).unwrap_or(0) & of_len;
        RunMisses { own: 0, row: of(run.row), plane: of(run.plane) }
    }

    /// Keeps those of a run that has been passed.
    #[inline]
    pub(super) fn keep(&mut self, run: &Run, misses: RunMisses) {
        self.of_runs[run.start] = misses.own;
    }
}

/// The misses of a run so far, and those of the runs a row and a plane before.
pub(super) struct RunMisses {
    own: u16,
    row: u16,
    plane: u16,
}

impl RunMisses {
    /// Where around a code, this many places into the run, the first guess was wrong, in six bits: one and
    /// two places before it in the run, in the row before and the place after that, in the plane before and
    /// the place after that.
    #[inline]
    pub(super) fn around(&self, at: usize) -> u16 {
        // Two more bits below, for the places before the first code.
        let own = (u32::from(self.own) << 2 >> at) as u16;
        let two = |of_run: u16| of_run >> at & 0b11;
        (own >> 1 & 1) | (own & 1) << 1 | two(self.row) << 2 | two(self.plane) << 4
    }

    /// Notes that the guess of a code, this many places into the run, is wrong.
    #[inline]
    pub(super) fn note(&mut self, at: usize) {
        self.own |= 1 << at;
    }
}
