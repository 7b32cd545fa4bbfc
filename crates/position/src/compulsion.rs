//! Finds positions with a compulsory capture: a side with a legal capture, en passant too, makes one.

use crate::{Position, RuleBook};

impl Position {
    /// Whether only captures are legal: they are compulsory, and there is one.
    pub(crate) fn must_capture(&self, book: &RuleBook) -> bool {
        book.variant().rules.must_capture && !self.for_each_allowed_capture(book, |_, _| false)
    }
}
