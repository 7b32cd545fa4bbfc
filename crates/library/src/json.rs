//! Writes a finding or a refusal as JSON.

use crate::finding::{Finding, Refusal, end_name, headline};
use probe::Tablebase;
use serde::Serialize;
use table::{Scale, Value};
use variant::Metric;

/// A finding as JSON.
#[derive(Serialize, Debug)]
pub struct FindingJson {
    fen: String,
    stm: String,
    /// 1 for a win of the side to move, 0 for a draw, −1 for a loss.
    wdl: Option<i8>,
    #[serde(flatten)]
    counted: Counted,
    outcome: Option<&'static str>,
    /// The name of the file that was asked; absent if the rules alone say it.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
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
    wdl: Option<i8>,
    #[serde(flatten)]
    counted: Counted,
}

/// A distance under its metric's name.
#[derive(Serialize, Default, Debug)]
pub struct Counted {
    /// Plies to the end, if somebody wins; the other fields likewise.
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

impl Counted {
    /// The distance of a value under a metric; a field of another metric is left out.
    #[must_use]
    pub fn new(scale: &Scale, value: Value, is_cursed: bool) -> Self {
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

impl FindingJson {
    /// A finding in the tables of a metric.
    #[must_use]
    pub fn new(tables: &Tablebase, finding: &Finding) -> Self {
        let book = tables.book();
        let rated = finding.moves.iter().map(|rated| MoveJson {
            uci: rated.uci.clone(),
            san: finding.position.san(book, rated.mv),
            wdl: rated.value.wdl(),
            counted: Counted::new(tables.scale(), rated.value, rated.is_cursed),
        });
        FindingJson {
            fen: finding.position.to_fen(book),
            stm: finding.position.stm().to_string(),
            wdl: finding.value.wdl(),
            counted: Counted::new(tables.scale(), finding.value, finding.is_cursed),
            outcome: finding.outcome.map(end_name),
            file: finding.file_name(),
            rights_solved: finding.is_rights_solved,
            text: headline(tables, finding),
            moves: rated.collect(),
            main_line: finding.main_line.as_ref().map(|_| {
                let line = finding.main_line_san(tables);
                line.into_iter().map(|(_, san)| san).collect()
            }),
            missing: finding.missing.as_ref().map(|missing| missing.material.clone()),
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
