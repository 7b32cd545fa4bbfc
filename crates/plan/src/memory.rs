//! What a job takes of memory, part by part.
//!
//! Reading, solving and writing come one after the other, and what they need beside the tables that are kept is given
//! back in between: of planes and file buffers only the larger one counts, and a table that is read for a part of it is
//! gone before the codes of the job itself are there.

use crate::job::{Job, Need};

/// What a solver keeps of one slice at a time, in planes: the six sets of a pass, two of attacked royal men, two of
/// pawn moves, and about four for codes that are not written yet and for what is due at later plies.
const N_PLANES: u64 = 14;

/// What a compressor and the block that it works on take, for each thread.
const COMPRESSOR_BYTES: u64 = 2 << 20;

/// Files below this size are compressed before anything else of that size is there to be counted.
const SMALL_FILE_BYTES: u64 = 1 << 20;

/// The memory of one job, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Memory {
    /// The codes of the table itself, one byte each.
    pub own_codes: u64,
    /// The planes of the slices that are solved at a time.
    pub planes: u64,
    /// The compressed blocks, which are kept until all are there, and what compresses them.
    pub file_buffers: u64,
    /// The codes of the tables that captures lead to.
    pub whole_tables: u64,
    /// The codes of the parts of tables that promotions lead to.
    pub table_parts: u64,
    /// The largest table of which a part is taken, while that part is read.
    pub part_reading: u64,
}

impl Memory {
    pub(crate) fn new(job: &Job, n_threads: usize) -> Self {
        let n_threads = n_threads as u64;
        let sum = |is_part: bool| {
            job.needs.iter().filter(|need| need.part.is_some() == is_part).map(Need::bytes).sum()
        };
        let n_slices = job.n_slices().min(n_threads);
        let file_bytes = job.disk_bytes();
        let parts = job.needs.iter().filter(|need| need.part.is_some());
        Memory {
            own_codes: job.n_values(),
            planes: n_slices * N_PLANES * job.slice_len().div_ceil(8),
            file_buffers: match file_bytes {
                ..SMALL_FILE_BYTES => 0,
                _ => file_bytes + n_threads * COMPRESSOR_BYTES,
            },
            whole_tables: sum(false),
            table_parts: sum(true),
            part_reading: parts.map(Need::reading_bytes).max().unwrap_or(0),
        }
    }

    /// What the job takes beside the tables that it needs.
    #[must_use]
    pub fn working(&self) -> u64 {
        (self.own_codes + self.planes.max(self.file_buffers)).max(self.part_reading)
    }

    /// All of it.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.working() + self.whole_tables + self.table_parts
    }
}
