//! Plans the set of a submission: its tables, what is there of them, and the commands that make the others.

use super::args::{SetArgs, SubmitArgs, whole_path};
use crate::Failure;
use crate::args::Wanted;
use crate::console::Console;
use crate::game::Game;
use crate::planning::Planning;
use crate::rate::Rate;
use ::plan::{Job, Plan};
use build::{BuildFootprint, BuildOptions, FileOptions, Prospect, Strategy, prospects};
use cluster::{JobCommand, JobOptions, SetTable, StateFolder, TableSet, asked_bytes, planned_bytes};
use library::figure::bytes;
use library::{Edition, TableFiles};
use std::path::{Path, PathBuf};
use variant::Metric;

/// The rate of nodes if the game has no small tables to measure it by. Units: placements a second.
pub(crate) const FALLBACK_RATE: u64 = 10_000_000;

/// The cores of jobs that audit a set which was made otherwise.
const OTHER_THREADS: u16 = 2;

/// How jobs are submitted.
#[derive(Clone, Copy, Debug)]
pub(super) struct Call {
    /// The memory that jobs ask for, in hundredths of what they are thought to take.
    pub(super) memory_percent: u64,
    /// The same of time.
    pub(super) time_percent: u64,
    /// A job submits them, and no person has seen how those before have ended.
    pub(super) is_wave: bool,
    /// Scripts are printed and nothing is submitted.
    pub(super) is_dry: bool,
}

impl Call {
    /// As a person asks for it who has no reason to ask for more.
    pub(super) fn new(is_dry: bool) -> Self {
        Call { memory_percent: 100, time_percent: 100, is_wave: false, is_dry }
    }
}

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
    /// Plans the set that these options ask for, and looks which of its tables are there.
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
        // Jobs ask for more than tables are thought to take.
        let most_bytes = args.max_memory.map_or(u64::MAX, planned_bytes);
        let footprint = BuildFootprint::new(&edition, files, n_threads).within(most_bytes);
        let set = table_set(&plan, &edition, files, &footprint, rate);
        // What was measured here counts on the nodes too, which may submit more.
        let args = SubmitArgs { rate: Some(rate), ..args };
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
            Failure::new(format!(
                "nothing was submitted into {tables}: use `cluster submit`, or name the rules of a set that \
                 was made otherwise, where a command takes --variant"
            ))
        })?;
        // The folder may be seen under another name from here.
        Request::new(console, SubmitArgs { tables: whole_path(tables), ..args })
    }

    /// A set that was submitted, or that was made otherwise.
    pub(super) fn of_set(console: &mut Console<'_>, set: &SetArgs) -> Result<Self, Failure> {
        let Some(variant) = &set.variant else { return Request::kept(console, &set.folder.tables) };
        let args = SubmitArgs {
            variant: whole_path(variant),
            men: set.men,
            table: set.table.clone(),
            tables: whole_path(&set.folder.tables),
            metric: set.metric.clone(),
            threads: OTHER_THREADS,
            rate: Some(FALLBACK_RATE),
            program: std::env::current_exe().ok(),
            ..SubmitArgs::default()
        };
        Request::new(console, args)
    }

    /// Keeps the options beside the tables.
    pub(super) fn keep(&self) -> Result<(), Failure> {
        self.state.write_request(&self.args).map_err(Failure::new)
    }

    /// Fails if a table takes more memory than a job may ask for.
    pub(super) fn check_memory(&self) -> Result<(), Failure> {
        let Some(most_bytes) = self.args.max_memory else { return Ok(()) };
        let mut large = self.missing().filter(|table| table.memory_bytes > planned_bytes(most_bytes));
        let Some(first) = large.next() else { return Ok(()) };
        Err(Failure::new(format!(
            "the job of {} needs about {} of memory with {} threads, and may ask for {}; {} more are as large: \
             give --max-memory what the nodes have, or --men fewer",
            first.name,
            bytes(asked_bytes(first.memory_bytes)),
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
            men_limit: self.game.variant.men_limit,
        };
        JobCommand { stage: args.stage.clone(), ..words.command(args.scratch.clone()) }
    }

    /// The program on the nodes.
    pub(super) fn program(&self) -> String {
        let program = self.args.program.clone().unwrap_or_else(|| PathBuf::from("tablesmith"));
        program.display().to_string()
    }

    /// What jobs ask for.
    pub(super) fn options(&self, call: Call) -> JobOptions {
        JobOptions {
            n_threads: self.args.threads.into(),
            partition: self.args.partition.clone(),
            account: self.args.account.clone(),
            memory_percent: call.memory_percent,
            time_percent: call.time_percent,
            most_memory_bytes: self.args.max_memory,
            most_minutes: self.args.max_time,
            words: self.args.sbatch.clone(),
            prologue: self.args.prologue.clone(),
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
    /// The men of all tables, where nothing is asked for.
    pub(crate) men_limit: usize,
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
        let mut job = vec!["--job".into()];
        // A number of men with patterns of tables is a set of its own, which no word names.
        match (self.men, self.tables_wanted) {
            (Some(men), []) => job.extend(["--of".into(), men.to_string()]),
            (None, []) => job.extend(["--of".into(), self.men_limit.to_string()]),
            (None, tables) => job.extend(["--of".into(), tables.join(",")]),
            (Some(_), _) => {}
        }
        JobCommand { start, job, whole, scratch, stage: None }
    }
}

/// By a log a table takes so many times the work that it takes in memory.
const LOG_FACTOR: f64 = 1.5;

/// The costs of a plan's tables; `rate` placements a second.
pub(crate) fn table_set(
    plan: &Plan,
    edition: &Edition,
    files: FileOptions,
    footprint: &BuildFootprint<'_>,
    rate: u64,
) -> TableSet {
    let factor = |strategy: Strategy| if strategy.is_logged() { LOG_FACTOR } else { 1.0 };
    let both_sides = FileOptions { both_sides: true, ..files };
    let both_bytes: Vec<u64> = plan.jobs().map(|job| both_sides.disk_bytes(job, edition.metrics())).collect();
    let table = |(id, job): (::plan::JobId, &Job)| {
        let cost = footprint.cost(job);
        let needs: Vec<usize> = plan.needed_by(id).into_iter().map(|needed| needed.0).collect();
        SetTable {
            name: job.name.clone(),
            seconds: job.n_values() as f64 / rate.max(1) as f64 * factor(cost.strategy),
            memory_bytes: cost.memory.total(),
            scratch_bytes: cost.scratch_bytes,
            disk_bytes: files.disk_bytes(job, edition.metrics()),
            input_bytes: needs.iter().map(|&needed| both_bytes[needed]).sum(),
            needs,
        }
    };
    TableSet { tables: plan.ids().zip(plan.jobs()).map(table).collect() }
}
