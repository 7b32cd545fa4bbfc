//! Names the steps of a build, which a [`solve::Progress`] watches.

use crate::survey::Prospect;
use crate::{LeaseHolder, Opened, SlicesOpened};
use plan::JobId;
use stats::Statistics;
use std::path::PathBuf;
use std::time::Duration;

/// What a build reports to, from any of its threads.
pub type BuildProgress<'p> = dyn solve::Progress<BuildStep> + 'p;

/// The steps of a build, of the jobs of its plan.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum BuildStep {
    /// This is what will be done with each table, in the order of the plan; nothing has begun. A table whose
    /// file is damaged where no job has looked yet is not among those to be made.
    Surveyed(Vec<Prospect>),
    /// The build of this many tables with this many values together begins, or begins again: see
    /// [`crate::Build::run`].
    Started {
        /// How many tables there are.
        n_tables: usize,
        /// How many values they have together.
        n_values: u64,
    },
    /// The table was there before.
    Found(JobId),
    /// The table has a file, and is solved again for this reason: its file is damaged or of other rules. The
    /// reason does not say what to do about it.
    Outdated(JobId, String),
    /// Another process is making the table, and this one waits for it; none if it is not known which.
    Waits(JobId, Option<LeaseHolder>),
    /// A table that others are made from is read where it is, because a copy of it cannot be made for this
    /// reason.
    NotCopied(String),
    /// Solving the table begins; again if another process has made away with it.
    Begun(JobId),
    /// A step of solving the table.
    Solve(JobId, solve::Step),
    /// The table is too large for memory and is solved by a log in this file, which was opened so.
    Log(JobId, PathBuf, Opened),
    /// The table has pawns and is too large for memory; its finished slices go to this file, which was
    /// opened so. What is logged of a slice is reported as [`Self::Log`] where a run goes on inside it.
    Slices(JobId, PathBuf, SlicesOpened),
    /// The table is solved and its files are being packed.
    Packed {
        /// Whose files are packed.
        job: JobId,
        /// How much of that is done, nothing at the beginning.
        n_done: u64,
        /// How much there is to be done.
        n_total: u64,
    },
    /// The table is on the disk; it took so long.
    Finished(JobId, Duration),
    /// The table is there, made or found: this is what is in it. Tables come in the order of the work.
    Built(Box<BuiltTable>),
}

/// A table that is there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BuiltTable {
    /// Its name.
    pub name: String,
    /// What is in it.
    pub statistics: Statistics,
    /// How much its files take.
    pub size_bytes: u64,
    /// How long it took; none if it was there already.
    pub time: Option<Duration>,
}
