//! One table from nothing to a checked file, or the finding that it is done already.

use super::budget::Budget;
use super::ledger::Agenda;
use super::schedule::Labour;
use super::survey::{Keeping, Survey};
use super::watch::Watch;
use crate::Failure;
use crate::edition::Edition;
use crate::figure::{count, seconds};
use crate::store::{Shelf, Store};
use crate::verify::Tables;
use ::plan::{Job, Plan};
use format::{Checksum, Dependency, FormatError, Keep, Metadata, Summary, TableWriter};
use proof::{Find, Sample, Values, VerifyError};
use rayon::ThreadPool;
use stats::Statistics;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};
use table::Table;
use variant::{Material, Metric};

/// What is written into files as their maker.
const PROGRAM: &str = concat!("tablesmith ", env!("CARGO_PKG_VERSION"));

/// A table that is there.
pub(super) struct Done {
    pub(super) statistics: Statistics,
    pub(super) size_bytes: u64,
    /// How long it took; none if it was there already.
    pub(super) time: Option<Duration>,
}

/// What all jobs of a run share.
pub(super) struct Shop<'a, 'w> {
    edition: &'a Edition,
    plan: &'a Plan,
    agenda: &'a Agenda,
    pool: &'a ThreadPool,
    store: Store<'a>,
    /// For verification only.
    files: Tables<'a>,
    watch: &'a Watch<'w>,
    manner: Manner,
    survey: Survey,
    /// Which values each table has, by file and place in the plan, once it is there.
    contents: Vec<Vec<OnceLock<Checksum>>>,
    /// The tables that looked done from outside and were not, by place in the plan.
    stale: Mutex<Vec<usize>>,
    /// How many tables that need each table are not there yet.
    n_waiting: Vec<AtomicUsize>,
    /// The size of each file that was cut down to one side to move when nobody waited for it any more.
    cut_sizes: Vec<OnceLock<u64>>,
}

/// How a run is to be done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Manner {
    /// Solve also what is done already.
    pub(super) force: bool,
    /// Check every value of what has been solved.
    pub(super) verify: bool,
    /// The memory that may be taken.
    pub(super) budget: Budget,
    /// What the files are to be like.
    pub(super) keeping: Keeping,
}

impl<'a, 'w> Shop<'a, 'w> {
    pub(super) fn new(
        edition: &'a Edition,
        (plan, agenda, survey): (&'a Plan, &'a Agenda, Survey),
        store: Store<'a>,
        pool: &'a ThreadPool,
        watch: &'a Watch<'w>,
        manner: Manner,
    ) -> Self {
        let none = || (0..plan.len()).map(|_| OnceLock::new()).collect();
        let contents = edition.files().iter().map(|_| none()).collect();
        let cut_sizes = (0..plan.len()).map(|_| OnceLock::new()).collect();
        let n_waiting = (0..plan.len()).map(|place| AtomicUsize::new(plan.in_need_of(place).len())).collect();
        let files = store.files();
        Shop {
            edition,
            plan,
            agenda,
            pool,
            files,
            store,
            watch,
            manner,
            survey,
            contents,
            stale: Mutex::default(),
            n_waiting,
            cut_sizes,
        }
    }

    /// The tables that looked done from outside and were not, by place in the plan.
    pub(super) fn stale(&self) -> Vec<usize> {
        self.stale.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The size of a table's file if it was cut down after it had been made or found.
    pub(super) fn cut_size_bytes(&self, place: usize) -> Option<u64> {
        self.cut_sizes[place].get().copied()
    }

    /// The table if it is done already.
    fn find(&self, place: usize, job: &Job) -> Option<Done> {
        if self.manner.force {
            return None;
        }
        let found = self.find_files(place, job);
        if found.is_none() && !self.survey.make[place] {
            self.stale.lock().unwrap_or_else(PoisonError::into_inner).push(place);
        }
        found
    }

    fn find_files(&self, place: usize, job: &Job) -> Option<Done> {
        let files: Vec<Summary> = (0..self.edition.files().len())
            .map(|file| self.find_file(place, job, file))
            .collect::<Option<_>>()?;
        // Statistics that cannot be read are from another version of this program.
        let statistics = serde_json::from_value(files[0].metadata.statistics.clone()).ok()?;
        for (contents, summary) in self.contents.iter().zip(&files) {
            contents[place].get_or_init(|| summary.table_content());
        }
        Some(Done { statistics, size_bytes: files.iter().map(|file| file.size_bytes).sum(), time: None })
    }

    /// A file of a table, if it is whole, of these rules and this solver, and of the very tables that it
    /// would be solved from now.
    fn find_file(&self, place: usize, job: &Job, file: usize) -> Option<Summary> {
        let metric = self.edition.files()[file];
        let path = self.store.path(&job.name, metric);
        let summary = match Summary::read(&path) {
            Err(error) if error.is_not_found() => return None,
            other => other.and_then(|summary| self.check_blocks(&job.name, metric).map(|()| summary)),
        };
        let summary = match summary {
            Ok(summary) => summary,
            Err(error) => {
                // Errors say what is wrong and then how to mend it, which is being done here.
                let error = error.to_string();
                let fault = error.split(';').next().unwrap_or_default();
                self.watch.note(&format!("{} is solved again: {fault}", job.name));
                return None;
            }
        };
        let lacks = self.survey.lacks[place].filter(|_| self.edition.reads(metric));
        if let Some(side) = lacks.filter(|side| summary.left_out(job.is_symmetric()) == Some(*side)) {
            let fault = format!("its file has not {side} to move, which is needed now");
            self.watch.note(&format!("{} is solved again: {fault}", job.name));
            return None;
        }
        let metadata = &summary.metadata;
        let is_cut = summary.left_out(job.is_symmetric()).is_some() || metadata.stays.is_some();
        if self.manner.keeping.both_sides && is_cut {
            return None;
        }
        let is_current = metadata.solver_version == ::solve::VERSION
            && metadata.dependencies == self.dependencies(place, file);
        is_current.then_some(summary)
    }

    /// Reads the whole file: one that is damaged anywhere is not done.
    fn check_blocks(&self, name: &str, metric: Metric) -> Result<(), FormatError> {
        let file = self.edition.open(self.store.folder(), name, metric)?;
        self.pool.install(|| file.verify_checksums())
    }

    /// Solves a table, writes it, and reads it back.
    fn solve(&self, place: usize, job: &Job) -> Result<Done, Failure> {
        let watching = self.watch.begin(&job.name, job.n_values());
        let shelf = self.store.shelf(&self.agenda.uses[place])?;
        let begin = Instant::now();
        let (table, statistics, size_bytes) = self.pool.install(|| {
            let table = self.store.solve(&job.material, &shelf, &watching)?;
            let statistics = Statistics::collect_with(&self.edition.variant, self.edition.metric, &table);
            let size_bytes = self.write(place, job, &table, &statistics)?;
            Ok::<_, Failure>((table, statistics, size_bytes))
        })?;
        let time = begin.elapsed();
        if self.manner.verify {
            self.pool.install(|| self.verify(job, &table, &shelf))?;
        }
        if let Some(need) = self.agenda.gives[place] {
            self.store.put(need, table);
        }
        watching.finish(&format!("{} done in {}", job.name, seconds(time)));
        Ok(Done { statistics, size_bytes, time: Some(time) })
    }

    /// Writes the files, reads them back, and compares every checksum. A side to move that nobody waits for
    /// is left out where one is enough.
    fn write(&self, place: usize, job: &Job, table: &Table, statistics: &Statistics) -> Result<u64, Failure> {
        let told = |statistics: &Statistics| serde_json::to_value(statistics).map_err(Failure::new);
        let mut size_bytes = self.write_file(place, job, table, 0, told(statistics)?)?;
        if let Some(&metric) = self.edition.files().get(1) {
            // What a second file tells is who wins.
            let outcomes = table.to_wdl();
            let statistics = Statistics::collect_with(&self.edition.variant, metric, &outcomes);
            size_bytes += self.write_file(place, job, &outcomes, 1, told(&statistics)?)?;
        }
        Ok(size_bytes)
    }

    fn write_file(
        &self,
        place: usize,
        job: &Job,
        table: &Table,
        file: usize,
        statistics: serde_json::Value,
    ) -> Result<u64, Failure> {
        let metric = self.edition.files()[file];
        let path = self.store.path(&job.name, metric);
        let is_one_sided = self.manner.keeping.is_one_sided(job, metric);
        let is_waited_for = self.edition.reads(metric) && self.n_waiting[place].load(Ordering::Acquire) > 0;
        let metadata = Metadata {
            program: PROGRAM.into(),
            variant: self.edition.variant.name.clone(),
            solver_version: ::solve::VERSION,
            dependencies: self.dependencies(place, file),
            statistics,
            table: None,
            stays: None,
        };
        let keep = match (is_one_sided, is_waited_for) {
            (false, _) => Keep::Both,
            (true, true) => Keep::Interim,
            (true, false) => Keep::Smaller,
        };
        let (variant, packing) = (&self.edition.variant, self.manner.keeping.packing);
        let writer = TableWriter::new(variant).metric(metric).keep(keep).packing(packing);
        let written = writer.write(&path, table, &metadata);
        let written = written.map_err(Failure::new)?;
        written.check(&path).map_err(Failure::new)?;
        self.contents[file][place].get_or_init(|| written.table);
        Ok(written.size_bytes)
    }

    /// A table is there. The tables that only it has waited for keep one side to move from now on.
    fn release(&self, place: usize) -> Result<(), Failure> {
        if self.n_waiting[place].load(Ordering::Acquire) == 0 {
            self.cut(place)?;
        }
        for needed in self.plan.needed_by(place) {
            if self.n_waiting[needed].fetch_sub(1, Ordering::AcqRel) == 1 {
                self.cut(needed)?;
            }
        }
        Ok(())
    }

    /// Leaves the larger side to move out of interim files.
    fn cut(&self, place: usize) -> Result<(), Failure> {
        let job = self.plan.job(place);
        let mut is_cut = false;
        for &metric in self.edition.files() {
            if !self.manner.keeping.is_one_sided(job, metric) {
                continue;
            }
            let path = self.store.path(&job.name, metric);
            let cut = self.pool.install(|| format::drop_interim_side(&path, &self.edition.variant));
            if let Some(written) = cut.map_err(Failure::new)? {
                written.check(&path).map_err(Failure::new)?;
                is_cut = true;
            }
        }
        if is_cut {
            let size = |&metric: &Metric| Ok(Summary::read(&self.store.path(&job.name, metric))?.size_bytes);
            let sizes: Result<Vec<u64>, FormatError> = self.edition.files().iter().map(size).collect();
            let size_bytes = sizes.map_err(Failure::new)?.iter().sum();
            self.cut_sizes[place].get_or_init(|| size_bytes);
        }
        Ok(())
    }

    fn verify(&self, job: &Job, table: &Table, shelf: &Shelf) -> Result<(), Failure> {
        let others = Others { shelf, files: &self.files };
        let Edition { variant, metric, .. } = self.edition;
        let report = proof::verify_with(variant, *metric, table, &others, Sample::All, &|_, _| {}).map_err(
            |error| match (self.files.take_failure(), error) {
                (Some(failure), _) => Failure::plain(failure),
                (None, VerifyError::Missing(missing)) => {
                    Failure::new(format!("{} is not there", missing.material.name(variant)))
                }
                (None, _) => Failure::new(format!("the values of {} cannot be read", job.name)),
            },
        )?;
        match report.differences.first() {
            None => Ok(()),
            Some(first) => Err(Failure::new(format!(
                "{} has {} wrong values, the first at {first}",
                job.name,
                count(report.n_differences)
            ))),
        }
    }

    /// The tables that a file of a job is made from, with what they hold.
    fn dependencies(&self, place: usize, file: usize) -> Vec<Dependency> {
        let needed = self.plan.needed_by(place).into_iter();
        needed
            .filter_map(|i| {
                let content = *self.contents[file][i].get()?;
                Some(Dependency { material: self.plan.job(i).name.clone(), content })
            })
            .collect()
    }
}

/// The tables that a verification reads beside the one that it verifies: those of which only a part is in
/// memory from their files.
struct Others<'a> {
    shelf: &'a Shelf,
    files: &'a Tables<'a>,
}

impl Find for Others<'_> {
    fn find(&self, material: &Material) -> Option<Arc<dyn Values>> {
        self.shelf.find(material).or_else(|| self.files.find(material))
    }
}

impl Labour<Done, Failure> for Shop<'_, '_> {
    fn look(&self, place: usize) -> Result<Option<Done>, Failure> {
        let job = self.plan.job(place);
        let found = self.find(place, job);
        if found.is_some() {
            self.watch.find(job.n_values(), &format!("{} done already", job.name));
            self.release(place)?;
        }
        Ok(found)
    }

    fn make(&self, place: usize) -> Result<Done, Failure> {
        let done = self.solve(place, self.plan.job(place))?;
        self.release(place)?;
        Ok(done)
    }

    fn refuse(&self, place: usize) -> Failure {
        self.manner.budget.refusal(self.plan.job(place), self.pool.current_num_threads())
    }

    fn forget(&self, need: usize) {
        self.store.forget(need);
    }
}
