//! Finds positions with a compulsory capture: a side with a legal capture, en passant too, makes one.

use crate::{Position, RuleBook};

impl Position {
    /// Whether only captures are legal: they are compulsory, and there is one.
    pub(crate) fn must_capture(&self, book: &RuleBook) -> bool {
        if !book.variant().rules.must_capture {
            return false;
        }
        let mut can = false;
        self.for_each_pseudo_move(book, |mv| {
            can |= mv.captured.is_some() && self.play(mv).is_legal(book);
            !can
        });
        can
    }
}
