//! Writes tables in forms that other programs read, and reads those that answer positions.
//!
//! ```text
//!   Table ─┬─ flat     .tbl, .tbc   an array that squares index   ─► FlatFile, FlatTablebase: mapped
//!          ├─ bits     .tsq         a yes or no for each position ─► BitsFile: a block at a time
//!          └─ rows     a row for each position ─► columns: Parquet, npz
//! ```
//!
//! Nothing here knows where a table comes from. The files of Syzygy's kin have rules of their own about
//! moves, and a crate of their own.
//!
//! The files of columns are a feature, so that only programs that ask for them compile their writers:
//! `cargo test -p tablesmith-export --features columns` tests them.

pub mod bits;
#[cfg(feature = "columns")]
pub mod columns;
pub mod flat;
#[cfg(feature = "parallel")]
mod rows;

#[cfg(feature = "parallel")]
pub use rows::{Batch, Rows};
