//! Names a block by its slice and its number there, so that the two numbers cannot be exchanged.

/// A block and the slice that it lies in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SliceBlock {
    /// The number of the slice.
    pub slice: usize,
    /// The number of the block in its slice.
    pub block: usize,
}
