//! Detects goals that have been reached: squares on which a man wins by standing there.
//!
//! The game ends with the move that reaches the goal, so the winner is never to move, but for one rule:
//! Black, who moves second, may answer White by reaching his goal with the next move, which makes a draw.
//! Only where he can does the game go on, and then White, who is to move after that, wins, loses or draws
//! without moving again.

use crate::{Ending, Outcome, Position, RuleBook};
use variant::Side;

impl Position {
    /// Whether a man of this side stands on its goal.
    pub(crate) fn has_reached_goal(&self, book: &RuleBook, side: Side) -> bool {
        self.men_of(side).any(|(man, square)| book.man(man).goal.contains(square))
    }

    /// Whether the side to move has won by the goal already, so that it should not be to move.
    pub(crate) fn is_past_the_goal(&self, book: &RuleBook) -> bool {
        let is_answered = book.variant().rules.goal.as_ref().is_some_and(|goal| goal.is_answered);
        !(is_answered && self.stm() == Side::White) && self.has_reached_goal(book, self.stm())
    }

    /// How the goal has ended the game, if it has.
    pub(crate) fn end_by_goal(&self, book: &RuleBook) -> Option<Ending> {
        let goal = book.variant().rules.goal.as_ref()?;
        let [own, other] = [self.stm(), !self.stm()].map(|side| self.has_reached_goal(book, side));
        let end = |winner| Some(Ending { outcome: Outcome::Goal, winner });
        match (own, other) {
            (true, true) => end(None),
            (true, false) => end(Some(self.stm())),
            (false, true) if goal.is_answered && self.stm() == Side::Black && self.can_answer(book) => None,
            (false, true) => end(Some(!self.stm())),
            (false, false) => None,
        }
    }

    /// Whether the side to move has a legal move to its goal.
    fn can_answer(&self, book: &RuleBook) -> bool {
        let mut can = false;
        self.for_each_allowed(book, |_, next| {
            can |= next.has_reached_goal(book, self.stm());
            !can
        });
        can
    }
}
