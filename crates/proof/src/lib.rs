//! The `proof` crate.
