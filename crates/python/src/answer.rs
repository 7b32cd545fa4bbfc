//! Holds what is known of a position: its value, its moves, its line.

use crate::input::side_name;
use library::{Finding, end_name, headline};
use probe::Tablebase;
use pyo3::prelude::*;
use table::Value;
use variant::Metric;

/// Stands for a result that is not known, in arrays.
pub(crate) const UNKNOWN: i8 = i8::MIN;

/// A legal move and what it is worth to the side that makes it.
#[pyclass(frozen, get_all, module = "tablesmith")]
#[derive(Clone)]
pub(crate) struct Move {
    /// The move in coordinates: `"h1d5"`.
    uci: String,
    /// The move in short notation: `"Qd5"`.
    san: String,
    /// 1 for a win of the side that moves, 0 for a draw, -1 for a loss; under `dtz50` the clock is looked
    /// at. None if nobody knows.
    wdl: Option<i8>,
    /// Plies to the end that the metric counts to, this move included; None if nobody wins.
    plies: Option<u16>,
    /// The value in words: `"win in 9 plies"`.
    value: String,
}

/// What is known of a position.
#[pyclass(frozen, get_all, module = "tablesmith")]
pub(crate) struct Answer {
    /// The position.
    fen: String,
    /// The side to move: `"white"` or `"black"`.
    turn: &'static str,
    /// The value for the side to move: `"win in 9 plies"`, `"draw"`, `"loss in 8 plies"`, `"stalemate"`.
    value: String,
    /// 1 for a win of the side to move, 0 for a draw, -1 for a loss; under `dtz50` the clock is looked at.
    wdl: i8,
    /// Plies to the end that the metric counts to; None if nobody wins, or the metric is `wdl`.
    plies: Option<u16>,
    /// The metric of the tables that answered.
    metric: &'static str,
    /// How the game has ended here: `"checkmate"`, `"stalemate"`, …; None if it goes on.
    outcome: Option<&'static str>,
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

/// A value in words; without distances it leaves plies out.
fn in_words(metric: Metric, value: Value) -> String {
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
            Move { uci, san, wdl, plies, value: in_words(metric, rated.value) }
        });
        let (wdl, plies) = counted(metric, finding.value, finding.is_cursed);
        Answer {
            fen: finding.position.to_fen(book),
            turn: side_name(finding.position.stm()),
            value: in_words(metric, finding.value),
            wdl: wdl.unwrap_or(UNKNOWN),
            plies,
            metric: metric.name(),
            outcome: finding.outcome.map(end_name),
            text: headline(tables, finding),
            moves: moves.collect(),
            line: finding.main_line_san(tables).into_iter().map(|(_, san)| san).collect(),
            line_uci: finding.main_line.iter().flatten().map(|rated| rated.uci.clone()).collect(),
            file: finding.file_name(),
            solved: finding.is_rights_solved,
            missing: finding.missing.as_ref().map(|missing| missing.material.clone()),
        }
    }

    /// The same from tables that were solved because somebody asked.
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

    fn __repr__(&self) -> String {
        format!("<Answer {:?}: {}>", self.fen, self.value)
    }
}

#[pymethods]
impl Move {
    fn __repr__(&self) -> String {
        format!("<Move {}: {}>", self.san, self.value)
    }
}
