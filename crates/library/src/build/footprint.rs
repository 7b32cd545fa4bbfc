//! Estimates the memory that the steps of a build take, from what those who take it report.

use super::options::FileOptions;
use crate::Edition;
use format::companion;
use plan::{Footprint, Job, Need, Solving};
use solve::Options;
use variant::Metric;

/// The memory that the steps of a build take: under a metric, with its kind of files and so many threads.
#[derive(Clone, Copy, Debug)]
pub struct BuildFootprint<'a> {
    /// The tables.
    pub edition: &'a Edition,
    /// What the files are to be like.
    pub files: FileOptions,
    /// The threads that share the steps of a table.
    pub n_threads: usize,
}

impl BuildFootprint<'_> {
    /// The memory that a job takes in all.
    ///
    /// Units: bytes.
    #[must_use]
    pub fn total_of(&self, job: &Job) -> u64 {
        job.memory(self).total()
    }
}

impl Footprint for BuildFootprint<'_> {
    fn solving(&self, job: &Job) -> Solving {
        let options = Options::from(self.edition.metric());
        let variant = self.edition.variant();
        let solve::Footprint { codes, planes, exits, logs } =
            solve::footprint(variant, &job.material, job.size(), options, self.n_threads);
        Solving { codes, planes, exits, logs }
    }

    fn writing(&self, job: &Job) -> u64 {
        let table = (job.size(), job.material.n_men());
        let file = |&metric: &Metric| {
            let file_bytes = self.files.file_bytes(job, metric, false);
            format::writing_bytes(table, (metric, self.files.packing), file_bytes, self.n_threads, None)
        };
        let metrics = self.edition.metrics();
        // A second file, that of `wdl`, is made from a second table.
        let second_table = if metrics.len() > 1 { job.n_values() } else { 0 };
        metrics.iter().map(file).max().unwrap_or(0) + second_table
    }

    fn reading(&self, need: &Need) -> u64 {
        // Who wins is in another file than the distances: both are read as a whole.
        if companion(self.edition.metric()).is_some() {
            return 2 * need.whole_bytes();
        }
        match need.part {
            None => 0,
            Some(_) => {
                let tile = format::tile_bytes(need.size(), self.edition.metric());
                solve::part_reading_bytes(need.size(), self.n_threads) + self.n_threads as u64 * tile
            }
        }
    }
}

#[cfg(test)]
mod tests;
