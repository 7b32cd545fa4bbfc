//! Finds positions: a small language for conditions, and a search over solved tables.
//!
//! ```
//! use find::{Form, Query, Search};
//! use std::ops::ControlFlow;
//! use variant::{Metric, Variant};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # use format::TableFile;
//! let chess = Variant::chess();
//! let file = TableFile::open("../../tests/cases/files/quick/KQvK.tsm".as_ref(), &chess)?;
//! let mut table = file.read_table()?;
//! // Every code of a table must be exact, those of placements that are not canonical too.
//! solve::restore(&chess, &mut table);
//! let table = std::sync::Arc::new(table);
//!
//! // The longest wins of king and queen in which the queen stands in a corner.
//! let query = Query::parse(&chess, Metric::Dtm, "wtm win and plies == 19 and Q on corner")?;
//! let search = Search::new(&chess, &query, vec![table], None, None);
//! let mut lines = Vec::new();
//! let tally = search.run(&|_, _| {}, &mut |hit| {
//!     lines.push(search.record(hit).line(Form::Fen));
//!     ControlFlow::Continue(())
//! })?;
//! assert_eq!((tally.n_found, lines.len()), (0, 0));
//!
//! // A word that does not exist is pointed at.
//! let fault = Query::parse(&chess, Metric::Dtm, "wtm wining").unwrap_err();
//! assert_eq!(fault.place(), 4..10);
//! # Ok(())
//! # }
//! ```
//!
//! ```text
//!   text ─ token ─ parse ─► Query (Condition) ─┐
//!                                              ├─ Search ─► Hit ─► Record ─► EPD, FEN, JSON, CSV, PGN
//!   Table (one a metric), Tablebase ─ Ground ──┘     └─► Tally, Sample
//! ```
//!
//! [`words`] lists the language. A query is judged in steps (`judge`): what the stored code says is read off
//! a list, squares are decoded for what is left, and moves are generated for the few that everything else
//! holds of.
//!
//! A search is over what tables hold: positions without castling and en-passant rights, the clock of the
//! n-move rule at zero, one of each set of symmetric images.

mod condition;
mod ground;
mod judge;
mod moves;
mod parser;
mod query;
mod record;
mod search;
mod token;
mod word;

pub use ground::FindError;
pub use query::Query;
pub use record::{Distance, Form, Hit, Record, Tally};
pub use search::{Sample, Search};
pub use token::QueryFault;
pub use word::{Word, words};

#[cfg(test)]
mod tests;
