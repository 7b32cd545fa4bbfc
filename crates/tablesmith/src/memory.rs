//! Solves a material in memory, after all tables that its captures and promotions lead to.

use crate::{Metric, Tablebase, Variant};
use library::{LibraryError, SolvedTables};

/// Solves the table of a material such as `KQvKR`, with all tables that it leads to, under the variant's own
/// metric.
///
/// All threads of the machine take part. The tables stay in memory as long as the [`Tablebase`] does: those
/// of chess with four men need some hundred megabytes, those with five some gigabytes.
///
/// # Errors
/// The variant has no such material, or a table cannot hold it.
pub fn solve(variant: &Variant, material: &str) -> Result<Tablebase, LibraryError> {
    solve_for(variant, variant.default_metric, material)
}

/// Solves the tables of a material under any metric.
///
/// # Errors
/// As [`solve`].
pub fn solve_for(variant: &Variant, metric: Metric, material: &str) -> Result<Tablebase, LibraryError> {
    let solved = SolvedTables::of_metric(variant.clone(), metric);
    solved.named(material)?;
    Ok(Tablebase::from_tables(variant, metric, solved.tables()))
}
