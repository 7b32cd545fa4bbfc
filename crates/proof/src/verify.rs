//! Verify: every value of a finished table re-derived from the values that its moves lead to.
//!
//! The unit of work is a block of placements; blocks are checked in parallel and the report is the same for any
//! number of threads. The crate's header says why this is a proof.

use crate::Difference;
use crate::exit::exits;
use crate::reading::{Reading, Shelf, derived};
use position::{Position, RuleBook};
use rayon::prelude::*;
use std::sync::atomic::{AtomicUsize, Ordering};
use table::{Lookup, Missing, Table, Value};
use variant::{Side, Variant};

/// The most differences that a report lists; all are counted.
const MAX_LISTED: usize = 100;

/// How much of a table is verified.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sample {
    /// Every placement.
    All,
    /// This many blocks of placements, spread evenly over the table.
    Blocks(usize),
}

/// What a verification has found.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Report {
    /// How many stored values were looked at.
    pub n_values: u64,
    /// How many of them belong to legal positions whose moves were made.
    pub n_positions: u64,
    /// How many successors were looked up.
    pub n_successors: u64,
    /// How many values are wrong.
    pub n_differences: u64,
    /// The first of the wrong values, by side to move and number.
    pub differences: Vec<Difference>,
}

impl Report {
    /// Whether every value that was looked at is right.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.n_differences == 0
    }

    fn joined(mut self, other: Report) -> Report {
        self.n_values += other.n_values;
        self.n_positions += other.n_positions;
        self.n_successors += other.n_successors;
        self.n_differences += other.n_differences;
        let room = MAX_LISTED - self.differences.len();
        self.differences.extend(other.differences.into_iter().take(room));
        self
    }
}

/// Verifies a table; `lookup` holds the tables that its captures and promotions lead to (the table itself need not be
/// among them), and `progress` is called with the blocks done and all blocks, from any thread.
///
/// # Errors
/// A table that is needed is not there.
pub fn verify(
    variant: &Variant,
    table: &Table,
    lookup: &dyn Lookup,
    sample: Sample,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> Result<Report, Missing> {
    let book = RuleBook::new(variant);
    let layout = table.layout();
    let shelf = Shelf::new(variant, &exits(variant, layout.material()), lookup)?;
    let reading = shelf.reading(&book, Some(table));
    let n_blocks = layout.n_slices() * layout.n_blocks();
    let chosen: Vec<usize> = match sample {
        Sample::Blocks(n) if n < n_blocks => {
            (0..n).map(|i| (i as u128 * n_blocks as u128 / n as u128) as usize).collect()
        }
        _ => (0..n_blocks).collect(),
    };
    let work: Vec<(Side, usize)> =
        table.sides().flat_map(|stm| chosen.iter().map(move |&block| (stm, block))).collect();
    let done = AtomicUsize::new(0);
    let checked: Vec<Report> = work
        .par_iter()
        .map(|&(stm, block)| {
            let report = verify_block(&book, table, &reading, stm, block);
            progress(done.fetch_add(1, Ordering::Relaxed) + 1, work.len());
            report
        })
        .collect();
    Ok(checked.into_iter().fold(Report::default(), Report::joined))
}

fn verify_block(book: &RuleBook, table: &Table, reading: &Reading, stm: Side, block: usize) -> Report {
    let layout = table.layout();
    let len = layout.block_len();
    let mut report = Report::default();
    for index in block * len..(block + 1) * len {
        let placement = layout.decode(index);
        let men = layout.men().iter().copied().zip(placement.iter().copied());
        let position = Position::from_men(men, stm);
        let stored = table.value(stm, index);
        let expected = match position.as_ref().filter(|position| position.is_legal(book)) {
            None => Value::Illegal,
            // Like men exchanged, or an image: the value must be that of the number that stands for it.
            Some(_) if layout.encode(&placement) != Some(index) => {
                layout.encode(&placement).map_or(Value::Illegal, |canonical| table.value(stm, canonical))
            }
            Some(position) => {
                report.n_positions += 1;
                let value = derived(book, position, |next| {
                    report.n_successors += 1;
                    reading.value(next)
                });
                value.expect("the shelf has every table that a move leads to")
            }
        };
        report.n_values += 1;
        if stored != expected {
            report.n_differences += 1;
            if report.differences.len() < MAX_LISTED {
                let place = (stm, index);
                report.differences.push(Difference::new(book, position.as_ref(), place, stored, expected));
            }
        }
    }
    report
}
