//! How the files of a metric are laid out: what is measured in docs/decisions/0011-files-of-other-metrics.md.
//!
//! A file of `dtm` is laid out for solving: written at once, both sides read as a stream. The others are
//! there to be small. So a table that is not large is one tile, in which the axes stand in any order and the
//! frame men may be exchanged, and the compressor takes its time. Of `wdl` a probe still touches no more than
//! a small block; of the distances a small table is one block, because most of what a row of distances
//! repeats stands far away.

use crate::header::{VERSION_OF_METRICS, VERSION_OF_SMALL, VERSION_OF_WHOLE};
use crate::meaning::Meaning;
use crate::tile::tile_codes;
use index::Layout;
use variant::Metric;

/// The most codes of a side that are one tile in files of version 4.
pub(crate) const WHOLE_CODES: usize = 1 << 23;

/// Codes in a block of values: one probe decompresses as many.
pub(crate) const BLOCK_CODES: usize = 1 << 15;

/// Codes in a block of distances of a large table. Those of a small one are one block.
const DISTANCE_BLOCK_CODES: usize = 1 << 16;

/// Codes in a block of results, which take a quarter of a byte each: as many bytes.
const RESULT_BLOCK_CODES: usize = 1 << 17;

/// How hard a compressor tries.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Effort {
    pub(crate) level: i32,
    /// The shortest repetition that is worth being told, where the level does not know best: shorter ones
    /// hide longer ones, and say less than single codes.
    pub(crate) min_match: Option<u32>,
}

impl Effort {
    /// Measured in docs/decisions/0006-order-in-tiles.md.
    const QUICK: Effort = Effort { level: 3, min_match: Some(6) };
    /// Tells which order is the best one of a small table.
    const COMPARE: Effort = Effort { level: 3, min_match: None };
    /// For large tables of results, which have a quarter of a byte a code.
    const LARGE_RESULTS: Effort = Effort { level: 15, min_match: None };
    /// For large tables of distances.
    const LARGE_DISTANCES: Effort = Effort { level: 9, min_match: None };
    /// For small tables.
    const PATIENT: Effort = Effort { level: 19, min_match: None };
}

/// How a table's file is laid out.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Design {
    pub(crate) meaning: Meaning,
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

impl Design {
    /// The design for a metric and a layout.
    pub(crate) fn new(metric: Metric, layout: &Layout) -> Design {
        let meaning = Meaning::of(metric);
        let version = if meaning == Meaning::Values { VERSION_OF_WHOLE } else { VERSION_OF_METRICS };
        let tile_codes = tile_codes_of(version, layout);
        let is_whole = tile_codes == layout.len();
        let (choosing, writing) = match meaning {
            Meaning::Values => (Effort::QUICK, Effort::QUICK),
            _ if layout.len() <= WHOLE_CODES => (Effort::COMPARE, Effort::PATIENT),
            Meaning::Results => (Effort::COMPARE, Effort::LARGE_RESULTS),
            Meaning::Distances => (Effort::QUICK, Effort::LARGE_DISTANCES),
        };
        let block_codes = match meaning {
            Meaning::Results => RESULT_BLOCK_CODES,
            Meaning::Distances if is_whole => layout.len(),
            Meaning::Distances => DISTANCE_BLOCK_CODES,
            Meaning::Values => BLOCK_CODES,
        };
        Design { meaning, version, tile_codes, block_codes, choosing, writing, passing: Effort::QUICK }
    }

    /// The same for files that are to be as small as can be; files of other metrics than `dtm` are already.
    pub(crate) fn to_small(self) -> Design {
        match self.meaning {
            Meaning::Values => Design { version: VERSION_OF_SMALL, ..self },
            Meaning::Results | Meaning::Distances => self,
        }
    }

    /// Whether each block begins with a byte that tells how it is packed.
    pub(crate) fn has_packings(&self) -> bool {
        self.version == VERSION_OF_SMALL
    }
}

/// Codes of a tile of a layout in files of a version with tiles.
pub(crate) fn tile_codes_of(version: u32, layout: &Layout) -> usize {
    let is_whole = version == VERSION_OF_METRICS && layout.len() <= WHOLE_CODES;
    if is_whole { layout.len() } else { tile_codes(layout) }
}
