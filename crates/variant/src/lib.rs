//! Reads the rules of a game from a TOML text into a checked [`Variant`], and names its [`Material`]s.
//!
//! A variant says which board there is, which pieces, how each moves, which is royal, what pawns may do and
//! how a game ends. It makes no move, and no position exists here.
//!
//! From the bottom up:
//!
//! - `man`, `rules` and `variant` hold the rules, `material` lists men and decides by the rules alone;
//! - `fingerprint` and `warning` answer what else follows from the rules, [`exit`] to which tables the moves
//!   of a material lead;
//! - `invariant` and `contradiction` check a variant, and `file` reads it from a text;
//! - `game` has the texts of games that programs know without a file, `text` lets other crates read texts of
//!   their own, with faults of the same kind.

mod man;
mod metric;
mod rules;
mod variant;

mod material;

pub mod exit;
mod fingerprint;
mod warning;

mod contradiction;
mod invariant;

mod file;
pub mod game;
pub mod ini;

pub mod text {
    //! Reads TOML texts that people write, other than variant files: typed values with their places, and all
    //! faults at once.
    //!
    //! A reader declares its tables as [`Section`]s of [`Key`]s, parses a [`Document`], asks its [`Table`]s
    //! for values, and adds what is wrong with them to the [`Faults`].

    pub use crate::file::{
        Document, Faults, Key, Section, Span, Table, TextKind, Value, load_text, squares_named,
    };
}

pub use file::{Fault, LoadError, Report, visible, visible_in_place};
pub use man::{Man, PieceId, Side};
pub use material::{Material, MaterialError};
pub use metric::{Metric, UnknownMetric};
pub use rules::{
    Arrival, Blast, Castling, Extinction, Goal, Kept, Pass, PawnStep, PseudoRoyal, Rules, Stalemate, Verdict,
    Wing,
};
pub use variant::{PawnRules, Piece, Variant};

#[cfg(test)]
mod tests;
