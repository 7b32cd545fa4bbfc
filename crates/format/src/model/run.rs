//! Cuts a block into runs: consecutive codes along one rank of the innermost man's squares.
//!
//! A run holds how far back the neighbours of its codes are, because that is the same for all of them.

use crate::tile::grid::Grid;

/// Consecutive codes of a row, a rank of the innermost level at most.
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
    values: [usize; 3],
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
    /// How many contexts of runs there are.
    pub(super) const N_CONTEXTS: usize = 3 * 3 * 3 * 5 * 2;

    /// The run that begins at place `start` of a block of so many codes, which begins at `first` in its tile.
    pub(super) fn new(grid: &Grid, first: usize, start: usize, n_codes: usize) -> Run {
        let place = first + start;
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

    /// The context of a run that has a row before it, given whether the runs a rank, a row and a plane before
    /// it were repeats.
    pub(super) fn context(&self, codes: &[u16], repeats: [Repeat; 3]) -> usize {
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
        let [rank, row, plane] = repeats.map(|repeat| repeat as usize);
        (((rank * 3 + row) * 3 + plane) * 5 + same) * 2 + is_flat
    }

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

    /// The values on the levels, of a code of the run.
    #[inline]
    pub(super) fn values_at(&self, place: usize) -> [u16; 3] {
        let [inner, second, third] = self.values;
        [inner + place - self.start, second, third].map(|value| value as u16)
    }
}
