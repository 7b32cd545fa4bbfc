//! Numbers squares and adds steps between them.

/// The most squares a board may have.
pub const MAX_SQUARES: usize = 128;

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

    /// This step and then the other.
    #[must_use]
    pub const fn plus(self, other: Step) -> Self {
        Step::new(self.files + other.files, self.ranks + other.ranks)
    }

    /// The step taken `n` times.
    #[must_use]
    pub const fn times(self, n: i8) -> Self {
        Step::new(self.files * n, self.ranks * n)
    }
}
