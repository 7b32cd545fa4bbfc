//! Cuts the codes of a side into tiles, and orders the codes in each.

pub(crate) mod grid;
pub(crate) mod order;
pub(crate) mod tiling;
#[cfg(feature = "parallel")]
pub(crate) mod walk;
