//! Reports the tables of a build: a row a table, or JSON.

use crate::plan::Taken;
use ::plan::{Job, Plan};
use build::BuiltTable;
use library::Edition;
use library::figure::{bytes, count, distance, moves, plural, seconds};
use parking_lot::Mutex;
use serde::Serialize;
use stats::{Longest, SideStatistics, Statistics};
use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::Path;
use std::time::Duration;
use variant::Side;

/// Prints a row for each table when it is there, in columns whose widths follow from the plan.
pub(super) struct Rows<'a> {
    /// The columns that fit, with their places among the cells of a table.
    columns: Vec<(usize, Column)>,
    /// Whether the longest win stands there with its position.
    has_fen: bool,
    out: Mutex<Printed<'a>>,
}

/// What has been printed.
struct Printed<'a> {
    out: &'a mut (dyn Write + Send),
    /// What stands above the rows.
    title: String,
    names: BTreeSet<String>,
    /// Why nothing more can be printed.
    error: Option<io::Error>,
}

/// A column of results.
#[derive(Clone, Debug)]
pub(super) struct Column {
    pub(super) title: String,
    pub(super) width: usize,
    /// Whether its cells stand at the left side.
    pub(super) is_left: bool,
}

impl Column {
    /// A column that is as wide as its title at least.
    pub(super) fn new(title: &str, width: usize, is_left: bool) -> Self {
        Column { title: title.to_owned(), width: width.max(title.len()), is_left }
    }

    /// The columns of what either side to move gets.
    pub(super) fn results(width: usize) -> impl Iterator<Item = Column> {
        let titles = ["wtm: wins", "draws", "losses", "btm: wins", "draws", "losses"];
        titles.into_iter().map(move |title| Column::new(title, width, false))
    }

    /// A line of cells.
    pub(super) fn line<'c>(cells: impl IntoIterator<Item = (&'c Column, String)>) -> String {
        let cell = |(&Column { width, is_left, .. }, cell): (&Column, String)| match is_left {
            true => format!("{cell:<width$}  "),
            false => format!("{cell:>width$}  "),
        };
        cells.into_iter().map(cell).collect::<String>().trim_end().to_owned() + "\n"
    }
}

/// The length of a long FEN of chess with few men.
const FEN_CHARS: usize = 40;

/// The space between columns.
const GAP: usize = 2;

/// The longest win, and the columns of results, as places among the cells of a table.
const LONGEST: usize = 10;
const RESULTS: std::ops::Range<usize> = 2..8;

impl<'a> Rows<'a> {
    /// No rows yet, to be printed on a terminal of this width if it is one: what does not fit there is left
    /// out.
    pub(super) fn new(
        plan: &Plan,
        out: &'a mut (dyn Write + Send),
        width: Option<usize>,
        title: String,
    ) -> Self {
        // How wide cells become at most, but for what cannot be foreseen.
        let most = |of: fn(&Job) -> usize| plan.jobs().map(of).max().unwrap_or(0);
        let mut all = vec![
            Column::new("table", most(|job| job.name.len()), true),
            Column::new("positions", most(|job| count(2 * job.n_values()).len()), false),
        ];
        all.extend(Column::results(most(|job| count(job.n_values()).len())));
        all.extend(["time", "size"].map(|title| Column::new(title, "903.1 kB".len(), false)));
        all.push(Column::new("longest win", "43 moves, 85 plies; 85 btm".len(), true));
        let with = |has_results: bool, has_fen: bool, has_longest: bool| {
            let is_shown = |&(place, _): &(usize, Column)| match place {
                LONGEST => has_longest,
                _ => has_results || !RESULTS.contains(&place),
            };
            let mut columns: Vec<(usize, Column)> =
                all.iter().cloned().enumerate().filter(is_shown).collect();
            if let (true, Some((_, longest))) = (has_fen, columns.last_mut()) {
                longest.width = "43 moves, 85 plies: ; 85 btm".len() + FEN_CHARS;
            }
            (columns, has_fen)
        };
        let fits = |(columns, _): &(Vec<(usize, Column)>, bool)| {
            let all: usize = columns.iter().map(|(_, column)| column.width + GAP).sum();
            width.is_none_or(|width| all - GAP <= width)
        };
        let choices = [(true, true), (true, false), (false, true), (false, false)];
        let mut choices = choices.into_iter().map(|(results, fen)| with(results, fen, true));
        let (columns, has_fen) = choices.find(fits).unwrap_or_else(|| with(false, false, false));
        let printed = Printed { out, title, names: BTreeSet::new(), error: None };
        Rows { columns, has_fen, out: Mutex::new(printed) }
    }

    /// Prints the row of a table; `beside` keeps bars out of the way.
    pub(super) fn print(&self, table: &BuiltTable, beside: impl FnOnce(&mut dyn FnMut())) {
        let mut printed = self.out.lock();
        let is_first = printed.names.is_empty();
        // A build that begins once more finds its tables again.
        if !printed.names.insert(table.name.clone()) || printed.error.is_some() {
            return;
        }
        let mut text = String::new();
        if is_first {
            let titles = self.columns.iter().map(|(_, column)| (column, column.title.clone()));
            text = printed.title.clone() + &Column::line(titles);
        }
        let cells = cells(table, self.has_fen);
        text += &Column::line(self.columns.iter().map(|(place, column)| (column, cells[*place].clone())));
        let Printed { out, error, .. } = &mut *printed;
        beside(&mut || *error = out.write_all(text.as_bytes()).and_then(|()| out.flush()).err());
    }

    /// Ends the rows.
    pub(super) fn close(self) -> io::Result<()> {
        self.out.into_inner().error.map_or(Ok(()), Err)
    }
}

/// All cells of a table.
fn cells(table: &BuiltTable, has_fen: bool) -> [String; LONGEST + 1] {
    let statistics = &table.statistics;
    let results = |side: &SideStatistics| {
        // Under the n-move rule cursed wins and blessed losses are draws.
        let cursed = side.beyond_rule.as_ref().map_or(0, |beyond| beyond.total().orbits);
        [side.wins.orbits, side.draws.orbits + cursed, side.losses.orbits].map(count)
    };
    let [[a, b, c], [d, e, f]] = [&statistics.white_to_move, &statistics.black_to_move].map(results);
    [
        table.name.clone(),
        count(n_positions(statistics)),
        a,
        b,
        c,
        d,
        e,
        f,
        table.time.map_or_else(|| "done".into(), seconds),
        bytes(table.size_bytes),
        longest(statistics, has_fen),
    ]
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

/// The side to move and the longest loss, if the loser holds out longer than by letting the longest win come
/// about: he begins with a capture, as in KQQvK.
fn longer_loss(statistics: &Statistics) -> Option<(Side, &Longest)> {
    let win = longest_win(statistics).map_or(0, |win| win.ply);
    let losses =
        Side::BOTH.into_iter().filter_map(|side| Some((side, statistics.side(side).longest_loss.as_ref()?)));
    losses.max_by_key(|(_, longest)| longest.ply).filter(|(_, longest)| longest.ply > win.saturating_add(1))
}

/// `35 moves, 69 plies`, and the position, `: <fen>`; and `; 20 btm`, the plies that the other side to move
/// takes, if these are more.
fn longest(statistics: &Statistics, has_fen: bool) -> String {
    let Some(win) = longest_win(statistics) else { return "none".into() };
    let own = if has_fen { format!("{}: {}", distance(win.ply), win.fen) } else { distance(win.ply) };
    match longer_loss(statistics) {
        Some((Side::White, loss)) => format!("{own}; {} wtm", loss.ply),
        Some((Side::Black, loss)) => format!("{own}; {} btm", loss.ply),
        None => own,
    }
}

/// The sum of a run.
pub(super) fn sum(folder: &Path, tables: &[BuiltTable], time: Duration) -> String {
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
pub(super) struct RunReport<'a> {
    variant: &'a str,
    metric: &'a str,
    folder: String,
    seconds: f64,
    size_bytes: u64,
    tables: Vec<TableReport<'a>>,
    /// What was taken from folders of others.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    using: Vec<Taken>,
}

#[derive(Serialize)]
struct TableReport<'a> {
    table: &'a str,
    done_already: bool,
    seconds: Option<f64>,
    size_bytes: u64,
    positions: u64,
    white_to_move: Counts,
    black_to_move: Counts,
    longest: Option<LongestLine<'a>>,
    /// The longest loss, if it is longer than the longest win and a ply.
    #[serde(skip_serializing_if = "Option::is_none")]
    longer_loss: Option<LongestLine<'a>>,
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
struct LongestLine<'a> {
    plies: u16,
    moves: u64,
    fen: &'a str,
}

impl<'a> LongestLine<'a> {
    fn new(longest: &'a Longest) -> Self {
        LongestLine { plies: longest.ply, moves: moves(longest.ply), fen: &longest.fen }
    }
}

impl<'a> RunReport<'a> {
    pub(super) fn new(
        edition: &'a Edition,
        folder: &Path,
        tables: &'a [BuiltTable],
        using: Vec<Taken>,
        time: Duration,
    ) -> Self {
        let table = |table: &'a BuiltTable| TableReport {
            table: &table.name,
            done_already: table.time.is_none(),
            seconds: table.time.map(|time| time.as_secs_f64()),
            size_bytes: table.size_bytes,
            positions: n_positions(&table.statistics),
            white_to_move: Counts::new(&table.statistics.white_to_move),
            black_to_move: Counts::new(&table.statistics.black_to_move),
            longest: longest_win(&table.statistics).map(LongestLine::new),
            longer_loss: longer_loss(&table.statistics).map(|(_, longest)| LongestLine::new(longest)),
        };
        RunReport {
            variant: &edition.variant().name,
            metric: edition.metric().name(),
            folder: folder.display().to_string(),
            seconds: time.as_secs_f64(),
            size_bytes: tables.iter().map(|table| table.size_bytes).sum(),
            tables: tables.iter().map(table).collect(),
            using,
        }
    }
}
