//! Packs values: free places filled with runs, pairs joined into symbols, symbols written in Huffman codes.

#[cfg(feature = "parallel")]
pub(crate) mod grammar;
#[cfg(feature = "parallel")]
pub(crate) mod packed_side;
#[cfg(feature = "parallel")]
mod parse;
#[cfg(feature = "parallel")]
pub(crate) mod run;

#[cfg(all(test, feature = "parallel"))]
mod tests;

/// The right child of a leaf.
pub(crate) const LEAF: u16 = 0xfff;

/// The most values that a symbol stands for.
pub(crate) const MAX_LENGTH: u16 = 256;
