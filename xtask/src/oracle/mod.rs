//! Runs `cargo xtask oracle`: compares whole tables with the naive oracle, value for value.
//!
//! The oracle plays out the definition of a value, position by position, so a table of four men takes
//! minutes. The tests compare the few that show something of their own; this compares any. With
//! `--snapshots` the oracle solves what has a snapshot of its statistics (`snapshot`).

mod snapshot;

use crate::root;
use library::SolvedTables;
use proof::{Difference, Oracle};
use snapshot::{Outcome, Snapshot};
use std::path::PathBuf;
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
pub(crate) fn run(options: &Options) -> Result<bool, String> {
    if options.snapshots {
        return compare_snapshots(&Snapshot::all(root(), &options.names)?);
    }
    let variant = match &options.variant {
        Some(path) => Variant::load(path).map_err(|error| error.to_string())?,
        None => Variant::chess(),
    };
    let metric = options.metric.unwrap_or(variant.default_metric);
    let mut wanted: Vec<(&str, Metric)> = options.names.iter().map(|name| (name.as_str(), metric)).collect();
    if wanted.is_empty() {
        wanted.extend(TABLES.iter().map(|&name| (name, metric)));
        wanted.extend(TABLES_OF_OTHERS.iter().filter(|_| options.metric.is_none()));
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
fn compare_snapshots(snapshots: &[Snapshot]) -> Result<bool, String> {
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

/// The first five values of a table that are not the oracle's. The oracle solves the table by itself; what
/// captures and promotions lead to it takes from the solver.
///
/// # Errors
/// The table cannot be solved.
pub fn differences(tables: &SolvedTables, name: &str) -> Result<Vec<Difference>, String> {
    let text = |error: &dyn std::error::Error| format!("{name}: {error}");
    let material = Material::parse(tables.variant(), name).map_err(|error| text(&error))?;
    let table = tables.solved(&material).map_err(|error| text(&error))?;
    let mut oracle = Oracle::folded(tables.variant()).counting(tables.metric());
    oracle
        .solve_with(&material, tables)
        .map_err(|_| format!("{name}: a table that it leads to is missing"))?;
    oracle.differences(&table, 5).ok_or(format!("{name}: the oracle has not solved it"))
}
