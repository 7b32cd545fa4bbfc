//! `stats --report` and `stats --against`: prints in one screen what the pieces of a table can do, as
//! generators of tables for designers of games do, and what other rules change.

use super::args::StatsArgs;
use crate::report::text;
use crate::thing::FiledTable;
use crate::{Console, Failure, Outcome, Report, WholeTable, count, plural, pool};
use ::find::{Query, Search};
use ::stats::{Change, Contrast, Mean, SideStatistics, Standing};
use library::{LoadedTables, TableFigures};
use std::path::Path;
use variant::{Metric, Side, visible};

/// What is counted besides the statistics, for each side to move.
const QUESTIONS: [(&str, &str); 7] = [
    ("in check", "check"),
    ("wins at once", "win and plies <= 1"),
    ("no legal move, drawn", "stalemate"),
    ("wins by a capture", "win and best.captures"),
    ("draws by a capture at once", "draw and moves.keeping-captures > 0"),
    ("other draws (fortresses)", "draw and not stalemate and moves.keeping-captures = 0"),
    ("only one move keeps the result", "not loss and moves.keeping = 1"),
];

/// A figure in plies, as a cell.
type Figure = fn(&SideStatistics) -> Option<String>;

/// What is said of plies.
const PLIES: [(&str, Figure); 6] = [
    ("longest win, plies", |side| Some(side.longest_win.as_ref()?.ply.to_string())),
    ("mean win", |side| Some(side.mean_win()?.to_string())),
    ("mean win, immediate ones left out", |side| Some(side.mean_slow_win()?.to_string())),
    ("longest loss, plies", |side| Some(side.longest_loss.as_ref()?.ply.to_string())),
    ("mean loss", |side| Some(side.mean_loss()?.to_string())),
    ("mean loss, immediate ones left out", |side| Some(side.mean_slow_loss()?.to_string())),
];

/// Reports what the pieces of a table can do.
pub(super) fn report(console: &mut Console<'_>, args: &StatsArgs) -> Outcome<()> {
    let filed = FiledTable::open(&args.file, args.variant.as_deref(), args.metric)?;
    let (variant, metric) = (&filed.game.variant, filed.metric);
    let statistics = TableFigures::read(&args.file, metric)?.statistics;
    if metric == Metric::Wdl {
        return Err(Failure::new("a report counts plies; tables of wdl have none"));
    }
    let pool = pool(None)?;
    let LoadedTables { tables, successors } = filed.load(console, &pool, true)?;
    let Some(successors) = successors else {
        return Err(Failure::new("the rules prove every position drawn; there is nothing to report"));
    };
    let asked = |stm: &str, question: &str| {
        let text = format!("{stm} ({question})");
        let query = Query::parse(variant, metric, &text).expect("a question of this program");
        let search = Search::new(variant, &query, tables.clone(), Some(&successors), None);
        pool.install(|| search.count(&|_, _| {})).map(|tally| tally.n_unreduced).map_err(Failure::new)
    };
    let sides = Side::BOTH.map(|stm| statistics.side(stm));
    let all = sides.map(|side| side.legal().unreduced);
    let mut report = Report::new(" | >White to move | >% | >Black to move | >%");
    let mut row = |label: &str, numbers: [u64; 2]| {
        let cells = numbers.into_iter().zip(all);
        let cells = cells.flat_map(|(number, all)| [count(number), text(Mean::percent(number, all))]);
        report.row(std::iter::once(label.to_owned()).chain(cells));
    };
    row("legal positions", all);
    row("won", sides.map(|side| side.wins.unreduced));
    row("drawn", [0, 1].map(|i| all[i] - sides[i].wins.unreduced - sides[i].losses.unreduced));
    row("lost", sides.map(|side| side.losses.unreduced));
    row("mated", sides.map(|side| side.mates.unreduced));
    for (label, question) in QUESTIONS {
        row(label, [asked("wtm", question)?, asked("btm", question)?]);
    }
    for (label, figure) in PLIES {
        let figures = sides.map(figure);
        if figures.iter().any(Option::is_some) {
            let [white, black] = figures.map(|figure| figure.unwrap_or_else(|| "-".into()));
            report.row([label, &white, "", &black]);
        }
    }
    let name = visible(&format!("{} {}", statistics.material, statistics.metric));
    writeln!(console.out, "{name}: positions on the whole board, like men told apart")?;
    Ok(write!(console.out, "{}", report.text(None))?)
}

/// Compares two tables of the same men under different rules.
pub(super) fn against(console: &mut Console<'_>, args: &StatsArgs, other: &Path) -> Outcome<()> {
    let pool = pool(None)?;
    let first = WholeTable::read(console, &pool, &args.file, args.variant.as_deref(), args.metric)?;
    let second = WholeTable::read(console, &pool, other, None, args.metric)?;
    let files = [args.file.display(), other.display()];
    if first.metric != second.metric {
        return Err(Failure::new(format!(
            "{} holds {} and {} holds {}; tables of one metric are compared",
            files[0], first.metric, files[1], second.metric
        )));
    }
    let [a, b] = [&first, &second].map(|own| (&own.game.variant, &*own.table));
    let no = |error| Failure::new(format!("{} and {} cannot be compared: {error}", files[0], files[1]));
    let contrast = pool.install(|| Contrast::new(a, b)).map_err(no)?;
    let [own, theirs] = [a, b].map(|(variant, _)| variant.name.as_str());
    let (name, metric) = (first.table.layout().name(), first.metric);
    writeln!(
        console.out,
        "{name} {metric}: rows by {own}, columns by {theirs}; positions modulo symmetry and the exchange of \
         like men"
    )?;
    for stm in Side::BOTH {
        let side = contrast.side(stm);
        let titles = Standing::ALL.map(|standing| format!(" | >{theirs}: {}", standing.text()));
        let mut report = Report::new(&format!("{stm} to move{}", titles.concat()));
        for before in Standing::ALL {
            let counts = Standing::ALL.map(|after| match (before, after) {
                // No position in either: nothing to count.
                (Standing::Illegal, Standing::Illegal) => String::new(),
                _ => count(side.count(before, after)),
            });
            report.row(std::iter::once(format!("{own}: {}", before.text())).chain(counts));
        }
        write!(console.out, "{}", report.text(console.out_width))?;
        let same = plural(side.n_other_plies, "position");
        writeln!(console.out, "{same} with the same result and another number of plies")?;
        for Change { fen, before, after } in &side.examples {
            writeln!(console.out, "  {fen}: {before} by {own}, {after} by {theirs}")?;
        }
    }
    Ok(())
}
