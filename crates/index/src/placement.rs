//! Stores a placement: the squares of all men of a material.

use geometry::Square;
use std::ops::Deref;

/// The most men that the table of a whole material can have.
pub const MAX_MEN: usize = 8;

/// The most men a placement can have: a structure, whose pawns stand on few squares, has more of them than a
/// whole material.
pub const MAX_PLACED: usize = 16;

/// The squares of all men of a layout, in the order of [`Layout::men`](crate::Layout::men).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Placement {
    pub(crate) squares: [Square; MAX_PLACED],
    pub(crate) n_men: u8,
}

impl Deref for Placement {
    type Target = [Square];
    fn deref(&self) -> &[Square] {
        &self.squares[..self.n_men as usize]
    }
}

/// Whether two men share a square.
#[must_use]
pub fn has_repeated(squares: &[Square]) -> bool {
    let mut seen = 0u128;
    squares.iter().any(|s| {
        let bit = 1u128 << s.index();
        let repeated = seen & bit != 0;
        seen |= bit;
        repeated
    })
}
