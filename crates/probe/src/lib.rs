//! Answers positions from an open folder of tables, or from tables in memory: value, moves and main line.
//!
//! ```
//! use probe::{ProbeError, Tablebase};
//! use table::{Ply, Value};
//! use variant::Variant;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! // A folder with KQvK.tsm and KPvK.tsm.
//! let tables = Tablebase::open("../../tests/cases/files/quick", &Variant::chess())?;
//!
//! // White to move mates in six moves, eleven plies.
//! let position = tables.position("8/8/8/8/8/3k4/8/3K3Q w - - 0 1")?;
//! let answer = tables.probe(&position)?;
//! assert_eq!(answer.value, Value::Win(Ply(11)));
//! assert_eq!(answer.file_name().as_deref(), Some("KQvK.tsm"));
//!
//! // Each move of the main line brings the mate a ply nearer.
//! let line = tables.main_line(&position)?;
//! assert_eq!(Some(Ply(line.len() as u16)), answer.value.ply());
//!
//! // A table that is not there is an error of its own kind, and the program can go on without it.
//! let position = tables.position("8/8/8/8/8/3k4/8/3K3R w - - 0 1")?;
//! let Err(ProbeError::Missing(table)) = tables.probe(&position) else { panic!("KRvK is not there") };
//! assert_eq!(table.to_string(), "not here: KRvK.tsm");
//! # Ok(())
//! # }
//! ```
//!
//! A folder may hold files of several formats and metrics. A [`Tablebase`] answers under one metric, for each
//! material from the first that is there of `.tsm`, flat files (`.tbl`, of `wdl` `.tbc`) and, of `dtz50` and
//! `wdl`, Syzygy files; [`Tablebases`] has all metrics, and finds the one that knows a position.
//!
//! ```text
//!   Position ─ SortedMen ─► Entry (found once a material) ─ Mapping ─► number ─ TableFile ─► Value
//!        │                     │                                          └──── Table ──────► Value
//!        │                     ├─ FlatTablebase ────────────────────────────────────────────► Value
//!        │                     └─ SyzygyTablebase ─► Score ─────────────────────────────────► Value
//!        └─ en-passant captures ─► Position …                                      better of both
//! ```
//!
//! Columns of `dtc`, `dtz` and `dtz50` hold distances only, so the column `wdl`, of the same file or of one
//! in another folder, says first who wins; the clock of a position counts last. Where a column has left out
//! the side to move, its moves are looked at, one ply ahead. An [`ExchangeFile`] names a flat or Syzygy file
//! and compares its checksum.
//!
//! Any number of threads may ask; [`Tablebase::block_of`] says which positions are best asked together.
//! Blocks of `.tsm` files are decompressed into a cache of a given size, flat files are mapped into memory,
//! at most some thousand at a time.
//!
//! A table holds neither illegal positions nor en-passant rights, so the rules are asked first (is the
//! position legal?) and last (what would the capture lead to?). Nothing here depends on how values were
//! computed.
//!
//! Where no table is there the rules still decide some positions of any number of men: mate, stalemate, ends
//! of other kinds, a mate in one, men with which neither side can win. [`Answer::missing`] says so.
//!
//! Nor does it hold rights to castle. Positions with such rights are a column of their own; where
//! there is none, a choice of men and rights is solved from the tables when a caller asks, and kept; not for
//! a question that is asked [`in_haste`].

mod answer;
mod answering;
mod between;
mod castling;
mod error;
mod exchange;
mod legal_moves;
mod pgn;
mod ranks;
mod table_path;
mod tablebase;
mod tablebases;

pub use answer::{Answer, AnswerFile, Ask, By, Gap, Line, RatedMove, Refutation};
pub use between::Between;
pub use castling::{has_passed_over, in_haste, may_solve};
pub use error::{MissingTable, ProbeError};
pub use exchange::{CheckedExchange, ExchangeFile, ExchangeKind};
pub use format::BlockAddress;
pub use legal_moves::LegalMoves;
pub use pgn::pgn;
pub use ranks::{Ranks, WhoWins, line_by_results};
pub use tablebase::{PositionValues, Tablebase};
pub use tablebases::{Tablebases, metrics_in_order};

#[cfg(test)]
mod tests;
