//! Computes the symmetries of a board: mirrors, rotations, on a square board the diagonals, on a cylinder
//! the turns.
//!
//! A symmetry is "transpose if bit 2, then mirror the files if bit 0, then mirror the ranks if bit 1, then
//! turn by `n` files". Every one of the eight symmetries of a square is exactly one triple of the first
//! three; a rectangle that is no square has the four without the transposition, and so has a cylinder, each
//! with every turn. The turn stands above the three bits, so small numbers are what boards of all shapes
//! share.
//!
//! Only [`Symmetry::all`] looks at missing squares: it returns the symmetries that take holes to holes.

use crate::board::Board;
use crate::square::{Square, SquareSet, Step};

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
    /// Numbers of symmetries are below this.
    pub const N: usize = 128;

    /// Every symmetry of this board's shape that takes its holes to holes, the identity first.
    #[must_use]
    pub fn all(board: &Board) -> Vec<Symmetry> {
        let n_turns = if board.is_cylinder() { board.files() } else { 1 };
        let n = if board.files() == board.ranks() && !board.is_cylinder() { 8 } else { 4 };
        let all = (0..n_turns as u8).flat_map(|turn| (0..n).map(move |bits| Symmetry(turn << 3 | bits)));
        all.filter(|g| board.squares().all(|square| board.has(g.square(board, square)))).collect()
    }

    /// Whether one of its mirrors moves nothing, because the board has a single file or rank.
    #[must_use]
    pub fn is_idle_on(self, board: &Board) -> bool {
        let mirrors = u8::from(board.files() == 1) | u8::from(board.ranks() == 1) << 1;
        self.0 & mirrors != 0
    }

    /// The symmetry with this number, below [`Symmetry::N`].
    #[must_use]
    pub const fn from_index(index: usize) -> Symmetry {
        Symmetry((index % Symmetry::N) as u8)
    }

    /// The number of the symmetry, below [`Symmetry::N`].
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// By how many files it turns a cylinder.
    const fn turn(self) -> usize {
        (self.0 >> 3) as usize
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
        board.square((file + self.turn()) % board.files(), rank)
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

    /// Whether it turns left into right: what goes round clockwise then goes round the other way.
    #[must_use]
    pub const fn is_reflection(self) -> bool {
        (self.0 & 7).count_ones() % 2 == 1
    }

    /// The symmetry that takes back what this one does.
    #[must_use]
    pub fn inverse(self, board: &Board) -> Symmetry {
        // Undoing "transpose, then mirrors a and b" is "mirrors a and b, then transpose", and a mirror of the
        // files before a transposition is a mirror of the ranks after it.
        let bits = self.0 & 7;
        let bits = if bits & 4 != 0 { 4 | (bits & 1) << 1 | (bits & 2) >> 1 } else { bits };
        // A turn behind a mirror is the same turn the other way before it, so it undoes itself.
        let turn = if bits & 1 != 0 { self.turn() } else { (board.files() - self.turn()) % board.files() };
        Symmetry((turn as u8) << 3 | bits)
    }

    /// The symmetry that does this one and then the other.
    #[must_use]
    pub fn then(self, next: Symmetry, board: &Board) -> Symmetry {
        let mut mirrors = self.0 & 3;
        if next.0 & 4 != 0 {
            mirrors = (mirrors & 1) << 1 | (mirrors & 2) >> 1;
        }
        let bits = (self.0 ^ next.0) & 4 | (mirrors ^ (next.0 & 3));
        let files = board.files();
        let own = if next.0 & 1 != 0 { files - self.turn() } else { self.turn() };
        Symmetry((((own + next.turn()) % files) as u8) << 3 | bits)
    }
}

impl SquareSet {
    /// The set as seen from the other side of the board.
    #[must_use]
    pub fn mirror_ranks(self, board: &Board) -> Self {
        self.iter().map(|s| board.mirror_ranks(s)).collect()
    }
}
