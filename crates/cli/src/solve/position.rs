//! `solve --position` of positions in which somebody may castle: builds whole tables with their files of such
//! positions, as `--table … --rights` does, and answers from them.

use super::args::SolveArgs;
use super::rights;
use super::run::Run;
use crate::args::WriteFormat;
use crate::console::Console;
use crate::game::Game;
use crate::planning::Planning;
use crate::pool::{count_threads, pool};
use crate::probe::text;
use crate::{Answer, Failure, Outcome, structure};
use ::plan::{Job, Request};
use ::probe::{Ask, Tablebase};
use ::rights::{RightsKey, RightsTables};
use build::Solver;
use library::figure::count;
use library::{AnswerJson, Edition, LentTables, TableFiles};
use position::{Position, RuleBook};
use std::path::Path;
use std::sync::Arc;
use variant::{Material, Metric};

/// How many bytes of decompressed blocks are kept while the answers are found.
const CACHE_BYTES: usize = 256 << 20;

pub(super) fn run(
    console: &mut Console<'_>,
    args: &SolveArgs,
    solver: &Solver<'_>,
    game: &Game,
    roots: &[Position],
) -> Outcome {
    let metric = match args.metric[..] {
        [] => game.variant.default_metric,
        [metric] => metric,
        _ => {
            let why = "a position is solved under one metric at a time; name one with --metric";
            return Err(Failure::new(why));
        }
    };
    check_options(args)?;
    check_sizes(game, roots)?;
    structure::check_lenders(&args.using)?;
    let mut materials: Vec<Material> = Vec::new();
    for root in roots {
        let material = Material::from_men(root.men().map(|(man, _)| man)).canonical(&game.variant);
        if !materials.contains(&material) {
            materials.push(material);
        }
    }
    let folder = game.tables(args.out.as_deref());
    let lent = structure::lent_to_positions(&game.variant, metric, &args.using)?;
    let (request, pool) = (Request::Tables(materials), pool(args.threads)?);
    let run = Run { game, request, args, solver, pool: &pool, is_json: false };
    check_limit(&run, metric, &folder, lent.as_deref())?;
    build(console, &run, metric, &folder)?;
    // What was looked for before the build may be there now.
    let lent = structure::lent_to_positions(&game.variant, metric, &args.using)?;
    answer(console, &run, roots, metric, &folder, lent)
}

/// Refuses options that are about structures, or about tables alone.
fn check_options(args: &SolveArgs) -> Result<(), Failure> {
    let limits = [
        ("--fixed", !args.structure.fixed.is_empty()),
        ("--promoted", args.structure.promoted.is_some()),
        ("--for", args.structure.goal.is_some()),
    ];
    if let Some((option, _)) = limits.iter().find(|(_, is_given)| *is_given) {
        return Err(Failure::new(format!(
            "{option} is for structures, and positions with castling rights are solved with whole tables; \
             leave it out, or write `-` for the rights"
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
fn check_sizes(game: &Game, roots: &[Position]) -> Result<(), Failure> {
    let book = RuleBook::new(&game.variant);
    let fault = |root: &Position| {
        let key = RightsKey::new(root)?;
        let error = RightsTables::check_size(&game.variant, &key).err()?;
        Some(format!("{}: {error}", root.to_fen(&book)))
    };
    let faults: Vec<String> = roots.iter().filter_map(fault).collect();
    if faults.is_empty() { Ok(()) } else { Err(Failure::new(faults.join("\nerror: "))) }
}

/// Refuses tables of more values than somebody allows; those that are at hand do not count.
fn check_limit(
    run: &Run<'_>,
    metric: Metric,
    folder: &Path,
    lent: Option<&LentTables>,
) -> Result<(), Failure> {
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
    Err(Failure::new(format!(
        "the tables that are not at hand have {} values, and --limit allows {}: allow more, or name folders \
         of tables with --using",
        count(n_values),
        count(most)
    )))
}

/// Builds the tables and the files of positions with rights, as far as they are not at hand; what is printed
/// of them stands beside the output if that is JSON.
fn build(console: &mut Console<'_>, run: &Run<'_>, metric: Metric, folder: &Path) -> Result<(), Failure> {
    let editions = run.game.editions(&[metric]);
    let build = |console: &mut Console<'_>| {
        run.build(console, &editions, folder, run.files())?;
        rights::build(console, run, &editions, folder)
    };
    if !run.args.json {
        build(console)?;
        return Ok(writeln!(console.out)?);
    }
    let mut report = Vec::new();
    let built = build(&mut Console {
        program: console.program,
        input: &mut *console.input,
        out: &mut report,
        err: &mut *console.err,
        is_watched: console.is_watched,
        cache: console.cache.clone(),
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
    let tables =
        Tablebase::open_with(folder, &run.game.variant, metric, CACHE_BYTES).map_err(Failure::new)?;
    let tables = tables.with_threads(count_threads(run.args.threads));
    let tables = match lent {
        Some(lent) => tables.lending(lent),
        None => tables,
    };
    for root in roots {
        let answer = tables.answer(root, &Ask::ALL).map_err(Failure::new)?;
        match run.args.json {
            true => console.print_json(&AnswerJson::new(tables.book(), &answer))?,
            false => write!(console.out, "{}", text::answer(tables.book(), &answer, None))?,
        }
    }
    Ok(Answer::Yes)
}
