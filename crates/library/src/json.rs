//! Writes an answer or a refusal as JSON.

use crate::refusal::Refusal;
use crate::sentence::{end_name, headline, line_in_san};
use position::RuleBook;
use probe::{Answer, Between};
use serde::Serialize;
use table::{Scale, Value};
use variant::Metric;

/// An answer as JSON.
#[derive(Serialize, Debug)]
pub struct AnswerJson {
    fen: String,
    stm: String,
    #[serde(flatten)]
    known: Known,
    outcome: Option<&'static str>,
    /// What says it: `table`, `moves` or `rules`.
    by: &'static str,
    /// The name of the file that was asked; absent if the rules alone say it.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    /// Where files know bounds: their names, and inside which limits they were solved.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    files: Vec<String>,
    /// Whether a side may castle and no file has such positions: they were solved from the tables.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    rights_solved: bool,
    text: String,
    moves: Vec<MoveJson>,
    /// Absent if it was not looked for, or is not known; empty if neither side wins.
    #[serde(skip_serializing_if = "Option::is_none")]
    main_line: Option<Vec<String>>,
    /// The table without which the moves, or else the main line, are not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    missing: Option<String>,
}

#[derive(Serialize, Debug)]
struct MoveJson {
    uci: String,
    san: String,
    #[serde(flatten)]
    known: Known,
}

/// What is known of a value.
#[derive(Serialize, Debug)]
pub struct Known {
    /// 1 for a win of the side that it is of, 0 for a draw, −1 for a loss; null if that is not known.
    wdl: Option<i8>,
    /// Absent if the value is not known.
    #[serde(flatten)]
    counted: Counted,
    /// What it is at least and at most, where that is all that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    at_least: Option<Exact>,
    #[serde(skip_serializing_if = "Option::is_none")]
    at_most: Option<Exact>,
}

#[derive(Serialize, Debug)]
struct Exact {
    wdl: Option<i8>,
    #[serde(flatten)]
    counted: Counted,
}

/// A distance under its metric's name.
#[derive(Serialize, Default, Debug)]
struct Counted {
    /// Plies to the end, if a side wins; the other fields likewise.
    #[serde(skip_serializing_if = "Option::is_none")]
    dtm: Option<Option<u16>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    dtc: Option<Option<u16>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    dtz: Option<Option<u16>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    dtz50: Option<Option<u16>>,
    /// The result under the n-move rule, with the clock as it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    wdl_now: Option<i8>,
}

impl Known {
    /// What is known of a value under a metric; a distance of another metric is left out.
    #[must_use]
    pub fn new(scale: &Scale, value: Between, is_cursed: bool) -> Self {
        let exact = |value: Value| Exact { wdl: value.wdl(), counted: Counted::new(scale, value, is_cursed) };
        let Some(known) = value.value() else {
            let bound = |own: Value, open: Value| (!own.preference(&open).is_eq()).then(|| exact(own));
            return Known {
                wdl: value.wdl(),
                counted: Counted::default(),
                at_least: bound(value.least, Between::ANYTHING.least),
                at_most: bound(value.most, Between::ANYTHING.most),
            };
        };
        let Exact { wdl, counted } = exact(known);
        Known { wdl, counted, at_least: None, at_most: None }
    }
}

impl Counted {
    fn new(scale: &Scale, value: Value, is_cursed: bool) -> Self {
        let plies = Some(value.ply().map(|ply| ply.0));
        match scale.metric() {
            Metric::Wdl => Counted::default(),
            Metric::Dtm => Counted { dtm: plies, ..Counted::default() },
            Metric::Dtc => Counted { dtc: plies, ..Counted::default() },
            Metric::Dtz => Counted { dtz: plies, ..Counted::default() },
            Metric::Dtz50 => {
                let wdl_now = if is_cursed { Some(0) } else { value.wdl() };
                Counted { dtz50: plies, wdl_now, ..Counted::default() }
            }
        }
    }
}

impl AnswerJson {
    /// An answer by these rules.
    #[must_use]
    pub fn new(book: &RuleBook, answer: &Answer) -> Self {
        let moves = answer.moves.iter().map(|rated| MoveJson {
            uci: rated.uci.clone(),
            san: answer.position.san(book, rated.mv),
            known: Known::new(&answer.scale, rated.value, rated.is_cursed),
        });
        let line = answer.line.as_ref().filter(|line| answer.missing.is_none() || !line.is_empty());
        AnswerJson {
            fen: answer.position.to_fen(book),
            stm: answer.position.stm().to_string(),
            known: Known::new(&answer.scale, answer.value, answer.is_cursed),
            outcome: answer.outcome.map(end_name),
            by: answer.by.name(),
            file: answer.file_name(),
            files: answer.bounds_from(),
            rights_solved: answer.is_rights_solved,
            text: headline(book.variant(), answer),
            moves: moves.collect(),
            main_line: line.map(|_| line_in_san(book, answer).into_iter().map(|(_, san)| san).collect()),
            missing: answer.missing.as_ref().map(|missing| missing.material.clone()),
        }
    }
}

/// A refusal as JSON.
#[derive(Serialize, Debug)]
pub struct RefusalJson<'a> {
    fen: &'a str,
    error: &'static str,
    message: &'a str,
}

impl<'a> RefusalJson<'a> {
    /// The refusal of a FEN, with a message for people.
    #[must_use]
    pub fn new(fen: &'a str, refusal: &Refusal, message: &'a str) -> Self {
        RefusalJson { fen, error: refusal.kind(), message }
    }
}
