//! Predicts from the squares of the men whether the first guesses of a run are right.

use super::prior::Prior;
use crate::tile::tiling::{TileId, Tiling};
use index::{Layout, MAX_MEN};

/// The squares of the men at each place of a tile.
#[derive(Clone, Copy)]
pub(crate) struct TileMen<'a> {
    layout: &'a Layout,
    tiling: &'a Tiling,
    tile: TileId,
    /// The man whose squares are the innermost level, if one's are.
    inner: Option<usize>,
}

impl<'a> TileMen<'a> {
    pub(crate) fn new(layout: &'a Layout, tiling: &'a Tiling, tile: TileId) -> Self {
        TileMen { layout, tiling, tile, inner: tiling.inner_man(layout) }
    }

    /// The layout.
    #[cfg(feature = "parallel")]
    pub(super) fn layout(&self) -> &'a Layout {
        self.layout
    }

    /// The squares at a place.
    pub(super) fn squares(&self, place: usize) -> [u8; MAX_MEN] {
        let placement = self.layout.decode(self.tiling.number(self.tile, place));
        let mut squares = [0; MAX_MEN];
        squares.iter_mut().zip(placement.iter()).for_each(|(to, square)| *to = square.index() as u8);
        squares
    }
}

/// The men of a tile, and the weights of their squares.
#[derive(Clone, Copy)]
pub(crate) struct GuessPredictor<'a> {
    pub(crate) men: TileMen<'a>,
    pub(crate) prior: &'a Prior,
}

impl GuessPredictor<'_> {
    /// What the squares add to the scores of a run that begins at this place of the tile.
    pub(super) fn of_run(&self, start: usize, sums: &mut [i32]) {
        let GuessPredictor { men, prior } = self;
        let mut squares = men.squares(start);
        let all = prior.of_squares(&squares);
        let Some(man) = men.inner else {
            sums.iter_mut()
                .zip(start..)
                .for_each(|(sum, place)| *sum = prior.of_squares(&men.squares(place)));
            return;
        };
        // A run goes along a rank, so that one man moves and the others stand still.
        let still = all - prior.of_man(man, &squares);
        for (i, sum) in sums.iter_mut().enumerate() {
            squares[man] = men.tiling.inner_square(start + i);
            *sum = still + prior.of_man(man, &squares);
        }
    }
}
