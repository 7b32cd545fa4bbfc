//! Builds the tables that a run is asked for, and reports what is in them.

use super::args::SolveArgs;
use super::report::{self, Rows};
use crate::plan::{Taken, again, taken};
use crate::progress::{SOLVING_PERCENT, SOLVING_PERCENT_OF_SMALL};
use crate::structure::{check_lenders, lent_to_positions};
use crate::{Console, Failure, Game, JobWatch, Outcome, Planning, Watch, count, plural};
use ::plan::{Job, JobId, Plan, Request};
use ::solve::{FoundPly, Progress, Step};
use build::cluster::{Slurm, StateFolder};
use build::{
    Build, BuildFootprint, BuildOptions, BuildStep, FileOptions, FolderLock, LeaseHolder, Lenders, LogStep,
    Opened, SlicesOpened, Solver, check_largest, trim_set,
};
use library::{Edition, MemoryLimit, TableFiles};
use parking_lot::Mutex;
use rayon::ThreadPool;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};
use variant::{Variant, visible};

/// How long the job of an engine looks for tables that the jobs before it have made, and waits for a process
/// that has the folder alone.
pub(crate) const JOB_PATIENCE: Duration = Duration::from_secs(60);

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
    /// with rights to castle are solved from all tables of a plan, so what no folder lends is made for
    /// them, too; and a position names no table.
    fn made(&self, plan: &Plan, editions: &[Edition]) -> Outcome<Request> {
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
            // A person who begins a job by hand sees what is there.
            patience: Slurm.own_job().map_or(Duration::ZERO, |_| JOB_PATIENCE),
            ..BuildOptions::default()
        }
    }

    /// Trims the tables of a folder that no table of the set will read any more.
    pub(super) fn trim(&self, console: &mut Console<'_>, editions: &[Edition], folder: &Path) -> Outcome<()> {
        Failure::of_absent(folder)?;
        let plan = self.game.plan(&self.request, &mut Planning::new(console.is_watched))?;
        let lock = FolderLock::shared(folder, self.patience())?;
        if !lock.is_writable() {
            let folder = folder.display();
            return Err(Failure::new(format!("{folder} cannot be written to: nothing is trimmed")));
        }
        let trim = |edition| self.pool.install(|| trim_set(&plan, &lock, edition, self.files()));
        let n_trimmed: usize = editions.iter().map(trim).sum::<Result<_, _>>()?;
        let tables = plural(n_trimmed as u64, "table");
        writeln!(console.out, "{tables} trimmed in {}", lock.folder().display())?;
        Ok(())
    }

    /// How long the run waits for a process that has the folder alone.
    fn patience(&self) -> Duration {
        Slurm.own_job().map_or(PATIENCE, |_| JOB_PATIENCE)
    }

    /// Builds tables into a folder, and reports what is in them; the names of those that it has made, for
    /// each edition.
    pub(super) fn build(
        &self,
        console: &mut Console<'_>,
        editions: &[Edition],
        folder: &Path,
        files: FileOptions,
    ) -> Outcome<Vec<Vec<String>>> {
        let Run { game, request, args, solver, pool, is_json } = self;
        let mut options = self.options(files);
        for edition in editions {
            // What would be refused after the whole plan is made: the largest table, if it is not there.
            let files = TableFiles::new(edition.clone(), folder);
            let is_there = |job: &Job| !options.force && files.are_there(&job.name);
            let footprint = BuildFootprint::new(edition, options.files, pool.current_num_threads());
            let footprint = footprint.within(options.memory.bytes).with_strategy(options.strategy);
            check_largest(options.memory, request, &footprint, is_there)?;
        }
        let plan = game.plan(request, &mut Planning::new(console.is_watched))?;
        let lock = FolderLock::shared(folder, self.patience())?;
        game.leave_rules(&lock)?;
        let folder = lock.folder();
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
            let alone = edition.one_winner().map(|(material, winner)| {
                let name = material.name(&game.variant);
                format!("{winner}'s wins alone in {name}; what {winner} does not win is counted as drawn")
            });
            let name = (editions.len() > 1 || !edition.is_default()).then(|| edition.to_string());
            let title = name.into_iter().chain(alone).map(|line| line + ":\n").collect::<String>();
            let rows =
                (!is_json).then(|| Rows::new(&plan, &mut *console.out, console.out_width, title.clone()));
            let taken = Mutex::default();
            let built = {
                let mut watch = Watch::new(console.is_watched, &mut *console.err);
                watch.solving_percent = if args.small { SOLVING_PERCENT_OF_SMALL } else { SOLVING_PERCENT };
                let (plies, rows) = (args.plies.then_some(&game.variant), rows.as_ref());
                let watching = Mutex::default();
                let shown = Shown { watch: &watch, plan: &plan, plies, rows, watching, taken: &taken };
                watch.during(|| build.run(edition, &shown))
            };
            rows.map_or(Ok(()), Rows::close)?;
            let (built, time) = (built?, begin.elapsed());
            if *is_json {
                let taken = taken.into_inner();
                reports.push(report::json(edition, folder, &built.tables, taken, time));
            } else {
                let title = if built.tables.is_empty() { title } else { String::new() };
                write!(console.out, "{title}")?;
                console.print_folded(&report::sum(folder, &built.tables, time))?;
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
        let Some((failure, n_done)) = failed else { return Ok(made) };
        let kept = format!("{n_done} of {} tables are done and stay", plan.len());
        Err(Failure::plain(format!("{failure}\n{kept}; run again to go on")))
    }
}

/// The folders whose tables may be used.
fn lenders(game: &Game, args: &SolveArgs, to: &Path, request: &Request) -> Outcome<Lenders> {
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

/// Shows how far a build is, and its tables as they are finished.
struct Shown<'w, 'a, 'r> {
    watch: &'w Watch<'a>,
    plan: &'w Plan,
    /// The game whose plies are reported, if they are.
    plies: Option<&'w Variant>,
    rows: Option<&'w Rows<'r>>,
    /// The tables that are being solved.
    watching: Mutex<BTreeMap<usize, JobWatch<'w, 'a>>>,
    /// What is taken from folders of others.
    taken: &'w Mutex<Vec<Taken>>,
}

impl Progress<BuildStep> for Shown<'_, '_, '_> {
    fn asks_for_plies(&self) -> bool {
        self.plies.is_some()
    }

    fn step(&self, step: &BuildStep) {
        let (watch, job) = (self.watch, |id: &JobId| self.plan.job(*id));
        let note = |id, what: String| watch.note(&format!("{}{what}", job(id).name));
        match step {
            BuildStep::Surveyed(outlook) => {
                again(self.plan, outlook).iter().for_each(|line| watch.note(line));
                let taken = taken(self.plan, outlook);
                taken.iter().for_each(|taken| watch.note(&taken.line()));
                *self.taken.lock() = taken;
            }
            BuildStep::Started { n_tables, n_values } => watch.start(*n_tables, *n_values),
            BuildStep::Found(id) => watch.found(&job(id).name, job(id).n_values()),
            BuildStep::Outdated(id, reason) => note(id, format!(" is solved again: {reason}")),
            BuildStep::Waits(id, holder) => {
                let by = |holder: &LeaseHolder| {
                    format!(" (process {} on {})", holder.process, visible(&holder.host))
                };
                let by = holder.as_ref().map(by).unwrap_or_default();
                note(id, format!(": another run is making it{by}; waiting for it"));
            }
            BuildStep::NotCopied(why) => watch.note(&format!("no copy: {}", visible(why))),
            BuildStep::Begun(id) => {
                let watching = watch.begin(&job(id).name, job(id).n_values());
                self.watching.lock().insert(id.0, watching);
            }
            BuildStep::Solve(id, Step::Placements(n_done, n_total)) => {
                self.watching(*id, |watching| watching.show(*n_done, *n_total));
            }
            BuildStep::Solve(id, Step::Logged(attacker, ply)) => {
                self.watching(*id, |watching| watching.logged(*attacker, *ply));
            }
            BuildStep::Solve(id, Step::Found(found)) => self.tell_ply(*id, found),
            BuildStep::Log(id, path, opened) => note(id, log_opened(path, opened)),
            BuildStep::Slices(id, path, opened) => {
                note(id, slices_opened(path, opened, job(id).n_slices()));
            }
            BuildStep::Packed { job, n_done, n_total } => {
                self.watching(*job, |watching| watching.pack(*n_done, *n_total));
            }
            BuildStep::Finished(id, time) => {
                let watching = self.watching.lock().remove(&id.0);
                watching.into_iter().for_each(|watching| watching.finish(*time));
            }
            BuildStep::Built(table) => {
                if let Some(rows) = self.rows {
                    rows.print(table, |print| watch.beside(print));
                }
            }
            _ => {}
        }
    }
}

impl<'w, 'a> Shown<'w, 'a, '_> {
    fn watching(&self, id: JobId, act: impl FnOnce(&JobWatch<'w, 'a>)) {
        if let Some(watching) = self.watching.lock().get(&id.0) {
            act(watching);
        }
    }

    /// Says what a ply has found with either side to move.
    fn tell_ply(&self, id: JobId, found: &FoundPly) {
        let Some(variant) = self.plies else { return };
        let place = |&(man, square)| format!(" {}{}", variant.fen_letter(man), variant.board.name(square));
        let pawns: String = found.pawns.iter().map(place).collect();
        let (name, attacker, time) = (&self.plan.job(id).name, found.attacker, found.ply);
        for (n_placements, stm) in [(found.n_won, attacker), (found.n_lost, !attacker)] {
            if n_placements > 0 {
                let n_placements = plural(n_placements, "placement");
                self.watch.note(&format!(
                    "{name}{pawns}: {attacker} wins in {time}: {n_placements}, {stm} to move"
                ));
            }
        }
    }
}

/// Says how a table is solved by a log, behind the table's name.
fn log_opened(path: &Path, opened: &Opened) -> String {
    let path = path.display();
    match opened {
        Opened::New => format!(" is solved by a log on the disk: {path}"),
        Opened::Replaced => {
            format!(": {path} was the log of other rules or other tables, and is begun again")
        }
        Opened::Resumed(LogStep { attacker, ply }) => {
            let ply = ply.map_or_else(String::new, |ply| format!("ply {ply} of "));
            format!(": goes on behind {ply}{attacker}'s wins, by its log {path}")
        }
    }
}

/// Says how a table is solved slice by slice, behind the table's name.
fn slices_opened(path: &Path, opened: &SlicesOpened, n_slices: u64) -> String {
    let (path, n_slices) = (path.display(), count(n_slices));
    match *opened {
        SlicesOpened::New => {
            format!(" is solved slice by slice; its {n_slices} slices go to the disk: {path}")
        }
        SlicesOpened::Replaced => {
            format!(": {path} had slices of other rules or other tables, and is begun again")
        }
        SlicesOpened::Resumed(n_done) => {
            format!(": goes on behind slice {} of {n_slices}, by {path}", count(n_done as u64))
        }
    }
}
