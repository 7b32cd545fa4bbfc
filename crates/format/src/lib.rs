//! Writes and reads table files: containers of compressed blocks and an index, each under its checksum.
//!
//! docs/table-format.md specifies the format. A [`TableWriter`] makes a file under a temporary name and
//! renames it when it is on the disk. A [`TableFile`] reads single values, decompressing one block each,
//! those of a range of numbers, or the whole [`table::Table`]. A [`Summary`] is what the index says, without
//! a block.
//!
//! ```text
//!   Table ─ tile ─ pack: select ─ payload ─ order ─ fill ─ Zstandard or model ─┐
//!                                                                              ▼
//!   Value  ◄─ cache ◄──┐                                  write ─► container: blocks ─ index
//!   Table, codes ◄─────┴── read: checksum ─ unpack ─ tile ◄───────────────── file
//! ```
//!
//! A file has a column for each metric. One of `dtc`, `dtz` or `dtz50` holds distances without saying who
//! wins; [`companion`] names the metric of the column that it is read with. [`TableFile::distance`] and
//! [`Distance::of`] read single values, and [`TableFile::read_sides_with`] whole sides.
//!
//! A column has both sides to move, or the one that takes less room.
//!
//! The feature `parallel` writes tables, and reads whole ones and ranges of them, on all threads. Without it
//! single values are read.
//!
//! A damaged `.tsm` is refused, never misread: nothing is used before its checksum has been compared. The
//! crate does not know which placements are legal: a file keeps no illegal one, and a reader must ask the
//! rules.

mod code;
mod container;
mod disk;
mod error;
mod head;
#[cfg(feature = "parallel")]
mod memory;
mod model;
mod name;
#[cfg(feature = "parallel")]
mod pack;
mod read;
mod tile;
#[cfg(feature = "parallel")]
mod write;

pub use code::{Distance, companion};
pub use container::{
    CHECKSUM_BYTES, Contents, Head, PackedPage, PageKey, PageStore, RecordFile, SealedFile,
    container_identity, part_with, write_container,
};
pub use disk::{
    SharedFile, is_own_temporary, is_temporary, open_regular, put_in_place, read_regular, temporary_of,
    write_atomically, write_atomically_with,
};
pub use error::FormatError;
pub use head::{Dependency, Metadata, Summary, Trimmed, column_path, columns_of, has_column};
#[cfg(feature = "parallel")]
pub use memory::{give_back_freed_memory, tile_bytes, whole_tile_bytes, writing_bytes};
pub use name::{
    Checksum, ChecksumError, Column, EXTENSION, file_name, folder_of, parse_file_name, path_in, rules_hash,
    short as short_checksum, winner_name,
};
#[cfg(feature = "parallel")]
pub use pack::codes::Selection;
pub use read::cache::BlockCache;
pub use read::{BlockAddress, TableFile, open_rights};
#[cfg(feature = "parallel")]
pub use write::{
    Keep, Packing, TableWriter, Written, copy_column, put_column, remove_column, trim, write_rights,
};

#[cfg(all(test, feature = "parallel"))]
mod tests;
