//! Numbers squares, adds steps between them, and stores sets of squares in a word, one bit a square.

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

/// A set of squares; bit `i` stands for the square with index `i`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct SquareSet(u128);

impl SquareSet {
    /// The set without a square.
    pub const EMPTY: SquareSet = SquareSet(0);

    /// The set whose bits are `bits`.
    #[must_use]
    pub const fn from_bits(bits: u128) -> Self {
        SquareSet(bits)
    }

    /// The bits of the set.
    #[must_use]
    pub const fn bits(self) -> u128 {
        self.0
    }

    /// Whether the square is in the set.
    #[must_use]
    pub const fn contains(self, square: Square) -> bool {
        self.0 >> square.index() & 1 == 1
    }

    /// Adds a square.
    pub fn insert(&mut self, square: Square) {
        self.0 |= 1 << square.index();
    }

    /// The squares in either set.
    #[must_use]
    pub const fn union(self, other: Self) -> Self {
        SquareSet(self.0 | other.0)
    }

    /// The squares in both sets.
    #[must_use]
    pub const fn intersection(self, other: Self) -> Self {
        SquareSet(self.0 & other.0)
    }

    /// The squares of this set that are not in the other.
    #[must_use]
    pub const fn without(self, other: Self) -> Self {
        SquareSet(self.0 & !other.0)
    }

    /// Whether the set has no square.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// How many squares the set has.
    #[must_use]
    pub const fn n_squares(self) -> usize {
        self.0.count_ones() as usize
    }

    /// The squares in order.
    pub fn iter(self) -> impl Iterator<Item = Square> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            (rest != 0).then(|| {
                let square = Square::from_index(rest.trailing_zeros() as usize);
                rest &= rest - 1;
                square
            })
        })
    }
}

impl FromIterator<Square> for SquareSet {
    fn from_iter<I: IntoIterator<Item = Square>>(squares: I) -> Self {
        let mut set = SquareSet::EMPTY;
        squares.into_iter().for_each(|s| set.insert(s));
        set
    }
}
