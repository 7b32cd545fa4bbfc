//! Solves tables that are too large for memory by a log on the disk.

use super::Builder;
use crate::build::built::BuiltTable;
use crate::build::progress::TableProgress;
use crate::file_log::FileLog;
use crate::{LibraryError, MemoryTables};
use format::Dependency;
use index::Layout;
use plan::{Job, JobId};
use proof::Sample;
use stats::Statistics;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;
use table::CodeSource;

/// How many placements of a table are verified that is too large to verify all.
const N_VERIFIED: u64 = 1_000_000;

impl Builder<'_> {
    /// Solves a table by a log, writes it, and reads it back.
    pub(super) fn solve_logged(
        &self,
        id: JobId,
        tables: &MemoryTables,
        progress: Box<dyn TableProgress + '_>,
    ) -> Result<BuiltTable, LibraryError> {
        let (job, edition) = (self.job(id), self.files.edition());
        let begin = Instant::now();
        let (statistics, size_bytes) = self.with_log(id, tables, &*progress, |table| {
            let statistics = Statistics::collect_from(edition.variant(), edition.metric(), table)
                .map_err(|error| self.log_unreadable(job, error))?;
            let size_bytes = self.write(id, table, &statistics, &*progress)?;
            Ok((statistics, size_bytes))
        })?;
        let time = begin.elapsed();
        if self.options.verify {
            self.pool.install(|| self.verify_sample(job, tables))?;
        }
        progress.finish(time);
        Ok(BuiltTable { name: job.name.clone(), statistics, size_bytes, time: Some(time) })
    }

    /// Solves a table by a log, from where a run before this one has ended, and does something with its
    /// codes; then the log goes.
    pub(super) fn with_log<T: Send>(
        &self,
        id: JobId,
        tables: &MemoryTables,
        progress: &dyn TableProgress,
        act: impl FnOnce(&dyn CodeSource) -> Result<T, LibraryError> + Send,
    ) -> Result<T, LibraryError> {
        let (job, edition) = (self.job(id), self.files.edition());
        let (path, interval) = (self.options.log_path(self.files, job), self.options.checkpoint_interval);
        let (log, opened) = FileLog::open(&path, &self.log_identity(id), interval)?;
        progress.logged(&path, &opened);
        let watch = Stoppable { progress, interrupt: self.interrupt };
        let done = self.pool.install(|| {
            let layout = Arc::new(Layout::new(edition.variant(), &job.material));
            let table =
                solve::solve_logged(edition.variant(), edition.metric(), layout, tables, &log, &watch)?;
            act(&*table)
        })?;
        log.remove()?;
        Ok(done)
    }

    /// Names all that a table's log depends on: the tables of others that it reads, too.
    fn log_identity(&self, id: JobId) -> [u8; 32] {
        let (job, edition) = (self.job(id), self.files.edition());
        let mut hasher = blake3::Hasher::new();
        hasher.update(&format::rules_hash(edition.variant(), &job.material, edition.metric()).0);
        hasher.update(&solve::VERSION.to_le_bytes());
        hasher.update(edition.metric().name().as_bytes());
        hasher.update(job.name.as_bytes());
        for Dependency { material, content } in self.known_dependencies(id, 0) {
            hasher.update(material.as_bytes()).update(&content.0);
        }
        *hasher.finalize().as_bytes()
    }

    pub(super) fn log_unreadable(&self, job: &Job, error: io::Error) -> LibraryError {
        LibraryError::io("read the log", &self.options.log_path(self.files, job))(error)
    }

    /// Verifies some of the values of a table that is too large to verify all, from its file.
    fn verify_sample(&self, job: &Job, tables: &MemoryTables) -> Result<(), LibraryError> {
        let values = self.checked.checked(&job.material)?;
        self.verify_values(job, &*values, tables, Sample::Placements(N_VERIFIED))
    }
}

/// Stops a solve that somebody has interrupted where it can be gone on with.
struct Stoppable<'a> {
    progress: &'a dyn TableProgress,
    interrupt: &'a AtomicBool,
}

impl solve::Progress for Stoppable<'_> {
    fn placements_done(&self, done: u64, total: u64) {
        self.progress.placements_done(done, total);
    }

    fn is_interrupted(&self) -> bool {
        self.interrupt.load(Ordering::Relaxed)
    }
}
