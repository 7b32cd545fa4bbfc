//! How a game ends: no legal move, with or without an attacked royal man.

use crate::{Position, RuleBook};
use variant::{Side, Stalemate};

/// The end of a game.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Outcome {
    /// The side to move is attacked and has no move.
    Checkmate,
    /// The side to move is not attacked and has no move.
    Stalemate,
}

impl Position {
    /// How the game has ended here, if it has.
    #[must_use]
    pub fn outcome(&self, book: &RuleBook) -> Option<Outcome> {
        if self.has_legal_move(book) {
            return None;
        }
        Some(if self.is_in_check(book) { Outcome::Checkmate } else { Outcome::Stalemate })
    }

    /// Who has won, if the game has ended here and somebody has.
    #[must_use]
    pub fn winner(&self, book: &RuleBook) -> Option<Side> {
        let lost = match self.outcome(book)? {
            Outcome::Checkmate => true,
            Outcome::Stalemate => book.variant().rules.stalemate == Stalemate::Loss,
        };
        lost.then_some(!self.stm())
    }
}
