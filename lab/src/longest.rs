//! Checks the longest wins and losses of all tables of so many men, or writes them anew: one line a table.
//!
//! Tables of five men take minutes to solve, so the tests do not. Whoever has solved them compares the
//! statistics in the files with the snapshot here, and with published numbers; nothing is computed, so it is
//! fast.

use format::Summary;
use library::is_current;
use stats::{Longest, SideStatistics, Statistics};
use std::path::{Path, PathBuf};
use variant::{Material, Variant};

/// Published longest wins, whoever wins, that winner to move: Prophet, `longest_mates.csv` in
/// markus7800/prophet_tb_gen_and_probe.
const PUBLISHED: &str = include_str!("../../tests/cases/published_5.csv");

/// The tables to compare.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Options {
    /// The men of the tables
    #[arg(long = "men", value_name = "N", value_parser = clap::value_parser!(u8).range(3..=index::MAX_MEN as i64))]
    n_men: u8,
    /// The folder of the tables
    #[arg(long = "tables", value_name = "DIR", default_value = "tables/fide")]
    folder: PathBuf,
    /// Write the snapshot anew
    #[arg(long)]
    write: bool,
}

/// Compares the tables with the snapshot and with what is published, or writes the snapshot; returns lines to
/// print, and whether all is well.
///
/// # Errors
/// Tables are missing or cannot be read, or the snapshot cannot.
pub(crate) fn run(root: &Path, options: &Options) -> Result<(Vec<String>, bool), String> {
    let variant = Variant::load(root.join("variants/fide.toml")).map_err(|error| error.to_string())?;
    let statistics = collect(&variant, options)?;
    let path = root.join(format!("tests/snapshots/longest/fide__{}__dtm.snap", options.n_men));
    let text = render(&variant, options.n_men.into(), &statistics);
    let (n_published, mut lines) = published(PUBLISHED, &statistics);
    if options.write {
        let fail = |error| format!("cannot write {}: {error}", path.display());
        path.parent().map_or(Ok(()), std::fs::create_dir_all).map_err(fail)?;
        std::fs::write(&path, text).map_err(fail)?;
        lines.push(format!("{} is written: {} tables", path.display(), statistics.len()));
        return Ok((lines, true));
    }
    let expected = std::fs::read_to_string(&path)
        .map_err(|error| format!("cannot read {}: {error}; write it with --write", path.display()))?;
    lines.extend(differences(&expected, &text));
    let is_well = lines.is_empty();
    if is_well {
        lines.push(format!(
            "{} tables are as the snapshot has them, {n_published} longest wins as published",
            statistics.len()
        ));
    }
    Ok((lines, is_well))
}

/// The statistics of all tables of so many men, as their files have them.
fn collect(variant: &Variant, options: &Options) -> Result<Vec<Statistics>, String> {
    let (mut found, mut missing) = (Vec::new(), Vec::new());
    for material in Material::all(variant, options.n_men.into()) {
        let name = material.name(variant);
        let path = options.folder.join(format::file_name(&name));
        let summary = match Summary::read(&path) {
            Ok(summary) => summary,
            Err(error) if error.is_not_found() => {
                missing.push(name);
                continue;
            }
            Err(error) => return Err(error.to_string()),
        };
        let is_current = is_current(variant, &material, variant.default_metric, &summary);
        let statistics =
            is_current.then(|| serde_json::from_value(summary.metadata.statistics).ok()).flatten();
        match statistics {
            Some(statistics) => found.push(statistics),
            None => {
                return Err(format!(
                    "{} is of other rules or another version; {}",
                    path.display(),
                    remedy(options)
                ));
            }
        }
    }
    match &missing[..] {
        [] => Ok(found),
        [first, ..] => Err(format!(
            "{} of {} tables are not in {}, {first} for one; {}",
            missing.len(),
            missing.len() + found.len(),
            options.folder.display(),
            remedy(options)
        )),
    }
}

/// What to type where tables are missing.
fn remedy(options: &Options) -> String {
    let (n_men, folder) = (options.n_men, options.folder.display());
    format!("run `cargo xtask solve variants/fide.toml --men {n_men} --out {folder}`")
}

/// The snapshot: what it is, then a line a table.
fn render(variant: &Variant, n_men: usize, statistics: &[Statistics]) -> String {
    let mut text = format!(
        "{} {n_men} men, {}: longest win and loss in plies, how many positions have them modulo symmetry (and \
         unreduced); results modulo symmetry\n",
        variant.name, variant.default_metric
    );
    for table in statistics {
        let (white, black) = (line(&table.white_to_move), line(&table.black_to_move));
        text += &format!("{}: White to move {white}; Black to move {black}\n", table.material);
    }
    text
}

fn line(side: &SideStatistics) -> String {
    let longest = |word: &str, longest: &Option<Longest>| match longest {
        None => format!("no {word}"),
        Some(at) => format!("{word} {} in {} ({})", at.ply, at.count.orbits, at.count.unreduced),
    };
    let (win, loss) = (longest("win", &side.longest_win), longest("loss", &side.longest_loss));
    let [wins, draws, losses] = [side.wins, side.draws, side.losses].map(|count| count.orbits);
    format!("{win}, {loss}, {wins} wins {draws} draws {losses} losses")
}

/// How many published longest wins there are of these tables, and which are others.
fn published(csv: &str, statistics: &[Statistics]) -> (usize, Vec<String>) {
    let (mut n_found, mut lines) = (0, Vec::new());
    for (name, plies) in csv.lines().skip(1).filter_map(|line| line.split_once(',')) {
        let Some(table) = statistics.iter().find(|table| table.material == name) else { continue };
        n_found += 1;
        let wins = [&table.white_to_move.longest_win, &table.black_to_move.longest_win];
        let longest = wins.into_iter().flatten().map(|win| win.ply).max();
        let longest = longest.map_or("none".to_owned(), |ply| ply.to_string());
        if longest != plies {
            lines.push(format!("{name}: the longest win is {longest} plies, published are {plies}"));
        }
    }
    (n_found, lines)
}

/// The lines of two texts that are not in both.
fn differences(expected: &str, got: &str) -> Vec<String> {
    let missing = expected.lines().filter(|line| !got.lines().any(|other| other == *line));
    let new = got.lines().filter(|line| !expected.lines().any(|other| other == *line));
    missing.map(|line| format!("- {line}")).chain(new.map(|line| format!("+ {line}"))).collect()
}

#[cfg(test)]
mod tests {
    use super::{Options, differences, published, render, run};
    use stats::{Count, Longest, Statistics};
    use std::path::PathBuf;
    use variant::Variant;

    fn table(name: &str, ply: u16) -> Statistics {
        let count = Count { orbits: 2, unreduced: 16 };
        let mut statistics = Statistics {
            winner: None,
            ends_otherwise: false,
            material: name.into(),
            metric: "dtm".into(),
            white_to_move: Default::default(),
            black_to_move: Default::default(),
            zugzwangs: Default::default(),
        };
        statistics.white_to_move.wins = count;
        statistics.white_to_move.longest_win = Some(Longest { ply, count, fen: String::new() });
        statistics
    }

    #[test]
    fn a_table_is_a_line() {
        let variant = Variant::load(xtask::root().join("variants/fide.toml")).expect("the rules of chess");
        let text = render(&variant, 5, &[table("KBBvKN", 155)]);
        let expected = "KBBvKN: White to move win 155 in 2 (16), no loss, 2 wins 0 draws 0 losses; Black to move no \
                        win, no loss, 0 wins 0 draws 0 losses";
        assert_eq!(text.lines().nth(1), Some(expected), "{text}");
    }

    #[test]
    fn other_figures_are_reported() {
        let csv = "table,longest_win_plies\nKBBvKN,155\nKQQvKQ,1\n";
        assert_eq!(published(csv, &[table("KBBvKN", 155)]), (1, vec![]));
        let (_, lines) = published(csv, &[table("KBBvKN", 153)]);
        assert_eq!(lines, ["KBBvKN: the longest win is 153 plies, published are 155"]);
        assert_eq!(differences("a\nb\n", "a\nb\n"), [""; 0]);
        assert_eq!(differences("a\nb\n", "a\nc\n"), ["- b", "+ c"]);
    }

    #[test]
    fn missing_tables_are_named_with_what_to_type() {
        let options = Options { n_men: 5, folder: PathBuf::from("no/such/folder"), write: false };
        let error = run(xtask::root(), &options).expect_err("there are no tables");
        assert!(error.starts_with("110 of 110 tables are not in no/such/folder, KQQQvK for one"), "{error}");
        assert!(
            error.ends_with("`cargo xtask solve variants/fide.toml --men 5 --out no/such/folder`"),
            "{error}"
        );
    }
}
