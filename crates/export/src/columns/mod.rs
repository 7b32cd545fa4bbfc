//! Writes tables as columns, a row a position: Parquet for data frames, npz for numpy.
//!
//! ```text
//!   Table ─ Rows (canonical positions, a batch at a time) ─┬─ ParquetFile  to_move, K, Q, k, wdl, plies
//!                                                          └─ write_npz    an array for each
//! ```
//!
//! A row is a legal position that stands for its symmetric images and for the exchanges of like men. Squares
//! are numbers from 0, along the ranks from White's side: a1 is 0, b1 is 1.

mod error;
mod npz;
mod parquet_file;
mod rows;

pub use error::ColumnsError;
pub use npz::write_npz;
pub use parquet_file::{Field, FieldType, ParquetFile, Values};
pub use rows::{Batch, Rows};

#[cfg(test)]
mod tests;
