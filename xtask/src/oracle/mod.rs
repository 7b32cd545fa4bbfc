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
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Instant;
use variant::{Material, Metric, Variant};

/// The usage of the command.
pub(crate) const USAGE: &str =
    "oracle takes names of tables, --metric METRIC and --variant FILE; or --snapshots and names of games";

/// The tables that are compared if none is named: some of chess with four men, which no test compares.
const TABLES: &[&str] = &["KQvKR", "KBNvK", "KBBvK", "KRvKN", "KPvKP", "KPPvK", "KNvKP", "KRvKP"];

/// The same under another metric: the rule of fifty moves itself, by every state of the clock, where pawn
/// moves set it back.
const TABLES_OF_OTHERS: &[(&str, Metric)] = &[("KPvK", Metric::Dtz50)];

/// What to compare: `[NAME …] [--metric METRIC] [--variant FILE]`, or `--snapshots [GAME …]`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Options {
    /// Names of tables, or with `snapshots` of games.
    names: Vec<String>,
    /// Whether nothing is named.
    is_default: bool,
    snapshots: bool,
    metric: Option<Metric>,
    variant: Option<PathBuf>,
}

impl Options {
    /// Reads the arguments.
    ///
    /// # Errors
    /// What is wrong with them.
    pub(crate) fn parse(args: &[OsString]) -> Result<Self, String> {
        let mut options =
            Options { names: Vec::new(), is_default: false, snapshots: false, metric: None, variant: None };
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            let mut value = || args.next().ok_or(format!("{} wants a value", arg.display()));
            match arg.to_str() {
                Some("--metric") => {
                    let text = value()?;
                    let metric = text.to_str().and_then(|text| text.parse().ok());
                    options.metric = Some(metric.ok_or(format!("{} is no metric", text.display()))?);
                }
                Some("--snapshots") => options.snapshots = true,
                Some("--variant") => options.variant = Some(value()?.into()),
                Some(name) if !name.starts_with('-') => options.names.push(name.to_owned()),
                _ => return Err(format!("{}: {USAGE}", arg.display())),
            }
        }
        if options.snapshots {
            // A snapshot names its metric and its game.
            let is_free = options.metric.is_none() && options.variant.is_none();
            return is_free.then_some(options).ok_or(USAGE.into());
        }
        if options.names.is_empty() && options.variant.is_none() {
            options.names = TABLES.iter().map(|&name| name.to_owned()).collect();
            options.is_default = options.metric.is_none();
        }
        if options.names.is_empty() { Err(format!("no table is named: {USAGE}")) } else { Ok(options) }
    }
}

/// Compares table after table, or snapshot after snapshot; returns whether all are equal.
///
/// # Errors
/// The rules or the snapshots cannot be read, or a table cannot be solved.
pub(crate) fn run(options: &Options, report: &mut dyn FnMut(&str)) -> Result<bool, String> {
    if options.snapshots {
        return compare_snapshots(&Snapshot::all(root(), &options.names)?, report);
    }
    let variant = match &options.variant {
        Some(path) => Variant::load(path).map_err(|error| error.to_string())?,
        None => Variant::chess(),
    };
    let metric = options.metric.unwrap_or(variant.default_metric);
    let named = options.names.iter().map(|name| (name.as_str(), metric));
    let others: &[(&str, Metric)] = if options.is_default { TABLES_OF_OTHERS } else { &[] };
    let mut is_equal = true;
    let mut tables = SolvedTables::of_metric(variant, metric);
    for (name, metric) in named.chain(others.iter().copied()) {
        if tables.metric() != metric {
            tables = SolvedTables::of_metric(tables.variant().clone(), metric);
        }
        let start = Instant::now();
        let differences = differences(&tables, name)?;
        let seconds = start.elapsed().as_secs();
        match differences.as_slice() {
            [] => report(&format!("{name} {metric}: equal ({seconds} s)")),
            some => some.iter().for_each(|difference| report(&format!("{name} {metric}: {difference}"))),
        }
        is_equal &= differences.is_empty();
    }
    Ok(is_equal)
}

/// Compares snapshots; one that is too large for the oracle is said to be so and counts as equal.
fn compare_snapshots(snapshots: &[Snapshot], report: &mut dyn FnMut(&str)) -> Result<bool, String> {
    let mut n_equal = 0;
    let mut n_too_large = 0;
    for snapshot in snapshots {
        let start = Instant::now();
        let name = format!("{} {} {}", snapshot.game, snapshot.material, snapshot.metric);
        match snapshot.compare(root())? {
            Outcome::Equal => {
                n_equal += 1;
                report(&format!("{name}: equal ({} s)", start.elapsed().as_secs()));
            }
            Outcome::TooLarge(n) => {
                n_too_large += 1;
                report(&format!("{name}: not compared, {n} positions are too many for the oracle"));
            }
            Outcome::Different(kept, computed) => {
                report(&format!("{name}: the snapshot has\n  {kept}\nand the oracle\n  {computed}"));
            }
        }
    }
    let n_different = snapshots.len() - n_equal - n_too_large;
    report(&format!("{n_equal} snapshots equal, {n_different} different, {n_too_large} too large"));
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
