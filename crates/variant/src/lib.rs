//! The rules of a game: a TOML text becomes a checked [`Variant`], and a variant names its [`Material`]s.
//!
//! A variant says which board, which pieces, how each moves, which is royal, what pawns may do and how a game ends.
//! It computes nothing: no move is made and no position exists here.

mod material;
mod rules;

pub use material::{Material, MaterialError};
pub use rules::{Man, Metric, PawnRules, Piece, PieceId, Rules, Side, Stalemate, Variant};
