//! Solves tables that are too large for memory by a log on the disk, under leases, which keep processes that
//! share a folder from doing the same work, and finds damaged files.

use crate::builder::{Builder, Leased, Watch};
use crate::file_log::FileLog;
use crate::lock::identity;
use crate::progress::{BuildStep, BuiltTable};
use crate::slice_file::SliceFile;
use crate::survey::Prospect;
use crate::{Opened, TableLease};
use format::{FormatError, Summary};
use index::Layout;
use library::{LibraryError, MemoryTables, TableFiles};
use plan::{Job, JobId};
use rayon::ThreadPoolBuilder;
use stats::Statistics;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::{fs, io};
use table::{Lookup, SliceSource, Table};
use variant::exit::TablePart;
use variant::{Material, Metric};

impl Builder<'_> {
    /// Solves a table by a log, from where a run before this one has ended, and writes it; then the log
    /// goes.
    pub(super) fn solve_logged(
        &self,
        id: JobId,
        tables: &MemoryTables,
    ) -> Result<(Statistics, u64), LibraryError> {
        let (job, edition) = (self.job(id), self.files.edition());
        let ([_, path], interval) =
            (self.options.log_paths(self.files, job), self.options.checkpoint_interval);
        if job.size().n_pawns > 0 {
            return self.solve_sliced(id, tables);
        }
        let (log, opened) = FileLog::open(&path, &self.log_identity(id), interval)?;
        let cost = self.footprint.cost(job);
        let log = log.with_planes(cost.planes);
        self.progress.step(&BuildStep::Log(id, path, opened));
        let done = self.watched(id, tables, cost.n_threads, |layout, lookup, watch| {
            let (variant, options) = (edition.variant(), edition.options_of(&job.name));
            self.write(id, &*solve::solve_logged(variant, options, layout, lookup, &log, watch)?)
        })?;
        log.remove()?;
        Ok(done)
    }

    /// Says whether a solve is to stop where it can be gone on with: it is interrupted, or goes on
    /// elsewhere.
    fn stop(&self, id: JobId) -> impl Fn() -> bool + Sync {
        let lease = self.state(id).renewal();
        move || self.interrupt.load(Ordering::Relaxed) || lease.as_ref().is_some_and(|lease| lease.is_lost())
    }

    /// Solves a table, of which it gets the layout, what it reads and what watches it, with this number of
    /// threads: those of the build, or fewer where more would take too much memory.
    fn watched<T: Send>(
        &self,
        id: JobId,
        tables: &MemoryTables,
        n_threads: usize,
        solve: impl FnOnce(Arc<Layout>, &dyn Lookup, &Watch<'_>) -> Result<T, LibraryError> + Send,
    ) -> Result<T, LibraryError> {
        let lookup = self.lookup(id, tables)?;
        let (progress, is_stopped) = (self.progress, self.stop(id));
        let watch = Watch { progress, id, may_widen: &|| true, is_stopped: &is_stopped };
        let layout = Arc::new(Layout::new(self.files.edition().variant(), &self.job(id).material));
        let solve = || solve(layout, &lookup, &watch);
        if n_threads >= self.pool.current_num_threads() {
            return self.pool.install(solve);
        }
        let fewer = ThreadPoolBuilder::new().num_threads(n_threads).build();
        fewer.map_err(|error| LibraryError::Threads { n_threads, what: error.to_string() })?.install(solve)
    }

    /// The tables that a job reads, those in files among them.
    fn lookup<'t>(&self, id: JobId, tables: &'t MemoryTables) -> Result<SlicedLookup<'t>, LibraryError> {
        let mut slices: BTreeMap<Material, Arc<dyn SliceSource>> = BTreeMap::new();
        for need in self.job(id).needs.iter().filter(|need| self.schedule.is_sliced(id, &need.material)) {
            slices.insert(need.material.clone(), Arc::new(self.inputs.slices(&need.name)?));
        }
        Ok(SlicedLookup { tables, slices })
    }

    /// Solves a table with pawns by logs, whose slices go to the disk as they are finished, and writes it.
    fn solve_sliced(&self, id: JobId, tables: &MemoryTables) -> Result<(Statistics, u64), LibraryError> {
        let (job, edition, options) = (self.job(id), self.files.edition(), self.options);
        let [path, log_path] = options.log_paths(self.files, job);
        let on_log = |path: &Path, opened: &Opened| {
            // That a slice has a log of its own is nothing new.
            if let Opened::Resumed(_) = opened {
                self.progress.step(&BuildStep::Log(id, path.into(), *opened));
            }
        };
        let paths = (path.as_path(), log_path.as_path());
        let (store, opened) =
            SliceFile::open(paths, &self.log_identity(id), options.checkpoint_interval, &on_log)?;
        let cost = self.footprint.cost(job);
        let store = store.with_planes(cost.planes);
        self.progress.step(&BuildStep::Slices(id, path.clone(), opened));
        let most_in_memory = options.most_in_memory;
        let done = self.watched(id, tables, cost.n_threads, |layout, lookup, watch| {
            let (variant, options) = (edition.variant(), edition.options_of(&job.name));
            let how = (&store as &dyn solve::SliceStore, most_in_memory);
            self.write(id, &*solve::solve_sliced(variant, options, layout, lookup, how, watch)?)
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
        LibraryError::io("read the log", &self.options.log_paths(self.files, job)[1])(error)
    }
}

/// The tables that a job reads as a whole, and those that it reads slice by slice.
struct SlicedLookup<'a> {
    tables: &'a MemoryTables,
    slices: BTreeMap<Material, Arc<dyn SliceSource>>,
}

impl Lookup for SlicedLookup<'_> {
    fn table(&self, material: &Material, part: Option<&TablePart>) -> Option<Arc<Table>> {
        self.tables.table(material, part)
    }

    fn slices(&self, material: &Material) -> Option<Arc<dyn SliceSource>> {
        self.slices.get(material).cloned()
    }
}

impl Builder<'_> {
    /// Leases a table, and waits while another process makes it. What one has logged that may live all the
    /// same is gone on with in copies.
    pub(super) fn lease(&self, id: JobId) -> Result<Leased, LibraryError> {
        let (job, mut has_waited) = (self.job(id), false);
        let lease = TableLease::wait(&self.files.main_path(&job.name), &mut |holder| {
            if !has_waited {
                self.progress.step(&BuildStep::Waits(id, holder.cloned()));
            }
            has_waited = true;
            !self.interrupt.load(Ordering::Relaxed)
        })?;
        let lease = lease.ok_or(LibraryError::Interrupted)?;
        if lease.is_taken_over() {
            for path in self.options.log_paths(self.files, job) {
                format::part_with(&path).map_err(LibraryError::io("copy the log", &path))?;
            }
        }
        *self.state(id).renewal.lock() = Some(lease.renewal());
        Ok(Leased { lease, has_waited })
    }

    /// The table if another process has made it since this build looked at its files.
    pub(super) fn made_by_others(&self, id: JobId, lease: &Leased) -> Option<BuiltTable> {
        let job = self.job(id);
        let is_new = match self.state(id).prospect {
            Prospect::Missing | Prospect::NotLent(_) => self.files.are_there(&job.name),
            Prospect::Outdated => lease.has_waited,
            _ => false,
        };
        let found = (is_new && !self.options.force).then(|| self.find_files(id)).flatten();
        if found.is_some() {
            self.progress.step(&BuildStep::Found(id));
        }
        found
    }
}

impl Builder<'_> {
    /// Says that a file is damaged, and its table made again.
    pub(super) fn tell_damaged(&self, id: JobId, error: &FormatError) {
        // Errors say what is wrong and then how to mend it, which is being done here.
        let error = error.to_string();
        let fault = error.split(';').next().unwrap_or_default().to_owned();
        self.progress.step(&BuildStep::Outdated(id, fault));
    }

    /// Checks that a file is whole, as far as it has to be known before it is read: what a part of a set
    /// reads of other tables is compared when it is read, and what a job has recorded is believed.
    pub(super) fn check_file(&self, id: JobId, metric: Metric, summary: &Summary) -> Result<(), FormatError> {
        let name = &self.job(id).name;
        let recorded = self.options.recorded.get(&self.files.edition().column_name(name, metric));
        let is_recorded = recorded.is_some_and(|content| *content == summary.table_content().to_string());
        // One that was damaged when it was read is looked through.
        let is_input = self.is_read_for_set(id) && !self.state(id).prospect.is_to_make();
        match is_recorded || is_input {
            true => self.reads.open(name, metric).map(drop),
            false => self.check_blocks(self.reads, name, metric),
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
            if !self.is_read_for_set(needed) || state.prospect != Prospect::Done {
                continue;
            }
            let job = self.job(needed);
            let check = |&metric: &Metric| self.check_blocks(self.reads, &job.name, metric);
            if let Err(error) = self.files.edition().metrics().iter().try_for_each(check) {
                self.tell_damaged(id, &error);
                state.is_stale.store(true, Ordering::Relaxed);
            }
        }
    }

    /// Reads the whole file, or its copy where there is one: one that is damaged anywhere is not done.
    pub(super) fn check_blocks(
        &self,
        files: &TableFiles,
        name: &str,
        metric: Metric,
    ) -> Result<(), FormatError> {
        let file = files.open(name, metric)?;
        self.pool.install(|| file.verify_checksums())
    }
}
