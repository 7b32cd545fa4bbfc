//! Tiles: the parts that the codes of a side are cut into, and the order of the codes in each.

pub(crate) mod grid;
pub(crate) mod order;
pub(crate) mod tiling;
pub(crate) mod walk;
