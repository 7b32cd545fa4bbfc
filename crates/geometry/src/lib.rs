//! Describes boards: squares, sets of squares, steps, and the symmetries of a board.
//!
//! This crate has shapes and nothing of chess: no piece, no colour, no rule. Every crate may use it.
//!
//! A board is a rectangle of files and ranks, perhaps with holes, perhaps bent to a cylinder. It has at most
//! 128 squares, so that a set of them fits into one word of 64 or 128 bits. A square is numbered rank by
//! rank from a1, and a hole keeps its number:
//!
//! ```text
//!  rank 2 |  8  9 10 11 12 ...        index = rank * files + file
//!  rank 1 |  0  1  2  3  4 ...
//!            a  b  c  d  e
//! ```

mod board;
mod square;
mod symmetry;

pub use board::{Board, BoardError, LEAST_SQUARES};
pub use square::{MAX_SQUARES, Square, SquareSet, Step};
pub use symmetry::Symmetry;

#[cfg(test)]
mod tests;
