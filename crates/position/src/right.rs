//! Stores rights to castle: the squares of the kings and rooks that have not moved.
//!
//! A right belongs to the two men that have not moved, and is lost with the first of them that leaves its
//! square, by a move or for good. So the squares are all that is kept, and taking a man off such a square is
//! all that is needed to lose a right.

use geometry::{Square, SquareSet};
use variant::{Side, Wing};

/// Who may still castle: the squares of the men that have not moved.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct CastlingRights {
    /// By side.
    sides: [SideRights; 2],
}

/// One side's rights.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
struct SideRights {
    /// Where the king stands; none exactly if there is no rook.
    king: Option<Square>,
    /// By wing: the rook's square.
    rooks: [Option<Square>; 2],
}

/// A right that there can be: a king and a rook where they begin.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct CastlingRight {
    /// Whose right.
    pub side: Side,
    /// On which side of the king the rook stands.
    pub wing: Wing,
    /// The king's square.
    pub king: Square,
    /// The rook's square.
    pub rook: Square,
}

/// What the rook does while the king castles.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct RookStep {
    /// On which side of the king it stood.
    pub wing: Wing,
    /// Where it comes from.
    pub from: Square,
    /// Where it goes.
    pub to: Square,
}

impl CastlingRights {
    /// Nobody may castle.
    pub const NONE: CastlingRights =
        CastlingRights { sides: [SideRights { king: None, rooks: [None; 2] }; 2] };

    /// Whether nobody may castle.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.sides.iter().all(|side| side.king.is_none())
    }

    /// The square of the king that may castle.
    #[must_use]
    pub fn king(self, side: Side) -> Option<Square> {
        self.sides[side.index()].king
    }

    /// The square of the rook with which a side may castle on this wing.
    #[must_use]
    pub fn rook(self, side: Side, wing: Wing) -> Option<Square> {
        self.sides[side.index()].rooks[wing.index()]
    }

    /// The rights one by one, White's first, the king's side first.
    pub fn iter(self) -> impl Iterator<Item = CastlingRight> {
        let wings = Side::BOTH.into_iter().flat_map(|side| Wing::BOTH.map(|wing| (side, wing)));
        wings.filter_map(move |(side, wing)| {
            Some(CastlingRight { side, wing, king: self.king(side)?, rook: self.rook(side, wing)? })
        })
    }

    /// These rights and one more, in place of another of the same wing; rights of a king elsewhere are lost.
    #[must_use]
    pub fn with(mut self, right: CastlingRight) -> Self {
        let side = &mut self.sides[right.side.index()];
        if side.king != Some(right.king) {
            *side = SideRights { king: Some(right.king), rooks: [None; 2] };
        }
        side.rooks[right.wing.index()] = Some(right.rook);
        self
    }

    /// What is left of the rights without the man on a square.
    #[must_use]
    pub fn without(mut self, square: Square) -> Self {
        for side in &mut self.sides {
            for rook in side.rooks.iter_mut().filter(|rook| **rook == Some(square)) {
                *rook = None;
            }
            if side.king == Some(square) || side.rooks == [None; 2] {
                *side = SideRights::default();
            }
        }
        self
    }

    /// The squares of all men that hold a right.
    #[must_use]
    pub fn squares(self) -> SquareSet {
        self.iter().flat_map(|right| [right.king, right.rook]).collect()
    }
}

impl FromIterator<CastlingRight> for CastlingRights {
    fn from_iter<I: IntoIterator<Item = CastlingRight>>(rights: I) -> Self {
        rights.into_iter().fold(CastlingRights::NONE, CastlingRights::with)
    }
}
