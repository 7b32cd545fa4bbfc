//! Table files: header, metadata, index, compressed blocks, checksums; written whole or not at all.
//!
//! The format is specified in docs/table-format.md. A [`TableFile`] answers for single placements by decompressing one
//! block each, gives all codes a tile at a time, those of a range of numbers, or the whole [`table::Table`]; a [`Summary`] is what a file says of
//! itself without a block being touched. [`write_table`] makes the file under a temporary name and renames it when it
//! is on the disk.
//!
//! ```text
//!   Table ─ tile ─ kept (what is no canonical position) ─ order ─ fill ─ zstd ─► file ─► Summary
//!                                                                                 ├───► TableFile ─ BlockCache ─► Value
//!                                                                                 └───► stream ─► codes, Table
//! ```
//!
//! A damaged file is refused, never misread: nothing is used before its checksum has been compared. Which placements
//! are legal is not known here: a file keeps no illegal one, and whoever reads must ask the rules.

mod cache;
mod checksum;
mod error;
mod header;
mod kept;
mod metadata;
mod order;
mod pack;
mod range;
mod reader;
mod side;
mod source;
mod stream;
mod summary;
mod temporary;
mod tile;
mod width;
mod writer;

pub use cache::BlockCache;
pub use checksum::{Checksum, ChecksumError};
pub use error::FormatError;
pub use header::{HEADER_BYTES, VERSION};
pub use metadata::{Dependency, Metadata};
pub use reader::TableFile;
pub use side::drop_interim_side;
pub use summary::Summary;
pub use temporary::is_temporary;
pub use writer::{Keep, Written, write_table, write_table_keeping};

/// The ending of a table file's name.
pub const EXTENSION: &str = "tsm";

/// The name of the file for a material under the variant's own metric, such as `KQvKR.tsm`.
#[must_use]
pub fn file_name(material: &str) -> String {
    format!("{material}.{EXTENSION}")
}

#[cfg(test)]
mod tests;
