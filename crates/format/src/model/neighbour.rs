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

/// Where nothing stands before a code.
const NOTHING: u16 = 1;

/// The runs around a run whose codes are passed one by one: where there is none, an empty one.
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
    /// Those of the code so many places into a run, of which the codes before it are `passed`.
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
