//! Describes what an exit changes: the men who leave the board, and the pawn that becomes another man.

use variant::{Man, PieceId};

/// What becomes of the men of a table, by their places in a list of men.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Change {
    /// The places of the men who leave the board, as bits.
    pub gone: u16,
    /// The place of the pawn that is promoted, and the piece that it becomes.
    pub promoted: Option<(usize, PieceId)>,
}

impl Change {
    /// A man is captured or none, and a pawn is promoted or none.
    #[must_use]
    pub fn new(captured: Option<usize>, promoted: Option<(usize, PieceId)>) -> Self {
        Change { gone: captured.map_or(0, |man| 1 << man), promoted }
    }

    /// The men who are left, in the same order.
    #[must_use]
    pub fn apply(self, men: &[Man]) -> Vec<Man> {
        let after = |(place, &man): (usize, &Man)| {
            let man = match self.promoted {
                Some((pawn, piece)) if pawn == place => Man { piece, ..man },
                _ => man,
            };
            (!self.is_gone(place)).then_some(man)
        };
        men.iter().enumerate().filter_map(after).collect()
    }

    /// The place of the promoted man among those who are left.
    #[must_use]
    pub fn promoted_place(self) -> Option<usize> {
        let (pawn, _) = self.promoted?;
        Some(pawn - (self.gone & ((1 << pawn) - 1)).count_ones() as usize)
    }

    /// Whether the man at this place leaves the board.
    #[must_use]
    pub fn is_gone(self, place: usize) -> bool {
        self.gone >> place & 1 == 1
    }
}
