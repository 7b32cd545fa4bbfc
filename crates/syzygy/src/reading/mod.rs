//! Reads files: the values that stand in them, and what these say of a position.

pub(crate) mod bytes;
pub(crate) mod file;
pub(crate) mod side_decoder;
pub(crate) mod tablebase;
