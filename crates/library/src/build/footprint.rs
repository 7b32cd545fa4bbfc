//! Estimates the memory that the steps of a build take, from what those who take it report.

use super::options::FileOptions;
use crate::Edition;
use format::companion;
use plan::{Footprint, Job, Need, Solving};
use solve::Options;
use variant::Metric;

/// How a table is solved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Strategy {
    /// Its codes are in memory.
    InMemory,
    /// What is found goes into a log on the disk, and codes are made of it block by block.
    LogOnDisk,
}

/// The memory that the steps of a build take: under a metric, with its kind of files and so many threads.
#[derive(Clone, Copy, Debug)]
pub struct BuildFootprint<'a> {
    /// The tables.
    pub edition: &'a Edition,
    /// What the files are to be like.
    pub files: FileOptions,
    /// The threads that share the steps of a table.
    pub n_threads: usize,
    /// Tables that would take more memory than this are solved in less where that can be.
    pub(crate) limit_bytes: u64,
    /// How tables are solved that can be solved so, if somebody has said it.
    pub(crate) wanted: Option<Strategy>,
}

impl<'a> BuildFootprint<'a> {
    /// What a build takes that has all the memory that it could use.
    #[must_use]
    pub fn new(edition: &'a Edition, files: FileOptions, n_threads: usize) -> Self {
        BuildFootprint { edition, files, n_threads, limit_bytes: u64::MAX, wanted: None }
    }

    /// What a build takes that may have so much memory.
    #[must_use]
    pub fn within(self, limit_bytes: u64) -> Self {
        BuildFootprint { limit_bytes, ..self }
    }

    /// The same with this strategy for all tables that can be solved so.
    #[must_use]
    pub fn with_strategy(self, wanted: Option<Strategy>) -> Self {
        BuildFootprint { wanted, ..self }
    }

    /// How a table is solved.
    #[must_use]
    pub fn strategy(&self, job: &Job) -> Strategy {
        let fits = || job.memory(&Chosen(*self, Strategy::InMemory)).total() <= self.limit_bytes;
        match self.wanted {
            // Slices of tables with pawns are solved in memory.
            _ if job.size().n_pawns > 0 => Strategy::InMemory,
            Some(wanted) => wanted,
            None if self.limit_bytes == u64::MAX || fits() => Strategy::InMemory,
            None => Strategy::LogOnDisk,
        }
    }

    /// The memory that a job takes in all.
    ///
    /// Units: bytes.
    #[must_use]
    pub fn total_of(&self, job: &Job) -> u64 {
        job.memory(self).total()
    }

    /// The disk that solving a table takes until its file is there.
    ///
    /// Units: bytes.
    #[must_use]
    pub fn scratch_bytes(&self, job: &Job) -> u64 {
        match self.strategy(job) {
            Strategy::InMemory => 0,
            // The blocks of a file are beside it until it is whole.
            Strategy::LogOnDisk => {
                let metrics = self.edition.metrics();
                let largest = metrics.iter().map(|&metric| self.files.file_bytes(job, metric, false)).max();
                solve::log_bytes(job.size()) + largest.unwrap_or(0)
            }
        }
    }
}

/// A footprint with the strategy chosen.
struct Chosen<'a>(BuildFootprint<'a>, Strategy);

impl Footprint for BuildFootprint<'_> {
    fn solving(&self, job: &Job) -> Solving {
        Chosen(*self, self.strategy(job)).solving(job)
    }

    fn writing(&self, job: &Job) -> u64 {
        Chosen(*self, self.strategy(job)).writing(job)
    }

    fn reading(&self, need: &Need) -> u64 {
        Chosen(*self, Strategy::InMemory).reading(need)
    }
}

impl Footprint for Chosen<'_> {
    fn solving(&self, job: &Job) -> Solving {
        let Chosen(build, strategy) = self;
        let variant = build.edition.variant();
        let solve::Footprint { codes, planes, exits, batches } = match strategy {
            Strategy::InMemory => {
                let options = Options::from(build.edition.metric());
                solve::footprint(variant, &job.material, job.size(), options, build.n_threads)
            }
            Strategy::LogOnDisk => {
                solve::logged_footprint(variant, &job.material, job.size(), build.n_threads)
            }
        };
        Solving { codes, planes, exits, batches }
    }

    fn writing(&self, job: &Job) -> u64 {
        let Chosen(build, strategy) = self;
        let table = (job.size(), job.material.n_men());
        let run_bytes = match strategy {
            Strategy::InMemory => None,
            Strategy::LogOnDisk => Some(solve::run_bytes(job.size())),
        };
        let file = |&metric: &Metric| {
            let file_bytes = build.files.file_bytes(job, metric, false);
            let how = (metric, build.files.packing);
            format::writing_bytes(table, how, file_bytes, build.n_threads, run_bytes)
        };
        let metrics = build.edition.metrics();
        let file_bytes = metrics.iter().map(file).max().unwrap_or(0);
        match strategy {
            // A second file, that of `wdl`, is made from a second table.
            Strategy::InMemory if metrics.len() > 1 => file_bytes + job.n_values(),
            _ => file_bytes,
        }
    }

    fn reading(&self, need: &Need) -> u64 {
        let Chosen(build, _) = self;
        // Who wins is in another file than the distances: both are read as a whole.
        if companion(build.edition.metric()).is_some() {
            return 2 * need.whole_bytes();
        }
        match need.part {
            None => 0,
            Some(_) => {
                let tile = format::tile_bytes(need.size(), build.edition.metric());
                solve::part_reading_bytes(need.size(), build.n_threads) + build.n_threads as u64 * tile
            }
        }
    }
}

#[cfg(test)]
mod tests;
