//! `stats --report`: prints in one screen what the pieces of a table can do, as generators of tables for
//! designers of games do.

use crate::args::StatsArgs;
use crate::console::Console;
use crate::filed::FiledTable;
use crate::grid::{Align, Grid};
use crate::pool::pool;
use crate::{Answer, Failure, Outcome};
use ::find::{Query, Search};
use ::stats::{Mean, Statistics};
use library::figure::count;
use library::{LoadedTables, TableFigures};
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

pub(super) fn run(console: &mut Console<'_>, args: &StatsArgs) -> Outcome {
    let statistics = TableFigures::read(&args.file)?.statistics;
    let filed = FiledTable::open(&args.file, args.variant.as_deref())?;
    let (variant, metric) = (&filed.game.variant, filed.metric);
    if metric == Metric::Wdl {
        return Err(Failure::new("a report counts plies; tables of wdl have none"));
    }
    let pool = pool(None)?;
    let LoadedTables { tables, successors } = filed.load(console, &pool, true)?;
    let Some(successors) = successors else {
        return Err(Failure::new("the rules prove every position drawn; there is nothing to report"));
    };
    let count = |stm: &str, question: &str| {
        let text = format!("{stm} ({question})");
        let query = Query::parse(variant, metric, &text).expect("a question of this program");
        let search = Search::new(variant, &query, tables.clone(), Some(&successors), None);
        pool.install(|| search.count(&|_, _| {})).map(|tally| tally.n_unreduced).map_err(Failure::new)
    };
    let mut counts = Vec::new();
    for (_, question) in QUESTIONS {
        counts.push([count("wtm", question)?, count("btm", question)?]);
    }
    write!(console.out, "{}", text(&statistics, &counts))?;
    Ok(Answer::Yes)
}

fn text(statistics: &Statistics, counts: &[[u64; 2]]) -> String {
    let mut grid = Grid::new(&[
        ("", Align::Left),
        ("White to move", Align::Right),
        ("%", Align::Right),
        ("Black to move", Align::Right),
        ("%", Align::Right),
    ]);
    let sides = Side::BOTH.map(|stm| statistics.side(stm));
    let all = sides.map(|side| side.legal().unreduced);
    let mut row = |label: &str, numbers: [u64; 2]| {
        let cells = numbers.into_iter().zip(all).flat_map(|(number, all)| {
            [count(number), Mean::percent(number, all).map_or_else(String::new, |mean| mean.to_string())]
        });
        grid.push(std::iter::once(label.to_owned()).chain(cells).collect());
    };
    row("legal positions", all);
    row("won", sides.map(|side| side.wins.unreduced));
    row("drawn", [0, 1].map(|i| all[i] - sides[i].wins.unreduced - sides[i].losses.unreduced));
    row("lost", sides.map(|side| side.losses.unreduced));
    row("mated", sides.map(|side| side.mates.unreduced));
    for ((label, _), &pair) in QUESTIONS.iter().zip(counts) {
        row(label, pair);
    }
    let figure = |figures: [Option<String>; 2], label: &str, grid: &mut Grid| {
        if figures.iter().any(Option::is_some) {
            let [white, black] = figures.map(|figure| figure.unwrap_or_else(|| "-".into()));
            grid.push(vec![label.to_owned(), white, String::new(), black]);
        }
    };
    let ply = |longest: &Option<::stats::Longest>| longest.as_ref().map(|longest| longest.ply.to_string());
    figure(sides.map(|side| ply(&side.longest_win)), "longest win, plies", &mut grid);
    figure(sides.map(|side| side.mean_win().map(|m| m.to_string())), "mean win", &mut grid);
    figure(
        sides.map(|side| side.mean_slow_win().map(|m| m.to_string())),
        "mean win, immediate ones left out",
        &mut grid,
    );
    figure(sides.map(|side| ply(&side.longest_loss)), "longest loss, plies", &mut grid);
    figure(sides.map(|side| side.mean_loss().map(|m| m.to_string())), "mean loss", &mut grid);
    figure(
        sides.map(|side| side.mean_slow_loss().map(|m| m.to_string())),
        "mean loss, immediate ones left out",
        &mut grid,
    );
    let head = format!(
        "{} {}: positions on the whole board, like men told apart\n",
        statistics.material, statistics.metric
    );
    (head + &grid.text(None)).lines().map(|line| visible(line) + "\n").collect()
}
