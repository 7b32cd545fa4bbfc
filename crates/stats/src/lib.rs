//! The `stats` crate.
