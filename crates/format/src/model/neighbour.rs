//! Collects the neighbours of a code that were passed before it, and guesses the code from them.
//!
//! ```text
//!   innermost level ─►
//!        ac   c   cn      the row before (second level one step back)
//!        a   (x)          b: a rank before a          d: a rank before c
//!
//!        ae   e   en      the plane before (third level one step back); ce: the row before that
//! ```

use super::run::Run;

/// How many sets of neighbours that are alike there are, and of neighbours that were guessed wrong.
pub(super) const N_ALIKE: usize = 1 << 9;
pub(super) const N_MISSES: usize = 1 << 6;

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
    #[inline(always)]
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
        Neighbours { a, b, c, d, e, ac, ae, ce, cn: next(row, c), en: next(plane, e), first }
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
