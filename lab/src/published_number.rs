//! Compares six-man tables that somebody has solved with published numbers.
//!
//! Under any metric the numbers of wins, draws and losses are compared. Those of wins and losses that the
//! fifty-move rule turns into draws, and the longest ones, are published for `dtz50`, and compared with its
//! files only.

use format::Summary;
use library::table_files;
use stats::{BeyondRule, Longest, SideStatistics, Statistics};
use std::path::Path;

/// Positions by result, and the longest wins: syzygy-tables.info.
const PUBLISHED: &str = include_str!("../../tests/cases/published_6.csv");

/// Longest wins by distance to conversion, White to move: Stiller 1991; Wendroff and others 1993.
const LONGEST_DTC: [(&str, u16); 1] = [("KRBvKNN", 445)];

/// What is published of one table.
struct Published {
    table: String,
    /// By side to move: wins, cursed wins, draws, blessed losses, losses.
    results: [[u64; 5]; 2],
    /// By who wins: the longest win and the longest cursed win, in plies, whoever is to move.
    longest: [[Option<u16>; 2]; 2],
}

/// Compares the tables of a folder; returns lines to print, and whether all is well.
///
/// # Errors
/// The folder or a table cannot be read, or it has none of the tables.
pub(crate) fn run(folder: &Path) -> Result<(Vec<String>, bool), String> {
    let published = parse(PUBLISHED)?;
    let (mut lines, mut is_well, mut n_files) = (Vec::new(), true, 0);
    for path in table_files(folder).map_err(|error| error.to_string())? {
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let name = stem.split('.').next().unwrap_or_default();
        let Some(own) = published.iter().find(|published| published.table == name) else { continue };
        let summary = Summary::read(&path).map_err(|error| error.to_string())?;
        let statistics: Statistics = serde_json::from_value(summary.metadata.statistics)
            .map_err(|error| format!("{} has no statistics that can be read: {error}", path.display()))?;
        n_files += 1;
        let (compared, wrong) = compare(own, &statistics);
        is_well &= wrong.is_empty();
        lines.push(match wrong.is_empty() {
            true => format!("{stem}: as published: {}", compared.join(", ")),
            false => format!("{stem}: {}", wrong.join("; ")),
        });
    }
    if n_files == 0 {
        let names: Vec<&str> = published.iter().map(|own| own.table.as_str()).collect();
        return Err(format!("{} has none of the tables {}", folder.display(), names.join(", ")));
    }
    Ok((lines, is_well))
}

/// What was compared, and what is otherwise.
fn compare(published: &Published, table: &Statistics) -> (Vec<String>, Vec<String>) {
    let (mut compared, mut wrong) = (Vec::new(), Vec::new());
    let sides = [("White to move", &table.white_to_move), ("Black to move", &table.black_to_move)];
    for ((to_move, side), [wins, cursed, draws, blessed, losses]) in sides.iter().zip(published.results) {
        let mut check = |what: &str, got: u64, expected: u64| match got == expected {
            true => compared.push(format!("{expected} {what}")),
            false => wrong.push(format!("{to_move}, {got} {what}, published are {expected}")),
        };
        match &side.beyond_rule {
            Some(beyond) => {
                check("wins", side.wins.orbits, wins);
                check("cursed wins", beyond.cursed_wins.orbits, cursed);
                check("draws", side.draws.orbits, draws);
                check("blessed losses", beyond.blessed_losses.orbits, blessed);
                check("losses", side.losses.orbits, losses);
            }
            None => {
                check("wins", side.wins.orbits, wins + cursed);
                check("draws", side.draws.orbits, draws);
                check("losses", side.losses.orbits, blessed + losses);
            }
        }
    }
    let mut check = |what: &str, got: Option<u16>, expected: Option<u16>| match (got, expected) {
        (got, Some(expected)) if got == Some(expected) => compared.push(format!("{what} {expected} plies")),
        (_, None) => {}
        (got, Some(expected)) => wrong.push(format!("{what} {got:?} plies, published are {expected}")),
    };
    if table.metric == "dtz50" {
        let (white, black) = (&table.white_to_move, &table.black_to_move);
        let [of_white, of_black] = published.longest;
        for (whose, own, other, [win, cursed]) in
            [("White's", white, black, of_white), ("Black's", black, white, of_black)]
        {
            check(&format!("{whose} longest win"), longest_win(own, other), win);
            check(&format!("{whose} longest cursed win"), longest_cursed(own, other), cursed);
        }
    }
    if table.metric == "dtc" {
        let known = LONGEST_DTC.iter().find(|(name, _)| *name == published.table).map(|(_, plies)| *plies);
        check("longest win", table.white_to_move.longest_win.as_ref().map(|win| win.ply), known);
    }
    (compared, wrong)
}

/// The longest win of a side that is to move in the first and not in the second.
fn longest_win(own: &SideStatistics, other: &SideStatistics) -> Option<u16> {
    longest(own.longest_win.as_ref(), other.longest_loss.as_ref())
}

fn longest_cursed(own: &SideStatistics, other: &SideStatistics) -> Option<u16> {
    let beyond = |side: &SideStatistics, of: fn(&BeyondRule) -> Option<&Longest>| {
        side.beyond_rule.as_ref().and_then(of).cloned()
    };
    let win = beyond(own, |beyond| beyond.longest_cursed_win.as_ref());
    let loss = beyond(other, |beyond| beyond.longest_blessed_loss.as_ref());
    longest(win.as_ref(), loss.as_ref())
}

fn longest(win: Option<&Longest>, loss: Option<&Longest>) -> Option<u16> {
    win.into_iter().chain(loss).map(|longest| longest.ply).max()
}

/// What is published, from lines such as `KRBvKNN,3361271332,…,"win for white: 100 ply; 3R4/… | …"`.
fn parse(csv: &str) -> Result<Vec<Published>, String> {
    let lines = csv.lines().filter(|line| !line.starts_with('#')).skip(1);
    lines
        .map(|line| parse_line(line).ok_or_else(|| format!("not a line of published numbers: {line}")))
        .collect()
}

fn parse_line(line: &str) -> Option<Published> {
    let mut fields = line.splitn(12, ',');
    let table = fields.next()?.to_owned();
    let mut results = [[0; 5]; 2];
    for count in results.iter_mut().flatten() {
        *count = fields.next()?.parse().ok()?;
    }
    let mut longest = [[None; 2]; 2];
    for part in fields.next()?.trim_matches('"').split(" | ") {
        let (what, plies) = part.split_once(": ")?;
        let plies: u16 = plies.split_once(" ply")?.0.parse().ok()?;
        let winner = usize::from(what.ends_with("black"));
        longest[winner][usize::from(what.starts_with("cursed"))] = Some(plies);
    }
    Some(Published { table, results, longest })
}

#[cfg(test)]
mod tests {
    use super::{PUBLISHED, compare, parse};
    use stats::{Count, Statistics};

    #[test]
    fn other_counts_are_reported() {
        let published = parse(PUBLISHED).expect("the published numbers");
        assert_eq!(published.len(), 12);
        let own = published.iter().find(|own| own.table == "KRBvKNN").expect("it is there");
        assert_eq!(own.longest, [[Some(100), Some(445)], [Some(5), None]]);
        let mut table = Statistics {
            winner: None,
            ends_otherwise: false,
            material: "KRBvKNN".into(),
            metric: "wdl".into(),
            white_to_move: Default::default(),
            black_to_move: Default::default(),
            zugzwangs: Default::default(),
        };
        for (side, results) in
            [&mut table.white_to_move, &mut table.black_to_move].into_iter().zip(own.results)
        {
            let count = |orbits| Count { orbits, unreduced: 0 };
            side.wins = count(results[0] + results[1]);
            side.draws = count(results[2]);
            side.losses = count(results[3] + results[4]);
        }
        let (compared, wrong) = compare(own, &table);
        assert_eq!((compared.len(), wrong), (6, vec![]));
        table.black_to_move.draws.orbits += 1;
        let (_, wrong) = compare(own, &table);
        assert_eq!(wrong, ["Black to move, 2161080063 draws, published are 2161080062"]);
        table.metric = "dtc".into();
        assert_eq!(compare(own, &table).1.len(), 2, "the longest win is missing too");
    }
}
