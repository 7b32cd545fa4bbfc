//! Builds the tables of a plan into a folder: finds which are done, solves the others, writes and checks
//! them; and measures how fast this machine does that.
//!
//! ```text
//!   survey ─► schedule ─► queue ─► builder ─► cache (tables that jobs read)
//!                           │         └────► files
//!                         ledger (memory)
//! ```

use crate::builder::{Builder, JobState};
use crate::cache::TableCache;
use crate::finish::remove_again_folder;
use crate::footprint::{check_disk, check_memory};
use crate::ledger::Schedule;
use crate::{
    BuildFootprint, BuildOptions, BuildProgress, BuildStep, BuiltTable, FolderLock, Lenders, Prospect,
    Solver, Unwatched,
};
use format::FormatError;
use index::Layout;
use library::{CheckedTables, Edition, LibraryError, Loan, TableFiles};
use plan::{Job, JobId, Need, Plan, Request};
use rayon::ThreadPool;
use solve::{Progress, SolveError};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::{Duration, Instant};
use table::{Lookup, Table};
use variant::{Material, Metric, Variant};

/// Where and how the tables of a plan are built.
pub struct Build<'a> {
    plan: &'a Plan,
    folder: &'a FolderLock,
    pool: &'a ThreadPool,
    options: BuildOptions,
    solver: &'a Solver<'a>,
    lenders: &'a Lenders,
    interrupt: &'a AtomicBool,
}

/// Solves a table with [`solve`](solve::solve).
fn solve(
    variant: &Variant,
    options: solve::Options,
    layout: Arc<Layout>,
    lookup: &dyn Lookup,
    progress: &dyn Progress,
) -> Result<Table, SolveError> {
    solve::solve(variant, options, layout, lookup, progress)
}

/// Fails if a table that another one of the plan needs is not there. One that is there and damaged is made
/// again.
fn check_needs(
    plan: &Plan,
    surveyed: &[Prospect],
    stale: &[JobId],
    metric: Metric,
) -> Result<(), LibraryError> {
    let is_missing = |id: &JobId| {
        let prospect = &surveyed[id.0];
        prospect.is_to_make() && !matches!(prospect, Prospect::LeftOut { .. }) && !stale.contains(id)
    };
    let name = |id: JobId| plan.job(id).name.clone();
    for id in plan.ids().filter(|&id| plan.in_need_of(id).is_empty() && is_missing(&id)) {
        let needed: Vec<String> = plan.needed_by(id).into_iter().filter(is_missing).map(name).collect();
        if !needed.is_empty() {
            return Err(LibraryError::SuccessorsNotBuilt { material: name(id), needed, metric });
        }
    }
    Ok(())
}

/// The tables that a build reads from the files of its folder: what is there and some table needs that is to
/// be made.
fn read_from_files(plan: &Plan, outlook: &[Prospect], loans: &BTreeMap<Material, Loan>) -> BTreeSet<String> {
    let makes = |id: &JobId| outlook[id.0].is_to_make();
    let needed = plan.ids().filter(makes).flat_map(|id| &plan.job(id).needs);
    let is_made: BTreeSet<&Material> = plan.ids().filter(makes).map(|id| &plan.job(id).material).collect();
    let is_read = |need: &&Need| {
        !need.is_drawn && !loans.contains_key(&need.material) && !is_made.contains(&need.material)
    };
    needed.filter(is_read).map(|need| need.name.clone()).collect()
}

/// How often a build looks again for tables that it lacks.
const LOOK_AGAIN: Duration = Duration::from_secs(2);

/// How often a run looks again because others have trimmed one and the same file meanwhile.
const MOST_TRIMMED: usize = 8;

/// Is never set.
static NEVER: AtomicBool = AtomicBool::new(false);

/// The tables that a build has made or found, and why there are not more.
#[derive(Debug)]
pub struct Built {
    /// In the order of the plan.
    pub tables: Vec<BuiltTable>,
    /// The first error, if the build has not come to its end.
    pub error: Option<LibraryError>,
}

impl<'a> Build<'a> {
    /// A build of these tables into a folder, computed by the threads of this pool. Others that share the
    /// folder may build there too.
    #[must_use]
    pub fn new(plan: &'a Plan, folder: &'a FolderLock, pool: &'a ThreadPool, options: BuildOptions) -> Self {
        let (solver, lenders, interrupt) = (&solve, Lenders::nobody(), &NEVER);
        Build { plan, folder, pool, options, solver, lenders, interrupt }
    }

    /// This build with another solver.
    #[must_use]
    pub fn with_solver(self, solver: &'a Solver<'a>) -> Self {
        Build { solver, ..self }
    }

    /// This build with folders of others, whose tables are used where the folder of the build has none.
    /// Nothing is written there.
    #[must_use]
    pub fn with_lenders(self, lenders: &'a Lenders) -> Self {
        Build { lenders, ..self }
    }

    /// Takes a flag that keeps the build from beginning another table once it is set. A table that is
    /// being solved by a log stops, to be gone on with; one in memory alone is finished, unless its
    /// [`Progress`](solve::Progress) is interrupted.
    #[must_use]
    pub fn with_interrupt(self, interrupt: &'a AtomicBool) -> Self {
        Build { interrupt, ..self }
    }

    /// Builds the tables of an edition.
    ///
    /// Where a table looked done by its file's index and was not, and what it needs has left out a side to
    /// move, the build looks at the files once more; also where another process has trimmed one meanwhile.
    ///
    /// # Errors
    /// Memory or disk are too small for it, nothing can be written, or something else is in the way of a
    /// file: nothing has begun.
    pub fn run(&self, edition: &Edition, progress: &BuildProgress<'_>) -> Result<Built, LibraryError> {
        let files = TableFiles::new(edition.clone(), self.folder.folder());
        let mut stale: Vec<JobId> = Vec::new();
        let mut trimmed: BTreeMap<PathBuf, usize> = BTreeMap::new();
        loop {
            let (built, found) = self.run_once(&files, progress, &stale)?;
            let n_known = stale.len();
            stale.extend(found);
            stale.sort_unstable();
            stale.dedup();
            let is_new = match &built.error {
                None => false,
                Some(LibraryError::Format(FormatError::OneSided { path, .. })) => {
                    let n_times = trimmed.entry(path.clone()).or_default();
                    *n_times += 1;
                    *n_times <= MOST_TRIMMED || stale.len() > n_known
                }
                Some(_) => stale.len() > n_known,
            };
            if !is_new {
                remove_again_folder(self.folder.folder());
                return Ok(built);
            }
        }
    }

    /// Looks at the files. Of a build that is a part of a set they may have been made a moment ago on
    /// another machine, whose work a network file system shows only later.
    fn survey(&self, files: &TableFiles, stale: &[JobId]) -> Result<Vec<Prospect>, LibraryError> {
        let Build { plan, options, lenders, .. } = self;
        let begin = Instant::now();
        loop {
            let surveyed = crate::survey::survey(files, plan, options, lenders, stale)?;
            match check_needs(plan, &surveyed, stale, files.edition().metric()) {
                Err(_) if options.is_part_of_set && begin.elapsed() < options.patience => {
                    std::thread::sleep(LOOK_AGAIN.min(options.patience));
                }
                Err(error) if options.is_part_of_set => return Err(error),
                _ => return Ok(surveyed),
            }
        }
    }

    /// Runs in one go; `stale` are the tables that a run before this one has found to be no good.
    /// Returns those that this run has found.
    fn run_once(
        &self,
        files: &TableFiles,
        progress: &BuildProgress<'_>,
        stale: &[JobId],
    ) -> Result<(Built, Vec<JobId>), LibraryError> {
        let Build { plan, pool, options, solver, interrupt, .. } = self;
        let (n_threads, edition) = (pool.current_num_threads(), files.edition());
        let footprint = BuildFootprint::new(edition, options.files, n_threads)
            .within(options.memory.bytes)
            .with_strategy(options.strategy)
            .with_most_in_memory(options.most_in_memory);
        let outlook = self.survey(files, stale)?;
        let unmade = || plan.jobs().zip(&outlook).filter(|(_, found)| found.is_to_make()).map(|(job, _)| job);
        let mut to_make = unmade().peekable();
        if to_make.peek().is_some() {
            self.folder.check_writable()?;
        }
        check_memory(options.memory, to_make, &footprint)?;
        let scratch = options.scratch_folder(files);
        let left_bytes = |job: &Job| {
            // What a run before this one has logged is there.
            let logged_bytes = |path: &PathBuf| std::fs::metadata(path).map_or(0, |log| log.len());
            let there = options.log_paths(files, job).iter().map(logged_bytes).sum();
            footprint.scratch_bytes(job).saturating_sub(there)
        };
        let scratch_bytes = unmade().map(left_bytes).max().unwrap_or(0);
        if scratch_bytes > 0 {
            std::fs::create_dir_all(scratch).map_err(LibraryError::io("make the folder", scratch))?;
            check_disk(scratch, scratch_bytes)?;
        }
        // A file that gets a column is there twice until the new one has its place.
        let copied_bytes =
            |job: &Job| std::fs::metadata(files.main_path(&job.name)).map_or(0, |old| old.len());
        let copied_bytes = unmade().map(copied_bytes).max().unwrap_or(0);
        let disk_bytes = crate::survey::disk_bytes(&outlook, plan, options, edition.metrics());
        check_disk(files.folder(), disk_bytes + copied_bytes)?;
        progress.step(&BuildStep::Surveyed(outlook.clone()));
        let is_looked_at = |id: &JobId| !options.is_part_of_set || outlook[id.0] != Prospect::Unneeded;
        let looked_at: Vec<JobId> = plan.ids().filter(is_looked_at).collect();
        let n_values = looked_at.iter().map(|&id| plan.job(id).n_values()).sum();
        progress.step(&BuildStep::Started { n_tables: looked_at.len(), n_values });
        let is_own = |id: JobId| outlook[id.0].is_own();
        let (schedule, needs) = Schedule::new(plan, &footprint, options.memory.bytes, &is_own);
        let loans = plan.jobs().zip(&outlook).filter_map(|(job, prospect)| match prospect {
            Prospect::Lent { loan, .. } => Some((job.material.clone(), loan.clone())),
            _ => None,
        });
        let loans: BTreeMap<Material, Loan> = loans.collect();
        let reads = match &options.stage {
            Some(folder) => files.with_copies(read_from_files(plan, &outlook, &loans), folder, &|why| {
                progress.step(&BuildStep::NotCopied(why.to_string()));
            }),
            None => files.clone(),
        };
        let inputs = reads.with_again();
        let n_files = edition.metrics().len();
        let state = |(id, found)| {
            let in_need = plan.in_need_of(id).into_iter().filter(|&after| is_own(after));
            // Builds elsewhere count as one.
            JobState::new(found, n_files, in_need.count() + usize::from(options.is_part_of_set))
        };
        let builder = Builder {
            plan,
            folder: self.folder,
            schedule: &schedule,
            files,
            reads: &reads,
            inputs: &inputs,
            pool,
            cache: TableCache::new(&inputs, &loans, pool, *solver, needs),
            options,
            footprint,
            progress,
            interrupt,
            jobs: plan.ids().zip(outlook.clone()).map(state).collect(),
            checked: CheckedTables::new(files.clone(), 0),
            unfinished: parking_lot::Mutex::default(),
        };
        let is_read = |id: &JobId| plan.in_need_of(*id).iter().any(is_looked_at);
        for id in plan.ids().filter(|id| !is_looked_at(id) && is_read(id)) {
            builder.state(id).name(files, &plan.job(id).name);
        }
        let results = crate::queue::run(&schedule, n_threads, &builder);
        let is_done = results.iter().all(|result| matches!(result, Some(Ok(_))));
        let error = if is_done { builder.finish_rest().err() } else { None };
        let mut built = Built { tables: Vec::new(), error };
        let is_whole = results.iter().all(Option::is_some);
        for (result, state) in results.into_iter().zip(&builder.jobs) {
            match result {
                Some(Ok(Some(table))) => {
                    let size_bytes = state.trimmed_size_bytes().unwrap_or(table.size_bytes);
                    built.tables.push(BuiltTable { size_bytes, ..table });
                }
                Some(Err(error)) => built.error = built.error.or(Some(error)),
                Some(Ok(None)) | None => {}
            }
        }
        if built.error.is_none() && !is_whole && interrupt.load(Ordering::Relaxed) {
            built.error = Some(LibraryError::Interrupted);
        }
        let jobs = plan.ids().zip(&builder.jobs);
        Ok((built, jobs.filter(|(_, state)| state.is_stale()).map(|(id, _)| id).collect()))
    }
}

/// Tables of more values take longer than anybody likes to wait for an estimate.
const MOST_VALUES: u64 = 30_000_000;

/// No tables of more men are built.
const MOST_MEN: usize = 4;

/// How many values a second a build makes on this machine, with the threads of this pool; none if the game
/// has no small tables. No table is begun once `budget` is over.
///
/// # Errors
/// The tables cannot be built.
///
/// The tables are built as a run builds them, solved, packed, written and read again, into a folder for
/// temporary files. Values a second differ from table to table by a factor of two or three, so what comes of
/// it is a rough time and no promise.
pub fn values_per_second(
    edition: &Edition,
    pool: &ThreadPool,
    options: BuildOptions,
    budget: Duration,
) -> Result<Option<u64>, LibraryError> {
    let variant = edition.variant();
    let is_small = |n_men: &usize| {
        let largest = plan::largest(variant, *n_men);
        largest.is_some_and(|job| job.n_values() <= MOST_VALUES)
    };
    let Some(n_men) = (2..=MOST_MEN).rev().find(is_small) else { return Ok(None) };
    let plan = Plan::new(variant, &Request::UpTo(n_men))?;
    let folder = tempfile::Builder::new().prefix(&rate_folder()).tempdir();
    let folder = folder.map_err(LibraryError::io("make a folder in", &std::env::temp_dir()))?;
    let lock = FolderLock::new(folder.path())?;
    let is_over = AtomicBool::new(false);
    let begin = Instant::now();
    let built = std::thread::scope(|scope| {
        let (sender, receiver) = mpsc::channel::<()>();
        // Without this thread, which the system may refuse, it takes as long as it takes.
        let clock = thread::Builder::new().spawn_scoped(scope, || {
            // Nothing is ever sent: the wait ends when the time is over, or with the sender.
            let receiver = receiver;
            let _ = receiver.recv_timeout(budget);
            is_over.store(true, Ordering::Relaxed);
        });
        drop(clock);
        let build = Build::new(&plan, &lock, pool, options).with_interrupt(&is_over);
        let built = build.run(edition, &Unwatched);
        drop(sender);
        built
    })?;
    let seconds = begin.elapsed().as_secs_f64();
    let is_built = |job: &&Job| built.tables.iter().any(|table| table.name == job.name);
    let n_values: u64 = plan.jobs().filter(is_built).map(Job::n_values).sum();
    match built.error {
        Some(error) if !matches!(error, LibraryError::Interrupted) => Err(error),
        _ => Ok(Some((n_values as f64 / seconds) as u64).filter(|&rate| rate > 0)),
    }
}

/// How the name of the folder of a measurement begins.
fn rate_folder() -> String {
    format!("tablesmith-rate-{}-", std::process::id())
}

#[cfg(test)]
mod tests {
    use crate::BuildOptions;
    use crate::build::{rate_folder, values_per_second};
    use library::Edition;
    use std::time::Duration;
    use variant::{Metric, Variant};

    #[test]
    fn rate_is_measured_and_nothing_stays_behind() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().expect("a pool");
        let edition = Edition::new(&Variant::chess(), Metric::Dtm);
        let rate = values_per_second(&edition, &pool, BuildOptions::default(), Duration::from_millis(50));
        assert!(rate.expect("tables are built").expect("chess has small tables") > 1000);
        let left = std::fs::read_dir(std::env::temp_dir()).expect("a folder").flatten();
        let is_own =
            |entry: &std::fs::DirEntry| entry.file_name().to_string_lossy().starts_with(&rate_folder());
        assert_eq!(left.filter(is_own).count(), 0);
    }
}
