//! Lists the statistics of several tables: text, Markdown, CSV or JSON.

use crate::args::StatsArgs;
use crate::console::Console;
use crate::grid::{Align, Grid};
use crate::{Answer, Failure, Outcome};
use library::TableFigures;
use library::figure::{bytes, count};
use serde::Serialize;
use stats::{Mean, SideStatistics, Statistics};
use variant::{Side, visible};

pub(super) fn run(console: &mut Console<'_>, args: &StatsArgs, tables: Vec<TableFigures>) -> Outcome {
    if tables.is_empty() {
        let folder = args.file.display();
        return Err(Failure::new(format!(
            "{folder} has no table files; flat and Syzygy files carry no statistics"
        )));
    }
    if args.epd {
        return Err(Failure::new("--epd lists the positions of one table; name its file"));
    }
    if args.json {
        let json: Vec<TableJson<'_>> = tables.iter().map(TableJson::new).collect();
        console.print_json(&json)?;
    } else if args.csv {
        write!(console.out, "{}", csv(args, &tables))?;
    } else {
        write!(console.out, "{}", visible_lines(&table(&tables, args.markdown, console.out_width)))?;
    }
    Ok(Answer::Yes)
}

fn csv(args: &StatsArgs, tables: &[TableFigures]) -> String {
    let mut text = String::new();
    let mut line = |cells: Vec<String>| {
        text += &(cells.iter().map(|cell| quoted(cell)).collect::<Vec<_>>().join(",") + "\n")
    };
    if args.by_ply {
        line(TableFigures::PLY_COLUMNS.map(str::to_owned).to_vec());
        tables.iter().flat_map(TableFigures::plies).for_each(|row| line(row.to_vec()));
    } else {
        line(TableFigures::columns());
        for table in tables {
            line(table.cells().into_iter().map(Option::unwrap_or_default).collect());
        }
    }
    text
}

/// A cell of CSV; a name that somebody else wrote may have anything in it.
fn quoted(cell: &str) -> String {
    let cell = visible(cell);
    if cell.contains([',', '"']) { format!("\"{}\"", cell.replace('"', "\"\"")) } else { cell }
}

fn visible_lines(text: &str) -> String {
    text.lines().map(|line| visible(line) + "\n").collect()
}

/// The figures that people compare, on a terminal of this width if they go to one.
fn table(tables: &[TableFigures], is_markdown: bool, width: Option<usize>) -> String {
    let columns = [
        ("table", Align::Left),
        ("metric", Align::Left),
        ("wtm: win %", Align::Right),
        ("draw %", Align::Right),
        ("loss %", Align::Right),
        ("longest", Align::Right),
        ("mean", Align::Right),
        ("btm: win %", Align::Right),
        ("draw %", Align::Right),
        ("loss %", Align::Right),
        ("longest", Align::Right),
        ("mean", Align::Right),
        ("zugzwangs", Align::Right),
        ("positions", Align::Right),
        ("size", Align::Right),
    ];
    let rows = tables.iter().map(|table| {
        let statistics = &table.statistics;
        let mut row = vec![statistics.material.clone(), statistics.metric.clone()];
        for stm in Side::BOTH {
            let side = statistics.side(stm);
            row.extend(percentages(side));
            let longest = [&side.longest_win, &side.longest_loss];
            let longest = longest.into_iter().flatten().max_by_key(|longest| longest.ply);
            row.push(longest.map_or_else(String::new, |longest| longest.ply.to_string()));
            let mean =
                if side.wins.unreduced >= side.losses.unreduced { side.mean_win() } else { side.mean_loss() };
            row.push(mean.map_or_else(String::new, |mean| mean.to_string()));
        }
        let positions = Side::BOTH.map(|stm| statistics.side(stm).legal().orbits).iter().sum();
        row.extend([
            count(statistics.zugzwangs.total().orbits),
            count(positions),
            bytes(table.summary.size_bytes),
        ]);
        row
    });
    if is_markdown {
        let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
        let head: Vec<String> = columns.iter().map(|(name, _)| (*name).to_owned()).collect();
        let rule: Vec<String> = columns
            .iter()
            .map(|(_, align)| if *align == Align::Left { "---" } else { "---:" }.to_owned())
            .collect();
        return line(&head) + &line(&rule) + &rows.map(|row| line(&row)).collect::<String>();
    }
    let mut grid = Grid::new(&columns);
    rows.for_each(|row| grid.push(row));
    grid.text(width)
}

/// The shares of wins, draws and losses among a side's positions; what the n-move rule draws is drawn.
fn percentages(side: &SideStatistics) -> [String; 3] {
    let all = side.legal().unreduced;
    let (wins, losses) = (side.wins.unreduced, side.losses.unreduced);
    [wins, all - wins - losses, losses]
        .map(|part| Mean::percent(part, all).map_or_else(String::new, |mean| mean.to_string()))
}

/// A table with its statistics.
#[derive(Serialize)]
struct TableJson<'a> {
    file: String,
    variant: &'a str,
    bytes: u64,
    content: String,
    rules: String,
    means: [MeansJson; 2],
    statistics: &'a Statistics,
}

/// Means in plies, in hundredths exactly.
#[derive(Serialize)]
struct MeansJson {
    to_move: &'static str,
    win: Option<f64>,
    slow_win: Option<f64>,
    loss: Option<f64>,
    slow_loss: Option<f64>,
}

impl<'a> TableJson<'a> {
    fn new(table: &'a TableFigures) -> Self {
        let TableFigures { path, summary, statistics } = table;
        let number = |mean: Option<Mean>| mean.map(|mean| mean.hundredths() as f64 / 100.0);
        let means = Side::BOTH.map(|stm| {
            let side = statistics.side(stm);
            MeansJson {
                to_move: if stm == Side::White { "white" } else { "black" },
                win: number(side.mean_win()),
                slow_win: number(side.mean_slow_win()),
                loss: number(side.mean_loss()),
                slow_loss: number(side.mean_slow_loss()),
            }
        });
        TableJson {
            file: path.display().to_string(),
            variant: &summary.metadata.variant,
            bytes: summary.size_bytes,
            content: summary.table_content().to_string(),
            rules: summary.rules_hash.to_string(),
            means,
            statistics,
        }
    }
}
