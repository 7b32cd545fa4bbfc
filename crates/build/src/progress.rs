//! Reports how far a build is.

use crate::survey::Prospect;
use crate::{LeaseHolder, Opened, SlicesOpened};
use library::LibraryError;
use plan::{Job, Plan};
use stats::Statistics;
use std::fmt;
use std::path::Path;
use std::time::Duration;

/// What a build reports to, from any of its threads. Nothing need be done with it.
pub trait BuildProgress: Sync {
    /// This is what will be done with each table, in the order of the plan; nothing has begun. A table whose
    /// file is damaged where no job has looked yet is not among those to be made.
    fn outlook(&self, plan: &Plan, outlook: &[Prospect]) {
        let _ = (plan, outlook);
    }

    /// The build of this many tables with this many values together begins, or begins again: see
    /// [`crate::Build::run`].
    fn start(&self, n_tables: usize, n_values: u64) {
        let _ = (n_tables, n_values);
    }

    /// The table was there before.
    fn found(&self, job: &Job) {
        let _ = job;
    }

    /// The table has a file, and is solved again for this reason.
    fn outdated(&self, job: &Job, reason: &Outdated) {
        let _ = (job, reason);
    }

    /// Another process is making the table, and this one waits for it; none if it is not known which.
    fn waits(&self, job: &Job, holder: Option<&LeaseHolder>) {
        let _ = (job, holder);
    }

    /// A table that others are made from is read where it is, because a copy of it cannot be made for this
    /// reason.
    fn not_copied(&self, why: &LibraryError) {
        let _ = why;
    }

    /// The table is there, made or found: this is what is in it. Tables come in the order of the work.
    fn built(&self, table: &BuiltTable) {
        let _ = table;
    }

    /// Solving the table begins.
    fn begin(&self, job: &Job) -> Box<dyn TableProgress + '_> {
        let _ = job;
        Box::new(Unwatched)
    }
}

/// What the solving of one table reports to; one that is dropped unfinished belongs to a table that failed.
pub trait TableProgress: solve::Progress {
    /// The table is too large for memory and is solved by a log in this file, which was opened so.
    fn logged(&self, path: &Path, opened: &Opened) {
        let _ = (path, opened);
    }

    /// The table has pawns and is too large for memory; its finished slices go to this file, which was
    /// opened so, and there are to be this many of them. What is logged of a slice is reported as
    /// [`Self::logged`] where a run goes on inside it.
    fn sliced(&self, path: &Path, opened: &SlicesOpened, n_slices: u64) {
        let _ = (path, opened, n_slices);
    }

    /// The table is solved and its files are being packed; so much of that is done, nothing at the beginning.
    fn packing(&self, done: u64, total: u64) {
        let _ = (done, total);
    }

    /// The table is on the disk; it took so long.
    fn finish(self: Box<Self>, time: Duration) {
        let _ = time;
    }
}

/// Watches nothing.
#[derive(Clone, Copy, Debug)]
pub struct Unwatched;

impl BuildProgress for Unwatched {}
impl TableProgress for Unwatched {}
impl solve::Progress for Unwatched {}

/// Why a table that has a file is solved again.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Outdated {
    /// Its file is damaged or of other rules: what is wrong, without what to do about it.
    Unusable(String),
}

impl fmt::Display for Outdated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Outdated::Unusable(fault) => f.write_str(fault),
        }
    }
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
