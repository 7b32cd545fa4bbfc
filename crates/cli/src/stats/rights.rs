//! `stats FILE.tsr`: counts the positions with rights to castle of a material, and lists those in which only
//! castling will do.

use crate::args::StatsArgs;
use crate::console::Console;
use crate::game::Game;
use crate::grid::{Align, Grid};
use crate::pool::pool;
use crate::{Answer, Failure, Outcome};
use ::probe::Tablebase;
use build::{RightsFigures, SoleCastling};
use library::figure::{count, distance};
use position::RuleBook;
use rights::{RightsFile, RightsKey, RightsSummary, RightsTable};
use serde_json::json;
use std::path::Path;
use std::sync::Arc;
use table::Scale;
use variant::{Metric, Side, visible};

/// How many bytes of decompressed blocks are kept.
const CACHE_BYTES: usize = 512 << 20;

/// How many positions of a kind are printed on a terminal, unless somebody says.
const MAX_ON_TERMINAL: u64 = 1000;

pub(super) fn run(console: &mut Console<'_>, args: &StatsArgs) -> Outcome {
    if args.csv || args.markdown || args.report || args.against.is_some() || args.squares {
        return Err(Failure::new("of positions with castling rights (.tsr) there are --epd and --json"));
    }
    let summary = RightsSummary::read(&args.file).map_err(Failure::new)?;
    let folder = args.file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let game = Game::find_beside(args.variant.as_deref(), &summary.variant, folder)?;
    let metric: Metric = summary.metric.parse().map_err(Failure::new)?;
    let material = game.material(&summary.material)?;
    let file = RightsFile::open(&args.file, &game.variant, &material, metric).map_err(Failure::new)?;
    let tables = file.keys().map(|key| Ok(file.table(key)?.expect("the file has this key")));
    let tables: Vec<Arc<RightsTable>> =
        tables.collect::<Result<_, rights::RightsError>>().map_err(Failure::new)?;
    if args.epd {
        let base = Tablebase::open_with(folder, &game.variant, metric, CACHE_BYTES).map_err(Failure::new)?;
        return epd(console, args, &base, &tables);
    }
    let (book, scale) = (RuleBook::new(&game.variant), Scale::new(metric, &game.variant.rules));
    let choices: Vec<(String, RightsFigures)> = tables
        .iter()
        .map(|table| (named(&book, table.key()), RightsFigures::of(&book, &scale, table)))
        .collect();
    let all = choices.iter().fold(RightsFigures::default(), |all, (_, figures)| all.with(figures.clone()));
    if args.json {
        let choices: Vec<_> = choices.iter().map(|(field, figures)| json_of(field, figures)).collect();
        console.print_json(&json!({
            "variant": game.variant.name, "material": summary.material, "metric": metric.name(),
            "size_bytes": file.size_bytes(), "rights": choices, "all": json_of("all", &all),
        }))?;
        return Ok(Answer::Yes);
    }
    let title = format!(
        "{} {metric}: positions with castling rights, with the colours exchanged once",
        summary.material
    );
    writeln!(console.out, "{}", visible(&title))?;
    let mut grid = Grid::new(&[
        ("rights", Align::Left),
        ("positions", Align::Right),
        ("wtm: wins", Align::Right),
        ("draws", Align::Right),
        ("losses", Align::Right),
        ("btm: wins", Align::Right),
        ("draws", Align::Right),
        ("losses", Align::Right),
        ("longest win", Align::Left),
    ]);
    for (field, figures) in choices.iter().chain([&("all".to_owned(), all)]) {
        let mut row = vec![field.clone(), count(figures.n_positions())];
        row.extend(Side::BOTH.into_iter().flat_map(|stm| figures.side(stm)).map(count));
        row.push(figures.longest_win.as_ref().map_or_else(
            || "none".into(),
            |longest| format!("{}: {}", distance(longest.ply.0), longest.fen),
        ));
        grid.push(row);
    }
    write!(console.out, "{}", grid.text(console.out_width))?;
    Ok(Answer::Yes)
}

/// A choice of rights as the castling field has it; where king and rooks begin on any file, with the men and
/// their squares, because many choices have the same field.
fn named(book: &RuleBook, key: &RightsKey) -> String {
    let has_any_files = book.variant().rules.castling.as_ref().is_some_and(|rule| rule.any_files);
    if has_any_files { key.name(book.variant()) } else { key.field(book) }
}

fn json_of(field: &str, figures: &RightsFigures) -> serde_json::Value {
    let side = |stm| {
        let [wins, draws, losses] = figures.side(stm);
        json!({ "wins": wins, "draws": draws, "losses": losses })
    };
    let longest = |longest: &Option<build::RightsLongest>| {
        longest.as_ref().map(|longest| json!({ "plies": longest.ply.0, "fen": longest.fen }))
    };
    json!({
        "rights": field, "positions": figures.n_positions(),
        "white_to_move": side(Side::White), "black_to_move": side(Side::Black),
        "longest_win": longest(&figures.longest_win), "longest_loss": longest(&figures.longest_loss),
    })
}

/// Prints the positions in which only castling wins, then those in which only castling draws.
fn epd(
    console: &mut Console<'_>,
    args: &StatsArgs,
    base: &Tablebase,
    tables: &[Arc<RightsTable>],
) -> Outcome {
    let most = args.limit.or(console.out_width.map(|_| MAX_ON_TERMINAL)).unwrap_or(u64::MAX);
    let all = tables.iter().map(|table| SoleCastling::all(base, table));
    let all = pool(None)?.install(|| all.collect::<Result<Vec<_>, _>>()).map_err(Failure::new)?;
    let all: Vec<SoleCastling> = all.into_iter().flatten().collect();
    for is_win in [true, false] {
        let found = all.iter().filter(|sole| sole.is_win == is_win);
        for sole in found.take(usize::try_from(most).unwrap_or(usize::MAX)) {
            writeln!(console.out, "{}", sole.epd)?;
        }
    }
    Ok(Answer::Yes)
}
