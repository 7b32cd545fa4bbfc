//! Remembers where in a block the first guess was wrong, one bit a code.

use super::run::Run;

/// The misses of the runs of a block that have been passed.
#[derive(Default)]
pub(super) struct Misses {
    /// By the place where a run begins, one bit for each of its codes.
    of_runs: Vec<u16>,
}

impl Misses {
    /// Forgets all, for a block of so many codes.
    pub(super) fn clear(&mut self, n_codes: usize) {
        self.of_runs.clear();
        self.of_runs.resize(n_codes, 0);
    }

    /// Those of the run that begins so far back from the beginning of this one; none if there is no such run.
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
    /// Where around a code, so many places into the run, the first guess was wrong, in six bits: one and two
    /// places before it in the run, in the row before and the place after that, in the plane before and the
    /// place after that.
    #[inline]
    pub(super) fn around(&self, at: usize) -> u16 {
        // Two more bits below, for the places before the first code.
        let own = (u32::from(self.own) << 2 >> at) as u16;
        let two = |of_run: u16| of_run >> at & 0b11;
        (own >> 1 & 1) | (own & 1) << 1 | two(self.row) << 2 | two(self.plane) << 4
    }

    /// Notes that the guess of a code, so many places into the run, is wrong.
    #[inline]
    pub(super) fn note(&mut self, at: usize) {
        self.own |= 1 << at;
    }
}
