//! Lists the moves without capture of pawns.

use super::slots::ROW;
use geometry::Square;
use position::{Position, RuleBook};
use variant::{Man, PieceId};

/// A pawn of a side to move.
pub(crate) struct Pawn {
    /// His place among the men.
    pub(crate) place: usize,
    /// His moves without capture from each square.
    pub(crate) steps: Vec<Vec<PawnStep>>,
}

/// A pawn's move without capture.
pub(crate) struct PawnStep {
    pub(crate) to: Square,
    pub(crate) promotion: Option<PieceId>,
    /// The square that a double step passes over.
    pub(crate) passed: Option<Square>,
}

impl Pawn {
    /// The pawn at this place, alone on the board.
    pub(crate) fn new(book: &RuleBook, place: usize, man: Man) -> Self {
        let from = |square: usize| {
            let position = Position::from_men([(man, Square::from_index(square))], man.side);
            let moves = position.map_or_else(Vec::new, |position| position.legal_moves(book));
            moves
                .iter()
                .map(|mv| PawnStep { to: mv.to, promotion: mv.promotion, passed: mv.passed })
                .collect()
        };
        Pawn { place, steps: (0..ROW).map(from).collect() }
    }
}

impl PawnStep {
    /// The squares that must be free.
    pub(crate) fn crossed(&self) -> u64 {
        self.passed.map_or(0, |passed| 1 << passed.index()) | 1 << self.to.index()
    }
}
