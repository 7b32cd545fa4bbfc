//! Holds sets of placements: words from the start of a cache line on, with flags for rows and blocks.

mod alignment;
mod block;
mod disk;
mod escape;
mod frontier;
mod open_plane;
mod pass_plane;
mod word_set;

pub(crate) use block::Block;
pub(crate) use escape::Escape;
pub(crate) use frontier::{Frontier, PARTS_IN_MEMORY, PlacementSet};
pub(crate) use open_plane::{Change, OpenBlocks, OpenPlane};
pub(crate) use pass_plane::{PassFiles, PassPlanes};
pub(crate) use word_set::{PackedBlocks, WordSet};

#[cfg(test)]
mod tests;
