//! Chooses the sizes of tiles and blocks and the effort of the compressor for a metric's files, as measured
//! in docs/decisions/0011-files-of-other-metrics.md.
//!
//! A file of `dtm` is laid out for solving: written at once, both sides read as a stream. In the others a
//! table that is not large is one tile, in which the axes stand in any order and the frame men may be
//! exchanged. Of `wdl` a probe still touches no more than a small block; of the distances a small table is
//! one block, because most of what a row of distances repeats stands far away.
//!
//! All of them are packed as fast as a solver works, or, where they are to be small, with patience.

use crate::code::payload::Payload;
use crate::head::header::{
    BLOCK_CODES, SMALL_BLOCK_CODES, VERSION_OF_METRICS, VERSION_OF_SMALL, VERSION_OF_WHOLE,
};
use crate::tile::tiling::tile_codes_of;
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
    /// Whether long repetitions are looked for in all that has been seen of the block, which a quick level
    /// soon forgets.
    pub(crate) is_far: bool,
}

impl Effort {
    /// Measured in docs/decisions/0002-file-numbering.md.
    const QUICK: Effort = Effort { level: 3, min_match: Some(6), is_far: false };
    /// For the distances of a table that is one block.
    const QUICK_WHOLE: Effort = Effort { level: 6, min_match: None, is_far: true };
    /// For `wdl`, which has a quarter of a byte a code.
    const QUICK_WDL: Effort = Effort { level: 5, min_match: None, is_far: false };
    /// Finds the best order of a small table.
    const COMPARE: Effort = Effort { level: 3, min_match: None, is_far: false };
    /// For large tables of `wdl` that are to be small.
    const PATIENT_WDL: Effort = Effort { level: 15, min_match: None, is_far: false };
    /// For large tables of distances that are to be small.
    const PATIENT_DISTANCES: Effort = Effort { level: 9, min_match: None, is_far: false };
    /// For small tables that are to be small.
    const PATIENT: Effort = Effort { level: 19, min_match: None, is_far: false };
}

/// The sizes and efforts of a table's file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Profile {
    pub(crate) payload: Payload,
    /// The version of a file that keeps all sides to move.
    pub(crate) version: u32,
    pub(crate) tile_codes: usize,
    pub(crate) block_codes: usize,
    /// Whether the file is to be as small as can be; else it is to be made quickly.
    pub(crate) is_small: bool,
    /// To compare arrangements.
    pub(crate) choosing: Effort,
    pub(crate) writing: Effort,
    /// For a side to move that is left out later.
    pub(crate) passing: Effort,
}

impl Profile {
    /// The profile of quick files for a metric and a layout.
    pub(crate) fn new(metric: Metric, layout: &Layout) -> Profile {
        let payload = Payload::of(metric);
        let version = if payload == Payload::Values { VERSION_OF_WHOLE } else { VERSION_OF_METRICS };
        let tile_codes = tile_codes_of(version, layout);
        let is_whole = tile_codes == layout.len();
        let writing = match payload {
            Payload::Distances if is_whole => Effort::QUICK_WHOLE,
            Payload::Values | Payload::Distances => Effort::QUICK,
            Payload::Wdl => Effort::QUICK_WDL,
        };
        let block_codes = match payload {
            Payload::Wdl => WDL_BLOCK_CODES,
            Payload::Distances if is_whole => layout.len(),
            Payload::Distances => DISTANCE_BLOCK_CODES,
            Payload::Values => BLOCK_CODES,
        };
        let (is_small, choosing, passing) = (false, Effort::QUICK, Effort::QUICK);
        Profile { payload, version, tile_codes, block_codes, is_small, choosing, writing, passing }
    }

    /// The same for files that are to be as small as can be.
    pub(crate) fn to_small(self, layout: &Layout) -> Profile {
        let is_whole = self.tile_codes == layout.len();
        let (version, choosing, writing) = match self.payload {
            // A model packs them.
            Payload::Values => (VERSION_OF_SMALL, self.choosing, self.writing),
            _ if is_whole => (self.version, Effort::COMPARE, Effort::PATIENT),
            Payload::Wdl => (self.version, Effort::COMPARE, Effort::PATIENT_WDL),
            Payload::Distances => (self.version, Effort::QUICK, Effort::PATIENT_DISTANCES),
        };
        let block_codes = match self.payload {
            Payload::Values => SMALL_BLOCK_CODES,
            _ => self.block_codes,
        };
        Profile { version, block_codes, is_small: true, choosing, writing, ..self }
    }

    /// Whether each block begins with the byte of its method.
    pub(crate) fn has_methods(&self) -> bool {
        self.version == VERSION_OF_SMALL
    }

    /// Whether orders are compared on an excerpt of a tile: of a quick file whose tile is the whole table.
    pub(crate) fn has_excerpts(&self, layout: &Layout) -> bool {
        self.payload != Payload::Values && !self.is_small && self.tile_codes == layout.len()
    }
}
