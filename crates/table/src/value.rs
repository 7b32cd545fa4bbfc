//! Represents the value of a position for the side to move.

use std::cmp::Ordering;
use std::fmt;
use variant::{Side, Verdict};

/// A distance in plies (half-moves).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Ply(pub u16);

impl Ply {
    /// One ply more.
    #[must_use]
    pub const fn next(self) -> Ply {
        Ply(self.0 + 1)
    }
}

/// What a position is worth to the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Value {
    /// Not a position: the side not to move could lose its royal man, or men share a square.
    Illegal,
    /// The side to move loses after this many plies, if it holds out as long as it can. Mate is `Loss(0)`.
    Loss(Ply),
    /// A draw in which the side to move has no legal move.
    Stalemate,
    /// A draw.
    Draw,
    /// The side to move wins after this many plies, if it hurries.
    Win(Ply),
}

impl Value {
    /// The value, for the side to move, of a game that has ended with this verdict on it; none is a draw. A
    /// win without a move is claimed, which counts a ply.
    #[must_use]
    pub const fn at_end(verdict: Option<Verdict>) -> Value {
        match verdict {
            None => Value::Stalemate,
            Some(Verdict::Loss) => Value::Loss(Ply(0)),
            Some(Verdict::Win) => Value::Win(Ply(1)),
        }
    }

    /// What a move that leads to a position of this value is worth to the side that makes it; none if the
    /// move is illegal.
    #[must_use]
    pub const fn before_move(self) -> Option<Value> {
        match self {
            Value::Illegal => None,
            Value::Loss(ply) => Some(Value::Win(ply.next())),
            Value::Stalemate | Value::Draw => Some(Value::Draw),
            Value::Win(ply) => Some(Value::Loss(ply.next())),
        }
    }

    /// 1 for a win, 0 for a draw, −1 for a loss; none for what is no position.
    #[must_use]
    pub const fn wdl(self) -> Option<i8> {
        match self {
            Value::Illegal => None,
            Value::Loss(_) => Some(-1),
            Value::Stalemate | Value::Draw => Some(0),
            Value::Win(_) => Some(1),
        }
    }

    /// The value in a table that has one side's wins alone: where the other side wins it says that no side
    /// does. Such a table need not tell this side's stalemates from other draws. `stm` is to move.
    #[must_use]
    pub fn of_winner(self, stm: Side, winner: Side) -> Value {
        match self {
            Value::Win(_) if stm != winner => Value::Draw,
            Value::Loss(_) if stm == winner => Value::Draw,
            other => other,
        }
    }

    /// The value without its distance, as `wdl` has it: a win after a ply, a loss after none.
    #[must_use]
    pub const fn without_distance(self) -> Value {
        match self {
            Value::Win(_) => Value::Win(Ply(1)),
            Value::Loss(_) => Value::Loss(Ply(0)),
            other => other,
        }
    }

    /// The distance, if a side wins.
    #[must_use]
    pub const fn ply(self) -> Option<Ply> {
        match self {
            Value::Loss(ply) | Value::Win(ply) => Some(ply),
            _ => None,
        }
    }

    /// Which value the side to move prefers: a quick win, a draw, a slow loss. What is no position comes
    /// last.
    #[must_use]
    pub fn preference(&self, other: &Value) -> Ordering {
        let key = |value: &Value| match *value {
            Value::Illegal => i32::MIN,
            Value::Loss(ply) => i32::from(ply.0) - 1_000_000,
            Value::Stalemate | Value::Draw => 0,
            Value::Win(ply) => 1_000_000 - i32::from(ply.0),
        };
        key(self).cmp(&key(other))
    }
}

impl fmt::Display for Ply {
    /// `1 ply`, `9 plies`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.0, if self.0 == 1 { "ply" } else { "plies" })
    }
}

impl fmt::Display for Value {
    /// As seen from the side to move: `win in 9 plies`, `draw`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Illegal => f.write_str("illegal"),
            Value::Loss(ply) => write!(f, "loss in {ply}"),
            Value::Stalemate => f.write_str("stalemate"),
            Value::Draw => f.write_str("draw"),
            Value::Win(ply) => write!(f, "win in {ply}"),
        }
    }
}
