//! Answers positions of chess and its variants exactly, from tables in a folder or solved in memory.
//!
//! Solve a material and ask for a position, its best move and how it goes on:
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use tablesmith::{Ply, Value, Variant, solve};
//!
//! let tables = solve(&Variant::chess(), "KQvK")?;
//! let position = tables.position("8/8/8/8/8/4k3/8/4K2Q w - - 0 1")?;
//! assert_eq!(tables.probe(&position)?.value, Value::Win(Ply(9)));
//! assert_eq!(tables.best_moves(&position)?[0].uci, "h1d5");
//! assert_eq!(tables.main_line(&position)?.len(), 9);
//! # Ok(())
//! # }
//! ```
//!
//! Open a folder of tables, such as `tables/fide`, which the command `tablesmith solve` fills, or one of
//! Syzygy files:
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/cases/files/small");
//! use tablesmith::{Tablebases, Variant};
//!
//! let tables = Tablebases::open(folder, &Variant::chess())?;
//! let position = tables.position("8/8/8/6k1/8/8/1P4K1/8 w - - 0 1")?;
//! let tables = tables.for_position(&position)?;
//! assert_eq!(tables.probe(&position)?.value.to_string(), "win in 55 plies");
//!
//! let moves = tables.moves(&position)?;
//! assert_eq!(moves[0].uci, "g2g3");
//! assert_eq!(moves[1].value.to_string(), "draw"); // as does every other move
//! # Ok(())
//! # }
//! ```
//!
//! Make a game of your own from a text, and see whether its new piece mates:
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use tablesmith::{Variant, solve};
//!
//! let rules = r#"
//!     name = "riders"
//!
//!     [[piece]]
//!     letter = "K"
//!     betza = "K"
//!     royal = true
//!
//!     [[piece]]
//!     letter = "X"
//!     name = "crowned nightrider"
//!     betza = "KNN"
//! "#;
//! let riders = solve(&Variant::parse(rules, "riders.toml")?, "KXvK")?;
//! let position = riders.position("8/8/8/4k3/8/8/8/K6X w - - 0 1")?;
//! assert_eq!(riders.probe(&position)?.value.to_string(), "win in 21 plies");
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
