//! Makes the pass: a move that moves nobody.
//!
//! It is written as a step of the royal man to where he stands, as Fairy-Stockfish writes it, or of the man
//! on the first square where there is no royal one.

use crate::{Move, Position, RuleBook};
use variant::Pass;

impl Move {
    /// Whether nobody moves. (A king may castle to where he stands, with the rook moving alone.)
    #[must_use]
    pub fn is_pass(&self) -> bool {
        self.from == self.to && self.castling.is_none()
    }
}

impl Position {
    /// The pass of the side to move, if passing is ever a move and leads to a legal position.
    fn pass(&self, book: &RuleBook) -> Option<(Move, Position)> {
        let first = || self.men_of(self.stm()).next().map(|(_, square)| square);
        let at = self.royal_square(book, self.stm()).or_else(first)?;
        let mv = Move::quiet(at, at);
        let next = self.play(mv);
        next.is_legal(book).then_some((mv, next))
    }

    /// The pass of the side to move, if it is a legal move; `has_other` says whether there is another one.
    pub(crate) fn legal_pass(&self, book: &RuleBook, has_other: bool) -> Option<(Move, Position)> {
        match book.variant().rules.pass {
            Pass::Never => None,
            Pass::OnStalemate if has_other => None,
            Pass::Always | Pass::OnStalemate => self.pass(book),
        }
    }
}
