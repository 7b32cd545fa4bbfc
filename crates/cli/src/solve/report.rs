//! Reports the tables of a build: a row a table, or JSON.

use crate::grid::{Align, Grid};
use library::figure::{bytes, count, distance, moves, plural, seconds};
use library::{BuiltTable, Edition};
use serde::Serialize;
use stats::{Longest, SideStatistics, Statistics};
use std::path::Path;
use std::time::Duration;
use variant::Side;

/// The rows and the sum, as people read them.
pub(super) fn text(folder: &Path, tables: &[BuiltTable], time: Duration) -> String {
    let mut grid = Grid::new(&[
        ("table", Align::Left),
        ("positions", Align::Right),
        ("wtm: wins", Align::Right),
        ("draws", Align::Right),
        ("losses", Align::Right),
        ("btm: wins", Align::Right),
        ("draws", Align::Right),
        ("losses", Align::Right),
        ("time", Align::Right),
        ("size", Align::Right),
        ("longest win", Align::Left),
    ]);
    for table in tables {
        let mut row = vec![table.name.clone(), count(n_positions(&table.statistics))];
        for side in Side::BOTH {
            let side = table.statistics.side(side);
            // Under the n-move rule cursed wins and blessed losses are draws.
            let cursed = side.beyond_rule.as_ref().map_or(0, |beyond| beyond.total().orbits);
            row.extend([side.wins.orbits, side.draws.orbits + cursed, side.losses.orbits].map(count));
        }
        row.push(table.time.map_or_else(|| "done already".into(), seconds));
        row.push(bytes(table.size_bytes));
        row.push(longest(&table.statistics));
        grid.push(row);
    }
    if tables.is_empty() { sum(folder, tables, time) } else { grid.text() + &sum(folder, tables, time) }
}

/// How many positions there are with either side to move, modulo symmetry.
fn n_positions(statistics: &Statistics) -> u64 {
    Side::BOTH.into_iter().map(|side| statistics.side(side).legal().orbits).sum()
}

/// The longest win of either side.
fn longest_win(statistics: &Statistics) -> Option<&Longest> {
    let wins = Side::BOTH.into_iter().filter_map(|side| statistics.side(side).longest_win.as_ref());
    // The first of equals: White's.
    wins.rev().max_by_key(|longest| longest.ply)
}

/// `35 moves, 69 plies: <fen>`.
fn longest(statistics: &Statistics) -> String {
    let win = longest_win(statistics);
    win.map_or_else(|| "none".into(), |win| format!("{}: {}", distance(win.ply), win.fen))
}

fn sum(folder: &Path, tables: &[BuiltTable], time: Duration) -> String {
    let n_old = tables.iter().filter(|table| table.time.is_none()).count() as u64;
    let n_new = tables.len() as u64 - n_old;
    let n_all = tables.iter().map(|table| n_positions(&table.statistics)).sum();
    let n_bytes = tables.iter().map(|table| table.size_bytes).sum();
    let how = match (n_new, n_old) {
        (0, 0) => "nothing to do".to_owned(),
        (0, _) => "all done already".to_owned(),
        (_, 0) => format!("solved in {}", seconds(time)),
        _ => format!("{n_new} solved in {}, {n_old} done already", seconds(time)),
    };
    format!(
        "{}, {} positions, {} in {}: {how}\n",
        plural(tables.len() as u64, "table"),
        count(n_all),
        bytes(n_bytes),
        folder.display(),
    )
}

#[derive(Serialize)]
pub(super) struct RunJson<'a> {
    variant: &'a str,
    metric: &'a str,
    folder: String,
    seconds: f64,
    size_bytes: u64,
    tables: Vec<TableJson<'a>>,
}

#[derive(Serialize)]
struct TableJson<'a> {
    table: &'a str,
    done_already: bool,
    seconds: Option<f64>,
    size_bytes: u64,
    positions: u64,
    white_to_move: Counts,
    black_to_move: Counts,
    longest: Option<LongestJson<'a>>,
}

/// Modulo symmetry.
#[derive(Serialize)]
struct Counts {
    wins: u64,
    draws: u64,
    losses: u64,
    /// Wins and losses that the n-move rule makes draws of, if the metric knows it; they are not among the
    /// others.
    #[serde(skip_serializing_if = "Option::is_none")]
    cursed_wins: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    blessed_losses: Option<u64>,
}

impl Counts {
    fn new(side: &SideStatistics) -> Self {
        let beyond = side.beyond_rule.as_ref();
        Counts {
            wins: side.wins.orbits,
            draws: side.draws.orbits,
            losses: side.losses.orbits,
            cursed_wins: beyond.map(|beyond| beyond.cursed_wins.orbits),
            blessed_losses: beyond.map(|beyond| beyond.blessed_losses.orbits),
        }
    }
}

#[derive(Serialize)]
struct LongestJson<'a> {
    plies: u16,
    moves: u64,
    fen: &'a str,
}

impl<'a> RunJson<'a> {
    pub(super) fn new(edition: &'a Edition, folder: &Path, tables: &'a [BuiltTable], time: Duration) -> Self {
        let table = |table: &'a BuiltTable| TableJson {
            table: &table.name,
            done_already: table.time.is_none(),
            seconds: table.time.map(|time| time.as_secs_f64()),
            size_bytes: table.size_bytes,
            positions: n_positions(&table.statistics),
            white_to_move: Counts::new(&table.statistics.white_to_move),
            black_to_move: Counts::new(&table.statistics.black_to_move),
            longest: longest_win(&table.statistics).map(|longest| LongestJson {
                plies: longest.ply,
                moves: moves(longest.ply),
                fen: &longest.fen,
            }),
        };
        RunJson {
            variant: &edition.variant().name,
            metric: edition.metric().name(),
            folder: folder.display().to_string(),
            seconds: time.as_secs_f64(),
            size_bytes: tables.iter().map(|table| table.size_bytes).sum(),
            tables: tables.iter().map(table).collect(),
        }
    }
}
