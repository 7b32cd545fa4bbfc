//! Compares the statistics of solved tables of chess with numbers that others have published.
//!
//! Of three and four men those are results and longest mates, of some tables of five men longest mates, of
//! some of six results with the fifty-move rule. Each table and each list is a set of figures by name; those
//! that both have must be equal, so a file is compared with what its metric says.

use anyhow::{Context, Result, ensure};
use format::Summary;
use library::table_files;
use stats::{Longest, Statistics};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Results modulo symmetry and longest mates: the statistics published with the Syzygy tables, and Prophet's
/// `longest_mates.csv`.
const FOUR_MEN: &str = include_str!("../../tests/cases/published_3-4.csv");

/// Longest mates, either side winning and to move: Prophet's list.
const FIVE_MEN: &str = include_str!("../../tests/cases/published_5.csv");

/// Positions by result, and the longest wins: syzygy-tables.info.
const SIX_MEN: &str = include_str!("../../tests/cases/published_6.csv");

/// Longest wins by distance to conversion, White to move: Stiller 1991; Wendroff and others 1993.
const LONGEST_DTC: [(&str, u64); 1] = [("KRBvKNN", 445)];

/// The folder of the tables.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Options {
    /// The folder of the tables
    #[arg(long = "tables", value_name = "DIR", default_value = "tables/fide")]
    folder: PathBuf,
}

/// Figures by what they count.
type Figures = BTreeMap<String, u64>;

/// Compares the tables of a folder; whether all is as published.
///
/// # Errors
/// The folder or a table cannot be read, or no figure of it is published.
pub(crate) fn run(options: &Options) -> Result<bool> {
    let (mut n_tables, mut n_figures, mut n_wrong) = (0, 0, 0);
    for path in table_files(&options.folder)? {
        let statistics = Summary::read(&path)?.metadata.statistics;
        let table: Statistics =
            serde_json::from_value(statistics).with_context(|| path.display().to_string())?;
        let (n_compared, wrong) = compare(&table)?;
        wrong.iter().for_each(|line| println!("{} {}: {line}", table.material, table.metric));
        n_tables += usize::from(n_compared > 0);
        n_figures += n_compared;
        n_wrong += wrong.len();
    }
    ensure!(n_figures > 0, "{}: no figure of its tables is published", options.folder.display());
    println!("{n_tables} tables, {n_figures} published figures, {n_wrong} of them different");
    Ok(n_wrong == 0)
}

/// How many figures of a table are published, and which are others.
fn compare(table: &Statistics) -> Result<(usize, Vec<String>)> {
    let (own, published) = (figures(table), published(&table.material)?);
    let both: Vec<_> =
        published.iter().filter_map(|(what, n)| own.get(what).map(|own| (what, own, n))).collect();
    let wrong = both.iter().filter(|(_, own, published)| own != published);
    let wrong = wrong.map(|(what, own, published)| format!("{what}: {own}, published are {published}"));
    Ok((both.len(), wrong.collect()))
}

/// The figures of a table that its metric counts as lists do.
fn figures(table: &Statistics) -> Figures {
    let (white, black) = (&table.white_to_move, &table.black_to_move);
    let mut figures = Figures::new();
    let mut note = |what: String, n: u64| figures.extend([(what, n)]);
    for (to_move, side) in [("White to move", white), ("Black to move", black)] {
        let beyond = side.beyond_rule.as_ref();
        let cursed = beyond.map_or(0, |beyond| beyond.cursed_wins.orbits);
        let blessed = beyond.map_or(0, |beyond| beyond.blessed_losses.orbits);
        note(format!("{to_move}, wins"), side.wins.orbits + cursed);
        note(format!("{to_move}, draws"), side.draws.orbits);
        note(format!("{to_move}, losses"), side.losses.orbits + blessed);
        if beyond.is_some() {
            note(format!("{to_move}, cursed wins"), cursed);
            note(format!("{to_move}, blessed losses"), blessed);
        }
        if table.metric == "dtm" {
            note(format!("{to_move}, longest win in plies"), longest([side.longest_win.as_ref(), None]));
        }
    }
    let wins = [white, black].map(|side| side.longest_win.as_ref());
    match table.metric.as_str() {
        "dtm" => note("longest win in plies".into(), longest(wins)),
        "dtc" => note("longest win in plies to conversion".into(), longest([wins[0], None])),
        "dtz50" => {
            for (whose, own, other) in [("White's", white, black), ("Black's", black, white)] {
                let [own_beyond, beyond] = [own, other].map(|side| side.beyond_rule.as_ref());
                let win = longest([own.longest_win.as_ref(), other.longest_loss.as_ref()]);
                let cursed = longest([
                    own_beyond.and_then(|beyond| beyond.longest_cursed_win.as_ref()),
                    beyond.and_then(|beyond| beyond.longest_blessed_loss.as_ref()),
                ]);
                note(format!("{whose} longest win in plies"), win);
                note(format!("{whose} longest cursed win in plies"), cursed);
            }
        }
        _ => {}
    }
    figures
}

/// The longer of two; 0 without any.
fn longest(of: [Option<&Longest>; 2]) -> u64 {
    of.into_iter().flatten().map(|longest| longest.ply.into()).max().unwrap_or(0)
}

/// What is published of a table.
fn published(table: &str) -> Result<Figures> {
    let mut figures = Figures::new();
    let row = |csv: &'static str| csv.lines().find_map(|line| line.strip_prefix(table)?.strip_prefix(','));
    // A side that never wins has no longest win.
    let number =
        |text: &str| text.replace('-', "0").parse::<u64>().with_context(|| format!("{table}: {text}"));
    let counts = |row: &str, n: usize| row.split(',').take(n).map(number).collect::<Result<Vec<u64>>>();
    let sides = ["White to move", "Black to move"];
    if let Some(row) = row(FOUR_MEN) {
        let counts = counts(row, 8)?;
        for (at, side) in sides.into_iter().enumerate() {
            for (what, n) in ["wins", "draws", "losses"].iter().zip(&counts[3 * at..]) {
                figures.insert(format!("{side}, {what}"), *n);
            }
            figures.insert(format!("{side}, longest win in plies"), counts[6 + at]);
        }
    }
    if let Some(row) = row(FIVE_MEN) {
        figures.insert("longest win in plies".into(), number(row)?);
    }
    // `3361271332,…,"win for white: 100 ply; 3R4/… | …"`
    if let Some(row) = row(SIX_MEN) {
        for (side, counts) in sides.into_iter().zip(counts(row, 10)?.chunks(5)) {
            let &[wins, cursed, draws, blessed, losses] = counts else { continue };
            let all = [("wins", wins + cursed), ("cursed wins", cursed), ("draws", draws)];
            for (what, n) in
                all.into_iter().chain([("blessed losses", blessed), ("losses", blessed + losses)])
            {
                figures.insert(format!("{side}, {what}"), n);
            }
        }
        let lists = row.splitn(11, ',').nth(10).unwrap_or_default().trim_matches('"').split(" | ");
        for (what, plies) in lists.filter_map(|part| part.split_once(": ")) {
            let whose = if what.ends_with("black") { "Black's" } else { "White's" };
            let kind = if what.starts_with("cursed") { "cursed win" } else { "win" };
            let plies = number(plies.split(' ').next().unwrap_or_default())?;
            figures.insert(format!("{whose} longest {kind} in plies"), plies);
        }
    }
    let by_conversion = LONGEST_DTC.iter().filter(|(name, _)| *name == table);
    figures.extend(by_conversion.map(|&(_, plies)| ("longest win in plies to conversion".into(), plies)));
    Ok(figures)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::{compare, published};
    use stats::{Count, Longest, Statistics};

    /// Statistics of a table in which nothing was counted.
    pub(crate) fn statistics(material: &str, metric: &str) -> Statistics {
        Statistics {
            winner: None,
            ends_otherwise: false,
            material: material.into(),
            metric: metric.into(),
            white_to_move: Default::default(),
            black_to_move: Default::default(),
            zugzwangs: Default::default(),
        }
    }

    #[test]
    fn lists_are_read() {
        let six = published("KRBvKNN").expect("numbers");
        assert_eq!(six["White to move, wins"], 3_361_271_332 + 647_613_733);
        assert_eq!(six["White to move, cursed wins"], 647_613_733);
        assert_eq!(six["Black to move, losses"], 1_322_561_202 + 1_604_338_896);
        assert_eq!(
            (six["White's longest win in plies"], six["White's longest cursed win in plies"]),
            (100, 445)
        );
        assert_eq!((six["Black's longest win in plies"], six.len()), (5, 14));
        let four = published("KPvK").expect("numbers");
        assert_eq!(
            (four["Black to move, losses"], four["White to move, longest win in plies"]),
            (48_802, 55)
        );
        assert_eq!((four["Black to move, longest win in plies"], four.len()), (0, 8));
        assert_eq!(published("KQPvKQ").expect("a number")["longest win in plies"], 247);
        assert!(published("KQQQvK").expect("nothing").is_empty());
    }

    #[test]
    fn other_figures_are_reported() {
        let count = |orbits| Count { orbits, unreduced: 0 };
        let mut table = statistics("KQvK", "dtm");
        table.white_to_move.wins = count(18_081);
        table.white_to_move.longest_win = Some(Longest { ply: 19, count: count(1), fen: String::new() });
        table.black_to_move.draws = count(2_896);
        table.black_to_move.losses = count(25_160);
        assert_eq!(compare(&table).expect("numbers"), (8, vec![]));
        table.black_to_move.losses = count(25_161);
        let (_, wrong) = compare(&table).expect("numbers");
        assert_eq!(wrong, ["Black to move, losses: 25161, published are 25160"]);
        // By another metric the plies are no plies to mate.
        table.metric = "dtz".into();
        assert_eq!(compare(&table).expect("numbers").0, 6);
        assert_eq!(compare(&statistics("KRBvKNN", "dtc")).expect("numbers").1.len(), 7);
    }
}
