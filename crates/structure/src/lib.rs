//! Solves structures: all positions that can come from given ones, slice by slice.
//!
//! Tables of nine men will never exist as a whole, but of a position with blocked pawns few positions can
//! come. Pawns never go back, so what can come is a graph of slices: the pawns on given squares, the other
//! men anywhere. Each slice is solved by the set-wise engine of the crate `solve`, which is given layouts of
//! some slices only:
//!
//! ```text
//!   FEN ─► Structure ──────────────────────────► solve() ─► a file ─► SolvedStructure ─► Tablebase
//!            │ Graph: slices by kinds (materials)     │ one kind after the other
//!   Outline ─┘└ Limit: promotions, squares            └ Bound: exact, at least, at most
//! ```
//!
//! - `limit` says what is left out and what that makes of the values;
//! - `outline` reads structure files: men with their squares, limits; `structure` names structures and their
//!   files, and estimates what they take;
//! - `pawn_material` and `graph` follow moves to slices and put their tables in order;
//! - `run` solves them, `file` keeps them, `page` names the pages of files;
//! - `loan` takes slices from structures that are finished;
//! - `race` proves who wins endings of kings and pawns, with kernels of its own;
//! - `values` answers positions, `survey` finds who wins and the zugzwangs of a slice, `verify` derives every
//!   value from its successors.
//!
//! No move is made here: the solver and the crate `position` have the rules, and `pawn_material` lists
//! where pawns and captures can lead, whatever stands where.

mod error;
mod limit;

mod pawn_material;

mod graph;

mod file;
mod page;
mod structure;

mod outline;

mod loan;
mod run;
mod values;

mod answer;

mod known_table;

mod race;

mod search;
mod survey;
mod verify;

pub use ::solve::Unwatched;
pub use answer::KnownValues;
pub use error::StructureError;
pub use file::EXTENSION;
pub use graph::{MAX_SLICES, Watch};
pub use known_table::KnownTable;
pub use limit::{Bound, Concession, ConcessionError, Kept, Limit, man_name, man_named};
pub use outline::{Outline, OutlineMan};
pub use pawn_material::{Graph, TableSource, TablesAtHand};
pub use race::RaceSize;
pub use run::{solve, solve_beside};
pub use search::{Goal, OpenReason, Question, SearchResult, SearchWatch, Stage};
pub use structure::{Estimate, MAX_MOBILE, MobileMen, Structure};
pub use survey::{Counts, MOST_PLACEMENTS, Survey, Zugzwang, survey};
pub use values::SolvedStructure;
pub use verify::{Report, WrongValue, verify};
