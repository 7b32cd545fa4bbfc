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
//! `wdl`: [`TableFile::distance`] and [`Distance::of`], or [`TableFile::read_table_beside`].
//!
//! Files for others are in [`flat`] and [`syzygy`].
//!
//! A damaged `.tsm` is refused, never misread: nothing is used before its checksum has been compared. Which
//! placements are legal is not known here: a file keeps no illegal one, and whoever reads must ask the rules.

mod beside;
mod cache;
mod checksum;
mod choice;
mod design;
mod distance;
mod error;
mod fill;
pub mod flat;
mod header;
mod kept;
mod meaning;
mod metadata;
mod method;
mod modelled;
mod order;
mod pack;
mod range;
mod reader;
mod side;
mod source;
mod stream;
mod summary;
pub mod syzygy;
mod temporary;
mod tile;
mod width;
mod writer;

pub use cache::BlockCache;
pub use checksum::{Checksum, ChecksumError, rules_hash};
pub use distance::Distance;
pub use error::FormatError;
pub use header::{HEADER_BYTES, VERSION};
pub use metadata::{Dependency, Metadata};
pub use reader::TableFile;
pub use side::drop_interim_side;
pub use summary::Summary;
pub use temporary::is_temporary;
pub use writer::{Keep, Packing, TableWriter, Written};

use variant::Metric;

/// The ending of a table file's name.
pub const EXTENSION: &str = "tsm";

/// The name of the file for a material under the variant's own metric, such as `KQvKR.tsm`.
#[must_use]
pub fn file_name(material: &str) -> String {
    format!("{material}.{EXTENSION}")
}

/// The name of the file for a material under any metric of a variant, such as `KQvKR.dtz50.tsm`; without the
/// metric's name if it is the variant's own.
#[must_use]
pub fn file_name_of(material: &str, metric: Metric, default: Metric) -> String {
    if metric == default { file_name(material) } else { format!("{material}.{metric}.{EXTENSION}") }
}

/// Whether the files of a metric hold distances alone, to be read beside those of `wdl`.
#[must_use]
pub fn holds_distances(metric: Metric) -> bool {
    meaning::Meaning::of(metric) == meaning::Meaning::Distances
}

#[cfg(test)]
mod tests;
