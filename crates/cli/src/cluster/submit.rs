//! `cluster submit`, `resubmit` and `cancel`: plans a set, with what is there of it and the commands that
//! make the rest, and hands its jobs to the engine.

use crate::args::Wanted;
use crate::{Answer, Console, Failure, Game, Outcome, Planning, Rate, bytes, plural, seconds};
use ::plan::Plan;
use build::cluster::{
    JobCommand, JobOptions, Level, Slurm, SlurmError, StateFolder, TableSet, Workflow, asked_bytes,
    planned_bytes,
};
use build::{BuildFootprint, BuildOptions, FileOptions, Prospect, prospects};
use clap::Args;
use library::{Edition, TableFiles};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;
use variant::Metric;

#[derive(Args, Debug)]
pub(super) struct ResubmitArgs {
    #[command(flatten)]
    folder: FolderArgs,
    /// Ask for FACTOR times the memory that was asked for first, such as 1.5, where jobs were killed
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0)]
    more_memory: f64,
    /// Ask for FACTOR times the time
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0)]
    more_time: f64,
    /// Print the scripts and submit nothing
    #[arg(long)]
    dry_run: bool,
}

pub(super) fn run(console: &mut Console<'_>, args: &SubmitArgs) -> Outcome {
    let args = SubmitArgs {
        variant: whole_rules(&Game::open(&args.variant)?),
        tables: whole_path(&args.tables),
        program: args.program.clone().or_else(|| console.program.file()),
        ..args.clone()
    };
    if !args.dry_run {
        check_same_set(&args)?;
    }
    let request = Request::new(console, args)?;
    submit(console, &request, request.options())
}

pub(super) fn again(console: &mut Console<'_>, args: &ResubmitArgs) -> Outcome {
    let percent = |option: &str, factor: f64| match (1.0..=100.0).contains(&factor) {
        true => Ok((factor * 100.0) as u64),
        false => Err(Failure::new(format!("{option} takes a factor from 1 to 100"))),
    };
    let memory_percent = percent("--more-memory", args.more_memory)?;
    let time_percent = percent("--more-time", args.more_time)?;
    let kept = SubmitArgs { dry_run: args.dry_run, ..SubmitArgs::kept(&args.folder.tables)? };
    let request = Request::new(console, kept)?;
    submit(console, &request, JobOptions { memory_percent, time_percent, ..request.options() })
}

pub(super) fn cancel(console: &mut Console<'_>, args: &FolderArgs) -> Outcome {
    let Some(n_jobs) = StateFolder::new(&args.tables).cancel()? else {
        return Err(Failure::new(format!("no jobs are known of {}", args.tables.display())));
    };
    writeln!(console.out, "{} cancelled; finished tables stay", plural(n_jobs as u64, "job"))?;
    Ok(Answer::Yes)
}

/// Fails while jobs of another set wait or run in the folder: the jobs that trim one set would drop what
/// those of the other read.
fn check_same_set(args: &SubmitArgs) -> Outcome<()> {
    let state = StateFolder::new(&args.tables);
    let Some(before) = state.request::<SubmitArgs>().map_err(Failure::new)? else { return Ok(()) };
    if (&before.variant, &before.wanted, &before.metric) == (&args.variant, &args.wanted, &args.metric) {
        return Ok(());
    }
    let (_, living) = state.jobs()?;
    if living.is_empty() {
        return Ok(());
    }
    let wanted = match before.wanted {
        Wanted { men: Some(men), .. } => format!("--men {men}"),
        Wanted { men: None, table } if table.is_empty() => "all tables".into(),
        Wanted { men: None, table } => format!("--table {}", table.join(" --table ")),
    };
    let (jobs, folder) = (plural(living.len() as u64, "job"), args.tables.display());
    Err(Failure::new(format!(
        "{jobs} of another set ({wanted}) wait or run in {folder}: submit that one again, wait for its end, \
         or end it with `cluster cancel`"
    )))
}

/// Submits what is missing of a set: an array of jobs a level, one job behind it that trims, and a job that
/// finishes the set behind all.
fn submit(console: &mut Console<'_>, request: &Request, options: JobOptions) -> Outcome {
    request.check_memory()?;
    let Request { args, set, is_done, state, .. } = request;
    let (mut submitted, living) = if args.dry_run { Default::default() } else { state.jobs()? };
    let job_at_work = |at: usize| {
        let job = submitted.get(&set.tables[at].name)?;
        living.contains_key(&job.job).then(|| job.job.clone())
    };
    let at_work: Vec<Option<String>> = (0..set.tables.len()).map(job_at_work).collect();
    let places: Vec<usize> =
        (0..set.tables.len()).filter(|&at| !is_done[at] && at_work[at].is_none()).collect();
    let left = set.without(|at| is_done[at] || at_work[at].is_some());
    let command = request.command();
    let workflow = Workflow { set: &left, command: &command, options: &options, tables: &args.tables };
    let levels = workflow.levels();
    tell(console, request, &workflow, &levels, at_work.iter().flatten().count())?;
    if args.dry_run {
        for level in &levels {
            let script = state.script(&level.name(&left));
            writeln!(console.out, "# {}\n{}", script.display(), workflow.script(level))?;
        }
        return Ok(Answer::Yes);
    }
    let finish = submitted.remove(StateFolder::END).filter(|finish| living.contains_key(&finish.job));
    let is_whole = is_done.iter().all(|&is_done| is_done);
    if levels.is_empty() && (finish.is_some() || is_whole && state.finished().exists()) {
        return Ok(Answer::Yes);
    }
    fs::create_dir_all(&args.tables)
        .map_err(|error| Failure::new(format!("{}: {error}", args.tables.display())))?;
    state.write_request(args).map_err(Failure::new)?;
    // A new one follows all.
    Slurm.cancel(finish.iter().map(|finish| &finish.job))?;
    if !is_whole {
        state.forget_finished().map_err(Failure::new)?;
    }
    let (mut n_jobs, mut arrays) = (0, Vec::<String>::new());
    // These read all files, those that are there already too.
    let whole = Workflow { set, ..workflow };
    for level in &levels {
        // Beside other levels jobs wait for what is being made already.
        let needed = level.jobs.iter().flatten().flat_map(|&at| &set.tables[places[at]].needs);
        let needed: BTreeSet<&String> = needed.filter_map(|&needed| at_work[needed].as_ref()).collect();
        let after = level.needs.iter().map(|&needed| &arrays[needed]).chain(needed);
        let jobs = level.jobs.iter().map(|job| job.iter().map(|&at| left.tables[at].name.clone()).collect());
        let (name, memory_bytes) = (level.name(&left), workflow.memory_bytes(level));
        let (script, jobs) = (workflow.script(level), jobs.collect());
        let array = state.submit(&mut submitted, &name, &script, after, jobs, memory_bytes);
        let array = array.map_err(|error| refused(error, n_jobs))?;
        n_jobs += level.jobs.len();
        // The last job trims what is left.
        if workflow.is_trimmed_behind(arrays.len(), &levels) {
            let (name, jobs) = (format!("trim-{name}"), vec![vec![format!("(trim-{name})")]]);
            let (script, bytes) = (whole.trim_script(), whole.finish_bytes());
            let trim = state.submit(&mut submitted, &name, &script, [&array], jobs, bytes);
            trim.map_err(|error| refused(error, n_jobs))?;
        }
        arrays.push(array);
    }
    let all: BTreeSet<&String> = arrays.iter().chain(at_work.iter().flatten()).collect();
    let jobs = vec![vec![StateFolder::END.to_owned()]];
    let (script, bytes) = (whole.finish_script(), whole.finish_bytes());
    let number = state.submit(&mut submitted, "finish", &script, all, jobs, bytes);
    let number = number.map_err(|error| refused(error, n_jobs))?;
    let arrays = match &arrays[..] {
        [] => String::new(),
        [one] => format!(" (array {one})"),
        [first, .., last] => format!(" (arrays {first} to {last})"),
    };
    let jobs = plural(n_jobs as u64, "job");
    writeln!(console.out, "submitted {jobs}{arrays}; job {number} checks all files when they are done")?;
    Ok(Answer::Yes)
}

fn refused(error: SlurmError, n_jobs: usize) -> Failure {
    let jobs = plural(n_jobs as u64, "job");
    Failure::new(format!("{error}\n{jobs} of this call are submitted and stay; submit again to go on"))
}

/// Says what is going to be done.
fn tell(
    console: &mut Console<'_>,
    request: &Request,
    workflow: &Workflow<'_>,
    levels: &[Level],
    n_at_work: usize,
) -> Outcome<()> {
    let left: &TableSet = workflow.set;
    let n_done = request.is_done.iter().filter(|&&is| is).count();
    let (n_tables, edition) = (plural(request.set.tables.len() as u64, "table"), &request.jobs.edition);
    let at_work = if n_at_work > 0 { format!(", {n_at_work} at work or waiting") } else { String::new() };
    let made = format!("{} to be made by {}", left.tables.len(), n_jobs(levels));
    writeln!(console.err, "{n_tables} of {edition}: {n_done} done{at_work}, {made}")?;
    if levels.is_empty() {
        return Ok(());
    }
    let time = [left.total_seconds(), left.critical_seconds()];
    let [time, least] = time.map(|time| seconds(Duration::from_secs_f64(time)));
    let memory = bytes(left.tables.iter().map(|table| table.memory_bytes).max().unwrap_or(0));
    let disk = bytes(left.tables.iter().map(|table| table.disk_bytes).sum());
    writeln!(
        console.err,
        "about {time} of work, at least {least} on any number of nodes; the largest job takes {memory} of \
         memory, all files {disk}",
    )?;
    let Some(most) = request.args.max_time else { return Ok(()) };
    let cut: Vec<&Level> = levels.iter().filter(|level| workflow.minutes(level) > most).collect();
    let Some(longest) = cut.iter().max_by_key(|level| workflow.minutes(level)) else { return Ok(()) };
    let (jobs, name, minutes) = (n_jobs(cut.iter().copied()), longest.name(left), workflow.minutes(longest));
    Ok(writeln!(
        console.err,
        "--max-time cuts the time of {jobs}, of {name} from {minutes} minutes to {most}: one that is killed \
         for it goes on when it is submitted again if its table is solved by a log (a smaller \
         --max-memory), and from the beginning otherwise",
    )?)
}

/// How many jobs levels have.
fn n_jobs<'l>(levels: impl IntoIterator<Item = &'l Level>) -> String {
    plural(levels.into_iter().map(|level| level.jobs.len() as u64).sum(), "job")
}

/// The rate of nodes if the game has no small tables to measure it by. Units: placements a second.
pub(crate) const FALLBACK_RATE: u64 = 10_000_000;

/// The folder of a set.
#[derive(Args, Debug)]
pub(super) struct FolderArgs {
    /// The folder of the tables
    #[arg(long, value_name = "DIR")]
    pub(super) tables: PathBuf,
}

/// The options of a submission, which are kept beside the tables.
#[derive(Args, Clone, PartialEq, Default, Debug, Serialize, Deserialize)]
pub(super) struct SubmitArgs {
    /// The rules of the game: a file, or the name of a game that is built in, such as fide
    pub(super) variant: PathBuf,
    #[command(flatten)]
    #[serde(flatten)]
    pub(super) wanted: Wanted,
    /// The folder of the tables, which all nodes see
    #[arg(long, value_name = "DIR")]
    pub(super) tables: PathBuf,
    /// What the tables hold, as for `solve`
    #[arg(long, value_name = "METRIC", value_delimiter = ',')]
    pub(super) metric: Vec<String>,
    /// Pack the files smaller, as for `solve`
    #[arg(long)]
    pub(super) small: bool,
    /// Keep both sides to move, as for `solve`
    #[arg(long)]
    pub(super) both_sides: bool,
    /// How many cores a job has
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(super) threads: u16,
    /// The most memory that a job may ask for, such as 60G [default: any]
    #[arg(long, value_name = "SIZE", value_parser = crate::args::parse_size)]
    pub(super) max_memory: Option<u64>,
    /// A folder for what is needed while a table is solved, as the node's shell expands it: '$SLURM_TMPDIR'
    /// [default: beside the tables, where another node can go on]
    #[arg(long, value_name = "DIR")]
    pub(super) scratch: Option<String>,
    /// A folder of the node's own, into which a job copies the tables that it reads, as the node's shell
    /// expands it: '$SLURM_TMPDIR/tables' [default: they are read where they are]
    #[arg(long, value_name = "DIR")]
    pub(super) stage: Option<String>,
    /// The partition
    #[arg(long)]
    pub(super) partition: Option<String>,
    /// The account
    #[arg(long)]
    pub(super) account: Option<String>,
    /// A further option of sbatch, such as --sbatch=--qos=long; may be given several times
    #[arg(long, value_name = "OPTION", allow_hyphen_values = true)]
    pub(super) sbatch: Vec<String>,
    /// A line of shell that jobs begin with, such as 'module load gcc'; may be given several times
    #[arg(long, value_name = "LINE")]
    pub(super) prologue: Vec<String>,
    /// How many jobs of the set may run at once; a level of tables is one array of jobs then
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(super) max_jobs: Option<u32>,
    /// The longest time that a job may ask for
    #[arg(long, value_name = "MINUTES")]
    pub(super) max_time: Option<u64>,
    /// Tables that take less are put together into jobs of about so long
    #[arg(long, value_name = "MINUTES", default_value_t = 5.0)]
    pub(super) bundle: f64,
    /// How many placements a second a node makes [default: measured here for some seconds, and kept]
    #[arg(long, value_name = "PLACEMENTS")]
    pub(super) rate: Option<u64>,
    /// The program on the nodes [default: this one]
    #[arg(long, value_name = "FILE")]
    pub(super) program: Option<PathBuf>,
    /// Print the scripts and submit nothing
    #[arg(long)]
    #[serde(skip)]
    pub(super) dry_run: bool,
}

impl SubmitArgs {
    /// The options of the last submission into a folder.
    pub(super) fn kept(tables: &Path) -> Outcome<Self> {
        let args = StateFolder::new(tables).request::<SubmitArgs>().map_err(Failure::new)?;
        let args = args.ok_or_else(|| {
            let tables = tables.display();
            Failure::new(format!(
                "nothing was submitted into {tables}: use `cluster submit`, or name the rules of a set that \
                 was made otherwise, where a command takes --variant"
            ))
        })?;
        // The folder may be seen under another name from here.
        Ok(SubmitArgs { tables: whole_path(tables), ..args })
    }

    pub(super) fn metrics(&self) -> Outcome<Vec<Metric>> {
        self.metric.iter().map(|name| name.parse().map_err(Failure::new)).collect()
    }
}

/// A path that leads to one place from any folder. Links stay: what one leads to may be of this machine
/// only.
fn whole_path(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.into())
}

/// What names the rules of a game in any folder.
fn whole_rules(game: &Game) -> PathBuf {
    if game.is_named() { game.path.clone() } else { whole_path(&game.path) }
}

/// The tables of one edition, whose jobs an engine runs.
pub(crate) struct JobSet {
    pub(crate) game: Game,
    pub(crate) edition: Edition,
    pub(crate) plan: Plan,
    pub(crate) wanted: Wanted,
    /// The metrics that were asked for by name.
    metrics: Vec<Metric>,
    pub(crate) tables: PathBuf,
}

impl JobSet {
    /// Plans a set; all that is asked for has to be made in one go.
    pub(crate) fn new(
        console: &Console<'_>,
        game: Game,
        wanted: &Wanted,
        metrics: &[Metric],
        tables: &Path,
    ) -> Outcome<Self> {
        if metrics.contains(&Metric::Help) {
            return Err(Failure::new(
                "tables of help are solved by one run and not by jobs: all up to five men take half an hour",
            ));
        }
        let mut editions = game.editions(metrics);
        let edition = editions.remove(0);
        if let Some(other) = editions.first() {
            return Err(Failure::new(format!(
                "{edition} and {other} are made one after the other: take each of them by itself, the second \
                 with another folder or when the first is done"
            )));
        }
        let plan = game.plan(&game.request(wanted)?, &mut Planning::new(console.is_watched))?;
        let (metrics, tables) = (metrics.to_vec(), whole_path(tables));
        Ok(JobSet { game, edition, plan, wanted: wanted.clone(), metrics, tables })
    }

    /// The files of the tables.
    pub(super) fn files(&self) -> TableFiles {
        TableFiles::new(self.edition.clone(), &self.tables)
    }

    /// How a job makes a table with this program, and how the set is finished.
    pub(crate) fn command(
        &self,
        program: Option<PathBuf>,
        n_threads: usize,
        is_small: bool,
        both_sides: bool,
    ) -> JobCommand {
        let text = |path: &Path| path.display().to_string();
        let program = program.unwrap_or_else(|| PathBuf::from("tablesmith"));
        let mut start = vec![text(&program), "solve".into(), text(&whole_rules(&self.game))];
        let (tables, threads) = (text(&self.tables), n_threads.to_string());
        start.extend(["--out".into(), tables, "--threads".into(), threads]);
        if !self.metrics.is_empty() {
            let names: Vec<&str> = self.metrics.iter().map(|metric| metric.name()).collect();
            start.extend(["--metric".into(), names.join(",")]);
        }
        start.extend(is_small.then(|| "--small".into()));
        start.extend(both_sides.then(|| "--both-sides".into()));
        let Wanted { men, table } = &self.wanted;
        let whole = table.iter().flat_map(|table| ["--table".into(), table.clone()]);
        let whole = whole.chain(men.iter().flat_map(|men| ["--men".into(), men.to_string()])).collect();
        let trims = FileOptions::new(both_sides, is_small).trims(&self.plan, self.edition.metrics());
        JobCommand { start, whole, trims, scratch: None, stage: None }
    }
}

/// A submission: a set with its costs, and what of it is there.
pub(super) struct Request {
    pub(super) args: SubmitArgs,
    pub(super) jobs: JobSet,
    pub(super) set: TableSet,
    /// Whether each table is there.
    pub(super) is_done: Vec<bool>,
    pub(super) state: StateFolder,
}

impl Request {
    /// Plans the set that these options ask for, and looks which of its tables are there.
    pub(super) fn new(console: &mut Console<'_>, args: SubmitArgs) -> Outcome<Self> {
        let game = Game::open(&args.variant)?;
        let jobs = JobSet::new(console, game, &args.wanted, &args.metrics()?, &args.tables)?;
        let files = FileOptions::new(args.both_sides, args.small);
        let n_threads = usize::from(args.threads.max(1));
        let kept = || Rate::kept(console.cache.as_deref(), &jobs.edition, files, n_threads);
        let rate = match args.rate.or_else(|| kept().map(|rate| rate.per_second)) {
            Some(rate) => rate,
            None => {
                let mut planning = Planning::new(console.is_watched);
                let measured = Rate::measure(console, &jobs.edition, files, n_threads, &mut planning)?;
                measured.map_or(FALLBACK_RATE, |rate| rate.per_second)
            }
        };
        // Jobs ask for more than tables are thought to take.
        let most_bytes = args.max_memory.map_or(u64::MAX, planned_bytes);
        let footprint = BuildFootprint::new(&jobs.edition, files, n_threads).within(most_bytes);
        let set = TableSet::new(&jobs.plan, &footprint, rate);
        // What was measured here counts on the nodes too, and when more is submitted.
        let args = SubmitArgs { rate: Some(rate), ..args };
        let options = BuildOptions { files, ..BuildOptions::default() };
        let is_done = prospects(&jobs.files(), &jobs.plan, &options)?
            .iter()
            // A table whose missing side is read is solved again by the job that reads it.
            .map(|prospect| !prospect.is_to_make() || matches!(prospect, Prospect::LeftOut { .. }))
            .collect();
        let state = StateFolder::new(&args.tables);
        Ok(Request { args, jobs, set, is_done, state })
    }

    /// Fails if a table takes more memory than a job may ask for.
    fn check_memory(&self) -> Outcome<()> {
        let Some(most_bytes) = self.args.max_memory else { return Ok(()) };
        let missing = self.set.tables.iter().zip(&self.is_done).filter(|(_, is_done)| !**is_done);
        let mut large =
            missing.map(|(table, _)| table).filter(|table| table.memory_bytes > planned_bytes(most_bytes));
        let Some(first) = large.next() else { return Ok(()) };
        let (name, threads, n_more) = (&first.name, self.args.threads, large.count());
        let [needed, most] = [asked_bytes(first.memory_bytes), most_bytes].map(bytes);
        Err(Failure::new(format!(
            "the job of {name} needs about {needed} of memory with {threads} threads, and may ask for \
             {most}; {n_more} more are as large: give --max-memory what the nodes have, or --men fewer"
        )))
    }

    /// How a job makes a table, and how the set is finished.
    fn command(&self) -> JobCommand {
        let SubmitArgs { program, threads, small, both_sides, scratch, stage, .. } = self.args.clone();
        let command = self.jobs.command(program, threads.into(), small, both_sides);
        JobCommand { scratch, stage, ..command }
    }

    /// What jobs ask for, as a rule.
    fn options(&self) -> JobOptions {
        let args = self.args.clone();
        JobOptions {
            n_threads: args.threads.into(),
            least_seconds: args.bundle * 60.0,
            most_jobs: args.max_jobs,
            partition: args.partition,
            account: args.account,
            most_memory_bytes: args.max_memory,
            most_minutes: args.max_time,
            words: args.sbatch,
            prologue: args.prologue,
            ..JobOptions::default()
        }
    }
}
