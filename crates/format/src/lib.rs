//! Writes and reads table files: `.tsm` files with a header, metadata, an index and compressed blocks, each
//! under its checksum.
//!
//! docs/table-format.md specifies the format. A [`TableWriter`] makes a file under a temporary name and
//! renames it when it is on the disk. A [`TableFile`] reads single values, decompressing one block each, all
//! codes a tile at a time, those of a range of numbers, or the whole [`table::Table`]. A [`Summary`] is the
//! header and the metadata, without a block.
//!
//! ```text
//!   Table ─ tile ─ pack: select ─ payload ─ order ─ fill ─ Zstandard or model ─┐
//!                                                                              ▼
//!   Value  ◄─ cache ◄──┐                                       write ─► head ─ index ─ blocks
//!   Table, codes ◄─────┴── read: checksum ─ unpack ─ tile ◄───────────────── file
//! ```
//!
//! A file of `dtc`, `dtz` or `dtz50` holds distances without saying who wins; [`companion`] names the metric
//! of the file that it is read with. [`TableFile::distance`] and [`Distance::of`] read single values, and
//! [`TableFile::read_table_with`] the whole table.
//!
//! A file has both sides to move, or the one that takes less room.
//!
//! The feature `parallel` writes tables, and reads whole ones and ranges of them, on all threads. Without it
//! single values are read.
//!
//! A damaged `.tsm` is refused, never misread: nothing is used before its checksum has been compared. The
//! crate does not know which placements are legal: a file keeps no illegal one, and whoever reads must ask
//! the rules.

mod checksum;
mod code;
mod error;
#[cfg(feature = "parallel")]
mod footprint;
mod head;
#[cfg(feature = "parallel")]
mod heap;
mod model;
mod name;
#[cfg(feature = "parallel")]
mod pack;
mod read;
mod regular_file;
mod shared_file;
mod temporary;
mod tile;
#[cfg(feature = "parallel")]
mod write;

pub use checksum::{Checksum, ChecksumError, rules_hash, rules_hash_with_winner, short as short_checksum};
pub use code::distance::Distance;
pub use code::payload::companion;
pub use error::FormatError;
#[cfg(feature = "parallel")]
pub use footprint::{tile_bytes, whole_tile_bytes, writing_bytes};
pub use head::header::{HEADER_BYTES, VERSION};
pub use head::metadata::{Dependency, Metadata};
pub use head::summary::Summary;
#[cfg(feature = "parallel")]
pub use heap::give_back_freed_memory;
pub use name::{
    EXTENSION, WINNER_EXTENSION, file_name, file_name_of, parse_file_name, parse_winner_file_name, path_in,
    winner_file_name, winner_name,
};
#[cfg(feature = "parallel")]
pub use pack::selection::Selection;
pub use read::cache::BlockCache;
pub use read::file::{BlockAddress, TableFile};
#[cfg(feature = "parallel")]
pub use read::joined_table::LongestRead;
pub use regular_file::{open_regular, read_regular};
pub use shared_file::SharedFile;
pub use temporary::{
    is_own_temporary, is_temporary, put_in_place, temporary_of, write_atomically, write_atomically_with,
};
#[cfg(feature = "parallel")]
pub use write::{Grown, Keep, Packing, TableWriter, Written, add_interim_side, drop_interim_side};

#[cfg(all(test, feature = "parallel"))]
mod tests;
