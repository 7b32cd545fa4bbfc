//! `plan`: prints which tables would be built, in which order, why, and what they cost.

use crate::args::{PlanArgs, PlanFormat};
use crate::cluster::{FALLBACK_RATE, JobSet};
use crate::console::Console;
use crate::fold::fold;
use crate::game::Game;
use crate::grid::{Align, Grid};
use crate::outlook;
use crate::planning::Planning;
use crate::pool::count_threads;
use crate::rate::Rate;
use crate::{Answer, Failure, Outcome, structure};
use ::plan::{Class, Job, JobId, Memory, Need, Plan};
use build::cluster::{JobOptions, TableSet, Workflow};
use build::{BuildFootprint, BuildOptions, FileOptions, JobCost, Prospect, peak_bytes, prospects};
use library::figure::{bytes, count, plural};
use library::{AskedTables, Edition, SolveBound, TableFiles};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use variant::{Metric, Side, Variant};

pub(crate) fn run(console: &mut Console<'_>, args: &PlanArgs) -> Outcome {
    if args.structure.is_given() {
        structure::tell_denied(console, args.variant.as_deref(), &args.structure)?;
        return structure::plan(console, args);
    }
    let game = structure::game(args.variant.as_deref())?;
    let request = game.request(&args.wanted)?;
    game.tell_tables(console, &args.wanted.table)?;
    let mut planning = Planning::new(console.is_watched);
    let plan = game.plan(&request, &mut planning)?;
    let is_json = args.json || args.format == Some(PlanFormat::Json);
    if args.dot || args.format == Some(PlanFormat::Dot) {
        drop(planning);
        write!(console.out, "{}", plan.to_dot(&game.variant))?;
        return Ok(Answer::Yes);
    }
    let n_threads = count_threads(args.threads);
    let editions = game.editions(&args.metric);
    let files = FileOptions::new(args.both_sides, args.small);
    if let Some(format @ (PlanFormat::Slurm | PlanFormat::Make | PlanFormat::Snakemake)) = args.format {
        drop(planning);
        return print_workflow(console, args, game, format);
    }
    let mut all = Vec::new();
    for edition in &editions {
        let footprint =
            BuildFootprint::new(edition, files, n_threads).within(args.memory.unwrap_or(u64::MAX));
        if plan.len() > MANY {
            planning.phase("adding up what the tables take");
        }
        let peak_bytes = peak_bytes(&plan, &footprint, args.memory.unwrap_or(u64::MAX));
        let rate = match Rate::kept(console.cache.as_deref(), edition, files, n_threads) {
            Some(rate) if !args.time => Some(rate),
            _ if args.time => Rate::measure(console, edition, files, n_threads, &mut planning)?,
            // Somebody who watches is glad of an estimate, and need not have one.
            _ if console.is_watched && !plan.is_empty() => {
                Rate::measure(console, edition, files, n_threads, &mut planning).unwrap_or(None)
            }
            _ => None,
        };
        let outlook =
            args.out.as_deref().map(|folder| outlook_of(&plan, edition, folder, files)).transpose()?;
        let costs = Costs::new(&plan, footprint, peak_bytes, args.memory, rate);
        all.push(Costs { outlook, ..costs });
    }
    drop(planning);
    if is_json {
        match &all[..] {
            [one] => console.print_json(&PlanJson::new(&game.variant, &plan, one))?,
            all => {
                let json = all.iter().map(|costs| PlanJson::new(&game.variant, &plan, costs));
                console.print_json(&json.collect::<Vec<_>>())?;
            }
        }
    } else {
        for costs in &all {
            if all.len() > 1 || !costs.footprint.edition.is_default() {
                writeln!(console.out, "{}:", costs.footprint.edition)?;
            }
            write!(console.out, "{}", text(&game.variant, &plan, costs, console.out_width))?;
        }
    }
    Ok(if all.iter().all(Costs::is_enough) { Answer::Yes } else { Answer::No })
}

/// The threads of a job of another engine, which begins several at once, and how long small tables are put
/// together into one. Units: seconds.
const JOB_THREADS: usize = 2;
const JOB_SECONDS: f64 = 300.0;

/// Prints the graph as jobs of another engine.
fn print_workflow(console: &mut Console<'_>, args: &PlanArgs, game: Game, format: PlanFormat) -> Outcome {
    let n_threads = args.threads.map_or_else(|| JOB_THREADS.min(count_threads(None)), usize::from);
    let tables = game.tables(args.out.as_deref());
    let jobs = JobSet::new(console, game, &args.wanted, &args.metric, &tables)?;
    let files = FileOptions::new(args.both_sides, args.small);
    let rate = Rate::kept(console.cache.as_deref(), &jobs.edition, files, n_threads);
    let rate = rate.map_or(FALLBACK_RATE, |rate| rate.per_second);
    let memory_bytes = args.memory.unwrap_or(u64::MAX);
    let footprint = BuildFootprint::new(&jobs.edition, files, n_threads).within(memory_bytes);
    let set = TableSet::new(&jobs.plan, &footprint, rate);
    let command = jobs.command(None, n_threads, args.small, args.both_sides);
    let options = JobOptions { n_threads, least_seconds: JOB_SECONDS, ..JobOptions::default() };
    let workflow = Workflow { set: &set, command: &command, options: &options, tables: &jobs.tables };
    let (engine, text) = match format {
        PlanFormat::Slurm => ("Slurm", Ok(workflow.to_slurm())),
        PlanFormat::Snakemake => ("Snakemake", workflow.to_snakemake()),
        _ => ("make", workflow.to_make()),
    };
    let text = text.map_err(|character| {
        let tables = jobs.tables.display();
        Failure::new(format!(
            "{engine} knows no file with '{character}' in its path, and the tables go to {tables}: name another \
             folder with --out"
        ))
    })?;
    write!(console.out, "{text}")?;
    Ok(Answer::Yes)
}

/// Of more tables somebody may have to wait for the sum.
const MANY: usize = 1000;

/// What a run is to cost.
struct Costs<'a> {
    footprint: BuildFootprint<'a>,
    /// By job.
    jobs: Vec<JobCost>,
    peak_bytes: u64,
    /// The memory that there may be, and how each job fits into it.
    limit: Option<(u64, Vec<Fit>)>,
    rate: Option<Rate>,
    /// The folder that the tables go to, and what a run would do with each of them.
    outlook: Option<(PathBuf, Vec<Prospect>)>,
}

fn outlook_of(
    plan: &Plan,
    edition: &Edition,
    folder: &Path,
    files: FileOptions,
) -> Result<(PathBuf, Vec<Prospect>), Failure> {
    let options = BuildOptions { files, ..BuildOptions::default() };
    let outlook = prospects(&TableFiles::new(edition.clone(), folder), plan, &options)?;
    Ok((folder.to_path_buf(), outlook))
}

/// How a job fits into memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Fit {
    /// With everything that it needs.
    Whole,
    /// By itself, but this job does not, which it needs.
    Without(JobId),
    /// Not even by itself.
    Not,
}

impl<'a> Costs<'a> {
    fn new(
        plan: &Plan,
        footprint: BuildFootprint<'a>,
        peak_bytes: u64,
        limit_bytes: Option<u64>,
        rate: Option<Rate>,
    ) -> Self {
        let jobs: Vec<JobCost> = plan.jobs().map(|job| footprint.cost(job)).collect();
        let limit = limit_bytes.map(|bytes| (bytes, fits(plan, &jobs, bytes)));
        Costs { footprint, jobs, peak_bytes, limit, rate, outlook: None }
    }

    /// What the file of a table takes in the end, roughly.
    fn disk_bytes_of(&self, job: &Job) -> u64 {
        self.footprint.files.disk_bytes(job, self.footprint.edition.metrics())
    }

    /// The same of all files of a plan.
    fn disk_bytes(&self, plan: &Plan) -> u64 {
        plan.jobs().map(|job| self.disk_bytes_of(job)).sum()
    }

    fn fit(&self, id: JobId) -> Fit {
        self.limit.as_ref().map_or(Fit::Whole, |(_, fits)| fits[id.0])
    }

    /// Whether everything fits.
    fn is_enough(&self) -> bool {
        self.limit.as_ref().is_none_or(|(_, fits)| fits.iter().all(|fit| *fit == Fit::Whole))
    }

    /// The values of the tables that can be built.
    fn n_values(&self, plan: &Plan) -> u64 {
        let whole = plan.ids().filter(|&id| self.fit(id) == Fit::Whole);
        whole.map(|id| plan.job(id).n_values()).sum()
    }
}

/// How each job of a plan fits into so much memory.
fn fits(plan: &Plan, jobs: &[JobCost], limit_bytes: u64) -> Vec<Fit> {
    let mut fits: Vec<Fit> = Vec::new();
    for id in plan.ids() {
        // What a job needs comes before it.
        let lacking = plan.needed_by(id).into_iter().find_map(|needed| match fits[needed.0] {
            Fit::Whole => None,
            Fit::Without(lacking) => Some(lacking),
            Fit::Not => Some(needed),
        });
        let is_small_enough = jobs[id.0].memory.total() <= limit_bytes;
        fits.push(match lacking {
            _ if !is_small_enough => Fit::Not,
            Some(lacking) => Fit::Without(lacking),
            None => Fit::Whole,
        });
    }
    fits
}

/// The classes of the tables; up to three men without pawns are solved where that tells.
fn classes(variant: &Variant, plan: &Plan) -> Vec<Class> {
    let bound = SolveBound { men: 3, ..SolveBound::default() };
    let asked = AskedTables::new(variant, None, 0, Some(bound)).expect("no folder is opened");
    plan.classes(variant, &|material| {
        let statistics = asked.statistics(material, Metric::Wdl)?;
        let is_drawn = |stm| statistics.side(stm).wins.orbits == 0 && statistics.side(stm).losses.orbits == 0;
        Some(Side::BOTH.into_iter().all(is_drawn))
    })
}

/// The plan as people read it, on a terminal of this width if it goes to one.
fn text(variant: &Variant, plan: &Plan, costs: &Costs<'_>, width: Option<usize>) -> String {
    let footprint = costs.footprint;
    let mut columns = vec![
        ("", Align::Right),
        ("table", Align::Left),
        ("class", Align::Left),
        ("placements", Align::Right),
        ("memory", Align::Right),
        ("disk", Align::Right),
    ];
    let has_logs = costs.jobs.iter().any(|cost| cost.scratch_bytes > 0);
    if has_logs {
        columns.push(("scratch", Align::Right));
    }
    if costs.limit.is_some() {
        columns.push(("fits", Align::Left));
    }
    columns.push(("needs", Align::Left));
    let mut grid = Grid::new(&columns);
    let mut largest_bytes = 0;
    let classes = classes(variant, plan);
    for (id, job) in plan.ids().zip(plan.jobs()) {
        let needs: Vec<String> = job.needs.iter().map(|need| need_text(variant, need)).collect();
        let cost = &costs.jobs[id.0];
        let total_bytes = cost.memory.total();
        largest_bytes = largest_bytes.max(total_bytes);
        let mut row = vec![
            (id.0 + 1).to_string(),
            job.name.clone(),
            classes[id.0].to_string(),
            count(job.n_values()),
            bytes(total_bytes),
            bytes(costs.disk_bytes_of(job)),
        ];
        if has_logs {
            let scratch_bytes = cost.scratch_bytes;
            row.push(if scratch_bytes > 0 { bytes(scratch_bytes) } else { String::new() });
        }
        if costs.limit.is_some() {
            row.push(match costs.fit(id) {
                Fit::Whole => "yes".to_owned(),
                Fit::Without(lacking) => format!("without {}", plan.job(lacking).name),
                Fit::Not => "no".to_owned(),
            });
        }
        row.push(needs.join(", "));
        grid.push(row);
    }
    let tables = plural(plan.len() as u64, "table");
    let values = count(plan.jobs().map(Job::n_values).sum());
    let memory = bytes(largest_bytes);
    let disk = bytes(costs.disk_bytes(plan));
    let threads = plural(footprint.n_threads as u64, "thread");
    let peak = bytes(costs.peak_bytes);
    let mut total = format!(
        "{tables}, {values} placements; about {disk} on disk; the largest takes about {memory} of memory, \
         a run with {threads} at most {peak}\n"
    );
    if has_logs {
        let logged = costs.jobs.iter().filter(|cost| cost.strategy.is_logged());
        let scratch: Vec<u64> = logged.map(|cost| cost.scratch_bytes).collect();
        total += &format!(
            "{} too large for memory: solved by a log on the disk, of which each takes up to {} meanwhile, with about \
             {} of traffic\n",
            plural(scratch.len() as u64, "table"),
            bytes(scratch.into_iter().max().unwrap_or(0)),
            bytes(costs.jobs.iter().map(|cost| cost.traffic_bytes).max().unwrap_or(0))
        );
    }
    total += &fits_text(plan, costs);
    if let (Some(rate), false) = (&costs.rate, plan.is_empty()) {
        total += &rate.text(costs.n_values(plan));
    }
    if let Some((folder, outlook)) = &costs.outlook {
        total += &format!("in {}: {}\n", folder.display(), outlook::sum(outlook));
        outlook::again(plan, outlook).iter().for_each(|line| total += &format!("{line}\n"));
    }
    let total = width.map_or_else(|| total.clone(), |width| fold(&total, width));
    if plan.is_empty() { total } else { grid.text(width) + &total }
}

/// How many tables of so many men fit into the memory that there may be; nothing if all do.
fn fits_text(plan: &Plan, costs: &Costs<'_>) -> String {
    let Some((limit_bytes, fits)) = &costs.limit else { return String::new() };
    if costs.is_enough() {
        return format!("all of them fit into {}\n", bytes(*limit_bytes));
    }
    let mut by_men: BTreeMap<usize, [usize; 3]> = BTreeMap::new();
    for (job, fit) in plan.jobs().zip(fits) {
        let [n, n_alone, n_whole] = by_men.entry(job.material.n_men()).or_default();
        *n += 1;
        *n_alone += usize::from(*fit != Fit::Not);
        *n_whole += usize::from(*fit == Fit::Whole);
    }
    let mut text = format!("into {} fit:\n", bytes(*limit_bytes));
    for (n_men, [n, n_alone, n_whole]) in by_men {
        text += &format!("  of {n_men} men {n_whole} of {n} with everything they need");
        if n_alone > n_whole {
            text += &format!(", {n_alone} by themselves");
        }
        text.push('\n');
    }
    text
}

/// What a table is needed for: `KRvK (xq)`.
fn need_text(variant: &Variant, need: &Need) -> String {
    let reasons: Vec<String> = need.reasons.iter().map(|reason| reason.text(variant)).collect();
    let drawn = if need.is_drawn { ", always drawn" } else { "" };
    format!("{} ({}{drawn})", need.name, reasons.join(" "))
}

#[derive(Serialize)]
struct PlanJson<'a> {
    variant: &'a str,
    metrics: Vec<&'static str>,
    n_threads: usize,
    disk_bytes: u64,
    peak_bytes: u64,
    /// Of the tables that can be built; none where no rate is known.
    seconds: Option<f64>,
    values_per_second: Option<u64>,
    tables: Vec<JobJson<'a>>,
}

#[derive(Serialize)]
struct JobJson<'a> {
    table: &'a str,
    class: String,
    placements: u64,
    slices: u64,
    memory_bytes: u64,
    memory: Memory,
    disk_bytes: u64,
    /// What is on the disk while it is solved; 0 if it is solved in memory.
    scratch_bytes: u64,
    /// What goes to the disk and comes from there meanwhile, roughly.
    traffic_bytes: u64,
    /// How many threads solve it: fewer than the run has where more would take too much memory.
    solving_threads: usize,
    /// Whether it fits by itself, and with everything that it needs.
    fits: bool,
    fits_with_needs: bool,
    /// What a run would do with the table, if the folder is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    prospect: Option<&'static str>,
    needs: Vec<NeedJson<'a>>,
}

#[derive(Serialize)]
struct NeedJson<'a> {
    table: &'a str,
    reasons: Vec<String>,
    always_drawn: bool,
}

impl<'a> PlanJson<'a> {
    fn new(variant: &'a Variant, plan: &'a Plan, costs: &'a Costs<'_>) -> Self {
        let &Costs { footprint, peak_bytes, .. } = costs;
        let classes = classes(variant, plan);
        let need = |need: &'a Need| NeedJson {
            table: &need.name,
            reasons: need.reasons.iter().map(|reason| reason.text(variant)).collect(),
            always_drawn: need.is_drawn,
        };
        let job = |(id, job): (JobId, &'a Job)| JobJson {
            table: &job.name,
            class: classes[id.0].to_string(),
            placements: job.n_values(),
            slices: job.n_slices(),
            memory_bytes: costs.jobs[id.0].memory.total(),
            memory: costs.jobs[id.0].memory,
            disk_bytes: costs.disk_bytes_of(job),
            scratch_bytes: costs.jobs[id.0].scratch_bytes,
            traffic_bytes: costs.jobs[id.0].traffic_bytes,
            solving_threads: costs.jobs[id.0].n_threads,
            fits: costs.fit(id) != Fit::Not,
            fits_with_needs: costs.fit(id) == Fit::Whole,
            prospect: costs.outlook.as_ref().map(|(_, outlook)| outlook::name(&outlook[id.0])),
            needs: job.needs.iter().map(need).collect(),
        };
        PlanJson {
            variant: &variant.name,
            metrics: footprint.edition.metrics().iter().map(|metric| metric.name()).collect(),
            n_threads: footprint.n_threads,
            disk_bytes: costs.disk_bytes(plan),
            peak_bytes,
            seconds: costs.rate.as_ref().map(|rate| rate.time(costs.n_values(plan)).as_secs_f64()),
            values_per_second: costs.rate.as_ref().map(|rate| rate.per_second),
            tables: plan.ids().zip(plan.jobs()).map(job).collect(),
        }
    }
}
