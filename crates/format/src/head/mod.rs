//! Reads and writes what stands before the blocks of a file: its header and its metadata.

pub(crate) mod header;
pub(crate) mod metadata;
pub(crate) mod summary;
