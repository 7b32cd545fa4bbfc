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
//! A damaged `.tsm` is refused, never misread: nothing is used before its checksum has been compared. Which
//! placements are legal is not known here: a file keeps no illegal one, and whoever reads must ask the rules.

mod cache;
mod checksum;
mod choice;
mod design;
mod distance;
mod error;
mod fill;
pub mod flat;
mod header;
mod join;
mod kept;
mod meaning;
mod metadata;
mod method;
mod modelled;
mod name;
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
mod writer;

pub use cache::BlockCache;
pub use checksum::{Checksum, ChecksumError, rules_hash};
pub use distance::Distance;
pub use error::FormatError;
pub use header::{HEADER_BYTES, VERSION};
pub use metadata::{Dependency, Metadata};
pub use name::{EXTENSION, file_name, file_name_of, parse_file_name};
pub use reader::TableFile;
pub use side::drop_interim_side;
pub use summary::Summary;
pub use temporary::{is_temporary, write_atomically};
pub use writer::{Keep, Packing, TableWriter, Written};

use variant::Metric;

/// The metric of the files that those of this metric are read with: `wdl` for files of distances alone, which
/// do not say who wins.
#[must_use]
pub fn companion(metric: Metric) -> Option<Metric> {
    (meaning::Meaning::of(metric) == meaning::Meaning::Distances).then_some(Metric::Wdl)
}

#[cfg(test)]
mod tests;
