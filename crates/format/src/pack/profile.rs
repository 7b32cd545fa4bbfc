//! Chooses the sizes of tiles and blocks and the effort of the compressor for a metric's files, as measured
//! in docs/decisions/0011-files-of-other-metrics.md.
//!
//! A file of `dtm` is laid out for solving: written at once, both sides read as a stream. The others are
//! there to be small. So a table that is not large is one tile, in which the axes stand in any order and the
//! frame men may be exchanged, and the compressor takes its time. Of `wdl` a probe still touches no more than
//! a small block; of the distances a small table is one block, because most of what a row of distances
//! repeats stands far away.

use crate::code::payload::Payload;
use crate::head::header::{BLOCK_CODES, VERSION_OF_METRICS, VERSION_OF_SMALL, VERSION_OF_WHOLE};
use crate::tile::tiling::{WHOLE_CODES, tile_codes_of};
use index::Layout;
use variant::Metric;

/// Codes in a block of distances of a large table. Those of a small one are one block.
const DISTANCE_BLOCK_CODES: usize = 1 << 16;

/// Codes in a block of `wdl`, which take a quarter of a byte each: as many bytes.
const WDL_BLOCK_CODES: usize = 1 << 17;

/// How hard a compressor tries.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Effort {
    pub(crate) level: i32,
    /// The shortest repetition that is worth writing, where the level does not know best: shorter ones
    /// hide longer ones, and say less than single codes.
    pub(crate) min_match: Option<u32>,
}

impl Effort {
    /// Measured in docs/decisions/0006-order-in-tiles.md.
    const QUICK: Effort = Effort { level: 3, min_match: Some(6) };
    /// Finds the best order of a small table.
    const COMPARE: Effort = Effort { level: 3, min_match: None };
    /// For large tables of `wdl`, which have a quarter of a byte a code.
    const LARGE_WDL: Effort = Effort { level: 15, min_match: None };
    /// For large tables of distances.
    const LARGE_DISTANCES: Effort = Effort { level: 9, min_match: None };
    /// For small tables.
    const PATIENT: Effort = Effort { level: 19, min_match: None };
}

/// The sizes and efforts of a table's file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Profile {
    pub(crate) payload: Payload,
    /// The version of a file that keeps all sides to move.
    pub(crate) version: u32,
    pub(crate) tile_codes: usize,
    pub(crate) block_codes: usize,
    /// To compare arrangements.
    pub(crate) choosing: Effort,
    pub(crate) writing: Effort,
    /// For a side to move that is left out later.
    pub(crate) passing: Effort,
}

impl Profile {
    /// The profile for a metric and a layout.
    pub(crate) fn new(metric: Metric, layout: &Layout) -> Profile {
        let payload = Payload::of(metric);
        let version = if payload == Payload::Values { VERSION_OF_WHOLE } else { VERSION_OF_METRICS };
        let tile_codes = tile_codes_of(version, layout);
        let is_whole = tile_codes == layout.len();
        let (choosing, writing) = match payload {
            Payload::Values => (Effort::QUICK, Effort::QUICK),
            _ if layout.len() <= WHOLE_CODES => (Effort::COMPARE, Effort::PATIENT),
            Payload::Wdl => (Effort::COMPARE, Effort::LARGE_WDL),
            Payload::Distances => (Effort::QUICK, Effort::LARGE_DISTANCES),
        };
        let block_codes = match payload {
            Payload::Wdl => WDL_BLOCK_CODES,
            Payload::Distances if is_whole => layout.len(),
            Payload::Distances => DISTANCE_BLOCK_CODES,
            Payload::Values => BLOCK_CODES,
        };
        Profile { payload, version, tile_codes, block_codes, choosing, writing, passing: Effort::QUICK }
    }

    /// The same for files that are to be as small as can be; files of other metrics than `dtm` are already.
    pub(crate) fn to_small(self) -> Profile {
        match self.payload {
            Payload::Values => Profile { version: VERSION_OF_SMALL, ..self },
            Payload::Wdl | Payload::Distances => self,
        }
    }

    /// Whether each block begins with the byte of its method.
    pub(crate) fn has_methods(&self) -> bool {
        self.version == VERSION_OF_SMALL
    }
}
