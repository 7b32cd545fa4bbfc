//! The `probe` crate.
