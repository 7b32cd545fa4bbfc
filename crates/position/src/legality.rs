//! Checks whether a position can arise: whether the last move was allowed to lead to it.
//!
//! A legal move is one that leads to a legal position, so this is the whole difference between what men could
//! do and what they may.

use crate::{Position, RuleBook};
use geometry::Square;
use variant::Side;

impl Position {
    /// Whether the position could have arisen. The royal man of the side that has just moved is not attacked;
    /// where no checks are allowed, nobody's is; where captures explode, that side has its royal man, and
    /// need not fear for him if the other side's is gone; and a game that has been won is not played on.
    #[must_use]
    pub fn is_legal(&self, book: &RuleBook) -> bool {
        self.is_safe(book) && (book.variant().rules.goal.is_none() || !self.is_past_the_goal(book))
    }

    /// Whether the last move has done right by the royal men.
    fn is_safe(&self, book: &RuleBook) -> bool {
        let rules = &book.variant().rules;
        if rules.blast.is_some() {
            if !self.has_royal(book, !self.stm()) {
                return false;
            }
            if !self.has_royal(book, self.stm()) {
                return true;
            }
        }
        !self.is_attacked(book, !self.stm()) && (rules.checking || !self.is_attacked(book, self.stm()))
    }

    /// Whether the royal man of the side to move is attacked.
    #[must_use]
    pub fn is_in_check(&self, book: &RuleBook) -> bool {
        self.is_attacked(book, self.stm())
    }

    /// Whether this side's royal man could be captured if the other side were to move, without that side's
    /// own royal man being lost by it; never, if it has none.
    #[must_use]
    pub fn is_attacked(&self, book: &RuleBook, side: Side) -> bool {
        let Some(target) = self.royal_square(book, side) else { return false };
        if book.variant().rules.blast.is_none() {
            return self.could_capture_on(book, !side, target);
        }
        !self.is_shielded(book, side, target) && self.could_capture_on(book, !side, target)
    }

    /// Where this side's royal man stands, if it has one.
    pub(crate) fn royal_square(&self, book: &RuleBook, side: Side) -> Option<Square> {
        self.men_of(side).find(|&(man, _)| book.man(man).royal).map(|(_, square)| square)
    }

    pub(crate) fn has_royal(&self, book: &RuleBook, side: Side) -> bool {
        self.royal_square(book, side).is_some()
    }

    fn could_capture_on(&self, book: &RuleBook, by: Side, target: Square) -> bool {
        let is_occupied = |square| self.man_on(square).is_some();
        self.men_of(by).any(|(man, from)| {
            let book = book.man(man);
            book.reach[from.index()].contains(target)
                && book.ways[from.index()].iter().any(|way| way.capture && way.leads_to(target, is_occupied))
        })
    }
}
