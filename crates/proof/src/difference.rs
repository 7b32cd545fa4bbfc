//! Describes a position about which a table and a proof disagree.

use position::{Position, RuleBook};
use std::fmt;
use table::Value;
use variant::Side;

/// A stored value that is not what it should be.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Difference {
    /// The position; where men share a square, what can be said of it.
    pub fen: String,
    /// The number of the placement in the table.
    pub index: usize,
    /// The side to move.
    pub stm: Side,
    /// The value in the table.
    pub stored: Value,
    /// The value that follows from the rules.
    pub expected: Value,
}

impl Difference {
    pub(crate) fn new(
        book: &RuleBook,
        position: Option<&Position>,
        (stm, index): (Side, usize),
        stored: Value,
        expected: Value,
    ) -> Self {
        let fen = match position {
            Some(position) => position.to_fen(book),
            None => format!("placement {index}, where two men share a square"),
        };
        Difference { fen, index, stm, stored, expected }
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: stored {:?}, expected {:?}", self.fen, self.stored, self.expected)
    }
}
