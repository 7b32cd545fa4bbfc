//! Opens endgame tables to C: open, value, best move, close.
//!
//! `border` has the functions that C calls. It turns pointers into references and texts, catches panics,
//! and keeps the sentence about the last error of each thread; what it means is asked of `tables`, which is
//! safe code. The header is `include/tablesmith.h`, written by cbindgen from `border.rs`.
//!
//! ```text
//!   C ─► border (pointers, statuses, panics) ─► tables (positions, refusals) ─► library::AskedTables
//! ```

pub mod border;
mod tables;

#[cfg(test)]
mod tests;
