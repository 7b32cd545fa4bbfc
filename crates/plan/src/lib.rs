//! The `plan` crate.
