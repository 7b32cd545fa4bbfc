//! Plans the set of a submission: its tables, what is there of them, and the commands that make the others.

use super::args::SubmitArgs;
use crate::Failure;
use crate::args::Wanted;
use crate::console::Console;
use crate::game::Game;
use crate::planning::Planning;
use crate::rate::Rate;
use ::plan::{Job, Plan};
use cluster::{JobCommand, JobOptions, SetTable, StateFolder, TableSet};
use library::figure::bytes;
use library::{BuildFootprint, BuildOptions, Edition, FileOptions, Prospect, TableFiles, prospects};
use std::fs;
use std::path::{Path, PathBuf};
use variant::Metric;

/// The rate of nodes if the game has no small tables to measure it by. Units: placements a second.
pub(crate) const FALLBACK_RATE: u64 = 10_000_000;

/// A set that is to be made.
pub(super) struct Request {
    pub(super) args: SubmitArgs,
    pub(super) game: Game,
    pub(super) edition: Edition,
    pub(super) plan: Plan,
    pub(super) set: TableSet,
    /// Whether each table is there.
    pub(super) is_done: Vec<bool>,
    pub(super) state: StateFolder,
}

impl Request {
    /// The set of these words.
    pub(super) fn new(console: &mut Console<'_>, args: SubmitArgs) -> Result<Self, Failure> {
        let game = Game::load(&args.variant)?;
        let metrics = args.metric.iter().map(|name| name.parse().map_err(Failure::new));
        let mut editions = game.editions(&metrics.collect::<Result<Vec<Metric>, _>>()?);
        let edition = editions.remove(0);
        if let Some(other) = editions.first() {
            return Err(Failure::new(format!(
                "{edition} and {other} are made one after the other: submit each of them by itself, the second \
                 with another folder or when the first is done"
            )));
        }
        let mut planning = Planning::new(console.is_watched);
        let wanted = Wanted { men: args.men, table: args.table.clone() };
        let plan = game.plan(&game.request(&wanted)?, &mut planning)?;
        let files = FileOptions::new(args.both_sides, args.small);
        let n_threads = usize::from(args.threads.max(1));
        let rate = match args.rate {
            Some(rate) => rate,
            None => match Rate::kept(console.cache.as_deref(), &edition, files, n_threads) {
                Some(rate) => rate.per_second,
                None => Rate::measure(console, &edition, files, n_threads, &mut planning)?
                    .map_or(FALLBACK_RATE, |rate| rate.per_second),
            },
        };
        let footprint =
            BuildFootprint::new(&edition, files, n_threads).within(args.max_memory.unwrap_or(u64::MAX));
        let set = table_set(&plan, &edition, files, &footprint, rate);
        let table_files = TableFiles::new(edition.clone(), &args.tables);
        let options = BuildOptions { files, ..BuildOptions::default() };
        let is_done = prospects(&table_files, &plan, &options)?
            .iter()
            // A side that is missing is put back by the job that needs it.
            .map(|prospect| !prospect.is_to_make() || matches!(prospect, Prospect::LeftOut { .. }))
            .collect();
        let state = StateFolder::new(&args.tables);
        Ok(Request { args, game, edition, plan, set, is_done, state })
    }

    /// The set of the last submission into a folder.
    pub(super) fn kept(console: &mut Console<'_>, tables: &Path) -> Result<Self, Failure> {
        let args = StateFolder::new(tables).request().map_err(Failure::new)?;
        let args: SubmitArgs = args.ok_or_else(|| {
            let tables = tables.display();
            Failure::new(format!("nothing was submitted into {tables} yet: use `cluster submit`"))
        })?;
        // The folder may be seen under another name from here.
        Request::new(console, SubmitArgs { tables: tables.into(), ..args })
    }

    /// Keeps the words beside the tables.
    pub(super) fn keep(&self) -> Result<(), Failure> {
        self.state.write_request(&self.args).map_err(Failure::new)
    }

    /// Fails if a table takes more memory than a job may ask for.
    pub(super) fn check_memory(&self) -> Result<(), Failure> {
        let Some(most_bytes) = self.args.max_memory else { return Ok(()) };
        let mut large = self.missing().filter(|table| table.memory_bytes > most_bytes);
        let Some(first) = large.next() else { return Ok(()) };
        Err(Failure::new(format!(
            "{} needs about {} of memory with {} threads, and a job may ask for {}; {} more are as large: give \
             --max-memory what the nodes have, or --men fewer",
            first.name,
            bytes(first.memory_bytes),
            self.args.threads,
            bytes(most_bytes),
            large.count(),
        )))
    }

    /// The tables that are not there.
    pub(super) fn missing(&self) -> impl Iterator<Item = &SetTable> {
        self.set.tables.iter().zip(&self.is_done).filter(|(_, is_done)| !**is_done).map(|(table, _)| table)
    }

    /// How a job makes a table, and how the set is finished.
    pub(super) fn command(&self) -> JobCommand {
        let args = &self.args;
        let words = Words {
            program: args.program.as_deref(),
            rules: &self.game.path,
            tables: &args.tables,
            n_threads: args.threads.into(),
            metrics: args.metric.clone(),
            is_small: args.small,
            both_sides: args.both_sides,
            tables_wanted: &args.table,
            men: args.men,
        };
        JobCommand { stage: args.stage.clone(), ..words.command(args.scratch.clone()) }
    }

    /// The program on the nodes.
    pub(super) fn program(&self) -> String {
        let program = self.args.program.clone().unwrap_or_else(|| PathBuf::from("tablesmith"));
        program.display().to_string()
    }

    /// What jobs ask for.
    pub(super) fn options(&self, memory_percent: u64) -> JobOptions {
        JobOptions {
            n_threads: self.args.threads.into(),
            partition: self.args.partition.clone(),
            account: self.args.account.clone(),
            memory_percent,
            most_minutes: self.args.max_time,
        }
    }
}

/// What the commands of jobs are made of.
pub(crate) struct Words<'a> {
    /// The program on the machine of the job; none for this one.
    pub(crate) program: Option<&'a Path>,
    pub(crate) rules: &'a Path,
    pub(crate) tables: &'a Path,
    pub(crate) n_threads: usize,
    pub(crate) metrics: Vec<String>,
    pub(crate) is_small: bool,
    pub(crate) both_sides: bool,
    pub(crate) tables_wanted: &'a [String],
    pub(crate) men: Option<usize>,
}

impl Words<'_> {
    /// How a job makes a table, and how the set is finished.
    pub(crate) fn command(&self, scratch: Option<String>) -> JobCommand {
        let text = |path: &Path| path.display().to_string();
        let program = self.program.map(Path::to_path_buf).or_else(|| std::env::current_exe().ok());
        let program = program.unwrap_or_else(|| PathBuf::from("tablesmith"));
        let mut start = vec![text(&program), "solve".into(), text(&whole_path(self.rules))];
        start.extend(["--out".into(), text(&whole_path(self.tables))]);
        start.extend(["--threads".into(), self.n_threads.to_string()]);
        if !self.metrics.is_empty() {
            start.extend(["--metric".into(), self.metrics.join(",")]);
        }
        start.extend(self.is_small.then(|| "--small".into()));
        start.extend(self.both_sides.then(|| "--both-sides".into()));
        let mut whole: Vec<String> =
            self.tables_wanted.iter().flat_map(|table| ["--table".into(), table.clone()]).collect();
        whole.extend(self.men.iter().flat_map(|men| ["--men".into(), men.to_string()]));
        JobCommand { start, job: vec!["--job".into()], whole, scratch, stage: None }
    }
}

/// The costs of a plan's tables; `rate` placements a second.
pub(crate) fn table_set(
    plan: &Plan,
    edition: &Edition,
    files: FileOptions,
    footprint: &BuildFootprint<'_>,
    rate: u64,
) -> TableSet {
    let table = |(id, job): (::plan::JobId, &Job)| SetTable {
        name: job.name.clone(),
        needs: plan.needed_by(id).into_iter().map(|needed| needed.0).collect(),
        seconds: job.n_values() as f64 / rate.max(1) as f64,
        memory_bytes: footprint.total_of(job),
        scratch_bytes: footprint.scratch_bytes(job),
        disk_bytes: files.disk_bytes(job, edition.metrics()),
    };
    TableSet { tables: plan.ids().zip(plan.jobs()).map(table).collect() }
}

/// A path that means the same from any folder.
pub(crate) fn whole_path(path: &Path) -> PathBuf {
    fs::canonicalize(path).or_else(|_| std::path::absolute(path)).unwrap_or_else(|_| path.into())
}
