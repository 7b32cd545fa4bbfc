//! `plan`: prints which tables would be built, in which order, why, and what they cost.

use crate::args::PlanArgs;
use crate::console::Console;
use crate::game::Game;
use crate::grid::{Align, Grid};
use crate::{Answer, Outcome};
use ::plan::{Job, Memory, Need, Plan};
use library::figure::{bytes, count, plural};
use library::{BuildFootprint, Edition, FileOptions, MemoryLimit, check_memory, peak_bytes};
use serde::Serialize;
use variant::Variant;

pub(crate) fn run(console: &mut Console<'_>, args: &PlanArgs) -> Outcome {
    let game = Game::load(&args.variant)?;
    let plan = game.plan(&args.wanted)?;
    game.tell_tables(console, &args.wanted.table)?;
    let n_cores = std::thread::available_parallelism().map_or(1, usize::from);
    let n_threads = args.threads.map_or(n_cores, usize::from);
    let edition = Edition::new(&game.variant, game.variant.default_metric);
    let files = FileOptions::new(args.both_sides, args.small);
    let footprint = BuildFootprint { edition: &edition, files, n_threads };
    if let Some(limit_bytes) = args.memory {
        let limit = MemoryLimit { bytes: limit_bytes, is_asked: true };
        check_memory(limit, plan.jobs(), &footprint)?;
    }
    let peak_bytes = peak_bytes(&plan, &footprint, args.memory.unwrap_or(u64::MAX));
    if args.dot {
        write!(console.out, "{}", plan.to_dot(&game.variant))?;
    } else {
        let costs = Costs { footprint, peak_bytes };
        if args.json {
            console.print_json(&PlanJson::new(&game.variant, &plan, &costs))?;
        } else {
            write!(console.out, "{}", text(&game.variant, &plan, &costs))?;
        }
    }
    Ok(Answer::Yes)
}

/// What a run is to cost.
struct Costs<'a> {
    footprint: BuildFootprint<'a>,
    peak_bytes: u64,
}

impl Costs<'_> {
    /// What the file of a table takes in the end, roughly.
    fn disk_bytes_of(&self, job: &Job) -> u64 {
        self.footprint.files.disk_bytes(job, self.footprint.edition.metrics())
    }

    /// The same of all files of a plan.
    fn disk_bytes(&self, plan: &Plan) -> u64 {
        plan.jobs().map(|job| self.disk_bytes_of(job)).sum()
    }
}

/// The plan as people read it.
fn text(variant: &Variant, plan: &Plan, costs: &Costs<'_>) -> String {
    let &Costs { footprint, peak_bytes } = costs;
    let mut grid = Grid::new(&[
        ("", Align::Right),
        ("table", Align::Left),
        ("placements", Align::Right),
        ("memory", Align::Right),
        ("disk", Align::Right),
        ("needs", Align::Left),
    ]);
    for (place, job) in plan.jobs().enumerate() {
        let needs: Vec<String> = job.needs.iter().map(|need| need_text(variant, need)).collect();
        grid.push(vec![
            (place + 1).to_string(),
            job.name.clone(),
            count(job.n_values()),
            bytes(footprint.total_of(job)),
            bytes(costs.disk_bytes_of(job)),
            needs.join(", "),
        ]);
    }
    let tables = plural(plan.len() as u64, "table");
    let values = count(plan.jobs().map(Job::n_values).sum());
    let memory = bytes(plan.jobs().map(|job| footprint.total_of(job)).max().unwrap_or(0));
    let disk = bytes(costs.disk_bytes(plan));
    let threads = plural(footprint.n_threads as u64, "thread");
    let peak = bytes(peak_bytes);
    let total = format!(
        "{tables}, {values} placements; about {disk} on disk; the largest takes about {memory} of memory, \
         a run with {threads} at most {peak}\n"
    );
    if plan.is_empty() { total } else { grid.text() + &total }
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
    n_threads: usize,
    disk_bytes: u64,
    peak_bytes: u64,
    tables: Vec<JobJson<'a>>,
}

#[derive(Serialize)]
struct JobJson<'a> {
    table: &'a str,
    placements: u64,
    slices: u64,
    memory_bytes: u64,
    memory: Memory,
    disk_bytes: u64,
    needs: Vec<NeedJson<'a>>,
}

#[derive(Serialize)]
struct NeedJson<'a> {
    table: &'a str,
    reasons: Vec<String>,
    always_drawn: bool,
}

impl<'a> PlanJson<'a> {
    fn new(variant: &'a Variant, plan: &'a Plan, costs: &Costs<'_>) -> Self {
        let &Costs { footprint, peak_bytes } = costs;
        let need = |need: &'a Need| NeedJson {
            table: &need.name,
            reasons: need.reasons.iter().map(|reason| reason.text(variant)).collect(),
            always_drawn: need.is_drawn,
        };
        let job = |job: &'a Job| JobJson {
            table: &job.name,
            placements: job.n_values(),
            slices: job.n_slices(),
            memory_bytes: footprint.total_of(job),
            memory: job.memory(&footprint),
            disk_bytes: costs.disk_bytes_of(job),
            needs: job.needs.iter().map(need).collect(),
        };
        PlanJson {
            variant: &variant.name,
            n_threads: footprint.n_threads,
            disk_bytes: costs.disk_bytes(plan),
            peak_bytes,
            tables: plan.jobs().map(job).collect(),
        }
    }
}
