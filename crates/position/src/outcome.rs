//! Finds the end of a game: by what stands on the board, or for want of a legal move.
//!
//! The men on the board come first, without a look at moves: a royal man who was blown up, extinct men, a
//! goal, in this order.

use crate::{Position, RuleBook};
use variant::{Side, Verdict};

/// The end of a game.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Outcome {
    /// The side to move is attacked and has no move.
    Checkmate,
    /// The side to move is not attacked and has no move.
    Stalemate,
    /// The royal man of the side to move was blown up.
    Explosion,
    /// A side's men are extinct, all of them or those of some kind.
    Extinction,
    /// A man stands on its goal.
    Goal,
}

/// How a game has ended, and for whom.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Ending {
    /// What has ended it.
    pub outcome: Outcome,
    /// Who has won; none if it is a draw.
    pub winner: Option<Side>,
}

impl Position {
    /// How the game has ended here, if it has. The position is legal.
    #[must_use]
    pub fn ending(&self, book: &RuleBook) -> Option<Ending> {
        self.adjudication(book)
            .or_else(|| (!self.has_legal_move(book)).then(|| self.end_without_a_move(book)))
    }

    /// How the game has ended by what stands on the board, whatever could move, if it has.
    #[must_use]
    pub fn adjudication(&self, book: &RuleBook) -> Option<Ending> {
        if self.is_blown_up(book) {
            return Some(Ending { outcome: Outcome::Explosion, winner: Some(!self.stm()) });
        }
        self.end_by_extinction(book).or_else(|| self.end_by_goal(book))
    }

    /// What it means that the side to move has no legal move.
    fn end_without_a_move(&self, book: &RuleBook) -> Ending {
        let rules = &book.variant().rules;
        let (outcome, verdict) = if self.is_in_check(book) {
            (Outcome::Checkmate, Some(rules.checkmate))
        } else {
            let [own, other] = [self.stm(), !self.stm()].map(|side| self.squares_of(side).n_squares());
            (Outcome::Stalemate, rules.stalemate_verdict(own, other))
        };
        let winner = verdict.map(|verdict| if verdict == Verdict::Win { self.stm() } else { !self.stm() });
        Ending { outcome, winner }
    }

    /// What has ended the game here, if it has ended.
    #[must_use]
    pub fn outcome(&self, book: &RuleBook) -> Option<Outcome> {
        self.ending(book).map(|ending| ending.outcome)
    }

    /// Who has won, if the game has ended here and somebody has.
    #[must_use]
    pub fn winner(&self, book: &RuleBook) -> Option<Side> {
        self.ending(book)?.winner
    }
}
