//! Keeps the slices of a structure in one file, with an index.
//!
//! ```text
//!   head     magic (8 bytes), identity (32): the rules, the metric, the solver, the roots, the limit
//!   records  kind, side, coding, the last code of a win, table (4), unit (4), page (4), codes (4), bytes
//!            (4), the longest win and loss of either side to move (4 × 2); checksum (16) of all this and
//!            the bytes; and these
//!               page      codes of one side to move, compressed
//!               unit      a slice is finished
//!               table     a table is finished
//!   index    JSON, compressed: the roots, the limit, each table's slices and where its pages are
//!   tail     where the index begins (8), its bytes (8), checksum (16) of these, the head and the index,
//!            magic (8)
//! ```
//!
//! Codings are 0 narrow, 1 split, 2 wide, and 3 narrow in pairs: codes below 16, two of them in a byte.
//!
//! A *unit* is what is written in one go: a whole table that was solved in memory, or a slice of one that
//! was not. A file in the making has no index and another name. What stands behind its last finished unit
//! is cut off when it is opened, and the run goes on from there. When it is whole its pages are copied in the
//! order of their keys, so that the bytes of a file do not depend on the number of threads; the records of
//! units and tables stay behind.

mod index;
mod page;
mod reader;
mod writer;

pub(crate) use index::{FileIndex, TableIndex};
use page::CHECKSUM_BYTES;
pub(crate) use page::PageKey;
pub(crate) use reader::FileReader;
pub(crate) use writer::{FileWriter, PART};

const MAGIC: [u8; 8] = *b"\x89TSSTR2\n";
const HEAD_BYTES: u64 = 40;
const TAIL_BYTES: u64 = 40;

/// The checksum in the tail, of the head, where the index is, and the index.
fn tail_checksum(head: &[u8], place: &[u8], index: &[u8]) -> [u8; CHECKSUM_BYTES] {
    page::short(blake3::Hasher::new().update(head).update(place).update(index))
}

/// How the names of structures end.
pub const EXTENSION: &str = "tss";
