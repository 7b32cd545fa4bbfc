//! Describes a row of placements, in which one man varies and all others stand still.

use super::slot::class;
use super::slots::ROW;
use geometry::Square;
use index::{Layout, MAX_MEN};
use table::View;
use variant::Side;

/// A row: where the men stand but for the one who varies.
pub(crate) struct Row {
    pub(crate) squares: [Square; MAX_MEN],
    pub(crate) n_men: usize,
    pub(crate) varying: usize,
    /// The squares of the men who do not vary.
    pub(crate) occupied: u64,
}

impl Row {
    /// The row of a layout with this number; none if two of its men share a square.
    pub(crate) fn new(layout: &Layout, number: usize) -> Option<Self> {
        let placement = layout.decode(number * ROW);
        let varying = *layout.free().last().expect("one of two kings is free");
        let (mut squares, mut occupied) = ([Square::from_index(0); MAX_MEN], 0u64);
        for (man, (square, own)) in squares.iter_mut().zip(placement.iter().copied()).enumerate() {
            *square = own;
            if man != varying {
                if occupied >> own.index() & 1 != 0 {
                    return None;
                }
                occupied |= 1 << own.index();
            }
        }
        Some(Row { squares, n_men: layout.men().len(), varying, occupied })
    }

    pub(crate) fn square(&self, man: usize) -> u8 {
        self.squares[man].index() as u8
    }

    /// The same with the man who varies on a square.
    pub(crate) fn with(&self, square: usize) -> Row {
        let mut squares = self.squares;
        squares[self.varying] = Square::from_index(square);
        Row { squares, ..*self }
    }

    /// The squares of the men that are left after a move, and how many they are.
    pub(crate) fn after(
        &self,
        mover: usize,
        victim: Option<usize>,
        to: Square,
    ) -> ([Square; MAX_MEN], usize) {
        let (mut after, mut n) = ([Square::from_index(0); MAX_MEN], 0);
        for (place, &square) in self.squares[..self.n_men].iter().enumerate() {
            if Some(place) != victim {
                after[n] = if place == mover { to } else { square };
                n += 1;
            }
        }
        (after, n)
    }
}

/// What moves to the placements of a row are worth, 0 loss to 4 win; 0 for no move too.
pub(crate) fn classes(view: &View<'_>, stm: Side, squares: &[Square], varying: usize) -> [u8; ROW] {
    let mut worths = [0; ROW];
    view.rows(stm, squares, None, varying).codes::<ROW>(Square::from_index(0)).worths(&mut worths);
    worths.map(class)
}
