//! The `cli` crate.
