//! Writes statistics as text: one form for terminal and snapshots.

use crate::statistics::plies;
use crate::{BeyondRule, Count, Longest, PlyCount, SideStatistics, Statistics, ZugzwangKind};
use std::fmt::{self, Write};
use variant::{Metric, Side};

/// The most lines that a text has.
const MAX_LINES: usize = 60;

/// How many plies stand in a row of a histogram.
const PLIES_A_ROW: u16 = 10;

impl Statistics {
    /// The text for terminal and snapshots: integers only, at most 60 lines, the same everywhere.
    #[must_use]
    pub fn render(&self) -> String {
        self.render_within(MAX_LINES)
    }

    /// Like [`Self::render`], with every row of every histogram, however many lines that makes, and the
    /// means.
    #[must_use]
    pub fn render_whole(&self) -> String {
        self.render_within(usize::MAX) + &self.render_means()
    }

    /// How many plies decided positions take on average, a line for each side to move and result; nothing
    /// without distances.
    #[must_use]
    pub fn render_means(&self) -> String {
        let mut text = String::new();
        for (side, name) in [(&self.white_to_move, "White"), (&self.black_to_move, "Black")] {
            let wins = (side.mean_win(), side.mean_slow_win(), "win", "more than one");
            let losses = (side.mean_loss(), side.mean_slow_loss(), "loss", "more than two");
            for (mean, slow, what, least) in [wins, losses] {
                let Some(mean) = mean else { continue };
                let slow =
                    slow.map_or_else(String::new, |slow| format!(", {slow} of those that take {least}"));
                let _ = writeln!(text, "{name} to move, mean {what}: {mean} plies{slow}");
            }
        }
        text
    }

    fn render_within(&self, max_lines: usize) -> String {
        let sides = [&self.white_to_move, &self.black_to_move];
        let mut text = format!(
            "{} {}{}: positions modulo symmetry (and unreduced), like men distinguishable\n",
            self.material,
            self.metric,
            self.winner().map_or_else(String::new, |winner| format!(", {winner}'s wins alone"))
        );
        text += &totals(self, sides);
        for (side, name) in sides.into_iter().zip(["White", "Black"]) {
            let beyond = side.beyond_rule.as_ref();
            let of_beyond = |longest: fn(&BeyondRule) -> &Option<Longest>| longest(beyond?).as_ref();
            longest(&mut text, name, "win", side.longest_win.as_ref());
            longest(&mut text, name, "cursed win", of_beyond(|beyond| &beyond.longest_cursed_win));
            longest(&mut text, name, "loss", side.longest_loss.as_ref());
            longest(&mut text, name, "blessed loss", of_beyond(|beyond| &beyond.longest_blessed_loss));
        }
        zugzwangs(&mut text, self);
        let titled = [
            ("White to move wins", &sides[0].wins_by_ply),
            ("Black to move loses", &sides[1].losses_by_ply),
            ("White to move loses", &sides[0].losses_by_ply),
            ("Black to move wins", &sides[1].wins_by_ply),
        ];
        let shown: Vec<_> = titled.into_iter().filter(|(_, plies)| !plies.is_empty()).collect();
        let n_rows_left = max_lines - text.lines().count() - shown.len();
        let n_rows =
            rows_each(&shown.iter().map(|(_, plies)| n_rows(plies)).collect::<Vec<_>>(), n_rows_left);
        for ((title, plies), n_rows) in shown.into_iter().zip(n_rows) {
            let _ = writeln!(text, "{title}, by ply{}", drawn_from(sides[0], plies));
            histogram(&mut text, plies, n_rows);
        }
        text
    }
}

impl fmt::Display for Statistics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render())
    }
}

/// What a histogram counts, and from which ply on the rule draws.
fn drawn_from(side: &SideStatistics, plies: &[PlyCount]) -> String {
    let rule_plies = side.beyond_rule.as_ref().map(|beyond| beyond.rule_plies);
    match rule_plies.filter(|&rule| plies.last().is_some_and(|last| last.ply > rule)) {
        Some(rule) => format!(", drawn by the rule beyond ply {rule} (modulo symmetry)"),
        None => " (modulo symmetry)".into(),
    }
}

/// What positions there are, a row for each kind and a column for each side to move.
fn totals(statistics: &Statistics, sides: [&SideStatistics; 2]) -> String {
    let cells = sides.map(|side| rows(statistics, side));
    let [white_width, black_width] =
        cells.each_ref().map(|rows| rows.iter().map(|(_, cell)| cell.len()).max().unwrap_or(0).max(13));
    let label_width = cells[0].iter().map(|(label, _)| label.len() + 2).max().unwrap_or(0);
    let mut text =
        format!("{:<label_width$}{:>white_width$}  {:>black_width$}\n", "", "White to move", "Black to move");
    for ((label, white), (_, black)) in cells[0].iter().zip(&cells[1]) {
        let _ = writeln!(text, "{label:<label_width$}{white:>white_width$}  {black:>black_width$}");
    }
    text
}

/// The kinds of positions with one side to move, the best for it first, and the special ones among them.
fn rows(statistics: &Statistics, side: &SideStatistics) -> Vec<(&'static str, String)> {
    let has_distances = statistics.metric != Metric::Wdl.name();
    // Where a game can end otherwise, not all that is over is mate or stalemate.
    let [drawn, lost] =
        if statistics.ends_otherwise { ["drawn at once", "lost at once"] } else { ["stalemates", "mates"] };
    let not_won = match statistics.winner() {
        None => "draws",
        Some(Side::White) => "no win for White",
        Some(Side::Black) => "no win for Black",
    };
    let beyond = side.beyond_rule.as_ref();
    let rows = [
        ("positions", Some(side.legal())),
        ("wins", Some(side.wins)),
        ("cursed wins", beyond.map(|beyond| beyond.cursed_wins)),
        (not_won, Some(side.draws)),
        ("blessed losses", beyond.map(|beyond| beyond.blessed_losses)),
        ("losses", Some(side.losses)),
        (drawn, Some(side.stalemates)),
        (lost, has_distances.then_some(side.mates)),
        ("illegal", Some(side.illegal)),
    ];
    rows.into_iter().filter_map(|(label, count)| Some((label, both(count?)))).collect()
}

fn both(count: Count) -> String {
    format!("{} ({})", count.orbits, count.unreduced)
}

fn longest(text: &mut String, side: &str, what: &str, longest: Option<&Longest>) {
    if let Some(longest) = longest {
        let (plies, count, fen) = (plies(longest.ply), both(longest.count), &longest.fen);
        let _ = writeln!(text, "{side} to move, longest {what}: {plies}, {count} positions, {fen}");
    }
}

fn zugzwangs(text: &mut String, statistics: &Statistics) {
    let zugzwangs = &statistics.zugzwangs;
    let is_ruled = statistics.white_to_move.beyond_rule.is_some();
    let title = if is_ruled { "mutual zugzwangs without the rule" } else { "mutual zugzwangs" };
    let _ = writeln!(text, "{title}: {}", both(zugzwangs.total()));
    let counts = [zugzwangs.white_wins_or_draw, zugzwangs.black_wins_or_draw, zugzwangs.full_point];
    for (kind, count) in ZugzwangKind::ALL.into_iter().zip(counts).filter(|(_, count)| !count.is_zero()) {
        let _ = writeln!(text, "  {}: {}", kind.text(), both(count));
    }
    for zugzwang in &zugzwangs.examples {
        let _ = writeln!(text, "  {} ({})", zugzwang.fen, zugzwang.kind.text());
    }
}

/// How many rows a histogram has if nothing is left out.
fn n_rows(plies: &[PlyCount]) -> usize {
    plies.last().map_or(0, |last| usize::from(last.ply / PLIES_A_ROW) + 1)
}

/// How many rows each histogram gets of those there are: what it needs, or an equal share of what is left.
fn rows_each(needed: &[usize], n_rows_left: usize) -> Vec<usize> {
    let mut given = vec![0; needed.len()];
    for _ in 0..n_rows_left.min(needed.iter().sum()) {
        let neediest = (0..needed.len()).filter(|&i| given[i] < needed[i]).min_by_key(|&i| given[i]);
        let Some(neediest) = neediest else { break };
        given[neediest] += 1;
    }
    given
}

/// Rows of ten plies; if there are more than `n_rows`, the last one is the sum of the rest.
fn histogram(text: &mut String, plies: &[PlyCount], n_rows_given: usize) {
    let cells = |row: usize| {
        let first = row as u16 * PLIES_A_ROW;
        (first..first + PLIES_A_ROW).map(|ply| {
            let at = plies.binary_search_by_key(&ply, |at| at.ply);
            at.map_or(0, |at| plies[at].count.orbits)
        })
    };
    let n_needed = n_rows(plies);
    let n_full = if n_rows_given < n_needed { n_rows_given.saturating_sub(1) } else { n_needed };
    let numbers: Vec<Vec<u64>> = (0..n_full).map(|row| cells(row).collect()).collect();
    let width =
        |column: usize| numbers.iter().map(|row| row[column].to_string().len()).max().unwrap_or(1).max(1);
    let widths: Vec<usize> = (0..usize::from(PLIES_A_ROW)).map(width).collect();
    for (row, numbers) in numbers.iter().enumerate() {
        let _ = write!(text, "{:>5}:", row * usize::from(PLIES_A_ROW));
        for (number, width) in numbers.iter().zip(&widths) {
            let _ = write!(text, "  {number:>width$}");
        }
        text.push('\n');
    }
    if n_full < n_needed && n_rows_given > 0 {
        let first = n_full * usize::from(PLIES_A_ROW);
        let rest: u64 =
            plies.iter().filter(|at| usize::from(at.ply) >= first).map(|at| at.count.orbits).sum();
        let last = plies.last().map_or(0, |last| last.ply);
        let _ = writeln!(text, "{first:>5}: to ply {last} together {rest}");
    }
}
