//! Holds what is known of a position: its value, its moves, its line.

#![allow(clippy::too_many_arguments, reason = "the constructor of Python takes every field")]

use crate::input::side_name;
use library::{Finding, end_name, headline};
use probe::Tablebase;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use table::Value;
use variant::Metric;

/// Stands for a result that is not known, in arrays.
pub(crate) const UNKNOWN: i8 = i8::MIN;

/// A legal move and what it is worth to the side that makes it.
#[pyclass(frozen, eq, hash, get_all, new = "from_fields", from_py_object, module = "tablesmith")]
#[derive(Clone, PartialEq, Hash)]
pub(crate) struct Move {
    /// The move in coordinates: `"h1d5"`.
    uci: String,
    /// The move in short notation: `"Qd5"`.
    san: String,
    /// 1 for a win of the side that moves, 0 for a draw, -1 for a loss; under `dtz50` the clock is looked
    /// at. None if nobody knows.
    wdl: Option<i8>,
    /// Plies to the end that the metric counts to, this move included; None if nobody wins. Beside a `wdl`
    /// of 0, those of a win that the clock makes a draw.
    plies: Option<u16>,
    /// The value in words, as `wdl` has it: `"win in 9 plies"`.
    value: String,
}

/// What is known of a position.
#[pyclass(frozen, eq, hash, get_all, new = "from_fields", module = "tablesmith")]
#[derive(PartialEq, Hash)]
pub(crate) struct Answer {
    /// The position.
    fen: String,
    /// The side to move: `"white"` or `"black"`.
    turn: String,
    /// The value for the side to move, as `wdl` has it: `"win in 9 plies"`, `"draw"`, `"loss in 8 plies"`,
    /// `"stalemate"`.
    value: String,
    /// 1 for a win of the side to move, 0 for a draw, -1 for a loss; under `dtz50` the clock is looked at.
    wdl: i8,
    /// Plies to the end that the metric counts to; None if nobody wins, or the metric is `wdl`. Beside a
    /// `wdl` of 0, those of a win that the clock makes a draw.
    plies: Option<u16>,
    /// The metric of the tables that answered.
    metric: String,
    /// How the game has ended here: `"checkmate"`, `"stalemate"`, …; None if it goes on.
    outcome: Option<String>,
    /// The value in a sentence: `"White mates in 5 moves, 9 plies"`.
    text: String,
    /// Every legal move, best first; empty if a table that one leads to is missing.
    moves: Vec<Move>,
    /// The main line in short notation, as far as it is known.
    line: Vec<String>,
    /// The main line in coordinates.
    line_uci: Vec<String>,
    /// The name of the file that answered; None if the rules alone do, or the table was solved in memory.
    file: Option<String>,
    /// Whether the tables were solved in memory because they were missing.
    solved: bool,
    /// The table without which moves, or the rest of the line, are not known; None if all is known.
    missing: Option<String>,
}

/// 1, 0 or −1 for whoever the value is of, and the plies that the metric counts.
pub(crate) fn counted(metric: Metric, value: Value, is_cursed: bool) -> (Option<i8>, Option<u16>) {
    let wdl = if is_cursed { Some(0) } else { value.wdl() };
    (wdl, value.ply().filter(|_| metric != Metric::Wdl).map(|ply| ply.0))
}

/// A value in words; without distances it leaves plies out, and a cursed one is a draw.
fn in_words(metric: Metric, value: Value, is_cursed: bool) -> String {
    let value = if is_cursed { Value::Draw } else { value };
    match (metric, value) {
        (Metric::Wdl, Value::Win(_)) => "win".into(),
        (Metric::Wdl, Value::Loss(_)) => "loss".into(),
        _ => value.to_string(),
    }
}

impl Answer {
    /// What tables have found.
    pub(crate) fn new(tables: &Tablebase, finding: &Finding) -> Self {
        let (book, metric) = (tables.book(), tables.scale().metric());
        let moves = finding.moves.iter().map(|rated| {
            let (wdl, plies) = counted(metric, rated.value, rated.is_cursed);
            let (uci, san) = (rated.uci.clone(), finding.position.san(book, rated.mv));
            Move { uci, san, wdl, plies, value: in_words(metric, rated.value, rated.is_cursed) }
        });
        let (wdl, plies) = counted(metric, finding.value, finding.is_cursed);
        Answer {
            fen: finding.position.to_fen(book),
            turn: side_name(finding.position.stm()).into(),
            value: in_words(metric, finding.value, finding.is_cursed),
            wdl: wdl.unwrap_or(UNKNOWN),
            plies,
            metric: metric.name().into(),
            outcome: finding.outcome.map(|outcome| end_name(outcome).into()),
            text: headline(tables, finding),
            moves: moves.collect(),
            line: finding.main_line_san(tables).into_iter().map(|(_, san)| san).collect(),
            line_uci: finding.main_line.iter().flatten().map(|rated| rated.uci.clone()).collect(),
            file: finding.file_name(),
            solved: finding.is_rights_solved,
            missing: finding.missing.as_ref().map(|missing| missing.material.clone()),
        }
    }

    /// This answer, from tables that were solved because a caller asked.
    pub(crate) fn with_solved(self, solved: bool) -> Self {
        Answer { solved: self.solved || solved, ..self }
    }
}

#[pymethods]
impl Answer {
    /// The best move; None if there is none, or it is not known.
    #[getter]
    fn best(&self) -> Option<Move> {
        self.moves.first().cloned()
    }

    /// What makes the same answer again, for pickles and copies.
    fn __getnewargs__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyTuple>> {
        let names = ["fen", "turn", "value", "wdl", "plies", "metric", "outcome", "text", "moves", "line"];
        fields(slf.as_any(), &[&names[..], &["line_uci", "file", "solved", "missing"]].concat())
    }

    fn __repr__(&self) -> String {
        format!("<Answer {:?}: {}>", self.fen, self.value)
    }
}

#[pymethods]
impl Move {
    /// What makes the same move again, for pickles and copies.
    fn __getnewargs__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyTuple>> {
        fields(slf.as_any(), &["uci", "san", "wdl", "plies", "value"])
    }

    fn __repr__(&self) -> String {
        format!("<Move {}: {}>", self.san, self.value)
    }
}

/// Some fields of an object, in this order.
fn fields<'py>(object: &Bound<'py, PyAny>, names: &[&str]) -> PyResult<Bound<'py, PyTuple>> {
    let values = names.iter().map(|name| object.getattr(*name)).collect::<PyResult<Vec<_>>>()?;
    PyTuple::new(object.py(), values)
}
