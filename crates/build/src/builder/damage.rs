//! Finds damaged files: before a table is read, or, in a part of a set, when reading it has failed.

use super::Builder;
use crate::progress::Outdated;
use crate::prospect::Prospect;
use format::{FormatError, Summary};
use plan::{Job, JobId};
use std::sync::atomic::Ordering;
use variant::Metric;

impl Builder<'_> {
    /// Says that a file is damaged, and its table made again.
    pub(super) fn tell_damaged(&self, job: &Job, error: &FormatError) {
        // Errors say what is wrong and then how to mend it, which is being done here.
        let error = error.to_string();
        let fault = error.split(';').next().unwrap_or_default().to_owned();
        self.progress.outdated(job, &Outdated::Unusable(fault));
    }

    /// Checks that a file is whole, as far as it has to be known before it is read: what a part of a set
    /// reads of other tables is compared when it is read, and what a job has recorded is believed.
    pub(super) fn check_file(&self, id: JobId, metric: Metric, summary: &Summary) -> Result<(), FormatError> {
        let name = &self.job(id).name;
        let recorded = self.options.recorded.get(&self.files.edition().file_name(name, metric));
        let is_recorded = recorded.is_some_and(|content| *content == summary.table_content().to_string());
        // One that was damaged when it was read is looked through.
        let is_input = self.is_read_for_set(id) && !self.state(id).surveyed.is_to_make();
        match is_recorded || is_input {
            true => self.reads.open(name, metric).map(drop),
            false => self.check_blocks(name, metric),
        }
    }

    /// Whether the build is a part of a set and makes the tables that read this one, and not this one.
    fn is_read_for_set(&self, id: JobId) -> bool {
        self.options.is_part_of_set && !self.plan.in_need_of(id).is_empty()
    }

    /// Reads the files that a table is made from, after that has failed: the build begins once more if some
    /// of them are damaged, and makes those again.
    pub(super) fn suspect_needs(&self, id: JobId) {
        for &needed in &self.schedule.job(id).needs {
            let state = self.state(needed);
            if !self.is_read_for_set(needed) || state.surveyed.prospect != Prospect::Done {
                continue;
            }
            let job = self.job(needed);
            let check = |&metric: &Metric| self.check_blocks(&job.name, metric);
            if let Err(error) = self.files.edition().metrics().iter().try_for_each(check) {
                self.tell_damaged(job, &error);
                state.is_stale.store(true, Ordering::Relaxed);
            }
        }
    }

    /// Reads the whole file, or its copy where there is one: one that is damaged anywhere is not done.
    fn check_blocks(&self, name: &str, metric: Metric) -> Result<(), FormatError> {
        let file = self.reads.open(name, metric)?;
        self.pool.install(|| file.verify_checksums())
    }
}
