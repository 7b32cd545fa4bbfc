//! Keeps the positions with rights to castle of one material in a file.
//!
//! ```text
//!   head    magic (8 bytes), version (4), bytes of the index (4), checksum (16) of these and the index
//!   index   JSON, packed with Zstandard: the game, its rules, the metric, the material, and of each choice
//!           of rights its name, how many values it has, and the bytes and the checksum of its block
//!   blocks  one a choice of rights: the low bytes of its codes, then the high ones, packed with Zstandard
//! ```
//!
//! docs/table-format.md specifies numbers and codes. Nothing is used before its checksum was compared, and
//! no number in a file asks for more memory than the rules say its values take. The whole file is read when
//! it is opened: of five men it has some hundred kilobytes.

mod index;
mod name;
mod reader;
mod writer;

pub use name::{EXTENSION, parse_rights_file_name, rights_file_name};
pub use reader::{RightsFile, RightsSummary};
pub use writer::write_rights_file;

#[cfg(test)]
mod tests;

const MAGIC: [u8; 8] = *b"\x89TSR\r\n\x1a\n";
const FORMAT_VERSION: u32 = 1;
const HEAD_BYTES: usize = 32;

/// The checksum in the head of a file.
fn checksum_of(head: &[u8], index: &[u8]) -> [u8; 16] {
    let hash = *blake3::Hasher::new().update(head).update(index).finalize().as_bytes();
    std::array::from_fn(|i| hash[i])
}
