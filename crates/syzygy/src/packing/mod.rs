//! Packs values: free places filled with runs, pairs joined into symbols, symbols written in Huffman codes.

pub(crate) mod grammar;
pub(crate) mod huffman;
#[cfg(feature = "parallel")]
pub(crate) mod packed;
#[cfg(feature = "parallel")]
mod parse;
pub(crate) mod run;
