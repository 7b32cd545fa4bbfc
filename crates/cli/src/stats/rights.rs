//! `stats FILE.tsr`: counts the positions with rights to castle of a material, and lists those in which only
//! castling will do.

use super::StatsArgs;
use crate::console::Console;
use crate::pool::pool;
use crate::report::Report;
use crate::thing::{FiledRights, folder_of};
use crate::{Answer, Failure, Outcome};
use ::probe::Tablebase;
use build::{RightsFigures, SoleCastling};
use library::figure::{count, distance};
use position::RuleBook;
use rights::RightsKey;
use serde_json::{Value, json};
use table::Scale;
use variant::{Side, visible};

/// How many bytes of decompressed blocks are kept.
const CACHE_BYTES: usize = 512 << 20;

pub(super) fn run(console: &mut Console<'_>, args: &StatsArgs) -> Outcome {
    if args.csv || args.markdown || args.report || args.against.is_some() || args.squares {
        return Err(Failure::new("of positions with castling rights (.tsr) there are --epd and --json"));
    }
    let filed = FiledRights::open(&args.file, args.variant.as_deref())?;
    if args.epd {
        return epd(console, args, &filed);
    }
    let FiledRights { game, metric, summary, file, tables } = &filed;
    let (book, scale) = (RuleBook::new(&game.variant), Scale::new(*metric, &game.variant.rules));
    let figures = |table| RightsFigures::of(&book, &scale, table);
    let mut choices: Vec<(String, RightsFigures)> =
        tables.iter().map(|table| (named(&book, table.key()), figures(table))).collect();
    let all = choices.iter().fold(RightsFigures::default(), |all, (_, figures)| all.with(figures.clone()));
    if args.json {
        let choices: Vec<Value> = choices.iter().map(|(field, figures)| json_of(field, figures)).collect();
        console.print_json(&json!({
            "variant": game.variant.name, "material": summary.material, "metric": metric.name(),
            "size_bytes": file.size_bytes(), "rights": choices, "all": json_of("all", &all),
        }))?;
        return Ok(Answer::Yes);
    }
    let title = visible(&format!("{} {metric}", summary.material));
    writeln!(console.out, "{title}: positions with castling rights, with the colours exchanged once")?;
    let mut report = Report::new(
        "rights | >positions | >wtm: wins | >draws | >losses | >btm: wins | >draws | >losses | longest win",
    );
    choices.push(("all".into(), all));
    for (field, figures) in &choices {
        let mut row = vec![field.clone(), count(figures.n_positions())];
        row.extend(Side::BOTH.into_iter().flat_map(|stm| figures.side(stm)).map(count));
        let longest = figures.longest_win.as_ref();
        let longest = longest.map(|longest| format!("{}: {}", distance(longest.ply.0), longest.fen));
        row.push(longest.unwrap_or_else(|| "none".into()));
        report.row(row);
    }
    write!(console.out, "{}", report.text(console.out_width))?;
    Ok(Answer::Yes)
}

/// A choice of rights as the castling field has it; where king and rooks begin on any file, with the men and
/// their squares, because many choices have the same field.
fn named(book: &RuleBook, key: &RightsKey) -> String {
    let has_any_files = book.variant().rules.castling.as_ref().is_some_and(|rule| rule.any_files);
    if has_any_files { key.name(book.variant()) } else { key.field(book) }
}

fn json_of(field: &str, figures: &RightsFigures) -> Value {
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
fn epd(console: &mut Console<'_>, args: &StatsArgs, filed: &FiledRights) -> Outcome {
    let folder = folder_of(&args.file);
    let base = Tablebase::open_with(folder, &filed.game.variant, filed.metric, CACHE_BYTES)?;
    let all = filed.tables.iter().map(|table| SoleCastling::all(&base, table));
    let all = pool(None)?.install(|| all.collect::<Result<Vec<_>, _>>())?;
    let all: Vec<SoleCastling> = all.into_iter().flatten().collect();
    for is_win in [true, false] {
        for sole in all.iter().filter(|sole| sole.is_win == is_win).take(args.limit(console)) {
            writeln!(console.out, "{}", sole.epd)?;
        }
    }
    Ok(Answer::Yes)
}
