//! The symmetries of a rectangle: mirrors, rotations, and on a square board the diagonals.
//!
//! A symmetry is "transpose if bit 2, then mirror the files if bit 0, then mirror the ranks if bit 1".
//! Every one of the eight symmetries of a square is exactly one such triple, so three bits number them;
//! a rectangle that is no square has the four without the transposition.

use crate::{Board, Square, Step};

/// A symmetry of the board.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Symmetry(u8);

impl Symmetry {
    /// The symmetry that moves nothing.
    pub const IDENTITY: Symmetry = Symmetry(0);
    /// Left and right exchanged.
    pub const MIRROR_FILES: Symmetry = Symmetry(1);
    /// Near and far exchanged.
    pub const MIRROR_RANKS: Symmetry = Symmetry(2);
    /// Files and ranks exchanged.
    pub const TRANSPOSE: Symmetry = Symmetry(4);

    /// Every symmetry of this board's shape, the identity first.
    #[must_use]
    pub fn all(board: &Board) -> Vec<Symmetry> {
        let n = if board.files() == board.ranks() { 8 } else { 4 };
        (0..n).map(Symmetry).collect()
    }

    /// The symmetry with this number, 0 to 7.
    #[must_use]
    pub const fn from_index(index: usize) -> Symmetry {
        Symmetry(index as u8 & 7)
    }

    /// The number of the symmetry, 0 to 7.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Where the symmetry takes a square.
    #[must_use]
    pub fn square(self, board: &Board, square: Square) -> Square {
        let (mut file, mut rank) = (board.file_of(square), board.rank_of(square));
        if self.0 & 4 != 0 {
            (file, rank) = (rank, file);
        }
        if self.0 & 1 != 0 {
            file = board.files() - 1 - file;
        }
        if self.0 & 2 != 0 {
            rank = board.ranks() - 1 - rank;
        }
        board.square(file, rank)
    }

    /// What the symmetry makes of a step.
    #[must_use]
    pub const fn step(self, step: Step) -> Step {
        let (mut files, mut ranks) = (step.files, step.ranks);
        if self.0 & 4 != 0 {
            (files, ranks) = (ranks, files);
        }
        if self.0 & 1 != 0 {
            files = -files;
        }
        if self.0 & 2 != 0 {
            ranks = -ranks;
        }
        Step::new(files, ranks)
    }

    /// The symmetry that takes back what this one does.
    #[must_use]
    pub const fn inverse(self) -> Symmetry {
        // Undoing "transpose, then mirrors a and b" is "mirrors a and b, then transpose", and a mirror of the
        // files before a transposition is a mirror of the ranks after it.
        if self.0 & 4 != 0 { Symmetry(4 | (self.0 & 1) << 1 | (self.0 & 2) >> 1) } else { self }
    }

    /// The symmetry that does this one and then the other.
    #[must_use]
    pub const fn then(self, next: Symmetry) -> Symmetry {
        let mut mirrors = self.0 & 3;
        if next.0 & 4 != 0 {
            mirrors = (mirrors & 1) << 1 | (mirrors & 2) >> 1;
        }
        Symmetry((self.0 ^ next.0) & 4 | (mirrors ^ (next.0 & 3)))
    }
}
