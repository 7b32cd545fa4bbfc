//! Says how a build is to be done: by which strategy, for which set, with what files.

use crate::file_log::log_path;
use crate::slice_file::SLICES_EXTENSION;
use format::Packing;
use library::{MemoryLimit, TableFiles};
use plan::{Job, Plan};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;
use variant::Metric;

/// Of plies to mate, tables of fewer men are small, and read by many others: they always keep both sides to
/// move. The tables of other metrics are there to be small.
const MIN_MEN_OF_ONE_SIDE: usize = 5;

/// How a build is to be done.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BuildOptions {
    /// Solve also what is done already.
    pub force: bool,
    /// Derive every value of each new table again from those that its moves lead to.
    pub verify: bool,
    /// The memory that may be taken.
    pub memory: MemoryLimit,
    /// What the files are to be like.
    pub files: FileOptions,
    /// How tables are solved; none to choose by the memory that each takes.
    pub strategy: Option<Strategy>,
    /// The folder for what is needed while a table is solved that is too large for memory; none for that of
    /// the tables.
    pub scratch: Option<PathBuf>,
    /// A folder of the machine's own, into which the tables that are read are copied first; none to read
    /// them where they are.
    pub stage: Option<PathBuf>,
    /// Slices of tables with pawns that are too large for memory are solved in memory by themselves up to
    /// this many placements, and by a log otherwise.
    pub most_in_memory: u64,
    /// How much work the loss of power may cost at most.
    pub checkpoint_interval: Duration,
    /// The build is one of many that make a set together: it makes only the tables that no other of its plan
    /// needs, from those that are there, and trims none, because builds elsewhere may read both sides to
    /// move. [`trim_set`](crate::trim_set) does that.
    pub is_part_of_set: bool,
    /// Which values columns hold by what the builds that made them have recorded: the checksum of the table
    /// as text, by the name of the column. Such columns are not read whole to see that they are done.
    pub recorded: BTreeMap<String, String>,
    /// How long such a build looks for tables that it needs and that are not there: what another machine
    /// has made a moment ago may be seen only later.
    pub patience: Duration,
}

/// The usual interval of checkpoints.
const CHECKPOINT_INTERVAL: Duration = Duration::from_secs(60);

/// The usual size of slices that are solved in memory: four mobile men on a board of 64 squares have fewer
/// placements, and five have more.
///
/// Units: placements.
pub(super) const MOST_IN_MEMORY: u64 = 1 << 25;

impl BuildOptions {
    /// The folder for the logs of tables whose files go there.
    pub(super) fn scratch_folder<'a>(&'a self, files: &'a TableFiles) -> &'a Path {
        self.scratch.as_deref().unwrap_or(files.folder())
    }

    /// The file of a table's finished slices, and that of its log.
    pub(super) fn log_paths(&self, files: &TableFiles, job: &Job) -> [PathBuf; 2] {
        let log_path = log_path(self.scratch_folder(files), files.edition(), &job.name);
        [log_path.with_extension(SLICES_EXTENSION), log_path]
    }
}

impl Default for BuildOptions {
    /// New tables only, in the memory that the machine has left.
    fn default() -> Self {
        BuildOptions {
            force: false,
            verify: false,
            memory: MemoryLimit::new(None),
            files: FileOptions::new(false, false),
            strategy: None,
            scratch: None,
            stage: None,
            most_in_memory: MOST_IN_MEMORY,
            checkpoint_interval: CHECKPOINT_INTERVAL,
            is_part_of_set: false,
            recorded: BTreeMap::new(),
            patience: Duration::ZERO,
        }
    }
}

/// What the files of a build are like in the end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FileOptions {
    /// Both sides to move stay, whatever the table.
    pub both_sides: bool,
    /// How files are packed.
    pub packing: Packing,
}

impl FileOptions {
    /// Files with both sides to move or, of large tables, one; small ones or quickly made ones.
    #[must_use]
    pub fn new(both_sides: bool, is_small: bool) -> Self {
        FileOptions { both_sides, packing: if is_small { Packing::Small } else { Packing::Quick } }
    }

    /// Whether the column of this table under a metric is to have one side to move only.
    pub(super) fn is_one_sided(self, job: &Job, metric: Metric) -> bool {
        let is_enough = job.material.n_men() >= MIN_MEN_OF_ONE_SIDE || metric != Metric::Dtm;
        !self.both_sides && is_enough && !job.is_one_sided()
    }

    /// Whether files of these tables are trimmed.
    #[must_use]
    pub fn trims(self, plan: &Plan, metrics: &[Metric]) -> bool {
        plan.jobs().any(|job| metrics.iter().any(|&metric| self.is_one_sided(job, metric)))
    }

    /// What the files of a table take in the end, roughly.
    ///
    /// Units: bytes.
    #[must_use]
    pub fn disk_bytes(self, job: &Job, metrics: &[Metric]) -> u64 {
        metrics.iter().map(|&metric| self.file_bytes(job, metric, self.is_one_sided(job, metric))).sum()
    }

    /// The disk that they take as long as they keep both sides to move, because other tables are made from
    /// them.
    pub(super) fn most_disk_bytes(self, job: &Job, metrics: &[Metric]) -> u64 {
        metrics.iter().map(|&metric| self.file_bytes(job, metric, false)).sum()
    }

    /// The size of one column, with one side to move or with all.
    pub(super) fn file_bytes(self, job: &Job, metric: Metric, is_one_sided: bool) -> u64 {
        match (metric, self.packing) {
            (Metric::Dtm, Packing::Quick) if is_one_sided => job.side_disk_bytes(),
            (Metric::Dtm, Packing::Quick) => job.disk_bytes(),
            // A model works on what stays; a side that is kept for a while is packed quickly.
            (Metric::Dtm, Packing::Small) if is_one_sided => job.small_bytes(job.side_disk_bytes()),
            (Metric::Dtm, Packing::Small) => job.small_bytes(job.disk_bytes()),
            // Of seven bytes five say what changes with the clock, of all tables together; one by one they
            // differ by three times.
            (Metric::Dtm50, packing) => {
                7 * FileOptions { packing, ..self }.file_bytes(job, Metric::Dtm, is_one_sided) / 2
            }
            (_, packing) => compact_bytes(job, metric, packing, is_one_sided),
        }
    }
}

/// The bytes of a thousand values in a column of another metric than plies to mate, by the number of pawns
/// (the last for all greater ones), of chess: the side that takes less room, and both together. Tables up to
/// a size are packed as a whole, and much smaller. Those of five men are the whole set under `dtz50`, and
/// some tables without pawns under `dtc`.
type PerThousand = [[u64; 4]; 2];

/// Those of quick columns, and of small ones.
const WDL_PER_1000: [PerThousand; 2] = [[[9, 6, 8, 8], [9, 6, 8, 8]], [[6, 4, 6, 6], [6, 4, 6, 6]]];
const LARGE_WDL_PER_1000: [PerThousand; 2] =
    [[[6, 10, 10, 18], [6, 10, 10, 18]], [[4, 7, 7, 13], [4, 7, 7, 13]]];
const DISTANCES_PER_1000: [PerThousand; 2] =
    [[[58, 38, 20, 20], [105, 69, 37, 37]], [[42, 26, 14, 14], [77, 47, 25, 25]]];
const LARGE_DTC_PER_1000: [PerThousand; 2] =
    [[[105, 127, 127, 127], [121, 150, 150, 150]], [[91, 110, 110, 110], [105, 130, 130, 130]]];
const LARGE_DTZ_PER_1000: [PerThousand; 2] =
    [[[63, 49, 34, 25], [73, 57, 40, 30]], [[54, 42, 29, 21], [62, 49, 34, 26]]];

/// Tables of more placements are not packed as a whole.
const WHOLE_PLACEMENTS: u64 = 1 << 23;

/// What such a file has beside its values.
const COMPACT_FRAME_BYTES: u64 = 700;

fn compact_bytes(job: &Job, metric: Metric, packing: Packing, is_one_sided: bool) -> u64 {
    let n_placements = job.size().n_placements();
    let is_whole = n_placements <= WHOLE_PLACEMENTS;
    let tables = match metric {
        Metric::Wdl if is_whole => WDL_PER_1000,
        Metric::Wdl => LARGE_WDL_PER_1000,
        _ if is_whole => DISTANCES_PER_1000,
        Metric::Dtz | Metric::Dtz50 => LARGE_DTZ_PER_1000,
        _ => LARGE_DTC_PER_1000,
    };
    let table = tables[usize::from(packing == Packing::Small)];
    let place = job.size().n_pawns.min(table[0].len() - 1);
    let n_values = if is_one_sided { n_placements } else { job.n_values() };
    COMPACT_FRAME_BYTES + n_values * table[usize::from(!is_one_sided)][place] / 1000
}

/// How a table is solved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Strategy {
    /// Its codes are in memory.
    InMemory,
    /// What is found goes into a log on the disk, and codes are made of it block by block.
    LogOnDisk,
    /// By a log, and the planes of what is open are on the disk, too.
    PlanesOnDisk,
    /// By a log, with nothing in memory but the blocks that are worked on: the tables below are read block
    /// by block, and fewer threads solve the table if all of them would take too much.
    BlockByBlock,
}

impl Strategy {
    /// Whether codes are made of a log.
    #[must_use]
    pub fn is_logged(self) -> bool {
        self != Strategy::InMemory
    }
}

#[cfg(test)]
mod tests;
