//! Adds up the memory that a job takes, part by part.
//!
//! Reading, solving and writing come one after the other, and each gives back what it needs beside the tables
//! that are kept: of what a solver and a writer take only the larger counts, and what reading a table takes
//! is gone before the codes of the job itself are there.
//!
//! How much each takes, its [`Footprint`] reports: a plan neither solves nor reads or writes.

use crate::job::{Job, Need};
use serde::Serialize;

/// What the program takes before it has any table: its code, the threads' stacks, what is known of the
/// pieces.
const PROCESS_BYTES: u64 = 14_000_000;

/// Reports the memory that the steps of a job take, as a run does them: under its metrics, with its threads,
/// packed as it packs files.
///
/// Units: bytes.
pub trait Footprint {
    /// What solving the job's table takes.
    fn solving(&self, job: &Job) -> Solving;

    /// What writing the job's files takes beside the codes of its table.
    fn writing(&self, job: &Job) -> u64;

    /// What reading what a job needs takes beside what stays of it.
    fn reading(&self, need: &Need) -> u64;
}

/// What solving a table takes beside the tables that it needs.
///
/// Units: bytes.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Solving {
    /// The codes of the table itself.
    pub codes: u64,
    /// The planes of the slices that are solved at a time.
    pub planes: u64,
    /// What captures and pawn moves out of these slices lead to, and when.
    pub exits: u64,
    /// What has been found in large blocks and is not written to the codes yet.
    pub logs: u64,
}

/// The memory of one job, in bytes; of what slices take (planes, exits, logs) and file buffers only the
/// larger counts.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize)]
pub struct Memory {
    /// The program itself: once, however many jobs there are.
    pub process: u64,
    /// The codes of the table itself.
    pub own_codes: u64,
    /// The planes of the slices that are solved at a time.
    pub planes: u64,
    /// What captures and pawn moves out of these slices lead to, and when.
    pub exits: u64,
    /// What has been found in large blocks and is not written to the codes yet.
    pub logs: u64,
    /// The compressed blocks, which are kept until all are there, and what compresses them.
    pub file_buffers: u64,
    /// The codes of the tables that captures lead to.
    pub whole_tables: u64,
    /// The codes of the parts of tables that promotions lead to.
    pub table_parts: u64,
    /// What is needed beside them while one of them is read, at most.
    pub part_reading: u64,
}

impl Memory {
    /// What the program takes beside all jobs.
    pub const PROCESS_BYTES: u64 = PROCESS_BYTES;

    pub(crate) fn new(job: &Job, footprint: &dyn Footprint) -> Self {
        let sum = |is_part: bool| {
            job.needs.iter().filter(|need| need.part.is_some() == is_part).map(Need::bytes).sum()
        };
        let Solving { codes, planes, exits, logs } = footprint.solving(job);
        let reading = job.needs.iter().map(|need| footprint.reading(need));
        Memory {
            process: PROCESS_BYTES,
            own_codes: codes,
            planes,
            exits,
            logs,
            file_buffers: footprint.writing(job),
            whole_tables: sum(false),
            table_parts: sum(true),
            part_reading: reading.max().unwrap_or(0),
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
