//! The `index` crate.
