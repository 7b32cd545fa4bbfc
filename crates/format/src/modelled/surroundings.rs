//! What stands around a code: the neighbours that have been passed before it.
//!
//! ```text
//!   fastest axis ─►
//!        ac   c   cn      the row before (next axis one back)
//!        a   (x)          b: a rank before a          d: a rank before c
//!
//!        ae   e   en      the plane before (third axis one back); ce: the row before that
//! ```

use super::grid::Grid;
use super::mixture::N_INPUTS;

/// How many sets of neighbours are told apart that are alike, and that were guessed wrong.
pub(super) const N_ALIKE: usize = 1 << 9;
pub(super) const N_MISSES: usize = 1 << 6;

/// Consecutive codes of a row, a rank of the fastest axis at most, and what is the same for all of them.
pub(super) struct Run {
    /// The place of the first in the block.
    pub(super) start: usize,
    pub(super) len: usize,
    /// How far back the neighbours are: one rank on the fastest axis, one step on the second and on the
    /// third; 0 where there is none.
    pub(super) rank: usize,
    pub(super) row: usize,
    pub(super) plane: usize,
    /// One step on the fastest axis, of the first code and of the others.
    first_step: usize,
    /// One rank on the second axis.
    row_rank: usize,
    /// The values on the three axes.
    values: [usize; 3],
}

impl Run {
    /// How many kinds of runs are told apart.
    pub(super) const N_KINDS: usize = 3 * 3 * 3 * 5 * 2;

    /// The run that begins at a place of a block of so many codes, which begins at `block` in its tile.
    pub(super) fn new(grid: &Grid, block: usize, start: usize, n_codes: usize) -> Run {
        let place = block + start;
        let value = grid.value(0, place);
        let len = (grid.files - value % grid.files).min(grid.sizes[0] - value).min(n_codes - start);
        let (rank, is_square) = (grid.rank(0, place, start), grid.are_squares[0]);
        Run {
            start,
            len,
            rank,
            row: grid.step(1, place, start),
            plane: grid.step(2, place, start),
            first_step: if is_square { rank } else { grid.step(0, place, start) },
            row_rank: grid.rank(1, place, start),
            values: std::array::from_fn(|level| grid.value(level, place)),
        }
    }

    /// The kind of a run that has a row before it, given what is known of the runs a rank, a row and a plane
    /// before.
    pub(super) fn kind(&self, codes: &[u16], known: [usize; 3]) -> usize {
        let above = &codes[self.start - self.row..][..self.len];
        let same = if self.plane > 0 && self.plane + self.row <= self.start {
            let behind = self.start - self.plane;
            let pairs = codes[behind..behind + self.len].iter().zip(&codes[behind - self.row..]);
            let n_same = pairs.filter(|(code, above)| code == above).count();
            n_same * 2 / self.len + usize::from(n_same == self.len)
        } else {
            4
        };
        let is_flat = usize::from(above.iter().all(|&code| code == above[0]));
        (((known[0] * 3 + known[1]) * 3 + known[2]) * 5 + same) * 2 + is_flat
    }
}

/// The codes around one.
pub(super) struct Surroundings {
    a: u16,
    b: u16,
    c: u16,
    d: u16,
    e: u16,
    ac: u16,
    ae: u16,
    ce: u16,
    cn: u16,
    en: u16,
    first: u16,
}

impl Surroundings {
    #[inline]
    pub(super) fn new(run: &Run, place: usize, codes: &[u16]) -> Self {
        let back = |back: usize| codes[place - back];
        let or = |back: usize, other: u16| if back > 0 { codes[place - back] } else { other };
        let step = if place > run.start { 1 } else { run.first_step };
        let (row, plane) = (run.row, run.plane);
        /// Where nothing stands before a code.
        const NOTHING: u16 = 1;
        let a = or(step, or(row, or(plane, NOTHING)));
        let (c, e) = (or(row, a), or(plane, a));
        let both = |one: usize, other: usize, else_: u16| match one > 0 && other > 0 && one + other <= place {
            true => back(one + other),
            false => else_,
        };
        let ac = both(step, row, if step > 0 { a } else { c });
        let ae = both(step, plane, if step > 0 { a } else { e });
        let ce = both(row, plane, if row > 0 { c } else { e });
        let is_last = place + 1 == run.start + run.len;
        let next = |before: usize, other: u16| if before > 0 && !is_last { back(before - 1) } else { other };
        let first = match () {
            () if c == ac => a,
            () if a == ac => c,
            () if e == ae || a == c => a,
            () if a == ae => e,
            () => c,
        };
        let (b, d) = (or(run.rank, a), or(run.row_rank, c));
        Surroundings { a, b, c, d, e, ac, ae, ce, cn: next(row, c), en: next(plane, e), first }
    }

    /// The likeliest code and, if all around are not the same, the next one.
    #[inline]
    pub(super) fn guesses(&self) -> (u16, Option<u16>) {
        let others = [self.a, self.c, self.e, self.b, self.d, self.cn, self.en, self.ac];
        (self.first, others.into_iter().find(|&code| code != self.first))
    }

    /// Which of the three next neighbours are alike, in three bits.
    #[inline]
    pub(super) fn n_alike(&self) -> usize {
        usize::from(self.a == self.c)
            | usize::from(self.a == self.e) << 1
            | usize::from(self.c == self.e) << 2
    }

    /// Which neighbours are alike, in nine bits.
    #[inline]
    pub(super) fn alike(&self) -> u16 {
        let Surroundings { a, c, e, ac, ae, ce, .. } = *self;
        let pairs = [(a, ac), (c, ac), (a, ae), (e, ae), (c, ce), (e, ce)];
        let further =
            pairs.iter().zip(0..).fold(0, |bits, ((one, other), at)| bits | u16::from(one == other) << at);
        further | (self.n_alike() as u16) << 6
    }

    /// What tells how likely the guesses are.
    #[inline]
    pub(super) fn of_guesses(&self, run: &Run, place: usize, misses: u16) -> [u32; N_INPUTS] {
        let Surroundings { a, b, c, d, e, ae, ce, first, .. } = *self;
        let alike = self.alike();
        let [fast, second, third] = run.values_at(place);
        [
            hash(0, alike, first, 0),
            hash(1, a, c, e),
            hash(2, first, b, d),
            hash(3, first, fast, second),
            hash(4, first, fast, third),
            hash(5, alike, misses, 0),
            hash(6, first, ae, ce),
            hash(7, first, second, third),
        ]
    }

    /// What tells how likely the bits of a code are that could not be guessed.
    #[inline]
    pub(super) fn of_bits(&self, run: &Run, place: usize) -> [u32; N_INPUTS] {
        let [fast, second, third] = run.values_at(place);
        let next = self.guesses().1.unwrap_or_default();
        [
            hash(8, 0, 0, 0),
            hash(9, self.first, 0, 0),
            hash(10, self.c, 0, 0),
            hash(11, self.a, 0, 0),
            hash(12, self.e, 0, 0),
            hash(13, fast, 0, 0),
            hash(14, self.first, next, 0),
            hash(15, second, third, 0),
        ]
    }
}

impl Run {
    /// Where around a code the first guess was wrong, in six bits: one and two places before it in the run,
    /// in the row before and the place after that, in the plane before and the place after that.
    #[inline]
    pub(super) fn misses_around(&self, place: usize, misses: &[bool]) -> u16 {
        let (done, is_last) = (place - self.start, place + 1 == self.start + self.len);
        let at = |back: usize, is_there: bool| u16::from(is_there && misses[place - back]);
        let after = |back: usize| at(back.wrapping_sub(1), back > 0 && !is_last);
        let in_run = at(1, done > 0) | at(2, done > 1) << 1;
        let in_row = at(self.row, self.row > 0) | after(self.row) << 1;
        let in_plane = at(self.plane, self.plane > 0) | after(self.plane) << 1;
        in_run | in_row << 2 | in_plane << 4
    }

    /// The values on the axes, of a code of the run.
    #[inline]
    fn values_at(&self, place: usize) -> [u16; 3] {
        let [fast, second, third] = self.values;
        [fast + place - self.start, second, third].map(|value| value as u16)
    }
}

/// One number for circumstances of a kind.
#[inline]
fn hash(kind: u64, one: u16, two: u16, three: u16) -> u32 {
    let all = kind << 48 | u64::from(three) << 32 | u64::from(two) << 16 | u64::from(one);
    (all.wrapping_mul(0x9fb2_1c65_1e98_df25) >> 32) as u32
}
