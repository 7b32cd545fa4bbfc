//! Numbers the squares of a pawn in files that have all of them: each pawn is a dimension of the array, as
//! each mobile man is.
//!
//! A pawn would need all squares of the board. It stands on some ranks only, so it counts those of them, from
//! the lowest. Where the rules make no difference between left and right, half of the array would be the
//! mirror image of the other half: the *first* pawn counts the squares of the left half, and a reader that
//! finds it on the right turns the whole board.
//!
//! ```text
//!   wKP-bK.tbl      [a2 b2 c2 d2  a3 … d7] [White's king] [Black's king] [side to move]
//!   wKP-bKP.tbl     [a2 … d7] [a2 b2 … h7] [White's king] [Black's king] [side to move]
//! ```
//!
//! Like pawns are in the array in either order, as like mobile men are.

use super::name::has_mirror;
use geometry::Square;
use variant::{Material, Variant};

/// The squares of one pawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct PawnDimension {
    /// The lowest rank on which it stands, from 0.
    pub(super) first_rank: u8,
    pub(super) n_ranks: u8,
    /// The files that it counts, from the left: those of the board or, of the first pawn, half of them.
    pub(super) n_files: u8,
}

impl PawnDimension {
    /// The dimensions of the pawns of a canonical material, in the order of the name.
    pub(super) fn all(variant: &Variant, material: &Material) -> Vec<Self> {
        let board = &variant.board;
        let has_mirror = has_mirror(variant, material);
        let pawns = material.men().filter(|&man| variant.is_pawn(man)).enumerate();
        let dimension = |(number, man)| {
            let ranks = variant.zone(man).iter().map(|square| board.rank_of(square));
            let (first, last) =
                ranks.fold((usize::MAX, 0), |(first, last), rank| (first.min(rank), last.max(rank)));
            // A pawn that stands nowhere has one rank all the same, on which nothing is a position.
            let first = first.min(last);
            let is_folded = number == 0 && has_mirror;
            PawnDimension {
                first_rank: first as u8,
                n_ranks: (last + 1 - first) as u8,
                n_files: if is_folded { board.files().div_ceil(2) } else { board.files() } as u8,
            }
        };
        pawns.map(dimension).collect()
    }

    /// How many squares it counts.
    pub(super) fn len(self) -> u64 {
        u64::from(self.n_ranks) * u64::from(self.n_files)
    }

    /// The number of a square of a board with so many files; none if it is not counted.
    pub(super) fn number(self, square: Square, files: usize) -> Option<u64> {
        let (rank, file) = (square.index() / files, square.index() % files);
        let rank = rank.checked_sub(self.first_rank.into()).filter(|&rank| rank < self.n_ranks.into())?;
        (file < self.n_files.into()).then(|| (rank * usize::from(self.n_files) + file) as u64)
    }

    /// The square with a number.
    #[cfg(feature = "parallel")]
    pub(super) fn square(self, number: usize, files: usize) -> Square {
        let (rank, file) = (number / usize::from(self.n_files), number % usize::from(self.n_files));
        Square::from_index((usize::from(self.first_rank) + rank) * files + file)
    }
}

/// The same square in the mirror between the middle files.
pub(super) fn mirrored(square: Square, files: usize) -> Square {
    let file = square.index() % files;
    Square::from_index(square.index() - file + (files - 1 - file))
}

/// The placements of the pawns that a file has, in its order.
#[cfg(feature = "parallel")]
#[derive(Clone, Debug)]
pub(super) enum PawnPlacements {
    /// One, as the name of the file says.
    One(Vec<Square>),
    /// All of them.
    All {
        dimensions: Vec<PawnDimension>,
        /// Where each pawn may stand.
        zones: Vec<geometry::SquareSet>,
        /// Files of the board.
        files: usize,
    },
}

#[cfg(feature = "parallel")]
impl PawnPlacements {
    /// All placements of the pawns of a canonical material.
    pub(super) fn all(variant: &Variant, material: &Material) -> Self {
        let pawns = material.men().filter(|&man| variant.is_pawn(man));
        PawnPlacements::All {
            dimensions: PawnDimension::all(variant, material),
            zones: pawns.map(|man| variant.zone(man)).collect(),
            files: variant.board.files(),
        }
    }

    /// The dimensions of the array that the pawns are; none if there is one placement.
    pub(super) fn dimensions(&self) -> &[PawnDimension] {
        match self {
            PawnPlacements::One(_) => &[],
            PawnPlacements::All { dimensions, .. } => dimensions,
        }
    }

    /// How many there are, those in which pawns cannot stand so among them.
    pub(super) fn len(&self) -> usize {
        self.dimensions().iter().map(|dimension| dimension.len() as usize).product()
    }

    /// The squares of the pawns, in the order of the men; none if they cannot stand so.
    pub(super) fn squares(&self, mut number: usize) -> Option<Vec<Square>> {
        let (dimensions, zones, files) = match self {
            PawnPlacements::One(squares) => return Some(squares.clone()),
            PawnPlacements::All { dimensions, zones, files } => (dimensions, zones, *files),
        };
        let mut squares = vec![Square::from_index(0); dimensions.len()];
        for (place, dimension) in dimensions.iter().enumerate().rev() {
            let len = dimension.len() as usize;
            squares[place] = dimension.square(number % len, files);
            number /= len;
        }
        let stands = |place: usize| {
            zones[place].contains(squares[place]) && !squares[..place].contains(&squares[place])
        };
        (0..squares.len()).all(stands).then_some(squares)
    }
}
