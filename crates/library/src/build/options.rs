//! Says how a build is to be done and what its files are to be like.

use crate::MemoryLimit;
use format::Packing;
use plan::Job;
use variant::Metric;

/// Of plies to mate, tables of fewer men are small, and read by many others: they always keep both sides to
/// move. The tables of other metrics are there to be small.
const MIN_MEN_OF_ONE_SIDE: usize = 5;

/// How a build is to be done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BuildOptions {
    /// Solve also what is done already.
    pub force: bool,
    /// Derive every value of each new table again from those that its moves lead to.
    pub verify: bool,
    /// The memory that may be taken.
    pub memory: MemoryLimit,
    /// What the files are to be like.
    pub files: FileOptions,
}

impl Default for BuildOptions {
    /// New tables only, in the memory that the machine has left.
    fn default() -> Self {
        let (memory, files) = (MemoryLimit::new(None), FileOptions::new(false, false));
        BuildOptions { force: false, verify: false, memory, files }
    }
}

/// What the files of a build are like in the end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FileOptions {
    /// Both sides to move stay, whatever the table.
    pub both_sides: bool,
    /// How files of plies to mate are packed.
    pub packing: Packing,
}

impl FileOptions {
    /// Files with both sides to move or, of large tables, one; small ones or quickly made ones.
    #[must_use]
    pub fn new(both_sides: bool, is_small: bool) -> Self {
        FileOptions { both_sides, packing: if is_small { Packing::Small } else { Packing::Quick } }
    }

    /// Whether the file of this table under a metric is to have one side to move only.
    pub(super) fn is_one_sided(self, job: &Job, metric: Metric) -> bool {
        let is_enough = job.material.n_men() >= MIN_MEN_OF_ONE_SIDE || metric != Metric::Dtm;
        !self.both_sides && is_enough && !job.is_one_sided()
    }

    /// What the files of a table take in the end, roughly: as much as a quick one of plies to mate, unless
    /// that is the only one and is packed smaller.
    #[must_use]
    pub fn disk_bytes(self, job: &Job, metrics: &[Metric]) -> u64 {
        let quick =
            if self.is_one_sided(job, Metric::Dtm) { job.side_disk_bytes() } else { job.disk_bytes() };
        match self.packing {
            Packing::Small if metrics == [Metric::Dtm] => job.small_bytes(quick),
            Packing::Small | Packing::Quick => quick,
        }
    }
}
