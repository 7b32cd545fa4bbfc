//! Adds up the memory that a job takes, part by part.
//!
//! Reading, solving and writing come one after the other, and each gives back what it needs beside the tables
//! that are kept: of what a solver and a writer take only the larger counts, and what reading a table takes
//! is gone before the codes of the job itself are there.
//!
//! A [`Footprint`] reports how much each takes: a plan neither solves nor reads or writes.

use crate::job::{Job, Need};
use serde::Serialize;

/// The memory of the program before it has any table: its code, the threads' stacks, the compiled pieces.
const PROCESS_BYTES: u64 = 14_000_000;

/// Reports the memory that the steps of a job take, as a run does them: under its metrics, with its threads,
/// packed as it packs files.
///
/// Units: bytes.
pub trait Footprint {
    /// The memory for solving the job's table.
    fn solving(&self, job: &Job) -> Solving;

    /// The memory for writing the job's files, beside the codes of its table.
    fn writing(&self, job: &Job) -> u64;

    /// The memory for reading a table that a job needs, beside what is kept of it.
    fn reading(&self, need: &Need) -> u64;

    /// The memory that threads keep of what they gave back when they had read the tables that a job needs.
    fn kept_by_threads(&self, _job: &Job) -> u64 {
        0
    }

    /// Whether a job reads a table that it needs slice by slice, so that it is never in memory as a whole:
    /// what is in memory of it is counted among the exits.
    fn is_sliced(&self, _job: &Job, _need: &Need) -> bool {
        false
    }
}

/// The memory for solving a table, beside the tables that it needs.
///
/// Units: bytes.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Solving {
    /// The codes of the table itself.
    pub codes: u64,
    /// The planes of the slices that are solved at a time.
    pub planes: u64,
    /// The values behind captures and pawn moves out of these slices, and the plies at which they are due.
    pub exits: u64,
    /// The placements of large blocks that are found and not written to the codes yet.
    pub batches: u64,
}

/// The memory of one job, in bytes; of what slices take (planes, exits, batches) and file buffers only the
/// larger counts.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize)]
pub struct Memory {
    /// The program itself: once, however many jobs there are.
    pub process: u64,
    /// The codes of the table itself.
    pub own_codes: u64,
    /// The planes of the slices that are solved at a time.
    pub planes: u64,
    /// The values behind captures and pawn moves out of these slices, and the plies at which they are due.
    pub exits: u64,
    /// The placements of large blocks that are found and not written to the codes yet.
    pub batches: u64,
    /// The compressed blocks, which are kept until all are there, and what compresses them.
    pub file_buffers: u64,
    /// The codes of the tables that captures lead to.
    pub whole_tables: u64,
    /// The codes of the parts of tables that promotions lead to.
    pub table_parts: u64,
    /// The most that is needed beside them while one of them is read.
    pub part_reading: u64,
    /// What threads keep of the memory that they gave back when they had read them.
    pub kept_by_threads: u64,
}

impl Job {
    /// The memory that the job takes, by the footprint of its steps.
    #[must_use]
    pub fn memory(&self, footprint: &dyn Footprint) -> Memory {
        let held = || self.needs.iter().filter(|need| !footprint.is_sliced(self, need));
        let sum = |is_part: bool| held().filter(|need| need.part.is_some() == is_part).map(Need::bytes).sum();
        let Solving { codes, planes, exits, batches } = footprint.solving(self);
        let reading = held().map(|need| footprint.reading(need));
        Memory {
            process: PROCESS_BYTES,
            own_codes: codes,
            planes,
            exits,
            batches,
            file_buffers: footprint.writing(self),
            whole_tables: sum(false),
            table_parts: sum(true),
            part_reading: reading.max().unwrap_or(0),
            kept_by_threads: footprint.kept_by_threads(self),
        }
    }
}

impl Memory {
    /// The memory of the program beside all jobs.
    pub const PROCESS_BYTES: u64 = PROCESS_BYTES;

    /// The memory of the job beside the program and the tables that it needs.
    #[must_use]
    pub fn working(&self) -> u64 {
        let solving = self.planes + self.exits + self.batches;
        (self.own_codes + solving.max(self.file_buffers)).max(self.part_reading)
    }

    /// All of it.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.process + self.working() + self.whole_tables + self.table_parts + self.kept_by_threads
    }
}
