//! Estimates the memory that writing and reading files takes.

/// A tile as it comes out of a file and as it is put in order, at most.
///
/// Units: bytes.
pub const TILE_BYTES: u64 = 3 << 18;

/// What a compressor and the tile that it works on take, for each thread.
const COMPRESSOR_BYTES: u64 = 2 << 20;

/// Files below this size are compressed before anything else of that size is there to be counted.
const SMALL_FILE_BYTES: u64 = 1 << 20;

/// The memory that writing a file of so many bytes with so many threads takes beside the codes of its table:
/// the compressed blocks, which are kept until all are there, and what compresses them.
///
/// Units: bytes.
#[must_use]
pub fn writing_bytes(file_bytes: u64, n_threads: usize) -> u64 {
    match file_bytes {
        ..SMALL_FILE_BYTES => 0,
        file_bytes => file_bytes + n_threads as u64 * COMPRESSOR_BYTES,
    }
}
