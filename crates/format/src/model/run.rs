//! Cuts a block into runs: consecutive codes along one rank of the innermost man's squares.
//!
//! A run holds how far back the neighbours of its codes are, because that is the same for all of them.

use crate::tile::grid::Grid;
use wide::u16x8;

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
    /// The runs of a block of so many codes, which begins at place `first` of its tile.
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
