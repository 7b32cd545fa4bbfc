//! An open folder of tables: a position in, its exact value, moves and main line out.
//!
//! ```text
//!   Position ─ men, by kind ─► Entry (found once a material) ─ Mapping ─► number ─ TableFile ─► Value
//!        └─ en-passant captures ─► Position …                                         better of both
//! ```
//!
//! A table holds neither illegal positions nor en-passant rights, so the rules are asked first (is the position legal?)
//! and last (what would the capture lead to?). How values were computed is not known here.

mod answer;
mod error;
mod roster;
mod tablebase;

pub use answer::{Answer, RatedMove};
pub use error::ProbeError;
pub use tablebase::Tablebase;

#[cfg(test)]
mod tests;
