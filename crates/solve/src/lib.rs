//! The `solve` crate.
