//! The rules of a game: a TOML text becomes a checked [`Variant`], and a variant names its [`Material`]s.
//!
//! A variant says which board, which pieces, how each moves, which is royal, what pawns may do and how a game
//! ends. It computes nothing: no move is made and no position exists here.
//!
//! ```text
//!   text ─ reader (TOML, keys of schema) ─ parse ─ check (invariants) ─► Variant ─ canonical ─► rules hash
//!                     └──────── faults, all of them ─────────┘         └─ warnings
//! ```

mod man;
mod metric;
mod rules;
mod variant;

mod material;

mod decision;
mod fingerprint;
mod promotion;
mod warning;

mod contradiction;
mod invariant;
mod violation;

mod file;
pub mod game;

pub use file::{Fault, LoadError, Report};
pub use man::{Man, PieceId, Side};
pub use material::{Material, MaterialError};
pub use metric::{Metric, UnknownMetric};
pub use rules::{Blast, Extinction, Goal, Pass, Rules, Stalemate, Verdict};
pub use variant::{PawnRules, Piece, Variant};

#[cfg(test)]
mod tests;
