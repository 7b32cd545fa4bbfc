//! Keeps pages of codes in a file, as they are found and then for good.
//!
//! ```text
//!   head     magic (8 bytes), version (4), kind (4), identity (32): all that the pages depend on
//!   records  kind, side, coding (2), table (4), unit (4), page (4), codes (4), bytes (4), the longest win
//!            and loss of either side to move (4 × 2); checksum (16) of all this and the bytes; and these
//!               page      codes of one side to move, packed
//!               unit      a unit is finished
//!               table     a table is finished
//! ```
//!
//! Codings are 0 alternating and 1 split, of one byte, 2 of two bytes, all low ones before all high ones,
//! and 3 alternating in pairs: codes below 16, two of them in a byte. Those of tables are [`crate::code`]'s.
//!
//! A *unit* is what is finished in one go: a slice, or a whole table. What stands behind the last finished
//! unit of a file in the making is cut off when it is opened, and the run goes on from there. When it is
//! whole it is *sealed*: the bytes of its pages are copied in the order of their keys, so that a file does
//! not depend on the number of threads. What records say of pages stands in an index behind them, and every
//! byte of the file is under a checksum.
//!
//! ```text
//!   head     as above
//!   pages    the bytes of each
//!   index    compressed: the bytes of what the caller says of the pages (4) and these, as JSON; then of all
//!            pages table (4 each), unit (4), page (4), codes (4), bytes (4), side, first and second byte of
//!            the coding, checksum (16)
//!   tail     bytes of the index (8), checksum (16) of the head, these and the index, magic (8)
//! ```

use crate::disk::field;
use std::fs::File;
use std::io::Read;
use std::path::Path;

mod page;
mod record;
mod sealed;
mod store;

pub(crate) use page::PageEntry;
pub use page::{PackedPage, PageKey};
pub use record::{CHECKSUM_BYTES, Contents, RecordFile, part_with};
pub(crate) use sealed::peek;
pub use sealed::{SealedFile, write_container};
#[cfg(feature = "parallel")]
pub(crate) use sealed::{Sealer, Tail, tail_of};
pub use store::PageStore;

/// As in PNG: the first byte keeps the file from being taken for text, and the line ends show a careless
/// transfer.
const MAGIC: [u8; 8] = *b"\x89TSC\r\n\x1a\n";

/// The version of all kinds of containers.
const VERSION: u32 = 1;

/// How many bytes stand before the first record.
const HEAD_BYTES: usize = 48;

/// What a container is of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Head {
    /// What the records are.
    pub kind: [u8; 4],
    /// A hash of all that the records depend on.
    pub identity: [u8; 32],
}

impl Head {
    /// The head as it stands in the file.
    fn to_bytes(self) -> [u8; HEAD_BYTES] {
        let mut bytes = [0; HEAD_BYTES];
        bytes[..8].copy_from_slice(&MAGIC);
        bytes[8..12].copy_from_slice(&VERSION.to_le_bytes());
        bytes[12..16].copy_from_slice(&self.kind);
        bytes[16..].copy_from_slice(&self.identity);
        bytes
    }
}

/// What the records of a container depend on, of whatever kind it is; none if it has no whole head.
#[must_use]
pub fn container_identity(path: &Path) -> Option<[u8; 32]> {
    let mut head = [0; HEAD_BYTES];
    File::open(path).ok()?.read_exact(&mut head).ok()?;
    Some(field(&head, 16))
}
