//! Scores the first guess of a code before anything of its block has been passed: weights for the squares of
//! the men, found by training.
//!
//! Where a man stands beside one that can take it, or a king in the way of a rook, values differ from those
//! around. A block is too short to find that out each time anew. So a writer trains weights once on a sample
//! of the side to move and puts them into the file: for each two men a weight for each two squares, and
//! weights for what the neighbours look like and for the guess itself.
//!
//! ```text
//!   score = Σ over two men  weight[two men][square][square]
//!           + weight[alike] + weight[misses] + weight[guess]
//! ```
//!
//! The score is the logarithm of the odds that the guess is right: one more input of the mixer.

use crate::model::context::{N_ALIKE, N_MISSES};
use crate::tile::{TileId, Tiling};
use index::{Layout, MAX_MEN};
use zstd::bulk::decompress;

#[cfg(feature = "parallel")]
use std::io;
#[cfg(feature = "parallel")]
use zstd::bulk::compress;

/// Guesses of this and more have one weight together.
const MOST_GUESS: u16 = 255;

/// A score is never as sure as a mixture can be.
const MOST_SCORE: i32 = 1500;

/// Logarithms of odds are counted in 128ths, weights in sixteenths.
const UNIT: i32 = 8;

/// As for small tables of other metrics: it is done once for a side.
#[cfg(feature = "parallel")]
const LEVEL: i32 = 19;

/// Numbers the features that have a weight each: a pair of men on two squares, a set of like neighbours, a
/// set of misses, a guess.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Features {
    n_men: usize,
    n_squares: usize,
}

impl Features {
    pub(super) fn new(layout: &Layout) -> Self {
        Features { n_men: layout.men().len(), n_squares: layout.n_squares() }
    }

    /// How many features squares have.
    fn n_of_squares(self) -> usize {
        self.n_men * (self.n_men - 1) / 2 * self.n_squares * self.n_squares
    }

    /// How many features there are.
    pub(super) fn len(self) -> usize {
        self.n_of_squares() + N_ALIKE + N_MISSES + usize::from(MOST_GUESS) + 1
    }

    /// The first feature of each group of which a score has one: those of each two men, then those of a code.
    #[cfg(feature = "parallel")]
    pub(super) fn starts(self) -> Vec<usize> {
        let n_of_two = self.n_squares * self.n_squares;
        let of_squares = (0..self.n_of_squares()).step_by(n_of_two);
        of_squares.chain(self.of_code(0, 0, 0)).collect()
    }

    /// The feature of two men, the first of them before the other, on two of these squares.
    fn of_two(self, one: usize, other: usize, squares: &[u8]) -> usize {
        let pair = one * (2 * self.n_men - one - 1) / 2 + other - one - 1;
        (pair * self.n_squares + usize::from(squares[one])) * self.n_squares + usize::from(squares[other])
    }

    /// The features of all two of these squares.
    pub(super) fn of_squares(self, squares: &[u8]) -> impl Iterator<Item = usize> {
        let others = move |one| (one + 1..self.n_men).map(move |other| self.of_two(one, other, squares));
        (0..self.n_men).flat_map(others)
    }

    /// For each other man, on his square, and this one: the feature of this man's first square, and how far
    /// the next one's is.
    fn of_man(self, man: usize, squares: &[u8]) -> impl Iterator<Item = (usize, usize)> {
        let mut squares: Vec<u8> = squares.to_vec();
        squares[man] = 0;
        let others = (0..self.n_men).filter(move |&other| other != man);
        others.map(move |other| {
            let step = if man < other { self.n_squares } else { 1 };
            (self.of_two(man.min(other), man.max(other), &squares), step)
        })
    }

    /// The features of a code: what its neighbours look like, where guesses around it were wrong, its guess.
    pub(super) fn of_code(self, alike: u16, misses: u16, guess: u16) -> [usize; 3] {
        let start = self.n_of_squares();
        [
            start + usize::from(alike),
            start + N_ALIKE + usize::from(misses),
            start + N_ALIKE + N_MISSES + usize::from(guess.min(MOST_GUESS)),
        ]
    }
}

/// The weights of a side to move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Prior {
    features: Features,
    /// In sixteenths of a logarithm of odds.
    weights: Box<[i8]>,
    /// The weights as they stand in a file.
    frame: Box<[u8]>,
}

impl Prior {
    /// # Panics
    /// If there are not as many weights as features.
    #[cfg(feature = "parallel")]
    pub(super) fn new(features: Features, weights: Box<[i8]>) -> io::Result<Self> {
        assert_eq!(weights.len(), features.len());
        let bytes: Vec<u8> = weights.iter().map(|&weight| weight as u8).collect();
        let frame = compress(&bytes, LEVEL)?.into_boxed_slice();
        Ok(Prior { features, weights, frame })
    }

    /// The weights as one Zstandard frame, in the order of their features.
    #[cfg(feature = "parallel")]
    pub(crate) fn frame(&self) -> &[u8] {
        &self.frame
    }

    /// The weights from such a frame; none if it does not hold those of this layout.
    pub(crate) fn decode(layout: &Layout, frame: &[u8]) -> Option<Self> {
        let features = Features::new(layout);
        let bytes = decompress(frame, features.len()).ok().filter(|bytes| bytes.len() == features.len())?;
        let weights = bytes.into_iter().map(|byte| byte as i8).collect();
        Some(Prior { features, weights, frame: frame.into() })
    }

    /// What squares add to a score.
    pub(super) fn of_squares(&self, squares: &[u8]) -> i32 {
        self.sum(self.features.of_squares(squares))
    }

    /// For each pair with this man the feature of his first square, and how far the next one's is.
    pub(super) fn pairs_of(&self, man: usize, squares: &[u8]) -> impl Iterator<Item = (usize, usize)> {
        self.features.of_man(man, squares)
    }

    /// The weight of a feature.
    #[inline]
    pub(super) fn weight(&self, feature: usize) -> i32 {
        self.weights[feature].into()
    }

    fn sum(&self, features: impl Iterator<Item = usize>) -> i32 {
        features.map(|feature| i32::from(self.weights[feature])).sum()
    }

    /// The score of a guess, given what the squares add to it.
    #[inline]
    pub(super) fn score(&self, of_squares: i32, alike: u16, misses: u16, guess: u16) -> i32 {
        let features = self.features.of_code(alike, misses, guess);
        let sum = features.iter().fold(of_squares, |sum, &feature| sum + i32::from(self.weights[feature]));
        (sum * UNIT).clamp(-MOST_SCORE, MOST_SCORE)
    }
}

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
    /// For each of them and the innermost man: where the weights of their squares begin, and how far they
    /// are apart.
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
