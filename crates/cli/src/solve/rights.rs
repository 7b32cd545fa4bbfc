//! Builds the columns of positions with rights to castle beside the tables of a run, for `solve --rights`;
//! and for `solve --position` of such positions, which are answered from these columns.

use super::args::SolveArgs;
use super::report::{RESULTS, Sum};
use super::run::{PATIENCE, Run};
use crate::args::WriteFormat;
use crate::probe::text;
use crate::structure::lent_to_positions;
use crate::{
    Answer, Console, Failure, Game, Outcome, Planning, Report, Watch, bytes, count, count_threads, distance,
    plural, pool, seconds, structure,
};
use ::plan::{Job, Request};
use ::probe::{Ask, Tablebase};
use ::rights::{RightsKey, RightsTables};
use build::{BuiltRights, FolderLock, RightsBuild, Solver};
use library::{AnswerJson, Edition, LentTables, LibraryError, MemoryLimit, TableFiles};
use position::{Position, RuleBook};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;
use variant::{Metric, Side};

/// How wide a terminal is on which results and positions have room.
const WIDE: usize = 170;

/// Fails if the game has no castling.
pub(super) fn check(run: &Run<'_>) -> Outcome<()> {
    if run.game.variant.rules.castling.is_some() {
        return Ok(());
    }
    Err(Failure::new(format!(
        "--rights: {} has no castling; leave --rights out, or say who castles in its [rules] \
         (docs/variants.md)",
        run.game.variant.name
    )))
}

/// Builds the columns of all metrics of a run.
pub(super) fn build(
    console: &mut Console<'_>,
    run: &Run<'_>,
    editions: &[Edition],
    folder: &Path,
) -> Outcome<()> {
    let lenders = &run.args.using;
    let plan = run.game.plan(&run.request, &mut Planning::new(false))?;
    let lock = FolderLock::shared(folder, PATIENCE)?;
    let metrics: BTreeSet<Metric> = editions.iter().flat_map(Edition::metrics).copied().collect();
    let name_width = plan.jobs().map(|job| job.name.len()).max().unwrap_or(0);
    for metric in metrics {
        let is_default = metric == run.game.variant.default_metric;
        let title = if is_default { "castling".to_owned() } else { format!("castling, {metric}") };
        let is_wide = console.out_width.is_none_or(|width| width >= WIDE);
        let rows = report(&title, name_width, is_wide);
        let (begun, mut sum) = (Instant::now(), Sum::default());
        let build = RightsBuild {
            variant: &run.game.variant,
            metric,
            folder: lock.folder(),
            lent: lent_to_positions(&run.game.variant, metric, lenders)?,
            n_threads: count_threads(run.args.threads),
            force: run.args.force,
            memory: MemoryLimit::new(run.args.memory),
        };
        if lenders.is_empty() {
            write!(console.out, "\n{}", rows.head())?;
        }
        let mut printed = Ok(());
        let (watch, out) = (Watch::new(console.is_watched, &mut *console.err), &mut *console.out);
        let begun_file = |name: &str| watch.at_work(format!("castling rights of {name}"));
        let mut print = |rights: BuiltRights| {
            printed = match &rights.lent {
                Some(path) => {
                    watch.note(&format!("taken: {}", path.display()));
                    Ok(())
                }
                None => {
                    let is_first = sum.n_files == 0 && !lenders.is_empty();
                    let head = if is_first { format!("\n{}", rows.head()) } else { String::new() };
                    sum.add(rights.figures.n_positions(), rights.size_bytes, rights.time);
                    let row = rows.line(&cells(&rights, is_wide));
                    watch.beside(|| write!(out, "{head}{row}").and_then(|()| out.flush()))
                }
            };
            // The reader of the output has gone.
            if printed.is_err() { Err(LibraryError::Interrupted) } else { Ok(()) }
        };
        let n_too_large = watch.during(|| build.run(&plan, &begun_file, &mut print));
        drop(watch);
        printed?;
        let n_too_large = n_too_large?;
        if sum.n_files > 0 || lenders.is_empty() {
            let columns = format!("{} with castling rights", plural(sum.n_files, "column"));
            write!(console.out, "{}", sum.line(&columns, folder, begun.elapsed()))?;
        }
        if n_too_large > 0 {
            let tables = plural(n_too_large as u64, "table");
            console.tell(&format!("no castling rights of {tables}: there are too many men"))?;
        }
    }
    Ok(())
}

/// The head of the rows of columns. Without room for results and positions these are left out.
fn report(title: &str, name_width: usize, is_wide: bool) -> Report {
    let results = RESULTS.into_iter().filter(|_| is_wide);
    let titles = [title, ">rights", ">positions"].into_iter().chain(results.clone());
    let titles: Vec<&str> = titles.chain([">time", ">size", "longest win"]).collect();
    let widths = [name_width, 6, 11].into_iter().chain(results.map(|_| 10)).chain([8, 8, 0]);
    Report::new(&titles.join("|")).at_least(widths)
}

fn cells(rights: &BuiltRights, is_wide: bool) -> Vec<String> {
    let figures = &rights.figures;
    let mut cells = vec![rights.name.clone(), rights.n_choices.to_string(), count(figures.n_positions())];
    let results = Side::BOTH.into_iter().flat_map(|stm| figures.side(stm));
    cells.extend(results.map(count).filter(|_| is_wide));
    let fen = |fen| if is_wide { format!(": {fen}") } else { String::new() };
    let longest = figures.longest_win.as_ref();
    let longest = longest.map(|longest| distance(longest.ply.0) + &fen(&longest.fen));
    cells.push(rights.time.map_or_else(|| "done".into(), seconds));
    cells.extend([bytes(rights.size_bytes), longest.unwrap_or_else(|| "none".into())]);
    cells
}

/// How many bytes of decompressed blocks are kept while the answers are found.
const CACHE_BYTES: usize = 256 << 20;

/// Solves positions with whole tables, and the columns of castling rights if the game has these, and answers
/// them. `these` says which positions they are.
pub(super) fn solve_positions(
    console: &mut Console<'_>,
    args: &SolveArgs,
    solver: &Solver<'_>,
    game: &Game,
    roots: &[Position],
    these: &str,
) -> Outcome {
    if args.time.is_some() {
        return Err(Failure::new(format!(
            "--time is for structures, and {these} are solved with whole tables: an interrupted run goes on \
             where it stopped; leave out --time"
        )));
    }
    let metric = args.metric.first().copied().unwrap_or(game.variant.default_metric);
    if args.metric.len() > 1 {
        let why = "a position is solved under one metric at a time; name one with --metric";
        return Err(Failure::new(why));
    }
    check_options(args, these)?;
    check_sizes(game, roots)?;
    structure::check_lenders(&args.using)?;
    let mut known = BTreeSet::new();
    let material = |root: &Position| root.material().canonical(&game.variant);
    let materials = roots.iter().map(material).filter(|material| known.insert(material.clone())).collect();
    let folder = game.tables(console, args.out.as_deref());
    let lent = structure::lent_to_positions(&game.variant, metric, &args.using)?;
    let (request, pool) = (Request::Tables(materials), pool(args.threads)?);
    let run = Run { game, request, args, solver, pool: &pool, is_json: false };
    check_limit(&run, metric, &folder, lent.as_deref())?;
    build_for_answers(console, &run, metric, &folder)?;
    // What was looked for before the build may be there now.
    let lent = structure::lent_to_positions(&game.variant, metric, &args.using)?;
    answer(console, &run, roots, metric, &folder, lent)
}

/// Refuses options that are about structures, or about tables alone.
fn check_options(args: &SolveArgs, these: &str) -> Outcome<()> {
    let fixed = (!args.structure.fixed.is_empty()).then_some("--fixed");
    let promoted = args.structure.promoted.as_ref().map(|_| "--promoted");
    if let Some(option) = fixed.or(promoted).or(args.structure.goal.map(|_| "--for")) {
        return Err(Failure::new(format!(
            "{option} is for structures, and {these} are solved with whole tables; leave it out"
        )));
    }
    if args.rounded || args.one_file || args.write.iter().any(|&format| format != WriteFormat::Tsm) {
        return Err(Failure::new(
            "--write, --rounded and --one-file are for tables; solve these with --table, and not --position",
        ));
    }
    Ok(())
}

/// Refuses positions with too many men, all of them at once.
fn check_sizes(game: &Game, roots: &[Position]) -> Outcome<()> {
    let book = RuleBook::new(&game.variant);
    let fault = |root: &Position| {
        let key = RightsKey::new(root)?;
        let error = RightsTables::check_size(&game.variant, &key).err()?;
        Some(format!("{}: {error}", root.to_fen(&book)))
    };
    let faults: Vec<String> = roots.iter().filter_map(fault).collect();
    Failure::of_faults(&faults)
}

/// Refuses tables of more values than `--limit` allows; those that are at hand do not count.
fn check_limit(run: &Run<'_>, metric: Metric, folder: &Path, lent: Option<&LentTables>) -> Outcome<()> {
    let plan = run.game.plan(&run.request, &mut Planning::new(false))?;
    let files = TableFiles::new(Edition::new(&run.game.variant, metric), folder);
    let is_at_hand = |job: &&Job| {
        let is_lent = lent.is_some_and(|lent| lent.has_table(&job.material));
        !run.args.force && (files.are_there(&job.name) || is_lent)
    };
    let n_values: u64 = plan.jobs().filter(|job| !is_at_hand(job)).map(Job::n_values).sum();
    let most = run.args.structure.limit;
    if n_values <= most {
        return Ok(());
    }
    let [n_values, most] = [n_values, most].map(count);
    Err(Failure::new(format!(
        "the tables that are not at hand have {n_values} values, and --limit allows {most}: allow more, or \
         name folders of tables with --using"
    )))
}

/// Builds the tables, and the columns of positions with rights if there are any, as far as they are not at
/// hand; what is printed of them stands beside the output if that is JSON.
fn build_for_answers(console: &mut Console<'_>, run: &Run<'_>, metric: Metric, folder: &Path) -> Outcome<()> {
    let editions = run.game.editions(&[metric]);
    let build_all = |console: &mut Console<'_>| {
        run.build(console, &editions, folder, run.files())?;
        match run.game.variant.rules.castling {
            Some(_) => build(console, run, &editions, folder),
            None => Ok(()),
        }
    };
    if !run.args.json {
        build_all(console)?;
        return Ok(writeln!(console.out)?);
    }
    let mut report = Vec::new();
    let built = build_all(&mut Console {
        program: console.program,
        input: &mut *console.input,
        out: &mut report,
        err: &mut *console.err,
        is_watched: console.is_watched,
        cache: console.cache.clone(),
        tables: console.tables.clone(),
        out_width: None,
        err_width: console.err_width,
    });
    console.err.write_all(&report)?;
    built
}

/// Prints what the positions are worth, as `probe` does.
fn answer(
    console: &mut Console<'_>,
    run: &Run<'_>,
    roots: &[Position],
    metric: Metric,
    folder: &Path,
    lent: Option<Arc<LentTables>>,
) -> Outcome {
    let tables = Tablebase::open_with(&[folder.into()], &run.game.variant, metric, CACHE_BYTES)?;
    let tables = tables.with_threads(count_threads(run.args.threads));
    let tables = if let Some(lent) = lent { tables.lending(lent) } else { tables };
    for root in roots {
        let answer = tables.answer(root, &Ask::ALL)?;
        match run.args.json {
            true => console.print_json(&AnswerJson::new(tables.book(), &answer, usize::MAX))?,
            false => write!(console.out, "{}", text::answer(tables.book(), &answer, None))?,
        }
    }
    Ok(Answer::Yes)
}
