//! Answers positions, and prints answers and refusals.

use super::args::ProbeArgs;
use super::text;
use crate::Remedy;
use ::probe::{Ask, Line};
use library::{AskedTables, Refusal, RefusalJson, Told, ToldJson};
use parking_lot::Mutex;
use position::Position;
use serde::Serialize;
use std::collections::BTreeSet;
use variant::Metric;

/// Answers positions: one for people, or one a line.
pub(super) struct Prober<'a> {
    pub(super) args: &'a ProbeArgs,
    pub(super) tables: &'a AskedTables,
    pub(super) remedy: &'a Remedy<'a>,
    /// The metrics that have answered beside the one that is asked for.
    pub(super) others: Mutex<BTreeSet<Metric>>,
}

impl Prober<'_> {
    /// What is known of a position; nothing but moves is too little.
    pub(super) fn answer(&self, position: &Position) -> Result<Told, Refusal> {
        let ask = match (self.args.value_only, self.is_line()) {
            (true, _) => Ask::VALUE,
            (false, true) => Ask::MOVES,
            (false, false) => {
                let line = if self.args.line || self.args.telling.pgn { Line::ToEnd } else { Line::ToStop };
                Ask { line, why: self.args.telling.why, ..Ask::MOVES }
            }
        };
        Ok(match self.args.metric {
            Some(Metric::Help) => Told::Helpmates(Box::new(self.tables.helpmates(position, &ask)?)),
            metric => {
                let answer = self.tables.answer(position, metric, &ask)?;
                Told::Answer(Box::new(Refusal::of_unknown(answer)?))
            }
        })
    }

    /// Whether each position is a line of many.
    fn is_line(&self) -> bool {
        self.args.fen.is_none()
    }

    /// An answer as it is printed; of a line what follows its position.
    pub(super) fn text(&self, told: &Told) -> String {
        let book = self.tables.book();
        match (told, self.args.json, self.is_line()) {
            (told, true, is_line) => json(&ToldJson::new(book, told, usize::MAX), is_line),
            (Told::Answer(answer), false, true) => text::fields(answer, self.args.value_only),
            (Told::Answer(answer), false, false) => {
                self.args.telling.text(book, answer, self.remedy.gap(answer))
            }
            (Told::Helpmates(own), false, true) => text::helpmate_fields(own),
            (Told::Helpmates(own), false, false) => {
                let gaps = own.answers().map(|answer| self.remedy.gap(answer)).collect();
                text::helpmates(book, own, gaps)
            }
        }
    }

    /// Why a position has no answer, with what mends it.
    pub(super) fn refused(&self, fen: &str, refusal: &Refusal) -> String {
        let message = self.remedy.message(refusal);
        match (self.args.json, self.is_line()) {
            (true, is_line) => json(&RefusalJson::new(fen, refusal, &message), is_line),
            (false, true) => format!("error\t{}\n", one_field(&message)),
            (false, false) => message + "\n",
        }
    }
}

/// A value as JSON, in one line or many. Plain data with text as keys always has such a form.
fn json(value: &impl Serialize, is_line: bool) -> String {
    let text = if is_line { serde_json::to_string(value) } else { serde_json::to_string_pretty(value) };
    text.unwrap_or_default() + "\n"
}

/// A text that does not break a line into more fields or lines.
pub(super) fn one_field(text: &str) -> String {
    text.replace(|c: char| c.is_control(), " ")
}
