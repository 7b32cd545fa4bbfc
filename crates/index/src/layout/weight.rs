//! Counts how many placements a canonical one stands for.

use super::Layout;
use crate::placement::MAX_PLACED;
use geometry::Square;

/// How many placements one canonical placement stands for, like men being distinguishable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Weights {
    /// Placements on the whole board.
    pub unreduced: u32,
    /// Placements modulo the symmetries of the board.
    pub orbits: u32,
}

impl Layout {
    /// How many placements a canonical placement (without shared squares) stands for.
    #[must_use]
    pub fn weights(&self, squares: &[Square]) -> Weights {
        let (mut n_keeping_all, mut n_keeping_set) = (0, 0);
        let n_group = self.group.len() as u32;
        let mut sorted = [Square::from_index(0); MAX_PLACED];
        let mut image = sorted;
        let n = squares.len();
        sorted[..n].copy_from_slice(squares);
        self.sort_like(&mut sorted);
        for &g in &self.group {
            for (slot, s) in image.iter_mut().zip(squares) {
                *slot = Square::from_index(self.permutations[g.index()][s.index()] as usize);
            }
            n_keeping_all += u32::from(image[..n] == *squares);
            self.sort_like(&mut image);
            n_keeping_set += u32::from(image[..n] == sorted[..n]);
        }
        let unreduced = n_group * self.n_exchanges / n_keeping_set;
        Weights { unreduced, orbits: unreduced * n_keeping_all / n_group }
    }

    /// Sorts the squares of like men among all men's squares.
    fn sort_like(&self, squares: &mut [Square; MAX_PLACED]) {
        let groups =
            [(&self.frame, &self.like_frame), (&self.free, &self.like_free), (&self.pawns, &self.like_pawns)];
        for (places, runs) in groups {
            for run in runs {
                insertion_sort(squares, &places[run.clone()]);
            }
        }
    }
}

fn insertion_sort(squares: &mut [Square; MAX_PLACED], places: &[usize]) {
    for i in 1..places.len() {
        let mut j = i;
        while j > 0 && squares[places[j - 1]] > squares[places[j]] {
            squares.swap(places[j - 1], places[j]);
            j -= 1;
        }
    }
}
