//! Codes and blocks as a file has them: what a code stands for, the method of a block.

pub(crate) mod distance;
pub(crate) mod method;
pub(crate) mod payload;
