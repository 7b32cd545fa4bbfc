//! Compares the statistics of solved tables of chess with numbers that others have published.
//!
//! Of three and four men those are results and longest mates, of some tables of five men longest mates, of
//! some of six results with the fifty-move rule. Each table and each row of a list is a set of figures by
//! name; those that both have must be equal, so a file is compared with what its metric says.

use anyhow::{Context, Result, ensure};
use format::Summary;
use library::table_files;
use stats::{Longest, Statistics};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// What is published of three and four men (the statistics of the Syzygy tables, and Prophet's list), of
/// five and of six. The first line names the figures.
const LISTS: [&str; 3] = [
    include_str!("../../tests/cases/published_3-4.csv"),
    include_str!("../data/published_5.csv"),
    include_str!("../data/published_6.csv"),
];

/// The folder of the tables.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Options {
    /// The folder of the tables
    #[arg(long = "tables", value_name = "DIR", default_value = "tables/fide")]
    folder: PathBuf,
}

/// Figures by the names that lists give them.
type Figures = BTreeMap<String, u64>;

/// Compares the tables of a folder; whether all is as published.
///
/// # Errors
/// The folder or a table cannot be read, or no figure of it is published.
pub(crate) fn run(options: &Options) -> Result<bool> {
    let (mut n_tables, mut n_figures, mut n_wrong) = (0, 0, 0);
    for path in table_files(&options.folder)? {
        for summary in Summary::all(&path)?.into_iter().filter(|summary| !summary.column.has_rights) {
            let table: Statistics = serde_json::from_value(summary.metadata.statistics)
                .with_context(|| path.display().to_string())?;
            let (n_compared, wrong) = compare(&table)?;
            wrong.iter().for_each(|line| println!("{} {}: {line}", table.material, table.metric));
            n_tables += usize::from(n_compared > 0);
            n_figures += n_compared;
            n_wrong += wrong.len();
        }
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
    let sides = [&table.white_to_move, &table.black_to_move];
    let mut figures = Figures::new();
    for (to_move, side) in ["wtm", "btm"].into_iter().zip(sides) {
        let mut note = |what: &str, n: u64| figures.extend([(format!("{to_move}_{what}"), n)]);
        let [wins, draws, losses] = [side.wins, side.draws, side.losses].map(|count| count.orbits);
        let (mut cursed, mut blessed) = (0, 0);
        if let Some(beyond) = &side.beyond_rule {
            (cursed, blessed) = (beyond.cursed_wins.orbits, beyond.blessed_losses.orbits);
            note("wins_in_time", wins);
            note("cursed_wins", cursed);
            note("losses_in_time", losses);
            note("blessed_losses", blessed);
        }
        note("wins", wins + cursed);
        note("draws", draws);
        note("losses", losses + blessed);
    }
    let [win, loss] = [sides.map(|side| &side.longest_win), sides.map(|side| &side.longest_loss)];
    let beyond = sides.map(|side| side.beyond_rule.as_ref());
    let cursed = beyond.map(|beyond| beyond.map_or(&None, |beyond| &beyond.longest_cursed_win));
    let blessed = beyond.map(|beyond| beyond.map_or(&None, |beyond| &beyond.longest_blessed_loss));
    let longest: &[(&str, [&Option<Longest>; 2])] = match table.metric.as_str() {
        "dtm" => &[
            ("dtm_white_wins_wtm_plies", [win[0], &None]),
            ("dtm_black_wins_btm_plies", [win[1], &None]),
            ("longest_win_dtm", win),
        ],
        "dtc" => &[("wtm_longest_win_dtc", [win[0], &None])],
        "dtz50" => &[
            ("white_longest_win_dtz50", [win[0], loss[1]]),
            ("black_longest_win_dtz50", [win[1], loss[0]]),
            ("white_longest_cursed_win_dtz50", [cursed[0], blessed[1]]),
            ("black_longest_cursed_win_dtz50", [cursed[1], blessed[0]]),
        ],
        _ => &[],
    };
    figures.extend(longest.iter().map(|(what, of)| {
        let plies = of.iter().filter_map(|of| of.as_ref()).map(|longest| u64::from(longest.ply)).max();
        ((*what).to_owned(), plies.unwrap_or(0))
    }));
    figures
}

/// What is published of a table.
fn published(table: &str) -> Result<Figures> {
    let mut figures = Figures::new();
    for list in LISTS {
        let mut lines = list.lines().filter(|line| !line.starts_with('#')).map(|line| line.split(','));
        let names = lines.next().context("a list begins with names")?;
        let row = lines.find(|row| row.clone().next() == Some(table));
        for (name, cell) in names.zip(row.into_iter().flatten()).skip(1).filter(|(_, cell)| !cell.is_empty())
        {
            // A side that never wins has no longest win.
            let figure = cell.replace('-', "0").parse().with_context(|| format!("{table}: {cell}"))?;
            figures.insert(name.to_owned(), figure);
        }
    }
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
        assert_eq!((six["wtm_wins"], six["wtm_cursed_wins"]), (4_008_885_065, 647_613_733));
        assert_eq!((six["white_longest_cursed_win_dtz50"], six["wtm_longest_win_dtc"]), (445, 445));
        assert_eq!((six.get("black_longest_cursed_win_dtz50"), six.len()), (None, 18));
        let four = published("KPvK").expect("numbers");
        assert_eq!((four["btm_losses"], four["dtm_white_wins_wtm_plies"]), (48_802, 55));
        assert_eq!((four["dtm_black_wins_btm_plies"], four.len()), (0, 10));
        assert_eq!(published("KQPvKQ").expect("a number")["longest_win_dtm"], 247);
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
        assert_eq!(wrong, ["btm_losses: 25161, published are 25160"]);
        // By another metric the plies are no plies to mate.
        table.metric = "dtz".into();
        assert_eq!(compare(&table).expect("numbers").0, 6);
        assert_eq!(compare(&statistics("KRBvKNN", "dtc")).expect("numbers").1.len(), 7);
    }
}
