//! Predicts from the squares of the men whether the first guesses of runs are right.

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

impl<'a> GuessPredictor<'a> {
    /// To go through the runs of a block.
    pub(super) fn squares(self) -> SquareScores<'a> {
        SquareScores { predictor: self, row: None }
    }
}

/// What the squares of the men add to the scores of runs, which come one after the other.
pub(super) struct SquareScores<'a> {
    predictor: GuessPredictor<'a>,
    /// What is the same for all runs in which the innermost man alone has another square.
    row: Option<Row>,
}

/// The men who stand still in a row of codes.
struct Row {
    /// The place of its first code.
    start: usize,
    /// What they add among each other.
    still: i32,
    /// For each of them and the innermost man: where the weights of their squares begin, and how far they are
    /// apart.
    pairs: [(usize, usize); MAX_MEN],
    n_pairs: usize,
}

impl SquareScores<'_> {
    /// What squares add to the scores of a run that begins at this place of the tile.
    pub(super) fn of_run(&mut self, start: usize, sums: &mut [i32]) {
        let GuessPredictor { men, prior } = self.predictor;
        let Some(man) = men.inner else {
            sums.iter_mut()
                .zip(start..)
                .for_each(|(sum, place)| *sum = prior.of_squares(&men.squares(place)));
            return;
        };
        let row_start = men.tiling.inner_row(start);
        if self.row.as_ref().is_none_or(|row| row.start != row_start) {
            self.row = Some(Row::new(prior, row_start, man, &men.squares(row_start)));
        }
        let row = self.row.as_ref().expect("it was just made");
        for (sum, in_row) in sums.iter_mut().zip(start - row_start..) {
            let square = usize::from(men.tiling.inner_square(in_row));
            let pairs = row.pairs[..row.n_pairs].iter();
            *sum = row.still + pairs.map(|&(start, step)| prior.weight(start + step * square)).sum::<i32>();
        }
    }
}

impl Row {
    /// Of a row in which this man moves, given the squares of all men at its first place.
    fn new(prior: &Prior, start: usize, man: usize, squares: &[u8]) -> Self {
        let mut row = Row { start, still: prior.of_squares(squares), pairs: Default::default(), n_pairs: 0 };
        for (first, step) in prior.pairs_of(man, squares) {
            row.still -= prior.weight(first + step * usize::from(squares[man]));
            row.pairs[row.n_pairs] = (first, step);
            row.n_pairs += 1;
        }
        row
    }
}
