//! Reports the tables of a build: a row a table, or JSON.

use crate::plan::Taken;
use crate::{Out, Report, bytes, count, distance, plural, seconds};
use ::plan::{Job, Plan};
use build::BuiltTable;
use library::Edition;
use library::figure::moves;
use parking_lot::Mutex;
use serde_json::{Value, json};
use stats::{Longest, SideStatistics, Statistics};
use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::Path;
use std::time::Duration;
use variant::Side;

/// Prints a row for each table when it is there, in columns whose widths follow from the plan.
pub(super) struct Rows<'a> {
    report: Report,
    /// The places of the columns among the cells of a table.
    places: Vec<usize>,
    /// Whether the longest win stands there with its position.
    has_fen: bool,
    out: Mutex<Printed<'a>>,
}

/// What has been printed.
struct Printed<'a> {
    out: Out<'a>,
    /// What stands above the rows.
    title: String,
    names: BTreeSet<String>,
    /// Why nothing more can be printed.
    error: Option<io::Error>,
}

/// The titles of what either side to move gets.
pub(super) const RESULTS: [&str; 6] = [">wtm: wins", ">draws", ">losses", ">btm: wins", ">draws", ">losses"];

/// The length of a long FEN of chess with few men.
const FEN_CHARS: usize = 40;

/// The place of the longest win among the cells of a table.
const LONGEST: usize = 10;

impl<'a> Rows<'a> {
    /// No rows yet, to be printed on a terminal of this width if it is one: what does not fit there is left
    /// out.
    pub(super) fn new(plan: &Plan, out: Out<'a>, width: Option<usize>, title: String) -> Self {
        // How wide cells become at most, but for what cannot be foreseen.
        let most = |of: fn(&Job) -> usize| plan.jobs().map(of).max().unwrap_or(0);
        let mut all = vec![("table", most(|job| job.name.len()))];
        all.push((">positions", most(|job| count(2 * job.n_values()).len())));
        let results_width = most(|job| count(job.n_values()).len());
        all.extend(RESULTS.map(|title| (title, results_width)));
        all.extend([">time", ">size"].map(|title| (title, "903.1 kB".len())));
        all.push(("longest win", "43 moves, 85 plies; 85 btm".len()));
        let with = |has_results: bool, has_fen: bool, has_longest: bool| {
            let is_shown = |&place: &usize| match place {
                LONGEST => has_longest,
                _ => has_results || !(2..2 + RESULTS.len()).contains(&place),
            };
            let places: Vec<usize> = (0..=LONGEST).filter(is_shown).collect();
            let titles: Vec<&str> = places.iter().map(|&place| all[place].0).collect();
            let fen_width = |place| if place == LONGEST && has_fen { ": ".len() + FEN_CHARS } else { 0 };
            let widths = places.iter().map(|&place| all[place].1 + fen_width(place));
            (Report::new(&titles.join("|")).at_least(widths), places, has_fen)
        };
        let choices = [(true, true), (true, false), (false, true), (false, false)];
        let mut choices = choices.into_iter().map(|(results, fen)| with(results, fen, true));
        let fitting = choices.find(|(report, ..)| width.is_none_or(|width| report.width() <= width));
        let (report, places, has_fen) = fitting.unwrap_or_else(|| with(false, false, false));
        let printed = Printed { out, title, names: BTreeSet::new(), error: None };
        Rows { report, places, has_fen, out: Mutex::new(printed) }
    }

    /// Prints the row of a table; `beside` keeps bars out of the way.
    pub(super) fn print(&self, table: &BuiltTable, beside: impl FnOnce(&mut dyn FnMut())) {
        let mut printed = self.out.lock();
        let is_first = printed.names.is_empty();
        // A build that begins once more finds its tables again.
        if !printed.names.insert(table.name.clone()) || printed.error.is_some() {
            return;
        }
        let head = if is_first { printed.title.clone() + &self.report.head() } else { String::new() };
        let cells = cells(table, self.has_fen);
        let cells: Vec<&String> = self.places.iter().map(|&place| &cells[place]).collect();
        let text = head + &self.report.line(&cells);
        let Printed { out, error, .. } = &mut *printed;
        beside(&mut || *error = out.write_all(text.as_bytes()).and_then(|()| out.flush()).err());
    }

    /// Ends the rows.
    pub(super) fn close(self) -> io::Result<()> {
        self.out.into_inner().error.map_or(Ok(()), Err)
    }
}

/// All cells of a table.
fn cells(table: &BuiltTable, has_fen: bool) -> Vec<String> {
    let statistics = &table.statistics;
    let results = |side: &SideStatistics| {
        // Under the n-move rule cursed wins and blessed losses are draws.
        let cursed = side.beyond_rule.as_ref().map_or(0, |beyond| beyond.total().orbits);
        [side.wins.orbits, side.draws.orbits + cursed, side.losses.orbits].map(count)
    };
    let mut cells = vec![table.name.clone(), count(statistics.n_positions())];
    cells.extend(Side::BOTH.into_iter().flat_map(|side| results(statistics.side(side))));
    cells.push(table.time.map_or_else(|| "done".into(), seconds));
    cells.extend([bytes(table.size_bytes), longest(statistics, has_fen)]);
    cells
}

/// `35 moves, 69 plies`, and the position, `: <fen>`; and `; 20 btm`, the plies that the other side to move
/// takes, if these are more.
fn longest(statistics: &Statistics, has_fen: bool) -> String {
    let Some(win) = statistics.longest_win() else { return "none".into() };
    let own = if has_fen { format!("{}: {}", distance(win.ply), win.fen) } else { distance(win.ply) };
    statistics.longer_loss().map_or(own.clone(), |(stm, loss)| {
        let stm = if stm == Side::White { "wtm" } else { "btm" };
        format!("{own}; {} {stm}", loss.ply)
    })
}

/// Tables or other files together, as the last line of a run counts them.
#[derive(Default)]
pub(super) struct Sum {
    pub(super) n_files: u64,
    n_new: u64,
    n_positions: u64,
    size_bytes: u64,
}

impl Sum {
    /// Counts a file, which took so long or was there already.
    pub(super) fn add(&mut self, n_positions: u64, size_bytes: u64, time: Option<Duration>) {
        self.n_files += 1;
        self.n_new += u64::from(time.is_some());
        self.n_positions += n_positions;
        self.size_bytes += size_bytes;
    }

    /// `2 tables, 1,200 positions, 3.1 kB in tables/fide: solved in 0.031 s`; `files` names the files.
    pub(super) fn line(&self, files: &str, folder: &Path, time: Duration) -> String {
        let (n_new, n_old) = (self.n_new, self.n_files - self.n_new);
        let how = match (n_new, n_old) {
            (0, 0) => "nothing to do".to_owned(),
            (0, _) => "all done already".to_owned(),
            (_, 0) => format!("solved in {}", seconds(time)),
            _ => format!("{n_new} solved in {}, {n_old} done already", seconds(time)),
        };
        let (positions, size, folder) = (count(self.n_positions), bytes(self.size_bytes), folder.display());
        format!("{files}, {positions} positions, {size} in {folder}: {how}\n")
    }
}

/// The sum of a run.
pub(super) fn sum(folder: &Path, tables: &[BuiltTable], time: Duration) -> String {
    let mut sum = Sum::default();
    tables.iter().for_each(|table| sum.add(table.statistics.n_positions(), table.size_bytes, table.time));
    sum.line(&plural(sum.n_files, "table"), folder, time)
}

/// The report of a run for programs; `using` is what was taken from folders of others.
pub(super) fn json(
    edition: &Edition,
    folder: &Path,
    tables: &[BuiltTable],
    using: Vec<Taken>,
    time: Duration,
) -> Value {
    let longest =
        |longest: &Longest| json!({ "plies": longest.ply, "moves": moves(longest.ply), "fen": longest.fen });
    // Modulo symmetry; what the n-move rule makes draws of is not among wins and losses.
    let counts = |side: &SideStatistics| {
        let [wins, draws, losses] = [side.wins, side.draws, side.losses].map(|count| count.orbits);
        let mut counts = json!({ "wins": wins, "draws": draws, "losses": losses });
        if let Some(beyond) = &side.beyond_rule {
            counts["cursed_wins"] = beyond.cursed_wins.orbits.into();
            counts["blessed_losses"] = beyond.blessed_losses.orbits.into();
        }
        counts
    };
    let table = |table: &BuiltTable| {
        let statistics = &table.statistics;
        let mut report = json!({
            "table": table.name,
            "done_already": table.time.is_none(),
            "seconds": table.time.map(|time| time.as_secs_f64()),
            "size_bytes": table.size_bytes,
            "positions": statistics.n_positions(),
            "white_to_move": counts(&statistics.white_to_move),
            "black_to_move": counts(&statistics.black_to_move),
            "longest": statistics.longest_win().map(longest),
        });
        if let Some((_, loss)) = statistics.longer_loss() {
            report["longer_loss"] = longest(loss);
        }
        report
    };
    let mut report = json!({
        "variant": edition.variant().name,
        "metric": edition.metric().name(),
        "folder": folder.display().to_string(),
        "seconds": time.as_secs_f64(),
        "size_bytes": tables.iter().map(|table| table.size_bytes).sum::<u64>(),
        "tables": tables.iter().map(table).collect::<Vec<_>>(),
    });
    if !using.is_empty() {
        report["using"] = json!(using);
    }
    report
}
