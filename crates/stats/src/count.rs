//! Counts positions: modulo symmetry and on the whole board, by ply, and those that take longest.

use serde::{Deserialize, Serialize};
use std::iter::Sum;
use std::ops::Add;

/// A number of placements, like men being distinguishable.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct Count {
    /// Modulo the symmetries of the board that the material's rules respect.
    pub orbits: u64,
    /// On the whole board.
    pub unreduced: u64,
}

impl Count {
    /// Whether there is none.
    #[must_use]
    pub const fn is_zero(&self) -> bool {
        self.unreduced == 0
    }
}

impl Add for Count {
    type Output = Count;
    fn add(self, other: Count) -> Count {
        Count { orbits: self.orbits + other.orbits, unreduced: self.unreduced + other.unreduced }
    }
}

impl Sum for Count {
    fn sum<I: Iterator<Item = Count>>(counts: I) -> Count {
        counts.fold(Count::default(), Add::add)
    }
}

/// How many positions are decided after so many plies.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct PlyCount {
    /// The plies.
    pub ply: u16,
    /// The positions.
    pub count: Count,
}

/// The positions that take longest.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Longest {
    /// How many plies.
    pub ply: u16,
    /// How many positions.
    pub count: Count,
    /// The first of them in the order of the numbers.
    pub fen: String,
}

/// `1 ply`, `9 plies`.
pub(crate) fn plies(n: u16) -> String {
    format!("{n} {}", if n == 1 { "ply" } else { "plies" })
}
