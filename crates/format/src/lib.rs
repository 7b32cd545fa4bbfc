//! Table files: header, metadata, index, compressed blocks, checksums; written whole or not at all.
//!
//! The format is specified in docs/table-format.md. A [`TableFile`] answers for single placements by
//! decompressing one block each, gives all codes a tile at a time, those of a range of numbers, or the whole
//! [`table::Table`]; a [`Summary`] is what a file says of itself without a block being touched.
//! A [`TableWriter`] makes the file under a temporary name and renames it when it is on the disk.
//!
//! ```text
//!   Table ─ tile ─ kept (no canonical position) ─ order ─ fill ─ zstd or model ─► file ─► Summary
//!                                                                 ├─► TableFile ─ BlockCache ─► Value
//!                                                                 └─► stream ─► codes, Table
//! ```
//!
//! A file of `dtc`, `dtz` or `dtz50` holds distances without saying who wins, and is read beside the file of
//! `wdl`: [`TableFile::distance`] and [`Distance::of`], or [`TableFile::read_table_with`].
//!
//! Files for others are in [`flat`].
//!
//! The feature `parallel` writes tables, and reads whole ones and ranges of them, on all threads. Without it
//! single values are read.
//!
//! A damaged `.tsm` is refused, never misread: nothing is used before its checksum has been compared. Which
//! placements are legal is not known here: a file keeps no illegal one, and whoever reads must ask the rules.

#![cfg_attr(
    not(feature = "parallel"),
    allow(dead_code, unused_imports, reason = "modules serve writers and readers")
)]

mod checksum;
mod code;
mod error;
pub mod flat;
mod footprint;
mod head;
mod model;
mod name;
#[cfg(feature = "parallel")]
mod pack;
mod read;
mod shared_file;
mod temporary;
mod tile;
#[cfg(feature = "parallel")]
mod write;

pub use checksum::{Checksum, ChecksumError, rules_hash};
pub use code::distance::Distance;
pub use code::payload::companion;
pub use error::FormatError;
pub use footprint::{tile_bytes, writing_bytes};
pub use head::header::{HEADER_BYTES, VERSION};
pub use head::metadata::{Dependency, Metadata};
pub use head::summary::Summary;
pub use name::{EXTENSION, file_name, file_name_of, parse_file_name};
pub use read::cache::BlockCache;
pub use read::file::TableFile;
pub use temporary::{is_temporary, write_atomically};
#[cfg(feature = "parallel")]
pub use write::{Keep, Packing, TableWriter, Written, drop_interim_side};

#[cfg(all(test, feature = "parallel"))]
mod tests;
