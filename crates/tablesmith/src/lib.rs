//! Answers positions of chess and its variants exactly, from tables in a folder or solved in memory.
//!
//! ```
//! use tablesmith::{Ply, Value, Variant, solve};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let tables = solve(&Variant::chess(), "KQvK")?;
//! let position = tables.position("8/8/8/8/8/4k3/8/4K2Q w - - 0 1")?;
//! assert_eq!(tables.probe(&position)?.value, Value::Win(Ply(9)));
//! assert_eq!(tables.best_moves(&position)?[0].uci, "h1d5");
//! # Ok(())
//! # }
//! ```
//!
//! - [`Variant`] holds the rules of a game: [`Variant::chess`] is built in, [`Variant::load`] reads others.
//! - [`Tablebase`] answers under one metric, from the files of a folder or from tables in memory;
//!   [`Tablebases`] finds the metric of a folder that answers a position.
//! - [`solve()`] makes the tables of a material in memory, with all that it leads to. It is the feature
//!   `solve`, which is on unless a program leaves it out.
//!
//! This crate computes nothing by itself: it is what a program needs of the crates `tablesmith-variant`,
//! `tablesmith-position`, `tablesmith-probe` and `tablesmith-library`.

#[cfg(feature = "solve")]
mod memory;

#[cfg(feature = "solve")]
pub use library::LibraryError;
#[cfg(feature = "solve")]
pub use memory::{solve, solve_for};
pub use position::{FenError, Move, Outcome, Position, RuleBook};
pub use probe::{
    Answer, AnswerFile, Ask, Between, By, Gap, Line, MissingTable, ProbeError, RatedMove, Tablebase,
    Tablebases,
};
pub use table::{Ply, Value};
pub use variant::{Fault, LoadError, Material, MaterialError, Metric, Report, Side, Variant};

/// Runs the programs of the page that the registry shows.
#[cfg(all(doctest, feature = "solve"))]
#[doc = include_str!("../README.md")]
struct Readme;

#[cfg(all(test, feature = "solve"))]
mod tests;
