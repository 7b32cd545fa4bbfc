//! Converts codes to those of a file, and names the method of a block.

pub(crate) mod distance;
pub(crate) mod method;
pub(crate) mod payload;
#[cfg(feature = "parallel")]
pub(crate) mod translation;
