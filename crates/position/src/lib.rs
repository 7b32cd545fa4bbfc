//! Specifies the rules for one position, slowly and obviously: FEN, legal moves, unmoves, notation, perft.
//!
//! Everything that computes tables is checked against this crate, so it is written straight from the rules,
//! one man and one square after the other, and shares no move code with the solver. It has no metric, no
//! table, no file.
//!
//! A man's way is a list of squares, with where the man may end and what it must jump over: moves walk it
//! forwards, attacks and unmoves check from its end whether it is open.
//!
//! A right to castle is kept as the squares of the men that have not moved; programs that compute tables ask
//! for positions without such rights, and [`Position::from_fen`] reads no others.
//!
//! A [`RuleBook`] is a variant with each man's ways over the board written down once; a [`Position`] is plain
//! data and asks the book:
//!
//! ```text
//! Variant ── RuleBook::new ──► RuleBook    FEN ── Position::from_fen(&book, …) ──► Position
//!                                                     │ legal_moves(&book) ──► Move … play(mv) ──► Position
//!                                                     │ unmoves(&book, men) ──► Position …
//! ```

mod book;
mod castling;
mod exchange;
mod fen;
mod fen_fault;
mod moves;
mod notation;
mod outcome;
mod place;
mod unmove;

pub use book::RuleBook;
pub use fen::without_clocks;
pub use fen_fault::{FenError, FenFault};
pub use moves::Move;
#[cfg(debug_assertions)]
pub use moves::n_generated;
pub use notation::UciError;
pub use outcome::{Ending, Outcome};
pub use place::{CastlingRight, CastlingRights, EnPassant, Position, RookStep};

#[cfg(test)]
mod tests;
