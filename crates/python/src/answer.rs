//! Holds what is known of a position: its value, its moves, its line.

#![allow(clippy::too_many_arguments, reason = "the constructor of Python takes every field")]

use crate::input::side_name;
use library::{bounds_in_words, end_name, headline, line_in_san};
use position::RuleBook;
use probe::Between;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use table::{Scale, Value};
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
    /// at. None if it is not known.
    wdl: Option<i8>,
    /// The least that `wdl` can be.
    at_least: i8,
    /// The most that `wdl` can be.
    at_most: i8,
    /// Plies to the end that the metric counts to, this move included; None if neither side wins. Beside a
    /// `wdl` of 0, those of a win that the clock makes a draw.
    plies: Option<u16>,
    /// The value in words, as `wdl` has it: `"win in 9 plies"`.
    value: String,
}

/// What is known of a position.
#[pyclass(frozen, eq, hash, get_all, new = "from_fields", module = "tablesmith")]
#[derive(Clone, PartialEq, Hash)]
pub(crate) struct Answer {
    /// The position.
    fen: String,
    /// The side to move: `"white"` or `"black"`.
    turn: String,
    /// The value for the side to move, as `wdl` has it: `"win in 9 plies"`, `"draw"`, `"loss in 8 plies"`,
    /// `"stalemate"`.
    value: String,
    /// 1 for a win of the side to move, 0 for a draw, -1 for a loss; under `dtz50` the clock is looked at.
    /// None if a structure leaves it open.
    wdl: Option<i8>,
    /// The least that `wdl` can be.
    at_least: i8,
    /// The most that `wdl` can be.
    at_most: i8,
    /// Plies to the end that the metric counts to; None if neither side wins, or the metric is `wdl`. Beside
    /// a `wdl` of 0, those of a win that the clock makes a draw.
    plies: Option<u16>,
    /// The metric of the tables that answered.
    metric: String,
    /// How the game has ended here: `"checkmate"`, `"stalemate"`, …; None if it goes on.
    outcome: Option<String>,
    /// The value in a sentence: `"White mates in 5 moves, 9 plies"`.
    text: String,
    /// Every legal move, best first, those of which nothing is known last.
    moves: Vec<Move>,
    /// The main line in short notation, as far as it is known.
    line: Vec<String>,
    /// The main line in coordinates.
    line_uci: Vec<String>,
    /// What says it: `"table"`, the tables of its `"moves"`, or the `"rules"` alone.
    by: String,
    /// The name of the file that answered; None if the rules alone do, or the table was solved in memory.
    file: Option<String>,
    /// Where structures know bounds: their files, and inside which limits they were solved.
    files: Vec<String>,
    /// Whether the tables were solved in memory because they were missing.
    solved: bool,
    /// The table without which moves, or the rest of the line, are not known; None if all is known.
    missing: Option<String>,
}

/// What is known of a position if both sides want one of them to win.
#[pyclass(frozen, eq, hash, get_all, module = "tablesmith")]
#[derive(PartialEq, Hash)]
pub(crate) struct Helpmates {
    /// How White can win with Black's help: `wdl` is 1 for either side to move if it can, and 0 if it never
    /// can; `plies` are those until it has, and the moves those towards it.
    white: Answer,
    /// How Black can win with White's help; None where the rules are not the same for both sides.
    black: Option<Answer>,
    /// Whether neither side can ever win.
    dead: bool,
    /// What is known, in a sentence.
    text: String,
}

impl Helpmates {
    /// Helpmates by these rules.
    pub(crate) fn new(book: &RuleBook, helpmates: &library::Helpmates) -> Self {
        let of = |answer| Answer::new(book, answer);
        Helpmates {
            white: of(&helpmates.white),
            black: helpmates.black.as_ref().map(of),
            dead: helpmates.is_dead(),
            text: library::helpmates_in_words(book.variant(), helpmates),
        }
    }
}

/// The result, and the plies that the metric counts.
pub(crate) fn counted(metric: Metric, value: Between, wdl: Option<i8>) -> (Option<i8>, Option<u16>) {
    (wdl, value.ply().filter(|_| metric != Metric::Wdl).map(|ply| ply.0))
}

/// Returns the least and the most that a result can be, with the clock at `clock` plies.
fn results(scale: &Scale, value: Between, clock: u32) -> (i8, i8) {
    let wdl = |value: Value| Between::exactly(value).wdl_now(scale, clock).unwrap_or(0);
    (wdl(value.least), wdl(value.most))
}

/// A value in words; without distances it leaves plies out, and a cursed one is a draw.
fn in_words(metric: Metric, value: Between, is_cursed: bool) -> String {
    match (metric, value.value()) {
        _ if is_cursed => Value::Draw.to_string(),
        (Metric::Wdl, Some(Value::Win(_))) => "win".into(),
        (Metric::Wdl, Some(Value::Loss(_))) => "loss".into(),
        (_, Some(value)) => value.to_string(),
        (_, None) => bounds_in_words(metric, value),
    }
}

impl Answer {
    /// An answer by these rules.
    pub(crate) fn new(book: &RuleBook, answer: &probe::Answer) -> Self {
        let (scale, position) = (&answer.scale, &answer.position);
        let (metric, clock) = (scale.metric(), position.halfmove_clock());
        let moves = answer.moves.iter().map(|rated| {
            let (wdl, plies) = counted(metric, rated.value, rated.value.wdl_now(scale, clock));
            let (uci, san) = (rated.uci.clone(), position.san(book, rated.mv));
            let (at_least, at_most) = results(scale, rated.value, clock);
            let value = in_words(metric, rated.value, rated.is_cursed);
            Move { uci, san, wdl, at_least, at_most, plies, value }
        });
        let (wdl, plies) = counted(metric, answer.value, answer.wdl_now());
        let (at_least, at_most) = results(scale, answer.value, clock);
        Answer {
            fen: position.to_fen(book),
            turn: side_name(position.stm()).into(),
            value: in_words(metric, answer.value, answer.is_cursed()),
            wdl,
            at_least,
            at_most,
            plies,
            metric: metric.name().into(),
            outcome: answer.outcome.map(|outcome| end_name(outcome).into()),
            text: headline(book.variant(), answer),
            moves: moves.collect(),
            line: line_in_san(book, position, answer.line.as_deref().unwrap_or_default())
                .into_iter()
                .map(|(_, san)| san.replace('!', ""))
                .collect(),
            line_uci: answer.line.iter().flatten().map(|rated| rated.uci.clone()).collect(),
            by: answer.by.name().into(),
            file: answer.file_name(),
            files: answer.bounds_from(),
            solved: answer.is_solved || answer.is_rights_solved,
            missing: answer.missing.as_ref().map(|missing| missing.material.clone()),
        }
    }
}

#[pymethods]
impl Answer {
    /// The best move; None if there is none, or it is not known.
    #[getter]
    fn best(&self) -> Option<Move> {
        let is_best =
            |first: &&Move| self.wdl.is_some() && (first.wdl, first.plies) == (self.wdl, self.plies);
        self.moves.first().filter(is_best).cloned()
    }

    /// What makes the same answer again, for pickles and copies.
    fn __getnewargs__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyTuple>> {
        let names = [
            "fen", "turn", "value", "wdl", "at_least", "at_most", "plies", "metric", "outcome", "text",
            "moves",
        ];
        fields(
            slf.as_any(),
            &[&names[..], &["line", "line_uci", "by", "file", "files", "solved", "missing"]].concat(),
        )
    }

    /// The board as a picture, which notebooks show.
    fn _repr_svg_(&self) -> String {
        library::diagram(&self.fen)
    }

    fn __repr__(&self) -> String {
        format!("<Answer {:?}: {}>", self.fen, self.value)
    }
}

#[pymethods]
impl Move {
    /// What makes the same move again, for pickles and copies.
    fn __getnewargs__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyTuple>> {
        fields(slf.as_any(), &["uci", "san", "wdl", "at_least", "at_most", "plies", "value"])
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
