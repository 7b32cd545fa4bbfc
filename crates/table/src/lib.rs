//! The `table` crate.
