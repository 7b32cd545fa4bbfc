//! Verifies a file of positions with rights to castle: every value against those that its moves lead to.

use position::{Position, RuleBook};
use probe::{ProbeError, Tablebase};
use proof::{Difference, Report};
use rayon::prelude::*;
use rights::{RightsFile, RightsTable};
use std::ops::Range;
use table::Value;
use variant::Side;

/// How many numbers are looked at one after the other.
const STRETCH: usize = 4096;

/// Verifies a file of these tables, or about so many of its placements if that is fewer, spread evenly, on
/// the threads of whoever calls; `progress` gets how many more values are done.
///
/// With distances this proves the values, as far as those of the tables are right: a win points to a loss
/// that is nearer, down to a mate or to a table.
///
/// # Errors
/// The file is damaged, or a table that is needed is not there or cannot be read.
pub fn verify_rights(
    tables: &Tablebase,
    file: &RightsFile,
    most: u64,
    progress: &(dyn Fn(u64) + Sync),
) -> Result<Report, ProbeError> {
    let keys: Vec<_> = file.keys().cloned().collect();
    let n_all: u64 = keys.iter().map(|key| key.n_numbers(tables.variant()) / 2).sum();
    let one_in = n_all.div_ceil(most.max(1)).max(1) as usize;
    let mut report = Report::default();
    for key in &keys {
        let table = file.table(key)?.expect("the file has this key");
        let n_stretches = table.n_numbers().div_ceil(STRETCH);
        // Of each choice of rights at least one stretch.
        let step = one_in.min(n_stretches).max(1);
        let checked = (step / 2..n_stretches).into_par_iter().step_by(step).map(|stretch| {
            let range = stretch * STRETCH..table.n_numbers().min((stretch + 1) * STRETCH);
            let n_values = range.len() as u64;
            let report = verify_stretch(tables, &table, range);
            progress(n_values);
            report
        });
        let checked: Vec<Report> = checked.collect::<Result<_, ProbeError>>()?;
        report = checked.into_iter().fold(report, Report::joined);
    }
    Ok(report)
}

fn verify_stretch(
    tables: &Tablebase,
    table: &RightsTable,
    range: Range<usize>,
) -> Result<Report, ProbeError> {
    let mut report = Report::default();
    for number in range {
        let stored = table.value_of(number);
        let position = table.position(tables.variant(), number);
        let legal = position.as_ref().filter(|position| position.is_legal(tables.book()));
        let expected = match legal {
            None => Value::Illegal,
            Some(position) => {
                report.n_positions += 1;
                derived(tables, position, &mut report.n_successors)?
            }
        };
        report.n_values += 1;
        if stored != expected {
            let stm = Side::BOTH[usize::from(number >= table.n_numbers() / 2)];
            report.add(|| {
                let fen = name(tables.book(), position.as_ref(), number);
                Difference { fen, index: number, stm, stored, expected }
            });
        }
    }
    Ok(report)
}

/// The value of a position by the definition, from what the tables say of the positions that it leads to.
fn derived(tables: &Tablebase, position: &Position, n_successors: &mut u64) -> Result<Value, ProbeError> {
    let mut failed = None;
    let value = proof::derived(tables.book(), tables.scale(), position, |next| {
        *n_successors += 1;
        match tables.value_of_legal(next) {
            Ok(value) => Some(value),
            Err(error) => {
                failed.get_or_insert(error);
                None
            }
        }
    });
    match (value, failed) {
        (_, Some(error)) => Err(error),
        // A move to what no table has a place for.
        (value, None) => Ok(value.unwrap_or(Value::Illegal)),
    }
}

fn name(book: &RuleBook, position: Option<&Position>, number: usize) -> String {
    position.map_or_else(|| format!("number {number}"), |position| position.to_fen(book))
}
