//! Verifies a structure: derives every value again from the values that its moves lead to.
//!
//! The moves are those of the crate `position`, which shares no code with the solver. A value that is no
//! bound has to be the derived one; a lower bound may not be better for White than what its moves lead to,
//! an upper one not worse. Where it was asked only whether a side loses, nothing else is compared. (Legal
//! moves out of the limit count as in the run.) The file of a pawn race does not say what new queens win, so
//! a promotion may lead to anything.

use crate::graph::TableId;
use crate::{Bound, SolvedStructure, StructureError};
use geometry::Square;
use position::Position;
use probe::{ProbeError, Tablebase};
use serde::{Serialize, Serializer};
use std::fmt;
use std::ops::Range;
use std::sync::Arc;
use table::{MoveKind, Value, threads};
use variant::Side;

/// What a verification has found.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize)]
pub struct Report {
    /// How many stored values were looked at.
    #[serde(rename = "values")]
    pub n_values: u64,
    /// How many of them belong to legal positions.
    #[serde(rename = "positions")]
    pub n_positions: u64,
    /// How many of these rest on new queens, which the file of a pawn race does not have.
    #[serde(rename = "resting_on_promotions", skip_serializing_if = "is_zero")]
    pub n_promotions: u64,
    /// How many values are wrong.
    #[serde(rename = "wrong")]
    pub n_differences: u64,
    /// The first of the wrong values.
    #[serde(rename = "first_wrong")]
    pub differences: Vec<WrongValue>,
}

/// A value that does not follow from those that the moves of its position lead to.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct WrongValue {
    /// The position.
    pub fen: String,
    /// What the file has.
    #[serde(serialize_with = "as_text")]
    pub stored: Value,
    /// What the moves lead to.
    #[serde(serialize_with = "as_text")]
    pub derived: Value,
}

impl fmt::Display for WrongValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let WrongValue { fen, stored, derived } = self;
        write!(f, "{fen}: stored {stored:?}, its moves lead to {derived:?}")
    }
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
fn is_zero(n: &u64) -> bool {
    *n == 0
}

fn as_text<S: Serializer>(value: &Value, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&format_args!("{value:?}"))
}

/// The most differences that are listed.
const MAX_LISTED: usize = 100;

/// This many placements are checked one after the other.
const STRETCH: usize = 4096;

/// Verifies every value of a structure, or one stretch of placements in this many.
///
/// # Errors
/// The file cannot be read.
pub fn verify(structure: &Arc<SolvedStructure>, one_in: usize) -> Result<Report, StructureError> {
    let mut report = Report::default();
    for table in structure.table_ids() {
        let bound = structure.bound_of(table);
        let layout = structure.layout(table);
        let tables = structure.tablebase(bound);
        for &stm in layout.sides() {
            let stretches = threads::stretches(0..layout.len(), STRETCH).step_by(one_in.max(1));
            let check = |numbers: Range<usize>| {
                let mut part = Report::default();
                for number in numbers {
                    check_one(structure, &tables, (table, bound), stm, number, &mut part)?;
                }
                Ok(part)
            };
            let found = threads::try_map(stretches, check);
            let found = found.map_err(|error| StructureError::unread(structure.path(), &error))?;
            report = found.into_iter().fold(report, Report::joined);
        }
    }
    Ok(report)
}

fn check_one(
    structure: &SolvedStructure,
    tables: &Tablebase,
    (table, bound): (TableId, Bound),
    stm: Side,
    number: usize,
    report: &mut Report,
) -> Result<(), ProbeError> {
    let layout = structure.layout(table);
    let placement = layout.decode(number);
    let squares: &[Square] = &placement;
    let read = |source| ProbeError::Values { path: structure.path().into(), source: Arc::new(source) };
    let stored = structure.stored(table, stm, number).map_err(read)?;
    report.n_values += 1;
    let Some(position) = structure.position_of(layout, squares, stm) else { return Ok(()) };
    let book = structure.book();
    if !position.is_legal(book) {
        report.note(structure, &position, stored, Value::Illegal, stored == Value::Illegal);
        return Ok(());
    }
    report.n_positions += 1;
    let scale = tables.scale();
    let (mut best, mut failed): (Option<Value>, Option<ProbeError>) = (None, None);
    let mut may_be_anything = false;
    position.for_each_successor(book, |mv, next| {
        if structure.limit().is_race && mv.promotion.is_some() {
            may_be_anything = true;
            return;
        }
        match tables.value_of_legal(next) {
            Ok(value) => {
                let own = value.before_move_of(MoveKind::new(mv.is_conversion(), mv.zeroing), scale);
                if let Some(own) = own.filter(|own| best.is_none_or(|best| own.preference(&best).is_gt())) {
                    best = Some(own);
                }
            }
            Err(error) => failed = Some(error),
        }
    });
    if let Some(error) = failed {
        return Err(error);
    }
    if may_be_anything {
        // No promotion makes the best of the other moves worse.
        let is_told = bound.winner_outside() == Some(stm) && best.is_some();
        let is_right = !is_told || best.is_some_and(|best| stored.preference(&best).is_ge());
        report.n_promotions += 1;
        report.note(structure, &position, stored, best.unwrap_or(stored), is_right);
        return Ok(());
    }
    let derived = best.unwrap_or_else(|| {
        let ended = position.outcome(book).and_then(|_| position.winner(book));
        match ended {
            None => Value::Stalemate,
            Some(winner) if winner == stm => Value::Win(table::Ply(1)),
            Some(_) => Value::Loss(table::Ply(0)),
        }
    });
    let order = stored.preference(&derived);
    let is_right = match (structure.limit().holder(), bound.winner_outside()) {
        (Some(holder), winner) => {
            // Only where the holder loses is found.
            let is_lost = |value: Value| match value {
                Value::Loss(_) => stm == holder,
                Value::Win(_) => stm != holder,
                _ => false,
            };
            let (stored, derived) = (is_lost(stored), is_lost(derived));
            match winner {
                None => stored == derived,
                Some(winner) if winner == holder => !stored || derived,
                Some(_) => stored || !derived,
            }
        }
        (None, None) => stored == derived,
        // What is given away for nothing makes the side that it is taken from no better.
        (None, Some(winner)) if winner == stm => order.is_ge(),
        (None, Some(_)) => order.is_le(),
    };
    report.note(structure, &position, stored, derived, is_right);
    Ok(())
}

impl Report {
    /// Whether every value that was looked at is right.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.n_differences == 0
    }

    fn note(
        &mut self,
        structure: &SolvedStructure,
        position: &Position,
        stored: Value,
        derived: Value,
        is_right: bool,
    ) {
        if !is_right {
            self.n_differences += 1;
            if self.differences.len() < MAX_LISTED {
                let fen = position.to_fen(structure.book());
                self.differences.push(WrongValue { fen, stored, derived });
            }
        }
    }

    fn joined(mut self, other: Report) -> Report {
        self.n_values += other.n_values;
        self.n_positions += other.n_positions;
        self.n_promotions += other.n_promotions;
        self.n_differences += other.n_differences;
        let room = MAX_LISTED - self.differences.len();
        self.differences.extend(other.differences.into_iter().take(room));
        self
    }
}
