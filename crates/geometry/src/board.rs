//! The shape of a board, its squares and the steps between them.

use crate::SquareSet;
use std::fmt;

/// The most squares a board may have here: one machine word.
pub(crate) const MAX_SQUARES: usize = 64;

/// A square, numbered rank by rank from a1 (`rank * files + file`).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Square(u8);

impl Square {
    /// The square with this number; whether a board has it is the board's to say.
    #[must_use]
    pub const fn from_index(index: usize) -> Self {
        debug_assert!(index < MAX_SQUARES);
        Square(index as u8)
    }

    /// The number of the square, from 0.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A displacement in files (towards the last file) and ranks (towards the last rank).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Step {
    /// Files towards the last file.
    pub files: i8,
    /// Ranks towards the last rank.
    pub ranks: i8,
}

impl Step {
    /// The step of `files` files and `ranks` ranks.
    #[must_use]
    pub const fn new(files: i8, ranks: i8) -> Self {
        Step { files, ranks }
    }

    /// The step taken back.
    #[must_use]
    pub const fn reversed(self) -> Self {
        Step::new(-self.files, -self.ranks)
    }

    /// The step as seen from the other side of the board.
    #[must_use]
    pub const fn mirrored_ranks(self) -> Self {
        Step::new(self.files, -self.ranks)
    }

    /// The step taken `n` times.
    #[must_use]
    pub const fn times(self, n: i8) -> Self {
        Step::new(self.files * n, self.ranks * n)
    }
}

/// A rectangular board.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Board {
    files: u8,
    ranks: u8,
}

/// A board that cannot be.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BoardError {
    /// Too few or too many files, ranks or squares.
    #[error(
        "a board of {files}×{ranks} is not supported: from 3×3 up to 16 files or ranks and {MAX_SQUARES} squares"
    )]
    Size {
        /// The files asked for.
        files: usize,
        /// The ranks asked for.
        ranks: usize,
    },
}

impl Board {
    /// The board of `files` × `ranks` squares.
    ///
    /// # Errors
    /// Fewer than 3 or more than 16 files or ranks, or more than 64 squares.
    pub fn new(files: usize, ranks: usize) -> Result<Self, BoardError> {
        let fits = |n: usize| (3..=16).contains(&n);
        if !fits(files) || !fits(ranks) || files * ranks > MAX_SQUARES {
            return Err(BoardError::Size { files, ranks });
        }
        Ok(Board { files: files as u8, ranks: ranks as u8 })
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

    /// Number of squares.
    #[must_use]
    pub const fn n_squares(&self) -> usize {
        self.files as usize * self.ranks as usize
    }

    /// Every square, from a1 along the ranks.
    pub fn squares(&self) -> impl DoubleEndedIterator<Item = Square> + use<> {
        (0..self.n_squares()).map(Square::from_index)
    }

    /// Every square as a set.
    #[must_use]
    pub fn all(&self) -> SquareSet {
        self.squares().collect()
    }

    /// The square on this file and rank, both from 0.
    ///
    /// # Panics
    /// If the board has no such square.
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

    /// The square one step away, if the board has it.
    #[must_use]
    pub fn offset(&self, square: Square, step: Step) -> Option<Square> {
        let file = self.file_of(square) as i32 + i32::from(step.files);
        let rank = self.rank_of(square) as i32 + i32::from(step.ranks);
        let on_board = (0..self.files() as i32).contains(&file) && (0..self.ranks() as i32).contains(&rank);
        on_board.then(|| self.square(file as usize, rank as usize))
    }

    /// The same square as seen from the other side of the board.
    #[must_use]
    pub fn mirror_ranks(&self, square: Square) -> Square {
        self.square(self.file_of(square), self.ranks() - 1 - self.rank_of(square))
    }

    /// The square's name, such as `e4`; files are letters, ranks numbers from 1.
    #[must_use]
    pub fn name(&self, square: Square) -> String {
        format!("{}{}", (b'a' + self.file_of(square) as u8) as char, self.rank_of(square) + 1)
    }

    /// The square of that name, if the board has one.
    #[must_use]
    pub fn square_named(&self, name: &str) -> Option<Square> {
        let mut chars = name.chars();
        let file = (chars.next()? as u32).checked_sub('a' as u32)? as usize;
        let digits = chars.as_str();
        if digits.starts_with(['0', '+']) {
            return None;
        }
        let rank = digits.parse::<usize>().ok()?.checked_sub(1)?;
        (file < self.files() && rank < self.ranks()).then(|| self.square(file, rank))
    }
}

impl fmt::Display for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}×{}", self.files, self.ranks)
    }
}
