//! The rules of a game: a TOML text becomes a checked [`Variant`], and a variant names its [`Material`]s.
//!
//! A variant says which board, which pieces, how each moves, which is royal, what pawns may do and how a game
//! ends. It computes nothing: no move is made and no position exists here.
//!
//! ```text
//!   text ─ reader (TOML, keys of schema) ─ parse ─ check (invariants) ─► Variant ─ canonical ─► rules hash
//!                     └──────── faults, all of them ─────────┘         └─ warnings
//! ```

mod board;
mod canonical;
mod check;
mod contradiction;
mod draft;
mod drawn;
mod ending;
mod fault;
pub mod game;
mod material;
mod metric;
mod parse;
mod pawn;
mod promotion;
mod reader;
mod region;
mod regulation;
mod rules;
mod schema;
mod warning;

pub use ending::{Blast, Extinction, Goal, Pass, Rules, Stalemate, Verdict};
pub use fault::{Fault, LoadError, Report};
pub use material::{Material, MaterialError};
pub use metric::{Metric, UnknownMetric};
pub use rules::{Man, PawnRules, Piece, PieceId, Side, Variant};

#[cfg(test)]
mod tests;
