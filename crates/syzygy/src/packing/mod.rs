//! Packs values: free places filled with runs, pairs joined into symbols, symbols written in Huffman codes.

pub(crate) mod grammar;
pub(crate) mod huffman;
pub(crate) mod packed;
mod parse;
pub(crate) mod run;
