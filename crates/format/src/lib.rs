//! The `format` crate.
