//! Estimates the memory that writing and reading files takes, and asks the allocator to give back what was
//! freed.

use crate::Packing;
use crate::code::Payload;
use crate::container::PageEntry;
use crate::head::{BLOCK_CODES, SMALL_BLOCK_CODES};
use crate::model::{Model, Sample};
use crate::pack::codes::{RUN_CODES, excerpt_codes};
use crate::pack::side::N_SAMPLES;
use crate::tile::WHOLE_CODES;
use index::Size;
use variant::{Metric, Side};

/// The codes of a tile that is no whole table: at most those of three men on a board of 64 squares, or on a
/// larger one of all that a block has.
const TILE_CODES: u64 = 1 << 18;
const N_TILE_MEN: u32 = 3;

/// How often a tile is in memory: as it is numbered, as it is put in order, and as bytes.
const N_TILE_COPIES: u64 = 3;

/// What a compressor takes, for each thread.
const COMPRESSOR_BYTES: u64 = 5 << 18;

/// How often a tile that is a whole table, or its excerpt, is in memory while an arrangement is tried: as it
/// is numbered, as it is put in order, as bytes, and compressed.
const N_TRIED_COPIES: u64 = 4;

/// How often it is while it is packed: once more as it comes out again.
const N_PACKED_COPIES: u64 = 5;

/// In how many orders a tile that is a whole table is tried, at least: of small files, and of quick ones.
const N_ORDERS: [u64; 2] = [12, 6];

/// The largest logarithms of the tables that a patient compressor (level 19) searches: of its window, and of
/// the numbers of four bytes that stand for the trees and the hashes of a window.
const MAX_WINDOW_LOG: u32 = 23;
const MAX_TREE_LOG: u32 = 24;
const MAX_HASH_LOG: u32 = 22;

/// The hash of a block before compression.
const HASH_BYTES: usize = 32;

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

/// The memory that a thread takes to read a side to move of a table which is one tile; nothing for others,
/// which are read by many threads in pieces.
///
/// Units: bytes.
#[must_use]
pub fn whole_tile_bytes(size: &Size, metric: Metric) -> u64 {
    if is_whole(size, metric) { tile_bytes(size, metric) } else { 0 }
}

/// The memory that writing a file of this many bytes with this many threads takes: the compressed blocks
/// of a run of codes, what the index has of all of them, and what packs them. `size` is that of the table,
/// which has this many men.
///
/// The codes of a table in memory are not counted. A source that makes its codes hands out this many bytes
/// of them at once (`run_bytes`), and these are.
///
/// Units: bytes.
#[must_use]
pub fn writing_bytes(
    (size, n_men): (&Size, usize),
    (metric, packing): (Metric, Packing),
    file_bytes: u64,
    n_threads: usize,
    run_bytes: Option<u64>,
) -> u64 {
    let is_modelled = packing == Packing::Small && Payload::of(metric) == Payload::Values;
    let block_codes = match Payload::of(metric) {
        Payload::Values if is_modelled => SMALL_BLOCK_CODES,
        Payload::Values => BLOCK_CODES,
        _ => 2 * BLOCK_CODES,
    };
    // Made of values of two bytes, `wdl` has the run once more.
    let narrowed_bytes = if Payload::of(metric) == Payload::Wdl { run_bytes.unwrap_or(0) } else { 0 };
    let held_bytes = run_bytes.unwrap_or(0)
        + narrowed_bytes
        + held_bytes(size.n_placements(), block_codes as u64, file_bytes, run_bytes);
    if is_whole(size, metric) {
        return held_bytes + whole_bytes(size, (metric, packing), n_threads);
    }
    if file_bytes < SMALL_FILE_BYTES {
        return run_bytes.unwrap_or(0);
    }
    let mut packer_bytes = COMPRESSOR_BYTES + tile_bytes(size, metric);
    let mut sample_bytes = 0;
    if is_modelled {
        // A model takes its codes in two bytes each, beside those of the tile.
        packer_bytes += (Model::BYTES + 2 * size_of::<u16>() * block_codes) as u64;
        sample_bytes = (N_SAMPLES * Sample::most_bytes(n_men, block_codes)) as u64;
    }
    held_bytes + sample_bytes + n_threads as u64 * packer_bytes
}

/// The compressed blocks of the run of codes that is packed just then, and of all blocks what the index has:
/// as it is collected, as it is written down, and packed.
fn held_bytes(n_codes: u64, block_codes: u64, file_bytes: u64, run_bytes: Option<u64>) -> u64 {
    let run_codes = run_bytes.unwrap_or(RUN_CODES as u64).clamp(1, n_codes.max(1));
    let of_run = file_bytes.div_ceil(n_codes.div_ceil(run_codes).max(1));
    let entries = Side::BOTH.len() as u64
        * n_codes.div_ceil(block_codes)
        * (3 * size_of::<PageEntry>() + HASH_BYTES) as u64;
    of_run + entries
}

/// What packing a table takes of which each side to move is one tile: first each thread tries the whole of
/// it, or an excerpt, in an order of its own, then one thread packs it.
fn whole_bytes(size: &Size, (metric, packing): (Metric, Packing), n_threads: usize) -> u64 {
    let n_codes = size.n_placements();
    let block_bytes = match Payload::of(metric) {
        Payload::Distances => n_codes,
        _ => BLOCK_CODES as u64,
    };
    let (n_orders, n_tried_codes, compressor_bytes) = match packing {
        Packing::Small => (N_ORDERS[0], n_codes, patient_bytes(block_bytes)),
        Packing::Quick => (N_ORDERS[1], excerpt_codes(n_codes), COMPRESSOR_BYTES),
    };
    let trying = n_orders.min(n_threads as u64) * (COMPRESSOR_BYTES + N_TRIED_COPIES * n_tried_codes);
    let packing = N_PACKED_COPIES * n_codes + compressor_bytes;
    // What the trials took is given back to their threads and not to the system.
    trying + packing
}

/// What a patient compressor takes for a block of this many bytes: trees and hashes of what it has seen.
fn patient_bytes(block_bytes: u64) -> u64 {
    let window_log = block_bytes.max(1).next_power_of_two().ilog2().min(MAX_WINDOW_LOG);
    let numbers = (1 << (window_log + 1).min(MAX_TREE_LOG)) + (1 << (window_log + 1).min(MAX_HASH_LOG));
    COMPRESSOR_BYTES + size_of::<u32>() as u64 * numbers
}

/// Whether a side of the table is one tile.
fn is_whole(size: &Size, metric: Metric) -> bool {
    Payload::of(metric) != Payload::Values && size.n_placements() <= WHOLE_CODES as u64
}

/// From this size on a request goes to the system, and so much may stay free at the end of the heap.
///
/// Units: bytes.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const THRESHOLD: libc::c_int = 1 << 20;

/// Makes the whole program give back what it frees, where the system has such a setting.
#[cfg_attr(
    all(target_os = "linux", target_env = "gnu"),
    expect(unsafe_code, reason = "the setting of an allocator is a call to C")
)]
/// The allocator of GNU systems takes large requests from the system and gives them back when they are
/// freed. But each one that is freed teaches it that such sizes are wanted again. Up to 32 MB it keeps them
/// from then on, and a program that makes one large thing after the other grows with each. A fixed threshold
/// costs some new pages, two or three hundredths of what writing Syzygy files takes.
pub fn give_back_freed_memory() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    for setting in [libc::M_MMAP_THRESHOLD, libc::M_TRIM_THRESHOLD] {
        // SAFETY: the call takes two numbers and no pointer. The manual calls it unsafe beside the first
        // allocation of a program, which is made before `main` begins, and beside allocations of other
        // threads, because these read the settings without a lock: each is one aligned word, of which they
        // find the old number or the new one, and both are good.
        let _ = unsafe { libc::mallopt(setting, THRESHOLD) };
    }
}
