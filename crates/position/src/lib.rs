//! The `position` crate.
