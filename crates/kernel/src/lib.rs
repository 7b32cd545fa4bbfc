//! The `kernel` crate.
