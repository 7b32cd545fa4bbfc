//! What a job takes of memory, part by part.
//!
//! Reading, solving and writing come one after the other, and what they need beside the tables that are kept
//! is given back in between: of what a solver keeps of its slices and what a writer keeps of its file only
//! the larger one counts, and what is needed while a part of a table is read is gone before the codes of the
//! job itself are there.
//!
//! Estimated is a table of one byte a value. That it needs two is not known before some win is found to be
//! too long for one; the codes, and what is kept of them for other tables, are twice as many bytes from then
//! on.

use crate::job::{Job, Need};
use serde::Serialize;

/// What the program takes before it has any table: its code, the threads' stacks, what is known of the
/// pieces.
const PROCESS_BYTES: u64 = 14_000_000;

/// Planes of a slice that a thread keeps: the open set, the escapes, four frontiers, and two of attacked
/// royal men.
const N_PLANES: u64 = 8;

/// Planes of more words than these are given back when their slice is done.
const KEPT_WORDS: u64 = 1 << 18;

/// What the captures of one side take for each word of a slice: the word and which of them are legal, and one
/// ply at which one of them is due.
const fn capture_bytes(word_bytes: u64) -> u64 {
    2 * word_bytes + 5
}

/// What the pawn moves of one side take for each word of a slice: the plane of those that there are, and half
/// a dozen plies at which some are due, as they are found and once they are sorted.
const fn pawn_move_bytes(word_bytes: u64) -> u64 {
    word_bytes + 6 * (4 + word_bytes + 8)
}

/// Words that are put down for a block before they are written to its codes, beside those of the block
/// itself.
const LOG_ENTRIES: u64 = 2048;

/// What each of them takes beside its bits: its place.
const LOG_PLACE_BYTES: u64 = 2;

/// What a compressor and the tile that it works on take, for each thread.
const COMPRESSOR_BYTES: u64 = 2 << 20;

/// Files below this size are compressed before anything else of that size is there to be counted.
const SMALL_FILE_BYTES: u64 = 1 << 20;

/// The memory of one job, in bytes; of what slices take (planes, exits, logs) and file buffers only the
/// larger counts.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize)]
pub struct Memory {
    /// The program itself: once, however many jobs there are.
    pub process: u64,
    /// The codes of the table itself, one byte each.
    pub own_codes: u64,
    /// The planes of the slices that are solved at a time.
    pub planes: u64,
    /// What captures and pawn moves out of these slices lead to, and when.
    pub exits: u64,
    /// What has been found in large blocks and is not written to the codes yet.
    pub logs: u64,
    /// The compressed blocks, which are kept until all are there, what compresses them, and the planes of
    /// small slices, which threads keep.
    pub file_buffers: u64,
    /// The codes of the tables that captures lead to.
    pub whole_tables: u64,
    /// The codes of the parts of tables that promotions lead to.
    pub table_parts: u64,
    /// What is needed beside them while a part is read, at most.
    pub part_reading: u64,
}

impl Memory {
    /// What the program takes beside all jobs.
    pub const PROCESS_BYTES: u64 = PROCESS_BYTES;

    pub(crate) fn new(job: &Job, n_threads: usize) -> Self {
        let sum = |is_part: bool| {
            job.needs.iter().filter(|need| need.part.is_some() == is_part).map(Need::bytes).sum()
        };
        let size = job.size();
        let n_slices = size.n_slices.min(n_threads as u64);
        let n_words = n_slices * size.n_words();
        let word_bytes = size.word_bytes();
        let planes = word_bytes * (N_PLANES + job.n_rule_planes()) * n_words;
        let exits =
            capture_bytes(word_bytes) * job.n_captors() + pawn_move_bytes(word_bytes) * job.n_pawn_sides();
        // Blocks of one row are written at once. Two codes are written in turn: wins of one side, losses of
        // the other.
        let n_logs = match size.rows_per_block() {
            0..=1 => 0,
            _ => 2 * n_slices * (size.slice_len / size.block_len),
        };
        let kept_planes = if size.n_words() <= KEPT_WORDS { planes } else { 0 };
        let file_buffers = match job.disk_bytes() {
            ..SMALL_FILE_BYTES => 0,
            file_bytes => file_bytes + n_threads as u64 * COMPRESSOR_BYTES,
        };
        let part_reading = job.needs.iter().map(|need| need.reading_bytes(n_threads));
        Memory {
            process: PROCESS_BYTES,
            own_codes: job.n_values(),
            planes,
            exits: n_words * exits,
            logs: n_logs * (LOG_PLACE_BYTES + word_bytes) * (LOG_ENTRIES + size.words_per_block()),
            file_buffers: kept_planes + file_buffers,
            whole_tables: sum(false),
            table_parts: sum(true),
            part_reading: part_reading.max().unwrap_or(0),
        }
    }

    /// What the job takes beside the program and the tables that it needs.
    #[must_use]
    pub fn working(&self) -> u64 {
        let solving = self.planes + self.exits + self.logs;
        (self.own_codes + solving.max(self.file_buffers)).max(self.part_reading)
    }

    /// All of it.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.process + self.working() + self.whole_tables + self.table_parts
    }
}
