//! Solves tables that are too large for memory by a log on the disk.

use super::Builder;
use crate::Opened;
use crate::built_table::BuiltTable;
use crate::file_log::FileLog;
use crate::lease::Renewal;
use crate::progress::TableProgress;
use crate::scratch::identity;
use crate::slice_file::{SLICES_EXTENSION, SliceFile};
use geometry::SquareSet;
use index::Layout;
use library::{LibraryError, MemoryTables};
use plan::{Job, JobId};
use proof::Sample;
use rayon::ThreadPoolBuilder;
use stats::Statistics;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;
use std::{fs, io};
use table::{CodeSource, Lookup, SliceSource, Table};
use variant::{Man, Material, Side};

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
                .map_err(|error| self.log_unreadable(job, error))?
                .of_winner(edition.winner_of(&job.name));
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
        if job.size().n_pawns > 0 {
            return self.with_slices(id, tables, progress, act);
        }
        let (log, opened) = FileLog::open(&path, &self.log_identity(id), interval)?;
        let cost = self.footprint.cost(job);
        let log = log.with_planes(cost.planes);
        progress.logged(&path, &opened);
        let lookup = self.lookup(id, tables)?;
        let watch = Stoppable { progress, interrupt: self.interrupt, lease: self.state(id).renewal() };
        let done = self.install(cost.n_threads, || {
            let layout = Arc::new(Layout::new(edition.variant(), &job.material));
            let options = edition.options_of(&job.name);
            let table = solve::solve_logged(edition.variant(), options, layout, &lookup, &log, &watch)?;
            act(&*table)
        })?;
        log.remove()?;
        Ok(done)
    }

    /// Does something with so many threads: those of the build, or fewer where more would take too much
    /// memory.
    fn install<T: Send>(
        &self,
        n_threads: usize,
        act: impl FnOnce() -> Result<T, LibraryError> + Send,
    ) -> Result<T, LibraryError> {
        if n_threads >= self.pool.current_num_threads() {
            return self.pool.install(act);
        }
        let fewer = ThreadPoolBuilder::new().num_threads(n_threads).build();
        fewer.map_err(|error| LibraryError::Threads { n_threads, what: error.to_string() })?.install(act)
    }

    /// The tables that a job reads, those in files among them.
    fn lookup<'t>(&self, id: JobId, tables: &'t MemoryTables) -> Result<SlicedLookup<'t>, LibraryError> {
        let mut slices: BTreeMap<Material, Arc<dyn SliceSource>> = BTreeMap::new();
        for need in self.job(id).needs.iter().filter(|need| self.schedule.is_sliced(id, &need.material)) {
            slices.insert(need.material.clone(), Arc::new(self.reads.slices(&need.name)?));
        }
        Ok(SlicedLookup { tables, slices })
    }

    /// The same for a table with pawns, whose slices go to the disk as they are finished.
    fn with_slices<T: Send>(
        &self,
        id: JobId,
        tables: &MemoryTables,
        progress: &dyn TableProgress,
        act: impl FnOnce(&dyn CodeSource) -> Result<T, LibraryError> + Send,
    ) -> Result<T, LibraryError> {
        let (job, edition, options) = (self.job(id), self.files.edition(), self.options);
        let log_path = options.log_path(self.files, job);
        let path = log_path.with_extension(SLICES_EXTENSION);
        let on_log = |path: &Path, opened: &Opened| {
            // That a slice has a log of its own is nothing new.
            if let Opened::Resumed(_) = opened {
                progress.logged(path, opened);
            }
        };
        let paths = (path.as_path(), log_path.as_path());
        let (store, opened) =
            SliceFile::open(paths, &self.log_identity(id), options.checkpoint_interval, &on_log)?;
        let cost = self.footprint.cost(job);
        let store = store.with_planes(cost.planes);
        progress.sliced(&path, &opened, job.n_slices());
        let lookup = self.lookup(id, tables)?;
        let watch = Stoppable { progress, interrupt: self.interrupt, lease: self.state(id).renewal() };
        let most_in_memory = options.most_in_memory;
        let done = self.install(cost.n_threads, || {
            let (variant, options) = (edition.variant(), edition.options_of(&job.name));
            let layout = Arc::new(Layout::new(variant, &job.material));
            let table =
                solve::solve_sliced(variant, options, layout, &lookup, (&store, most_in_memory), &watch)?;
            act(&*table)
        })?;
        drop(store);
        // What another process goes on with is not this one's to remove.
        let is_own = self.state(id).renewal().is_none_or(|lease| !lease.is_lost());
        for path in [path, log_path].iter().filter(|path| is_own && path.exists()) {
            fs::remove_file(path).map_err(LibraryError::io("remove the log", path))?;
        }
        Ok(done)
    }

    /// Names all that a table's log depends on: the tables of others that it reads, too.
    fn log_identity(&self, id: JobId) -> [u8; 32] {
        let dependencies = self.known_dependencies(id, 0);
        let dependencies = dependencies.iter().map(|one| (one.material.as_str(), one.content));
        identity(self.files.edition(), self.job(id), dependencies)
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

/// The tables that a job reads as a whole, and those that it reads slice by slice.
struct SlicedLookup<'a> {
    tables: &'a MemoryTables,
    slices: BTreeMap<Material, Arc<dyn SliceSource>>,
}

impl Lookup for SlicedLookup<'_> {
    fn table(&self, material: &Material) -> Option<Arc<Table>> {
        self.tables.table(material)
    }

    fn part(&self, material: &Material, man: Man, squares: SquareSet) -> Option<Arc<Table>> {
        self.tables.part(material, man, squares)
    }

    fn slices(&self, material: &Material) -> Option<Arc<dyn SliceSource>> {
        self.slices.get(material).cloned()
    }
}

/// Stops a solve that somebody has interrupted, or that goes on elsewhere, where it can be gone on with.
struct Stoppable<'a> {
    progress: &'a dyn TableProgress,
    interrupt: &'a AtomicBool,
    lease: Option<Arc<Renewal>>,
}

impl solve::Progress for Stoppable<'_> {
    fn placements_done(&self, done: u64, total: u64) {
        self.progress.placements_done(done, total);
    }

    fn asks_for_plies(&self) -> bool {
        self.progress.asks_for_plies()
    }

    fn ply_found(&self, found: &solve::FoundPly<'_>) {
        self.progress.ply_found(found);
    }

    fn ply_logged(&self, attacker: Side, ply: u32) {
        self.progress.ply_logged(attacker, ply);
    }

    fn may_widen(&self) -> bool {
        self.progress.may_widen()
    }

    fn is_interrupted(&self) -> bool {
        self.interrupt.load(Ordering::Relaxed)
            || self.lease.as_ref().is_some_and(|lease| lease.is_lost())
            || self.progress.is_interrupted()
    }
}
