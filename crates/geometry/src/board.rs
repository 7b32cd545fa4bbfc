//! Describes a board: its shape, its missing squares, and the names and neighbours of its squares.

use crate::square::{MAX_SQUARES, Square, SquareSet, Step};
use std::fmt;

/// A rectangular board, some of whose squares may be missing, and whose first and last file may be
/// neighbours.
///
/// Squares are numbered as if none were missing, so that a number says where a square is. `squares`, `all`,
/// `offset` and `square_named` return only squares that are there.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Board {
    files: u8,
    ranks: u8,
    is_cylinder: bool,
    holes: SquareSet,
}

/// A board that cannot be.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BoardError {
    /// Too few or too many files, ranks or squares.
    #[error(
        "a board of {files}×{ranks} is not supported: 1 to 16 files and ranks, {LEAST_SQUARES} to {MAX_SQUARES} squares"
    )]
    Size {
        /// The files asked for.
        files: usize,
        /// The ranks asked for.
        ranks: usize,
    },
    /// Too few squares are left.
    #[error(
        "a board of {files}×{ranks} with {n_holes} holes has {left} squares left; it needs {LEAST_SQUARES} at least"
    )]
    Holes {
        /// The files.
        files: usize,
        /// The ranks.
        ranks: usize,
        /// Holes on the board.
        n_holes: usize,
        /// Squares that are left.
        left: usize,
    },
}

/// The fewest squares a board may have.
pub const LEAST_SQUARES: usize = 4;

impl Board {
    /// The board of `files` × `ranks` squares.
    ///
    /// # Errors
    /// No file or rank, more than 16 of either, or fewer than 4 or more than [`MAX_SQUARES`] squares.
    pub fn new(files: usize, ranks: usize) -> Result<Self, BoardError> {
        let fits = |n: usize| (1..=16).contains(&n);
        if !fits(files) || !fits(ranks) || !(LEAST_SQUARES..=MAX_SQUARES).contains(&(files * ranks)) {
            return Err(BoardError::Size { files, ranks });
        }
        Ok(Board { files: files as u8, ranks: ranks as u8, is_cylinder: false, holes: SquareSet::EMPTY })
    }

    /// The board without these squares, beside those that are missing already.
    ///
    /// # Errors
    /// Fewer than four squares are left.
    pub fn with_holes(mut self, holes: SquareSet) -> Result<Self, BoardError> {
        let rectangle: SquareSet = (0..self.n_squares()).map(Square::from_index).collect();
        self.holes = self.holes.union(holes).intersection(rectangle);
        let n_holes = self.holes.n_squares();
        let left = self.n_squares() - n_holes;
        if left < LEAST_SQUARES {
            return Err(BoardError::Holes { files: self.files(), ranks: self.ranks(), n_holes, left });
        }
        Ok(self)
    }

    /// This board with all squares there.
    #[must_use]
    pub const fn without_holes(mut self) -> Self {
        self.holes = SquareSet::EMPTY;
        self
    }

    /// The board bent to a cylinder: beyond the last file comes the first.
    #[must_use]
    pub const fn with_joined_files(mut self) -> Self {
        self.is_cylinder = true;
        self
    }

    /// Whether beyond the last file comes the first.
    #[must_use]
    pub const fn is_cylinder(&self) -> bool {
        self.is_cylinder
    }

    /// The squares of the rectangle that are missing.
    #[must_use]
    pub const fn holes(&self) -> SquareSet {
        self.holes
    }

    /// Whether the board has the square.
    #[must_use]
    pub const fn has(&self, square: Square) -> bool {
        square.index() < self.n_squares() && !self.holes.contains(square)
    }

    /// Number of files.
    #[must_use]
    pub const fn files(&self) -> usize {
        self.files as usize
    }

    /// Number of ranks.
    #[must_use]
    pub const fn ranks(&self) -> usize {
        self.ranks as usize
    }

    /// Number of squares of the rectangle, missing ones too: squares have numbers below it.
    #[must_use]
    pub const fn n_squares(&self) -> usize {
        self.files as usize * self.ranks as usize
    }

    /// Every square, from a1 along the ranks.
    pub fn squares(&self) -> impl DoubleEndedIterator<Item = Square> + use<> {
        let board = *self;
        (0..self.n_squares()).map(Square::from_index).filter(move |&square| board.has(square))
    }

    /// Every square as a set.
    #[must_use]
    pub const fn all(&self) -> SquareSet {
        SquareSet::from_bits(u128::MAX >> (128 - self.n_squares())).without(self.holes)
    }

    /// The square on this file and rank, both from 0, also if it is missing.
    ///
    /// # Panics
    /// If the square lies beyond the board.
    #[must_use]
    pub fn square(&self, file: usize, rank: usize) -> Square {
        assert!(
            file < self.files() && rank < self.ranks(),
            "no square at file {file}, rank {rank} of {self:?}"
        );
        Square::from_index(rank * self.files() + file)
    }

    /// The file of a square, from 0.
    #[must_use]
    pub const fn file_of(&self, square: Square) -> usize {
        square.index() % self.files()
    }

    /// The rank of a square, from 0.
    #[must_use]
    pub const fn rank_of(&self, square: Square) -> usize {
        square.index() / self.files()
    }

    /// The squares of one rank (from 0); empty beyond the board.
    #[must_use]
    pub fn rank(&self, rank: usize) -> SquareSet {
        self.squares().filter(|&s| self.rank_of(s) == rank).collect()
    }

    /// The square one step away, if the board has it and it is another one.
    #[must_use]
    pub fn offset(&self, square: Square, step: Step) -> Option<Square> {
        let (files, ranks) = (self.files() as i32, self.ranks() as i32);
        let mut file = self.file_of(square) as i32 + i32::from(step.files);
        let rank = self.rank_of(square) as i32 + i32::from(step.ranks);
        if self.is_cylinder {
            file = file.rem_euclid(files);
        }
        if !(0..files).contains(&file) || !(0..ranks).contains(&rank) {
            return None;
        }
        let target = self.square(file as usize, rank as usize);
        (self.has(target) && target != square).then_some(target)
    }

    /// The square as seen from the other side of the board.
    #[must_use]
    pub fn mirror_ranks(&self, square: Square) -> Square {
        self.square(self.file_of(square), self.ranks() - 1 - self.rank_of(square))
    }

    /// The square's name, such as `e4`; files are letters, ranks numbers from 1.
    #[must_use]
    pub fn name(&self, square: Square) -> String {
        format!("{}{}", (b'a' + self.file_of(square) as u8) as char, self.rank_of(square) + 1)
    }

    /// The square of that name, if the board has it.
    #[must_use]
    pub fn square_named(&self, name: &str) -> Option<Square> {
        let mut chars = name.chars();
        let file = (chars.next()? as u32).checked_sub('a' as u32)? as usize;
        let digits = chars.as_str();
        if digits.starts_with(['0', '+']) {
            return None;
        }
        let rank = digits.parse::<usize>().ok()?.checked_sub(1)?;
        let on_board = file < self.files() && rank < self.ranks();
        on_board.then(|| self.square(file, rank)).filter(|&square| self.has(square))
    }
}

impl fmt::Display for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}×{}", self.files, self.ranks)
    }
}
