//! Runs `cargo xtask oracle`: compares whole tables with the naive oracle, value for value.
//!
//! The oracle plays out the definition of a value, position by position, so a table of four men takes
//! minutes. The tests compare the few that show something of their own; this compares any. With
//! `--snapshots` the oracle solves the material of each snapshot of statistics with all that it leads to,
//! and no table of the solver is used. Those of chess have published numbers beside them; those of other
//! games have none, so that a wrong number that was snapshotted once would stay. Only the counting is the
//! program's own (crate `stats`), which published numbers hold.

use crate::root;
use anyhow::{Context, Result, bail};
use index::Layout;
use library::SolvedTables;
use proof::{Difference, Oracle};
use stats::Statistics;
use std::path::{Path, PathBuf};
use std::time::Instant;
use variant::{Material, Metric, Variant};

/// The tables that are compared if none is named: some of chess with four men, which no test compares.
const TABLES: &[&str] = &["KQvKR", "KBNvK", "KBBvK", "KRvKN", "KPvKP", "KPPvK", "KNvKP", "KRvKP"];

/// Like [`TABLES`], under another metric: the rule of fifty moves itself, by every state of the clock, where
/// pawn moves set it back.
const TABLES_OF_OTHERS: &[(&str, Metric)] = &[("KPvK", Metric::Dtz50)];

/// What to compare.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Options {
    /// Tables by their names, or with --snapshots games; what no test compares if none is named
    names: Vec<String>,
    /// The snapshots of statistics, of all games but chess or of these
    #[arg(long, conflicts_with_all = ["metric", "variant"])]
    snapshots: bool,
    /// The metric, if not that of the game
    #[arg(long)]
    metric: Option<Metric>,
    /// The rules, if not those of chess
    #[arg(long, value_name = "FILE", requires = "names")]
    variant: Option<PathBuf>,
}

/// Compares table after table, or snapshot after snapshot; returns whether all are equal.
///
/// # Errors
/// The rules or the snapshots cannot be read, or a table cannot be solved.
pub(crate) fn run(options: &Options) -> Result<bool> {
    if options.snapshots {
        return compare_snapshots(&Snapshot::all(root(), &options.names)?);
    }
    let variant = match &options.variant {
        Some(path) => Variant::load(path)?,
        None => Variant::chess(),
    };
    let metric = options.metric.unwrap_or(variant.default_metric);
    let mut wanted: Vec<(&str, Metric)> = options.names.iter().map(|name| (name.as_str(), metric)).collect();
    if wanted.is_empty() {
        wanted.extend(TABLES.iter().map(|&name| (name, metric)));
        wanted.extend(TABLES_OF_OTHERS.iter().filter(|_| options.metric.is_none()));
    }
    if variant.rules.check_counting.is_some() && !matches!(metric, Metric::Dtm | Metric::Wdl) {
        bail!("the oracle knows dtm and wdl of games that count checks; `verify` proves the other metrics");
    }
    let mut is_equal = true;
    let mut tables = SolvedTables::of_metric(variant, metric);
    for (name, metric) in wanted {
        if tables.metric() != metric {
            tables = SolvedTables::of_metric(tables.variant().clone(), metric);
        }
        let start = Instant::now();
        let differences = differences(&tables, name)?;
        let seconds = start.elapsed().as_secs();
        match differences.as_slice() {
            [] => eprintln!("{name} {metric}: equal ({seconds} s)"),
            some => some.iter().for_each(|difference| eprintln!("{name} {metric}: {difference}")),
        }
        is_equal &= differences.is_empty();
    }
    Ok(is_equal)
}

/// Compares snapshots; one that is too large for the oracle is said to be so and counts as equal.
fn compare_snapshots(snapshots: &[Snapshot]) -> Result<bool> {
    let mut n_equal = 0;
    let mut n_too_large = 0;
    for snapshot in snapshots {
        let start = Instant::now();
        let name = format!("{} {} {}", snapshot.game, snapshot.material, snapshot.metric);
        match snapshot.compare(root())? {
            Outcome::Equal => {
                n_equal += 1;
                eprintln!("{name}: equal ({} s)", start.elapsed().as_secs());
            }
            Outcome::TooLarge(n) => {
                n_too_large += 1;
                eprintln!("{name}: not compared, {n} positions are too many for the oracle");
            }
            Outcome::Different(kept, computed) => {
                eprintln!("{name}: the snapshot has\n  {kept}\nand the oracle\n  {computed}");
            }
        }
    }
    let n_different = snapshots.len() - n_equal - n_too_large;
    eprintln!("{n_equal} snapshots equal, {n_different} different, {n_too_large} too large");
    Ok(n_different == 0)
}

/// The most positions of a material that the oracle solves, both sides to move: it keeps a number for each
/// of their moves, which are some hundred bytes a position.
const MOST_POSITIONS: usize = 1 << 26;

/// A snapshot of statistics: of which game, material and metric, and its text.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Snapshot {
    game: String,
    material: String,
    metric: Metric,
    text: String,
}

/// The outcome of a comparison.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Outcome {
    Equal,
    /// The first line that differs, as the snapshot has it and as the oracle does.
    Different(String, String),
    /// The material has too many positions for the oracle: their number.
    TooLarge(usize),
}

impl Snapshot {
    /// The snapshots below a root, sorted: of these games, or of all but chess if none is named.
    ///
    /// # Errors
    /// The folder or a file cannot be read, or a game has no snapshot.
    fn all(root: &Path, games: &[String]) -> Result<Vec<Self>> {
        let folder = root.join("tests/snapshots/stats");
        let mut snapshots = Vec::new();
        for entry in fs_err::read_dir(&folder)? {
            snapshots.extend(Snapshot::read(&entry?.path())?);
        }
        let chess = Variant::chess().name;
        snapshots.retain(|snapshot| match games {
            [] => snapshot.game != chess,
            games => games.contains(&snapshot.game),
        });
        if let Some(game) = games.iter().find(|&game| snapshots.iter().all(|s| s.game != *game)) {
            bail!("no snapshot of {game} in {}", folder.display());
        }
        snapshots.sort_by(|a, b| (&a.game, &a.material, a.metric).cmp(&(&b.game, &b.material, b.metric)));
        Ok(snapshots)
    }

    /// Reads a snapshot, `GAME__MATERIAL__METRIC.snap`; none from a file with another name.
    fn read(path: &Path) -> Result<Option<Self>> {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let fields: Vec<&str> = name.strip_suffix(".snap").unwrap_or_default().split("__").collect();
        let &[game, material, metric] = fields.as_slice() else { return Ok(None) };
        let Ok(metric) = metric.parse() else { return Ok(None) };
        let file = fs_err::read_to_string(path)?;
        // Two lines of dashes enclose what insta writes of its own.
        let text =
            file.splitn(3, "---\n").nth(2).with_context(|| format!("{}: no snapshot", path.display()))?;
        Ok(Some(Snapshot { game: game.into(), material: material.into(), metric, text: text.into() }))
    }

    /// Solves the material by the oracle and compares the statistics with the snapshot.
    ///
    /// # Errors
    /// The rules of the game cannot be read, or it has no such material.
    fn compare(&self, root: &Path) -> Result<Outcome> {
        let path = root.join("variants").join(&self.game).with_extension("toml");
        let variant = Variant::load(path)?;
        let material = Material::parse(&variant, &self.material)?;
        // A name may have the colours as the test asks for them.
        let material = material.canonical(&variant);
        let n_positions = 2 * Layout::new(&variant, &material).len();
        if n_positions > MOST_POSITIONS {
            return Ok(Outcome::TooLarge(n_positions));
        }
        let mut oracle = Oracle::folded(&variant).counting(self.metric);
        oracle.solve(&material);
        let table = oracle.table(&material).with_context(|| format!("{}: not solved", self.material))?;
        let computed = Statistics::collect(&variant, self.metric, &table).render();
        Ok(self.first_difference(&computed))
    }

    /// Compares line by line; a line that one text has no more is empty.
    fn first_difference(&self, computed: &str) -> Outcome {
        let (kept, computed): (Vec<&str>, Vec<&str>) =
            (self.text.trim_end().lines().collect(), computed.trim_end().lines().collect());
        let line = |lines: &[&str], i: usize| lines.get(i).copied().unwrap_or_default().to_owned();
        (0..kept.len().max(computed.len()))
            .map(|i| (line(&kept, i), line(&computed, i)))
            .find(|(kept, computed)| kept != computed)
            .map_or(Outcome::Equal, |(kept, computed)| Outcome::Different(kept, computed))
    }
}

/// The first five values of a table that are not the oracle's. The oracle solves the table by itself; what
/// captures and promotions lead to it takes from the solver.
///
/// # Errors
/// The table cannot be solved.
pub fn differences(tables: &SolvedTables, name: &str) -> Result<Vec<Difference>> {
    let material = Material::parse(tables.variant(), name).with_context(|| name.to_owned())?;
    let table = tables.solved(&material).with_context(|| name.to_owned())?;
    let mut oracle = Oracle::folded(tables.variant()).counting(tables.metric());
    if oracle.solve_with(&material, tables).is_err() {
        bail!("{name}: a table that it leads to is missing");
    }
    oracle.differences(&table, 5).with_context(|| format!("{name}: the oracle has not solved it"))
}

#[cfg(test)]
mod tests {
    use super::{Outcome, Snapshot};
    use crate::root;
    use variant::Metric;

    fn gardner() -> Snapshot {
        let snapshots = Snapshot::all(root(), &["gardner".into()]).unwrap();
        assert_eq!(snapshots.len(), 1, "{snapshots:?}");
        snapshots[0].clone()
    }

    #[test]
    fn a_wrong_number_in_a_snapshot_is_found() {
        let snapshot = gardner();
        assert_eq!((snapshot.material.as_str(), snapshot.metric), ("KQvKR", Metric::Dtm));
        let right = snapshot.text.lines().find(|line| line.starts_with("losses")).unwrap().to_owned();
        let wrong = right.replacen(|c: char| c.is_ascii_digit(), "0", 1);
        let changed = Snapshot { text: snapshot.text.replace(&right, &wrong), ..snapshot.clone() };
        assert_eq!(changed.compare(root()).unwrap(), Outcome::Different(wrong, right));
        assert_eq!(changed.first_difference(&changed.text), Outcome::Equal);
        assert_eq!(snapshot.compare(root()).unwrap(), Outcome::Equal);
    }

    #[test]
    fn chess_has_published_numbers_and_five_men_are_too_many() {
        let all = Snapshot::all(root(), &[]).unwrap();
        assert!(all.len() > 20 && all.iter().all(|snapshot| snapshot.game != "fide"), "{}", all.len());
        let large = all.iter().find(|snapshot| snapshot.material == "KBMvKH").unwrap();
        assert!(matches!(large.compare(root()), Ok(Outcome::TooLarge(n)) if n > 200_000_000));
        let error = Snapshot::all(root(), &["checkers".into()]).unwrap_err().to_string();
        assert!(error.contains("no snapshot of checkers"), "{error}");
    }
}
