//! Makes one table from nothing to a checked file, takes it from others, or finds that it is done already.

mod logged;

use crate::cache::TableCache;
use crate::finish::{Finished, finish, remove_again};
use crate::footprint::{BuildFootprint, memory_short};
use crate::lease::Renewal;
use crate::ledger::{HoldingId, Schedule};
use crate::options::BuildOptions;
use crate::progress::{BuildProgress, BuildStep, BuiltTable};
use crate::queue::{Grow, Worker};
use crate::survey::Prospect;
use crate::{FolderLock, TableLease};
use format::{Checksum, Dependency, FormatError, Keep, Metadata, Packing, Summary, TableWriter};
use library::{CheckedTables, LibraryError, Loan, MemoryTables, PROGRAM, TableFiles};
use parking_lot::Mutex;
use plan::{Job, JobId, Need, Plan};
use proof::{Find, Sample, Values, VerifyOptions};
use rayon::ThreadPool;
use stats::Statistics;
use std::fs;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Instant;
use table::{CodeSource, Table, WithoutDistances};
use variant::{Material, Metric, Side};

/// How many placements of a table are verified that is too large to verify all.
const N_VERIFIED: u64 = 1_000_000;

/// What all jobs of a build share.
pub(super) struct Builder<'a> {
    pub(super) plan: &'a Plan,
    pub(super) folder: &'a FolderLock,
    pub(super) schedule: &'a Schedule,
    pub(super) files: &'a TableFiles,
    /// The files, or copies of them that are read faster.
    pub(super) reads: &'a TableFiles,
    /// Those, and in their place tables that were solved again.
    pub(super) inputs: &'a TableFiles,
    pub(super) pool: &'a ThreadPool,
    pub(super) cache: TableCache<'a>,
    pub(super) options: &'a BuildOptions,
    pub(super) footprint: BuildFootprint<'a>,
    pub(super) progress: &'a BuildProgress<'a>,
    pub(super) interrupt: &'a AtomicBool,
    /// In the order of the plan.
    pub(super) jobs: Vec<JobState>,
    /// For verification only.
    pub(super) checked: CheckedTables,
    /// Tables that were leased to another process when they were to be trimmed.
    pub(super) unfinished: Mutex<Vec<JobId>>,
}

/// What becomes known of a job while tables are made.
pub(super) struct JobState {
    /// What is to be done with it, roughly; what is damaged shows only later.
    prospect: Prospect,
    /// Which values each of its columns has, in the order of the edition's metrics, once it is there.
    contents: Vec<OnceLock<Checksum>>,
    /// The table, if nothing is wrong with its files but that they have left out a side to move which is
    /// needed: it is solved again into scratch.
    half: OnceLock<BuiltTable>,
    /// Whether the table looked done from outside and was not.
    is_stale: AtomicBool,
    /// How many tables that need this one are not there yet.
    n_waiting: AtomicUsize,
    /// The size of its files if one was trimmed when no job waited for it any more.
    trimmed_size_bytes: OnceLock<u64>,
    /// Whether the lease under which it is made is still this build's.
    renewal: Mutex<Option<Arc<Renewal>>>,
}

impl JobState {
    pub(super) fn new(prospect: Prospect, n_files: usize, n_waiting: usize) -> Self {
        JobState {
            prospect,
            contents: (0..n_files).map(|_| OnceLock::new()).collect(),
            half: OnceLock::new(),
            is_stale: AtomicBool::new(false),
            n_waiting: AtomicUsize::new(n_waiting),
            trimmed_size_bytes: OnceLock::new(),
            renewal: Mutex::default(),
        }
    }

    /// Takes over what a table holds that this build does not look at, from the indexes of its files.
    pub(super) fn name(&self, files: &TableFiles, name: &str) {
        for (content, &metric) in self.contents.iter().zip(files.edition().metrics()) {
            if let Ok(summary) = files.summary(name, metric) {
                content.get_or_init(|| summary.table_content());
            }
        }
    }

    /// Whether the table looked done from outside and was not.
    pub(super) fn is_stale(&self) -> bool {
        self.is_stale.load(Ordering::Relaxed)
    }

    /// The size of the files if one was trimmed after it had been made or found.
    pub(super) fn trimmed_size_bytes(&self) -> Option<u64> {
        self.trimmed_size_bytes.get().copied()
    }

    fn renewal(&self) -> Option<Arc<Renewal>> {
        self.renewal.lock().clone()
    }

    fn is_waited_for(&self) -> bool {
        self.n_waiting.load(Ordering::Acquire) > 0
    }
}

/// The right to make a table.
struct Leased {
    /// Given back when this is dropped.
    lease: TableLease,
    /// Whether another process had it first.
    has_waited: bool,
}

impl Builder<'_> {
    fn job(&self, id: JobId) -> &Job {
        self.plan.job(id)
    }

    pub(super) fn state(&self, id: JobId) -> &JobState {
        &self.jobs[id.0]
    }

    /// The table if it is done already.
    fn find(&self, id: JobId) -> Option<BuiltTable> {
        if self.options.force {
            return None;
        }
        let found = self.find_files(id);
        if found.is_none() && !self.state(id).prospect.is_to_make() {
            self.state(id).is_stale.store(true, Ordering::Relaxed);
        }
        found
    }

    fn find_files(&self, id: JobId) -> Option<BuiltTable> {
        let files = (0..self.files.edition().metrics().len()).map(|file| self.find_file(id, file));
        let files: Vec<Summary> = files.collect::<Option<_>>()?;
        // Statistics that cannot be read are from another version of this program.
        let statistics = serde_json::from_value(files[0].metadata.statistics.clone()).ok()?;
        for (content, summary) in self.state(id).contents.iter().zip(&files) {
            content.get_or_init(|| summary.table_content());
        }
        let size_bytes = files.iter().map(|file| file.size_bytes).sum();
        let job = self.job(id);
        let found = BuiltTable { name: job.name.clone(), statistics, size_bytes, time: None };
        let metrics = self.files.edition().metrics().iter();
        let lacks = self.state(id).prospect.lacks().is_some_and(|side| {
            metrics.zip(&files).any(|(&metric, file)| {
                self.files.edition().reads(metric) && file.left_out(job.is_one_sided()) == Some(side)
            })
        });
        if lacks {
            self.state(id).half.get_or_init(|| found);
            return None;
        }
        if let Err(error) = self.check_again(id, &files) {
            self.tell_damaged(id, &error);
            return None;
        }
        Some(found)
    }

    /// Checks what is in scratch of a table that was solved again; what is no good is removed.
    fn check_again(&self, id: JobId, files: &[Summary]) -> Result<(), FormatError> {
        let (name, edition) = (&self.job(id).name, self.files.edition());
        for (&metric, file) in edition.metrics().iter().zip(files) {
            let path = self.files.again_path(name, metric);
            let is_same = match self.files.again_summary(name, metric) {
                Err(error) if error.is_not_found() => continue,
                Ok(again) if again.table_content() != file.table_content() => Ok(false),
                Ok(_) => self.check_blocks(self.inputs, name, metric).map(|()| true),
                Err(error) => Err(error),
            };
            if !matches!(is_same, Ok(true)) {
                remove_again(&path);
            }
            is_same?;
        }
        Ok(())
    }

    /// A column of a table, if it is whole, of these rules and this solver, and of the very tables that it
    /// would be solved from now.
    fn find_file(&self, id: JobId, file: usize) -> Option<Summary> {
        let (job, metric) = (self.job(id), self.files.edition().metrics()[file]);
        let summary = match self.files.summary(&job.name, metric) {
            Err(error) if error.is_not_found() => return None,
            other => other.and_then(|summary| self.check_file(id, metric, &summary).map(|()| summary)),
        };
        let summary = match summary {
            Ok(summary) => summary,
            Err(error) => {
                self.tell_damaged(id, &error);
                return None;
            }
        };
        let metadata = &summary.metadata;
        let is_cut = summary.left_out(job.is_one_sided()).is_some() || metadata.trims_to.is_some();
        if self.options.files.both_sides && is_cut {
            return None;
        }
        let is_current =
            metadata.solver_version == solve::VERSION && self.is_made_from(id, file, &metadata.dependencies);
        is_current.then_some(summary)
    }

    /// The tables that a job reads, but for those that it reads slice by slice.
    fn tables(&self, id: JobId) -> Result<MemoryTables, LibraryError> {
        let whole = |need: &&Need| !self.schedule.is_sliced(id, &need.material);
        let needs: Vec<&Need> = self.job(id).needs.iter().filter(whole).collect();
        self.cache.tables(&needs, &self.schedule.job(id).reads)
    }

    /// Solves a table, writes it, and reads it back; by a log where two bytes a value have no room.
    fn solve(&self, id: JobId, grow: &Grow<'_>) -> Result<BuiltTable, LibraryError> {
        let job = self.job(id);
        self.progress.step(&BuildStep::Begun(id));
        self.take_needs(id)?;
        let tables = self.tables(id)?;
        let begin = Instant::now();
        let table = match self.footprint.strategy(job).is_logged() {
            true => None,
            false => self.solve_in_memory(id, &tables, grow)?,
        };
        let (statistics, size_bytes) = match &table {
            Some(table) => self.pool.install(|| self.write(id, table))?,
            None => self.solve_logged(id, &tables)?,
        };
        let time = begin.elapsed();
        if self.options.verify {
            self.pool.install(|| match &table {
                Some(table) => self.verify_values(job, table, &tables, Sample::All),
                None => {
                    let values = self.checked.checked(&job.material)?;
                    self.verify_values(job, &*values, &tables, Sample::Placements(N_VERIFIED))
                }
            })?;
        }
        if let (Some(holding), Some(table)) = (self.schedule.job(id).leaves, table) {
            // Other tables read it with the clock at 0.
            self.cache.put(holding, table.with_clocked([None, None]));
        }
        self.progress.step(&BuildStep::Finished(id, time));
        Ok(BuiltTable { name: job.name.clone(), statistics, size_bytes, time: Some(time) })
    }

    /// Whether the files of a table that is made are there and stay, and the table goes to scratch.
    fn is_solved_again(&self, id: JobId) -> bool {
        self.state(id).half.get().is_some()
    }

    /// Counts what is in a table, writes the columns, reads them back, and compares every checksum; how
    /// many bytes there are. Where one side to move is enough the other is left out, at once if no job
    /// waits for the table. What is solved again has to have the values of its files.
    fn write(&self, id: JobId, table: &dyn CodeSource) -> Result<(Statistics, u64), LibraryError> {
        let edition = self.files.edition();
        let counted = |metric: Metric, codes: &dyn CodeSource| {
            let statistics = Statistics::collect_from(edition.variant(), metric, codes);
            let statistics = statistics.map_err(|error| self.log_unreadable(self.job(id), error))?;
            Ok::<_, LibraryError>(statistics.of_winner(edition.winner_of(&self.job(id).name)))
        };
        let statistics = counted(edition.metric(), table)?;
        let n_columns = edition.metrics().len().min(2) as u64;
        // Columns follow one another, and each is as much of the whole.
        let part = |column: u64| {
            move |done: u64, total: u64| {
                let (n_done, n_total) = (column * total + done, n_columns * total);
                self.progress.step(&BuildStep::Packed { job: id, n_done, n_total });
            }
        };
        let mut size_bytes = 0;
        let is_wanted = |metric: &&Metric| !self.is_solved_again(id) || edition.reads(**metric);
        if let Some(&metric) = edition.metrics().get(1).filter(is_wanted) {
            // Another column says who wins. It comes first: the next one copies it, and it is the smaller.
            let wdl = WithoutDistances(table);
            size_bytes += self.write_column(id, 1, &wdl, &counted(metric, &wdl)?, &part(0))?;
        }
        size_bytes += self.write_column(id, 0, table, &statistics, &part(n_columns - 1))?;
        Ok((statistics, size_bytes))
    }

    fn write_column(
        &self,
        id: JobId,
        file: usize,
        table: &dyn CodeSource,
        statistics: &Statistics,
        watch: &(dyn Fn(u64, u64) + Sync),
    ) -> Result<u64, LibraryError> {
        let (job, edition) = (self.job(id), self.files.edition());
        let metric = edition.metrics()[file];
        let is_again = self.is_solved_again(id);
        let path = match is_again {
            true => self.files.again_path(&job.name, metric),
            false => self.files.path(&job.name, metric),
        };
        if let (true, Some(scratch)) = (is_again, path.parent()) {
            fs::create_dir_all(scratch).map_err(LibraryError::io("make the folder", scratch))?;
        }
        let metadata = Metadata {
            program: PROGRAM.into(),
            variant: edition.variant().name.clone(),
            solver_version: solve::VERSION,
            dependencies: self.known_dependencies(id, file),
            statistics: serde_json::to_value(statistics).expect("counts and texts always have a JSON form"),
            winner: edition.winner_of(&job.name),
            ..Metadata::default()
        };
        let is_read = edition.reads(metric) && self.state(id).is_waited_for();
        let (keep, packing) = match (self.options.files.is_one_sided(job, metric), is_read) {
            _ if is_again => (Keep::Both, Packing::Quick),
            (false, _) => (Keep::Both, self.options.files.packing),
            (true, true) => (Keep::UntilTrimmed, self.options.files.packing),
            (true, false) => (Keep::Smaller, self.options.files.packing),
        };
        let column = edition.column(&job.name, metric);
        let writer = TableWriter::new(edition.variant()).column(column).keep(keep).packing(packing);
        let written = writer.progress(watch).write_source(&path, table, &metadata)?;
        let content = *self.state(id).contents[file].get_or_init(|| written.table);
        if !is_again {
            // What is left of an earlier run is of the file that this one replaces.
            remove_again(&self.files.again_path(&job.name, metric));
        }
        if is_again && content != written.table {
            remove_again(&path);
            return Err(LibraryError::Contradicted { path: self.files.path(&job.name, metric) });
        }
        Ok(written.size_bytes)
    }

    /// Removes what is left of solving a table that is done: a run may have been killed between the two.
    fn remove_scratch(&self, id: JobId) {
        if self.folder.is_writable() {
            // What cannot be removed is in no job's way.
            let paths = self.options.log_paths(self.files, self.job(id));
            paths.iter().for_each(|path| drop(fs::remove_file(path)));
        }
    }

    /// A table is there: it is trimmed unless another table reads it, and so are those that only it has
    /// waited for.
    fn release(&self, id: JobId, lease: Option<&Leased>) -> Result<(), LibraryError> {
        if !self.state(id).is_waited_for() {
            self.finish(id, lease)?;
        }
        for &needed in &self.schedule.job(id).needs {
            let is_last = self.state(needed).n_waiting.fetch_sub(1, Ordering::AcqRel) == 1;
            // Files of others stay as they are.
            if is_last && self.state(needed).prospect.is_own() {
                self.finish(needed, None)?;
            }
        }
        Ok(())
    }

    /// Trims a table that none of the build reads any more.
    fn finish(&self, id: JobId, lease: Option<&Leased>) -> Result<(), LibraryError> {
        let lease = lease.map(|leased| &leased.lease);
        let trim = || finish(self.folder, self.files, self.job(id), self.options.files, lease);
        match self.pool.install(trim)? {
            Finished::AsItWas => {}
            Finished::Trimmed { size_bytes } => {
                self.state(id).trimmed_size_bytes.get_or_init(|| size_bytes);
            }
            Finished::Leased => self.unfinished.lock().push(id),
        }
        Ok(())
    }

    /// Trims what was leased to another process when it was to be trimmed, which may have added a column to
    /// it meanwhile.
    pub(super) fn finish_rest(&self) -> Result<(), LibraryError> {
        let rest = std::mem::take(&mut *self.unfinished.lock());
        rest.into_iter().try_for_each(|id| self.finish(id, Some(&self.lease(id)?)))
    }

    fn verify_values(
        &self,
        job: &Job,
        values: &dyn Values,
        tables: &MemoryTables,
        sample: Sample,
    ) -> Result<(), LibraryError> {
        let (variant, metric) = (self.files.edition().variant(), self.files.edition().metric());
        let successors = Successors { tables, checked: &self.checked, cache: &self.cache };
        let winner = self.files.edition().winner_of(&job.name);
        let options = VerifyOptions { sample, winner, ..VerifyOptions::new(metric) };
        let checked = proof::verify(variant, values, &successors, &options);
        let report = checked.map_err(|error| self.checked.explain(&job.material, error))?;
        let Some(first) = report.differences.first() else { return Ok(()) };
        let (material, n_wrong) = (job.name.clone(), report.n_differences);
        Err(LibraryError::Wrong { material, n_wrong, first: first.to_string() })
    }

    /// The tables that a file of a job is made from, with what they hold, as far as that is known.
    fn known_dependencies(&self, id: JobId, file: usize) -> Vec<Dependency> {
        let dependencies = self.dependencies(id, file).into_iter();
        dependencies
            .filter_map(|(name, content)| Some(Dependency { material: name.to_owned(), content: content? }))
            .collect()
    }

    /// The tables that a file of a job is made from, with what they hold; nothing for a table of others that
    /// no job has taken.
    fn dependencies(&self, id: JobId, file: usize) -> Vec<(&str, Option<Checksum>)> {
        let needs = self.schedule.job(id).needs.iter();
        let dependency = |&needed: &JobId| {
            (self.job(needed).name.as_str(), self.state(needed).contents[file].get().copied())
        };
        needs.map(dependency).collect()
    }

    /// Whether a file of a job was made from the tables that it would be made from now, as far as these are
    /// known.
    fn is_made_from(&self, id: JobId, file: usize, recorded: &[Dependency]) -> bool {
        let dependencies = self.dependencies(id, file);
        let is_same = |((name, content), recorded): (&(&str, Option<Checksum>), &Dependency)| {
            *name == recorded.material && content.is_none_or(|content| content == recorded.content)
        };
        dependencies.len() == recorded.len() && dependencies.iter().zip(recorded).all(is_same)
    }
}

/// The tables that a verification reads beside the one that it verifies: those of which only a part is in
/// memory from their files.
struct Successors<'a> {
    tables: &'a MemoryTables,
    checked: &'a CheckedTables,
    cache: &'a TableCache<'a>,
}

impl Find for Successors<'_> {
    fn find(&self, material: &Material) -> Option<Arc<dyn Values>> {
        let lent = || self.cache.lent(material).map(|table| Arc::new(table) as Arc<dyn Values>);
        self.tables.find(material).or_else(lent).or_else(|| self.checked.find(material))
    }
}

impl Worker<Option<BuiltTable>, LibraryError> for Builder<'_> {
    fn look(&self, id: JobId) -> Result<Option<Option<BuiltTable>>, LibraryError> {
        match self.state(id).prospect {
            Prospect::Unneeded | Prospect::Lent { is_read: false, .. } => return Ok(Some(None)),
            Prospect::Lent { is_read: true, .. } => return Ok(None),
            _ => {}
        }
        let found = self.find(id);
        if let Some(found) = &found {
            self.progress.step(&BuildStep::Found(id));
            self.remove_scratch(id);
            self.progress.step(&BuildStep::Built(Box::new(found.clone())));
            self.release(id, None)?;
        }
        Ok(found.map(Some))
    }

    fn make(&self, id: JobId, grow: &Grow<'_>) -> Result<Option<BuiltTable>, LibraryError> {
        if let Prospect::Lent { loan, .. } = &self.state(id).prospect {
            return self.take(id, loan).map(|()| None);
        }
        // A table that looked done from outside may be none.
        self.folder.check_writable()?;
        let (lease, built) = loop {
            let lease = self.lease(id)?;
            let built = match self.made_by_others(id, &lease) {
                Some(found) => Ok(found),
                // Its files stay as they are.
                None => {
                    self.solve(id, grow).map(|solved| self.state(id).half.get().cloned().unwrap_or(solved))
                }
            };
            match built {
                // Another process goes on with it, and has stopped this one.
                Err(LibraryError::Interrupted)
                    if lease.lease.renewal().is_lost() && !self.is_interrupted() => {}
                Err(error) => {
                    if !matches!(error, LibraryError::Interrupted) {
                        self.suspect_needs(id);
                    }
                    return Err(error);
                }
                Ok(built) => break (lease, built),
            }
        };
        self.progress.step(&BuildStep::Built(Box::new(built.clone())));
        self.release(id, Some(&lease))?;
        Ok(Some(built))
    }

    fn refuse(&self, id: JobId) -> LibraryError {
        memory_short(self.options.memory, self.job(id), &self.footprint)
    }

    fn forget(&self, holding: HoldingId) {
        self.cache.forget(holding);
    }

    fn is_interrupted(&self) -> bool {
        self.interrupt.load(Ordering::Relaxed)
    }
}

impl Builder<'_> {
    /// Solves a table in memory; none if it needs two bytes a value, there is no room for them, and it can be
    /// solved another way.
    fn solve_in_memory(
        &self,
        id: JobId,
        tables: &MemoryTables,
        grow: &Grow<'_>,
    ) -> Result<Option<Table>, LibraryError> {
        let job = self.job(id);
        // What two bytes a value take beyond one.
        let (more_bytes, is_full) = (job.n_values(), AtomicBool::new(false));
        let may_widen = || {
            let has_room = self.footprint.is_only_in_memory() || grow(more_bytes);
            is_full.store(!has_room, Ordering::Relaxed);
            has_room
        };
        let watch = Watch { progress: self.progress, id, may_widen: &may_widen, is_stopped: &|| false };
        let solved = self.pool.install(|| self.cache.solve(&job.material, tables, &watch));
        match solved {
            Err(_) if is_full.load(Ordering::Relaxed) => Ok(None),
            solved => solved.map(Some),
        }
    }
}

/// Watches a solve: passes on what it reports, lets its codes grow and stops it, as the builder says.
pub(super) struct Watch<'a> {
    pub(super) progress: &'a BuildProgress<'a>,
    pub(super) id: JobId,
    /// Whether the codes may take a second byte each.
    pub(super) may_widen: &'a (dyn Fn() -> bool + Sync),
    /// Whether the solve is to stop, beside what the progress says.
    pub(super) is_stopped: &'a (dyn Fn() -> bool + Sync),
}

impl solve::Progress for Watch<'_> {
    fn step(&self, step: &solve::Step) {
        self.progress.step(&BuildStep::Solve(self.id, step.clone()));
    }

    fn asks_for_plies(&self) -> bool {
        self.progress.asks_for_plies()
    }

    fn may_widen(&self) -> bool {
        (self.may_widen)()
    }

    fn is_interrupted(&self) -> bool {
        (self.is_stopped)() || self.progress.is_interrupted()
    }
}

impl Builder<'_> {
    /// Reads a table of others, and names it as its files here would be named.
    fn take(&self, id: JobId, loan: &Loan) -> Result<(), LibraryError> {
        let (job, edition) = (self.job(id), self.files.edition());
        let table = self.pool.install(|| {
            let table = loan.read(edition, &job.material, &self.sides_asked_for(id))?;
            let names = loan.names(edition, &job.material, &table)?;
            for (content, name) in self.state(id).contents.iter().zip(names) {
                content.get_or_init(|| name);
            }
            Ok::<Table, LibraryError>(table)
        })?;
        if let Some(holding) = self.schedule.job(id).leaves {
            self.cache.put(holding, table);
        }
        Ok(())
    }

    /// The sides to move that tables ask a table for.
    fn sides_asked_for(&self, id: JobId) -> Vec<Side> {
        let material = &self.job(id).material;
        let after = self.plan.in_need_of(id);
        let needs = after.iter().flat_map(|&after| &self.job(after).needs);
        let needs: Vec<&Need> = needs.filter(|need| need.material == *material).collect();
        Side::BOTH.into_iter().filter(|&stm| needs.iter().any(|need| need.asks_for(stm))).collect()
    }

    /// Takes the tables of others that a job needs and that no job has taken, because the job looked done.
    fn take_needs(&self, id: JobId) -> Result<(), LibraryError> {
        for &needed in &self.schedule.job(id).needs {
            let is_taken = self.state(needed).contents.iter().all(|content| content.get().is_some());
            if let (Prospect::Lent { loan, .. }, false) = (&self.state(needed).prospect, is_taken) {
                self.take(needed, loan)?;
            }
        }
        Ok(())
    }
}
