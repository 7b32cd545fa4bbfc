//! `plan`: prints which tables would be built, in which order, why, and what they cost; and says for
//! `solve`, too, what a build is going to do with tables that are there already.

mod args;

use crate::args::PlanFormat;
use crate::cluster::{FALLBACK_RATE, JobSet};
use crate::{
    Answer, Console, DEFAULT_VARIANT, Failure, Game, Outcome, Planning, Rate, Report, bytes, count,
    count_threads, fold, plural, structure,
};
use ::plan::{Class, Job, JobId, Memory, Need, Plan};
pub(crate) use args::PlanArgs;
use build::cluster::{JobOptions, TableSet, Workflow};
use build::{BuildFootprint, BuildOptions, FileOptions, Prospect, peak_bytes, prospects};
use library::{AskedTables, Edition, SolveBound, TableFiles};
use serde::Serialize;
use std::collections::BTreeMap;
use variant::{Metric, Side, Variant};

pub(crate) fn run(console: &mut Console<'_>, args: &PlanArgs) -> Outcome {
    if args.structure.is_given() {
        crate::solve::by_clock::refuse_positions(&args.metric)?;
        return match args.metric.contains(&Metric::Help) {
            true => Err(Failure::new(
                "helpmates of positions are searched and not planned: leave out plan, and solve",
            )),
            false => structure::plan(console, args),
        };
    }
    let game = Game::find(args.variant.as_deref(), DEFAULT_VARIANT, &[])?.for_metrics(&args.metric)?;
    let request = game.request(&args.wanted)?;
    game.tell_tables(console, &args.wanted.table)?;
    let mut planning = Planning::new(console.is_watched);
    let plan = game.plan(&request, &mut planning)?;
    match args.format {
        Some(PlanFormat::Json) | None if !args.dot => {
            return print_plan(console, args, &game, &plan, planning);
        }
        Some(PlanFormat::Dot) | None => {}
        Some(format) => {
            drop(planning);
            return print_workflow(console, args, game, format);
        }
    }
    drop(planning);
    write!(console.out, "{}", plan.to_dot(&game.variant))?;
    Ok(Answer::Yes)
}

/// Of more tables a person may have to wait for the sum.
const MANY: usize = 1000;

/// Prints the plan of each edition.
fn print_plan(
    console: &mut Console<'_>,
    args: &PlanArgs,
    game: &Game,
    plan: &Plan,
    mut planning: Planning,
) -> Outcome {
    let (n_threads, files) = (count_threads(args.threads), FileOptions::new(args.both_sides, args.small));
    let editions = game.editions(&args.metric);
    let mut all = Vec::new();
    for edition in &editions {
        if plan.len() > MANY {
            planning.phase("adding up what the tables take");
        }
        let rate = match Rate::kept(console.cache.as_deref(), edition, files, n_threads) {
            Some(rate) if !args.time => Some(rate),
            _ if args.time => Rate::measure(console, edition, files, n_threads, &mut planning)?,
            // Who watches is glad of an estimate, and need not have one.
            _ if console.is_watched && !plan.is_empty() => {
                Rate::measure(console, edition, files, n_threads, &mut planning).unwrap_or(None)
            }
            _ => None,
        };
        all.push(EditionPlan::new(args, plan, edition, rate)?);
    }
    drop(planning);
    let is_enough = all.iter().all(EditionPlan::is_enough);
    match &all[..] {
        [one] if args.json || args.format.is_some() => console.print_json(one)?,
        all if args.json || args.format.is_some() => console.print_json(&all)?,
        all => {
            for (edition, costs) in editions.iter().zip(all) {
                if all.len() > 1 || !edition.is_default() {
                    writeln!(console.out, "{edition}:")?;
                }
                write!(console.out, "{}", costs.text(plan, console.out_width))?;
            }
        }
    }
    Ok(if is_enough { Answer::Yes } else { Answer::No })
}

/// The threads of a job of another engine, which begins several at once, and how long small tables are put
/// together into one. Units: seconds.
const JOB_THREADS: usize = 2;
const JOB_SECONDS: f64 = 300.0;

/// Prints the graph as jobs of another engine.
fn print_workflow(console: &mut Console<'_>, args: &PlanArgs, game: Game, format: PlanFormat) -> Outcome {
    let n_threads = args.threads.map_or_else(|| JOB_THREADS.min(count_threads(None)), usize::from);
    let tables = game.tables(console, args.out.as_deref());
    let jobs = JobSet::new(console, game, &args.wanted, &args.metric, &tables)?;
    let files = FileOptions::new(args.both_sides, args.small);
    let rate = Rate::kept(console.cache.as_deref(), &jobs.edition, files, n_threads);
    let rate = rate.map_or(FALLBACK_RATE, |rate| rate.per_second);
    let memory_bytes = args.memory.unwrap_or(u64::MAX);
    let footprint = BuildFootprint::new(&jobs.edition, files, n_threads).within(memory_bytes);
    let set = TableSet::new(&jobs.plan, &footprint, rate);
    let command = jobs.command(console.program.file(), n_threads, args.small, args.both_sides);
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
            "{engine} knows no file with '{character}' in its path, and the tables go to {tables}: name \
             another folder with --out"
        ))
    })?;
    write!(console.out, "{text}")?;
    Ok(Answer::Yes)
}

/// A plan under the metrics of an edition, with what it costs.
#[derive(Serialize)]
struct EditionPlan<'a> {
    variant: &'a str,
    metrics: Vec<&'static str>,
    n_threads: usize,
    disk_bytes: u64,
    peak_bytes: u64,
    /// Of the tables that can be built; none where no rate is known.
    seconds: Option<f64>,
    values_per_second: Option<u64>,
    tables: Vec<PlannedTable<'a>>,
    #[serde(skip)]
    rate: Option<Rate>,
    /// The memory that there may be.
    #[serde(skip)]
    limit_bytes: Option<u64>,
    /// The folder that the tables go to, and what a run would do with each of them.
    #[serde(skip)]
    outlook: Option<(String, Vec<Prospect>)>,
}

/// A table of a plan.
#[derive(Serialize)]
struct PlannedTable<'a> {
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
    /// Whether it fits into memory by itself, and with everything that it needs.
    fits: bool,
    fits_with_needs: bool,
    /// What a run would do with the table, if the folder is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    prospect: Option<&'static str>,
    needs: Vec<PlannedNeed<'a>>,
    /// A table that it needs and that does not fit.
    #[serde(skip)]
    lacking: Option<JobId>,
    #[serde(skip)]
    is_logged: bool,
}

#[derive(Serialize)]
struct PlannedNeed<'a> {
    table: &'a str,
    reasons: Vec<String>,
    always_drawn: bool,
}

impl<'a> EditionPlan<'a> {
    fn new(args: &PlanArgs, plan: &'a Plan, edition: &'a Edition, rate: Option<Rate>) -> Outcome<Self> {
        let files = FileOptions::new(args.both_sides, args.small);
        let (variant, n_threads) = (edition.variant(), count_threads(args.threads));
        let most_bytes = args.memory.unwrap_or(u64::MAX);
        let footprint = BuildFootprint::new(edition, files, n_threads).within(most_bytes);
        let options = BuildOptions { files, ..BuildOptions::default() };
        let outlook = args.out.as_deref().map(|folder| {
            let outlook = prospects(&TableFiles::new(edition.clone(), folder), plan, &options);
            outlook.map(|outlook| (folder.display().to_string(), outlook))
        });
        let outlook = outlook.transpose()?;
        let classes = classes(variant, plan);
        let mut tables: Vec<PlannedTable<'a>> = Vec::new();
        for (id, job) in plan.ids().zip(plan.jobs()) {
            let cost = footprint.cost(job);
            // What a job needs comes before it.
            let lacking = plan.needed_by(id).into_iter().find_map(|needed| {
                let table = &tables[needed.0];
                if table.fits { table.lacking } else { Some(needed) }
            });
            let fits = cost.memory.total() <= most_bytes;
            let need = |need: &'a Need| PlannedNeed {
                table: &need.name,
                reasons: need.reasons.iter().map(|reason| reason.text(variant)).collect(),
                always_drawn: need.is_drawn,
            };
            tables.push(PlannedTable {
                table: &job.name,
                class: classes[id.0].to_string(),
                placements: job.n_values(),
                slices: job.n_slices(),
                memory_bytes: cost.memory.total(),
                memory: cost.memory,
                disk_bytes: files.disk_bytes(job, edition.metrics()),
                scratch_bytes: cost.scratch_bytes,
                traffic_bytes: cost.traffic_bytes,
                solving_threads: cost.n_threads,
                fits,
                fits_with_needs: fits && lacking.is_none(),
                prospect: outlook.as_ref().map(|(_, outlook)| name(&outlook[id.0])),
                needs: job.needs.iter().map(need).collect(),
                lacking,
                is_logged: cost.strategy.is_logged(),
            });
        }
        let whole = tables.iter().filter(|table| table.fits_with_needs);
        let n_values = whole.map(|table| table.placements).sum();
        Ok(EditionPlan {
            variant: &variant.name,
            metrics: edition.metrics().iter().map(|metric| metric.name()).collect(),
            n_threads,
            disk_bytes: tables.iter().map(|table| table.disk_bytes).sum(),
            peak_bytes: peak_bytes(plan, &footprint, most_bytes),
            seconds: rate.as_ref().map(|rate| rate.time(n_values).as_secs_f64()),
            values_per_second: rate.as_ref().map(|rate| rate.per_second),
            tables,
            rate,
            limit_bytes: args.memory,
            outlook,
        })
    }

    /// Whether everything fits.
    fn is_enough(&self) -> bool {
        self.tables.iter().all(|table| table.fits_with_needs)
    }

    /// The plan as people read it, on a terminal of this width if it goes to one.
    fn text(&self, plan: &Plan, width: Option<usize>) -> String {
        let has_logs = self.tables.iter().any(|table| table.scratch_bytes > 0);
        let scratch = if has_logs { "| >scratch " } else { "" };
        let fits = if self.limit_bytes.is_some() { "| fits " } else { "" };
        let mut report =
            Report::new(&format!("> | table | class | >placements | >memory | >disk {scratch}{fits}| needs"));
        for (at, table) in self.tables.iter().enumerate() {
            let mut row = vec![(at + 1).to_string(), table.table.to_owned(), table.class.clone()];
            row.push(count(table.placements));
            row.extend([table.memory_bytes, table.disk_bytes].map(bytes));
            if has_logs {
                row.push(if table.scratch_bytes > 0 { bytes(table.scratch_bytes) } else { String::new() });
            }
            if self.limit_bytes.is_some() {
                row.push(match table.lacking {
                    _ if !table.fits => "no".to_owned(),
                    None => "yes".to_owned(),
                    Some(lacking) => format!("without {}", plan.job(lacking).name),
                });
            }
            row.push(table.needs.iter().map(PlannedNeed::text).collect::<Vec<_>>().join(", "));
            report.row(row);
        }
        let total = self.total(plan);
        let total = fold(&total, width);
        if plan.is_empty() { total } else { report.text(width) + &total }
    }

    /// What all tables take together.
    fn total(&self, plan: &Plan) -> String {
        let most = |of: fn(&PlannedTable<'_>) -> u64| bytes(self.tables.iter().map(of).max().unwrap_or(0));
        let placements = count(self.tables.iter().map(|table| table.placements).sum());
        let (tables, threads) = (self.tables.len() as u64, self.n_threads as u64);
        let (tables, threads) = (plural(tables, "table"), plural(threads, "thread"));
        let (largest, disk) = (most(|table| table.memory_bytes), bytes(self.disk_bytes));
        let peak = bytes(self.peak_bytes);
        let mut total = format!(
            "{tables}, {placements} placements; about {disk} on disk; the largest takes about {largest} of \
             memory, a run with {threads} at most {peak}\n"
        );
        if self.tables.iter().any(|table| table.scratch_bytes > 0) {
            let n_logged = self.tables.iter().filter(|table| table.is_logged).count() as u64;
            let logs = most(|table| if table.is_logged { table.scratch_bytes } else { 0 });
            let (tables, traffic) = (plural(n_logged, "table"), most(|table| table.traffic_bytes));
            total += &format!(
                "{tables} too large for memory: solved by a log on the disk, of which each takes up to \
                 {logs} meanwhile, with about {traffic} of traffic\n"
            );
        }
        total += &self.fits_text(plan);
        if let (Some(rate), false) = (&self.rate, plan.is_empty()) {
            let whole = self.tables.iter().filter(|table| table.fits_with_needs);
            total += &rate.text(whole.map(|table| table.placements).sum());
        }
        if let Some((folder, outlook)) = &self.outlook {
            total += &format!("in {folder}: {}\n", sum(outlook));
            again(plan, outlook).iter().for_each(|line| total += &format!("{line}\n"));
        }
        total
    }

    /// How many tables of each number of men fit into the memory that there may be; nothing without a limit.
    fn fits_text(&self, plan: &Plan) -> String {
        let Some(limit_bytes) = self.limit_bytes else { return String::new() };
        if self.is_enough() {
            return format!("all of them fit into {}\n", bytes(limit_bytes));
        }
        let mut by_men: BTreeMap<usize, [usize; 3]> = BTreeMap::new();
        for (job, table) in plan.jobs().zip(&self.tables) {
            let [n, n_alone, n_whole] = by_men.entry(job.material.n_men()).or_default();
            *n += 1;
            *n_alone += usize::from(table.fits);
            *n_whole += usize::from(table.fits_with_needs);
        }
        let mut text = format!("into {} fit:\n", bytes(limit_bytes));
        for (n_men, [n, n_alone, n_whole]) in by_men {
            let is_more = n_alone > n_whole;
            let alone = if is_more { format!(", {n_alone} by themselves") } else { String::new() };
            text += &format!("  of {n_men} men {n_whole} of {n} with everything they need{alone}\n");
        }
        text
    }
}

impl PlannedNeed<'_> {
    /// What a table is needed for: `KRvK (xq)`.
    fn text(&self) -> String {
        let drawn = if self.always_drawn { ", always drawn" } else { "" };
        format!("{} ({}{drawn})", self.table, self.reasons.join(" "))
    }
}

/// The classes of the tables; up to three men without pawns are solved where that tells.
fn classes(variant: &Variant, plan: &Plan) -> Vec<Class> {
    let bound = SolveBound { men: 3, ..SolveBound::default() };
    let asked = AskedTables::new(variant, &[], 0, Some(bound)).expect("no folder is opened");
    plan.classes(variant, &|material| {
        let statistics = asked.statistics(material, Metric::Wdl)?;
        let is_drawn = |stm| statistics.side(stm).wins.orbits == 0 && statistics.side(stm).losses.orbits == 0;
        Some(Side::BOTH.into_iter().all(is_drawn))
    })
}

/// No more tables are named one by one.
const MOST_LINES: usize = 12;

/// No more tables that are taken from somewhere are named.
const MOST_TAKEN: usize = 8;

/// No more tables are named in one line.
const MOST_NAMES: usize = 3;

/// A line for each table that has a file and is solved again, and for each that a folder of others has in
/// vain; none for those that were asked for.
pub(crate) fn again(plan: &Plan, outlook: &[Prospect]) -> Vec<String> {
    let line = |(job, prospect): (&Job, &Prospect)| {
        let why = match prospect {
            Prospect::LeftOut { side, needed_by } => {
                let verb = if needed_by.len() == 1 { "needs" } else { "need" };
                format!("its file has not {side} to move, which {} {verb}; the file stays", names(needed_by))
            }
            Prospect::NotLent(why) => return Some(format!("{} is solved: {why}", job.name)),
            Prospect::Outdated => "its file is of other rules or another version, or cannot be read".into(),
            _ => return None,
        };
        Some(format!("{} is solved again: {why}", job.name))
    };
    let mut lines: Vec<String> = plan.jobs().zip(outlook).filter_map(line).collect();
    if lines.len() > MOST_LINES + 1 {
        let more = plural((lines.len() - MOST_LINES) as u64, "more table");
        lines.truncate(MOST_LINES);
        lines.push(format!("… and {more} for like reasons"));
    }
    lines
}

/// The tables that are taken from a folder of others.
#[derive(Serialize, Debug)]
pub(crate) struct Taken {
    folder: String,
    /// How their files end.
    ending: String,
    tables: Vec<String>,
}

impl Taken {
    /// `taken from syzygy (.rtbw): KQvK, KRvK`.
    pub(crate) fn line(&self) -> String {
        let Taken { folder, ending, tables } = self;
        let named = match tables.len() {
            0..=MOST_TAKEN => tables.join(", "),
            n => format!("{} and {} more", tables[..MOST_TAKEN].join(", "), n - MOST_TAKEN),
        };
        format!("taken from {folder} ({ending}): {named}")
    }
}

/// What is taken from where, by folders and formats.
pub(crate) fn taken(plan: &Plan, outlook: &[Prospect]) -> Vec<Taken> {
    let mut all: Vec<Taken> = Vec::new();
    for (job, prospect) in plan.jobs().zip(outlook) {
        let Prospect::Lent { loan, is_read: true } = prospect else { continue };
        let (folder, ending) = (loan.folder().display().to_string(), loan.ending());
        match all.iter_mut().find(|taken| taken.folder == folder && taken.ending == ending) {
            Some(taken) => taken.tables.push(job.name.clone()),
            None => all.push(Taken { folder, ending, tables: vec![job.name.clone()] }),
        }
    }
    all
}

/// `2 of 20 tables are to be solved, 18 are there`.
fn sum(outlook: &[Prospect]) -> String {
    let n_done = outlook.iter().filter(|prospect| **prospect == Prospect::Done).count();
    let (all, n_to_make) = (plural(outlook.len() as u64, "table"), outlook.len() - n_done);
    let verb = if n_to_make == 1 { "is" } else { "are" };
    match n_to_make {
        0 => format!("all of {all} are there"),
        n => format!("{n} of {all} {verb} to be solved, {n_done} are there"),
    }
}

/// A prospect in a word, for programs.
fn name(prospect: &Prospect) -> &'static str {
    match prospect {
        Prospect::Done => "done",
        Prospect::Missing => "missing",
        Prospect::Outdated => "outdated",
        Prospect::LeftOut { .. } => "left-out",
        _ => "asked",
    }
}

fn names(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] if names.len() <= MOST_NAMES => format!("{} and {last}", first.join(", ")),
        _ => format!("{} and {} more", names[..MOST_NAMES - 1].join(", "), names.len() + 1 - MOST_NAMES),
    }
}

#[cfg(test)]
mod tests {
    use super::names;

    #[track_caller]
    fn check_names(given: &[&str], expected: &str) {
        assert_eq!(names(&given.iter().map(|&name| name.to_owned()).collect::<Vec<String>>()), expected);
    }

    #[test]
    fn few_names_are_listed_and_many_counted() {
        check_names(&["KRvK"], "KRvK");
        check_names(&["KRvK", "KQvK", "KBvK"], "KRvK, KQvK and KBvK");
        check_names(&["KRvK", "KQvK", "KBvK", "KNvK"], "KRvK, KQvK and 2 more");
    }
}
