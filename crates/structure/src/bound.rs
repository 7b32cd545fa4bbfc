//! Names what a run finds: the value itself, or a bound from one side.
//!
//! What lies outside a limit is given to one side. Given to Black, every value is at most as good for White
//! as the true one: the result is a *lower* bound. Given to White it is an *upper* one. By induction over
//! the plies: a side that has its moves with values no better than the true ones has no better value itself,
//! and a move that is not allowed, given to the other side, changes nothing, because nobody need make it.
//! Where both bounds agree the value is exact.

use serde::{Deserialize, Serialize};
use table::{Ply, Value};
use variant::Side;

/// What the values of a table are.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Bound {
    /// The values themselves.
    Exact,
    /// At most as good for White as the values: what lies outside is won for Black.
    Lower,
    /// At least as good for White as the values: what lies outside is won for White.
    Upper,
}

impl Bound {
    /// The side to which a run gives what lies outside.
    #[must_use]
    pub fn winner_outside(self) -> Option<Side> {
        match self {
            Bound::Exact => None,
            Bound::Lower => Some(Side::Black),
            Bound::Upper => Some(Side::White),
        }
    }

    /// What lies outside, by side to move.
    pub(crate) fn outside(self) -> [Value; 2] {
        let value = |stm| match self.winner_outside() {
            None => Value::Illegal,
            Some(winner) if winner == stm => Value::Win(Ply(1)),
            Some(_) => Value::Loss(Ply(0)),
        };
        Side::BOTH.map(value)
    }
}
