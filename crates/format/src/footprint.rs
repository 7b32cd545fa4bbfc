//! Estimates the memory that writing and reading files takes, from the figures by which packers allocate.

use crate::Packing;
use crate::code::payload::Payload;
use crate::head::header::BLOCK_CODES;
use crate::model::{Model, Sample};
use crate::pack::choice::N_SAMPLES;
use crate::tile::tiling::WHOLE_CODES;
use index::Size;
use variant::Metric;

/// The codes of a tile that is no whole table: at most those of three men on a board of 64 squares, or on a
/// larger one of all that a block has.
const TILE_CODES: u64 = 1 << 18;
const N_TILE_MEN: u32 = 3;

/// How often a tile is in memory: as it is numbered, as it is put in order, and as bytes.
const N_TILE_COPIES: u64 = 3;

/// What a compressor takes, for each thread.
const COMPRESSOR_BYTES: u64 = 5 << 18;

/// How many times the bytes of a block a compressor takes beside that if it is patient, as with small tables
/// of other metrics than `dtm`.
const N_PATIENT_COPIES: u64 = 10;

/// Files below this size are compressed before anything else of that size is there to be counted.
const SMALL_FILE_BYTES: u64 = 1 << 20;

/// The memory that a tile takes while it is packed, or unpacked and put in order.
///
/// Units: bytes.
#[must_use]
pub fn tile_bytes(size: &Size, metric: Metric) -> u64 {
    let n_codes = match is_whole(size, metric) {
        true => size.n_placements(),
        false => size.n_squares.pow(N_TILE_MEN).min(size.block_len).max(TILE_CODES),
    };
    N_TILE_COPIES * n_codes
}

/// The memory that writing a file of so many bytes with so many threads takes beside the codes of its table:
/// the compressed blocks, which are kept until all are there, and what packs them. `size` is that of the
/// table, which has so many men.
///
/// Units: bytes.
#[must_use]
pub fn writing_bytes(
    (size, n_men): (&Size, usize),
    (metric, packing): (Metric, Packing),
    file_bytes: u64,
    n_threads: usize,
) -> u64 {
    if file_bytes < SMALL_FILE_BYTES {
        return 0;
    }
    let patient_bytes = if is_whole(size, metric) { N_PATIENT_COPIES * size.n_placements() } else { 0 };
    let mut packer_bytes = COMPRESSOR_BYTES + patient_bytes + tile_bytes(size, metric);
    let mut sample_bytes = 0;
    if packing == Packing::Small && Payload::of(metric) == Payload::Values {
        // A model takes its codes in two bytes each, beside those of the tile.
        packer_bytes += (Model::BYTES + 2 * size_of::<u16>() * BLOCK_CODES) as u64;
        sample_bytes = (N_SAMPLES * Sample::most_bytes(n_men, BLOCK_CODES)) as u64;
    }
    file_bytes + sample_bytes + n_threads as u64 * packer_bytes
}

/// Whether a side of the table is one tile.
fn is_whole(size: &Size, metric: Metric) -> bool {
    Payload::of(metric) != Payload::Values && size.n_placements() <= WHOLE_CODES as u64
}
