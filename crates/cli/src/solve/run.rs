//! Builds the tables that a run is asked for, and reports what is in them.

use super::args::SolveArgs;
use super::report::{self, Rows};
use crate::Failure;
use crate::args::Wanted;
use crate::console::Console;
use crate::fold::fold;
use crate::game::Game;
use crate::plan::{Taken, again, taken};
use crate::planning::Planning;
use crate::progress::Watch;
use crate::structure::{check_lenders, lent_to_positions};
use ::plan::{Job, Plan, Request};
use build::cluster::{Slurm, StateFolder};
use build::{
    Build, BuildFootprint, BuildOptions, BuildProgress, BuiltTable, FileOptions, FolderLock, LeaseHolder,
    Lenders, Outdated, Prospect, SetReaders, Solver, TableProgress, check_largest,
};
use library::{Edition, LibraryError, MemoryLimit, TableFiles};
use parking_lot::Mutex;
use rayon::ThreadPool;
use std::path::Path;
use std::time::{Duration, Instant};
use variant::visible;

/// How long the job of an engine looks for tables that the jobs before it have made, and waits for whoever
/// has the folder alone.
const JOB_PATIENCE: Duration = Duration::from_secs(60);

/// How long a person waits for the latter.
pub(super) const PATIENCE: Duration = Duration::from_secs(2);

/// What a run is asked for.
pub(super) struct Run<'a> {
    pub(super) game: &'a Game,
    pub(super) request: Request,
    pub(super) args: &'a SolveArgs,
    pub(super) solver: &'a Solver<'a>,
    pub(super) pool: &'a ThreadPool,
    /// Whether the report is JSON.
    pub(super) is_json: bool,
}

impl Run<'_> {
    /// What the files are to be like.
    pub(super) fn files(&self) -> FileOptions {
        FileOptions::new(self.args.both_sides, self.args.small)
    }

    /// The tables that are made whether or not others need them: those that are asked for by name. Positions
    /// with rights to castle are solved from all tables of a plan, so what nobody lends is made for them,
    /// too; and a position names no table.
    fn made(&self, plan: &Plan, editions: &[Edition]) -> Result<Request, Failure> {
        let Run { game, request, args, .. } = self;
        let is_position = args.structure.is_given();
        if args.using.is_empty() || !(args.rights || is_position) {
            return Ok(request.clone());
        }
        check_lenders(&args.using)?;
        let lent = |edition: &Edition| lent_to_positions(&game.variant, edition.metric(), &args.using);
        let lent = editions.iter().map(lent).collect::<Result<Vec<_>, _>>()?;
        let has_all = |job: &Job| lent.iter().flatten().all(|lent| lent.has_table(&job.material));
        let named = if is_position { Vec::new() } else { request.named(&game.variant) };
        let made = plan.jobs().filter(|job| named.contains(&job.material) || !has_all(job));
        Ok(Request::Tables(made.map(|job| job.material.clone()).collect()))
    }

    fn options(&self, files: FileOptions) -> BuildOptions {
        let args = self.args;
        BuildOptions {
            force: args.force,
            verify: args.verify,
            memory: MemoryLimit::new(args.memory),
            files,
            strategy: args.strategy.map(super::args::StrategyArg::strategy),
            scratch: args.scratch.clone(),
            stage: args.stage.clone(),
            checkpoint_interval: Duration::from_secs(args.checkpoint),
            is_part_of_set: args.job,
            // Whoever begins a job by hand sees what is there.
            patience: Slurm.own_job().map_or(Duration::ZERO, |_| JOB_PATIENCE),
            ..BuildOptions::default()
        }
    }

    /// Who reads the tables of the set that the job is part of, if it is named.
    fn set_readers(&self) -> Result<Option<SetReaders>, Failure> {
        let wanted = match &self.args.of[..] {
            [] => return Ok(None),
            [men] if men.parse::<usize>().is_ok() => Wanted { men: men.parse().ok(), table: Vec::new() },
            tables => Wanted { men: None, table: tables.into() },
        };
        let plan = self.game.plan(&self.game.request(&wanted)?, &mut Planning::new(false))?;
        Ok(Some(SetReaders::new(&plan)))
    }

    /// Builds tables into a folder, and reports what is in them; the names of those that it has made, for
    /// each edition.
    pub(super) fn build(
        &self,
        console: &mut Console<'_>,
        editions: &[Edition],
        folder: &Path,
        files: FileOptions,
    ) -> Result<Vec<Vec<String>>, Failure> {
        let Run { game, request, args, solver, pool, is_json } = self;
        let mut options = self.options(files);
        for edition in editions {
            check_largest_of(edition, folder, request, &options, pool.current_num_threads())?;
        }
        let plan = game.plan(request, &mut Planning::new(console.is_watched))?;
        let is_of_engine = Slurm.own_job().is_some();
        let lock = FolderLock::shared(folder, if is_of_engine { JOB_PATIENCE } else { PATIENCE })?;
        game.leave_rules(&lock)?;
        let folder = lock.folder();
        options.set_readers = self.set_readers()?;
        if args.recorded {
            let state = StateFolder::new(folder);
            options.recorded = plan.jobs().flat_map(|job| state.contents(&job.name)).collect();
        }
        let lenders = lenders(game, args, folder, &self.made(&plan, editions)?)?;
        let build = Build::new(&plan, &lock, pool, options).with_solver(*solver).with_lenders(&lenders);
        let mut reports = Vec::new();
        let (mut made, mut failed) = (Vec::new(), None);
        for edition in editions {
            let begin = Instant::now();
            let watch = Watch::new(console.is_watched, &mut *console.err);
            let watch = if args.small { watch.of_small_files() } else { watch };
            let watch = if args.plies { watch.with_plies(&game.variant) } else { watch };
            let alone = edition.one_winner().map(|(material, winner)| {
                let name = material.name(&game.variant);
                format!("{winner}'s wins alone in {name}; what {winner} does not win is counted as drawn")
            });
            let name = (editions.len() > 1 || !edition.is_default()).then(|| edition.to_string());
            let title = name.into_iter().chain(alone).map(|line| line + ":\n").collect::<String>();
            let rows =
                (!is_json).then(|| Rows::new(&plan, &mut *console.out, console.out_width, title.clone()));
            let shown = Shown { watch, rows, taken: Mutex::default() };
            let built = build.run(edition, &shown);
            let Shown { watch, rows, taken } = shown;
            watch.close();
            rows.map_or(Ok(()), Rows::close)?;
            let (built, time) = (built?, begin.elapsed());
            if *is_json {
                let taken = taken.into_inner();
                let report = report::RunReport::new(edition, folder, &built.tables, taken, time);
                reports.push(serde_json::to_value(report).map_err(Failure::new)?);
            } else {
                let title = if built.tables.is_empty() { title } else { String::new() };
                let sum = report::sum(folder, &built.tables, time);
                let sum = console.out_width.map_or_else(|| sum.clone(), |width| fold(&sum, width));
                write!(console.out, "{title}{sum}")?;
            }
            console.out.flush()?;
            let own = built.tables.iter().filter(|table| table.time.is_some());
            made.push(own.map(|table| table.name.clone()).collect());
            if let Some(error) = built.error {
                failed = Some((Failure::from(error), built.tables.len()));
                break;
            }
        }
        match &reports[..] {
            [] => {}
            // Several are a list.
            [one] if editions.len() == 1 => console.print_json(one)?,
            all => console.print_json(&all)?,
        }
        console.out.flush()?;
        match failed {
            None => Ok(made),
            Some((Failure::Message(message), n_done)) => {
                let kept = format!("{n_done} of {} tables are done and stay", plan.len());
                Err(Failure::Message(format!("{message}\n{kept}; run again to go on")))
            }
            Some((other, _)) => Err(other),
        }
    }
}

/// The folders whose tables may be used.
fn lenders(game: &Game, args: &SolveArgs, to: &Path, request: &Request) -> Result<Lenders, Failure> {
    let place = |folder: &Path| std::fs::canonicalize(folder).ok();
    check_lenders(&args.using)?;
    if let Some(folder) = args.using.iter().find(|folder| place(folder) == place(to)) {
        let folder = folder.display();
        return Err(Failure::new(format!(
            "{folder} is where the tables go, and nothing is written into a folder of --using; name another \
             with --out DIR"
        )));
    }
    Ok(Lenders::new(&game.variant, &args.using, request)?)
}

/// Refuses at once what would be refused after the whole plan is made: the largest table, if it is not
/// there.
fn check_largest_of(
    edition: &Edition,
    folder: &Path,
    request: &Request,
    options: &BuildOptions,
    n_threads: usize,
) -> Result<(), Failure> {
    let files = TableFiles::new(edition.clone(), folder);
    let is_there = |job: &Job| !options.force && files.are_there(&job.name);
    let footprint = BuildFootprint::new(edition, options.files, n_threads)
        .within(options.memory.bytes)
        .with_strategy(options.strategy);
    Ok(check_largest(options.memory, request, &footprint, is_there)?)
}

/// Shows how far a build is, and its tables as they are finished.
struct Shown<'a> {
    watch: Watch<'a>,
    rows: Option<Rows<'a>>,
    /// What is taken from folders of others.
    taken: Mutex<Vec<Taken>>,
}

impl BuildProgress for Shown<'_> {
    fn outlook(&self, plan: &Plan, outlook: &[Prospect]) {
        again(plan, outlook).iter().for_each(|line| self.watch.note(line));
        let taken = taken(plan, outlook);
        taken.iter().for_each(|taken| self.watch.note(&taken.line()));
        *self.taken.lock() = taken;
    }

    fn start(&self, n_tables: usize, n_values: u64) {
        self.watch.start(n_tables, n_values);
    }

    fn found(&self, job: &Job) {
        self.watch.found(job);
    }

    fn waits(&self, job: &Job, holder: Option<&LeaseHolder>) {
        let by = holder.map_or_else(String::new, |holder| {
            format!(" (process {} on {})", holder.process, visible(&holder.host))
        });
        self.watch.note(&format!("{}: another run is making it{by}; waiting for it", job.name));
    }

    fn not_copied(&self, why: &LibraryError) {
        self.watch.note(&format!("no copy: {}", visible(&why.to_string())));
    }

    fn outdated(&self, job: &Job, reason: &Outdated) {
        self.watch.outdated(job, reason);
    }

    fn built(&self, table: &BuiltTable) {
        if let Some(rows) = &self.rows {
            rows.print(table, |print| self.watch.beside(print));
        }
    }

    fn begin(&self, job: &Job) -> Box<dyn TableProgress + '_> {
        BuildProgress::begin(&self.watch, job)
    }
}
