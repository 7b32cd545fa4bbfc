//! Runs `cargo xtask oracle`: compares whole tables with the naive oracle, value for value.
//!
//! The oracle plays out the definition of a value, position by position, so a table of four men takes
//! minutes. The tests compare the few that show something of their own; this compares any.

use library::SolvedTables;
use proof::{Difference, Oracle};
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Instant;
use variant::{Material, Metric, Variant};

/// The usage of the command.
pub(crate) const USAGE: &str = "oracle takes names of tables, --metric METRIC and --variant FILE";

/// The tables that are compared if none is named: those of chess with four men that no test compares.
const TABLES: &[&str] = &["KBNvK", "KBBvK", "KRvKN", "KPPvK", "KNvKP", "KRvKP"];

/// The tables to compare: `[NAME …] [--metric METRIC] [--variant FILE]`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Options {
    tables: Vec<String>,
    metric: Option<Metric>,
    variant: Option<PathBuf>,
}

impl Options {
    /// Reads the arguments.
    ///
    /// # Errors
    /// What is wrong with them.
    pub(crate) fn parse(args: &[OsString]) -> Result<Self, String> {
        let mut options = Options { tables: Vec::new(), metric: None, variant: None };
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            let mut value = || args.next().ok_or(format!("{} wants a value", arg.display()));
            match arg.to_str() {
                Some("--metric") => {
                    let text = value()?;
                    let metric = text.to_str().and_then(|text| text.parse().ok());
                    options.metric = Some(metric.ok_or(format!("{} is no metric", text.display()))?);
                }
                Some("--variant") => options.variant = Some(value()?.into()),
                Some(name) if !name.starts_with('-') => options.tables.push(name.to_owned()),
                _ => return Err(format!("{}: {USAGE}", arg.display())),
            }
        }
        if options.tables.is_empty() && options.variant.is_none() {
            options.tables = TABLES.iter().map(|&name| name.to_owned()).collect();
        }
        if options.tables.is_empty() { Err(format!("no table is named: {USAGE}")) } else { Ok(options) }
    }
}

/// Compares table after table; returns whether all are equal.
///
/// # Errors
/// The rules cannot be read, or a table cannot be solved.
pub(crate) fn run(options: &Options, report: &mut dyn FnMut(&str)) -> Result<bool, String> {
    let variant = match &options.variant {
        Some(path) => Variant::load(path).map_err(|error| error.to_string())?,
        None => Variant::chess(),
    };
    let metric = options.metric.unwrap_or(variant.default_metric);
    let tables = SolvedTables::of_metric(variant, metric);
    let mut is_equal = true;
    for name in &options.tables {
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
