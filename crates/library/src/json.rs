//! Writes an answer or a refusal as JSON.

use crate::refusal::Refusal;
use crate::sentence::{end_name, headline, helpmates_in_words};
use crate::{Helpmates, Told};
use position::{Move, Position, RuleBook};
use probe::{Answer, Between, RatedMove, Refutation};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use table::{Scale, Value};
use variant::Metric;

/// An answer as JSON, as the command line and the server write it.
#[derive(Serialize, Debug)]
pub struct AnswerJson {
    fen: String,
    stm: String,
    /// The metric that was asked.
    metric: &'static str,
    #[serde(flatten)]
    known: Known,
    /// How the game has ended, if it has.
    outcome: Option<&'static str>,
    text: String,
    /// What says it: `table`, `moves` or `rules`.
    by: &'static str,
    /// The name of the file that was asked; null if the rules or tables in memory say it.
    file: Option<String>,
    /// Where files know bounds: their names, and inside which limits they were solved.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    files: Vec<String>,
    /// Whether tables, or the positions with rights to castle, were solved for the answer.
    solved: bool,
    /// The table without which not all is known.
    missing: Option<String>,
    /// Whether solving the position alone is the way to its value, and not that table.
    #[serde(skip_serializing_if = "is_false")]
    solve_position: bool,
    /// How many legal moves there are.
    legal_moves: usize,
    /// The best of them.
    moves: Vec<ListedMove>,
    /// How it goes on; null if that was not asked.
    main_line: Option<Vec<LineMove>>,
    /// How moves are answered that give the result away.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    refutations: Vec<Refuted>,
}

fn is_false(value: &bool) -> bool {
    !value
}

#[derive(Serialize, Debug)]
struct ListedMove {
    uci: String,
    san: String,
    #[serde(flatten)]
    known: Known,
    /// The position after the move.
    fen: String,
}

#[derive(Serialize, Debug)]
struct Refuted {
    /// What is left at most for the side that makes the first move: 0 for a draw, −1 for a loss.
    wdl: i8,
    line: Vec<LineMove>,
}

#[derive(Serialize, Debug)]
struct LineMove {
    uci: String,
    san: String,
    fen: String,
    /// Whether the metric begins to count again behind this move.
    stop: bool,
    /// Whether no other move keeps the result.
    #[serde(skip_serializing_if = "is_false")]
    only: bool,
}

/// What is known of a value.
#[derive(Serialize, Debug)]
struct Known {
    /// 1 for a win of the side that it is of, 0 for a draw, −1 for a loss; null if that is not known.
    wdl: Option<i8>,
    /// Absent if the value is not known.
    #[serde(flatten)]
    counted: Option<Counted>,
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

/// A distance under its metric's name: plies to the end, null if no side wins, nothing under `wdl`; under
/// `dtz50` beside it as `wdl_now` the result with the clock as it is.
#[derive(Debug)]
struct Counted {
    metric: Metric,
    plies: Option<u16>,
    wdl_now: Option<i8>,
}

impl Serialize for Counted {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        if self.metric != Metric::Wdl {
            map.serialize_entry(self.metric.name(), &self.plies)?;
        }
        if let Some(wdl) = self.wdl_now {
            map.serialize_entry("wdl_now", &wdl)?;
        }
        map.end()
    }
}

impl Known {
    /// What is known of a value under a metric; a distance of another metric is left out.
    fn new(scale: &Scale, value: Between, clock: u32) -> Self {
        let exact = |value: Value| {
            let (metric, plies) = (scale.metric(), value.ply().map(|ply| ply.0));
            let wdl_now = match metric {
                Metric::Dtz50 if scale.is_cursed_at(value, clock) => Some(0),
                Metric::Dtz50 => value.wdl(),
                _ => None,
            };
            Exact { wdl: value.wdl(), counted: Counted { metric, plies, wdl_now } }
        };
        let Some(known) = value.value() else {
            let (least, most) = value.told();
            let (at_least, at_most) = (least.map(exact), most.map(exact));
            return Known { wdl: value.wdl(), counted: None, at_least, at_most };
        };
        let Exact { wdl, counted } = exact(known);
        Known { wdl, counted: Some(counted), at_least: None, at_most: None }
    }
}

impl LineMove {
    /// Moves from a position on.
    fn all(book: &RuleBook, position: &Position, moves: &[RatedMove]) -> Vec<Self> {
        let mut at = position.clone();
        let played = moves.iter().map(|rated| {
            let san = at.san(book, rated.mv);
            at = at.play(rated.mv);
            LineMove {
                uci: rated.uci.clone(),
                san,
                fen: at.to_fen(book),
                stop: rated.is_stop,
                only: rated.is_only,
            }
        });
        played.collect()
    }
}

impl AnswerJson {
    /// An answer by these rules, with at most this many of its moves.
    #[must_use]
    pub fn new(book: &RuleBook, answer: &Answer, n_moves: usize) -> Self {
        let position = &answer.position;
        let clock = position.halfmove_clock();
        let legal: Vec<Move> = answer.moves.iter().map(|rated| rated.mv).collect();
        let listed = answer.moves.iter().take(n_moves).map(|rated| ListedMove {
            uci: rated.uci.clone(),
            san: position.san_among(book, rated.mv, &legal),
            known: Known::new(&answer.scale, rated.value, clock),
            fen: position.play(rated.mv).to_fen(book),
        });
        let line_of = |moves: &[RatedMove]| LineMove::all(book, position, moves);
        let refuted = |own: &Refutation| Refuted { wdl: own.result, line: line_of(&own.line) };
        AnswerJson {
            fen: position.to_fen(book),
            stm: position.stm().to_string(),
            metric: answer.scale.metric().name(),
            known: Known::new(&answer.scale, answer.value, clock),
            outcome: answer.outcome.map(end_name),
            text: headline(book.variant(), answer),
            by: answer.by.name(),
            file: answer.file_name(),
            files: answer.bounds_from(),
            solved: answer.is_solved || answer.is_rights_solved,
            missing: answer.missing.as_ref().map(|missing| missing.material.clone()),
            solve_position: answer.missing.as_ref().is_some_and(|missing| missing.position.is_some()),
            legal_moves: if legal.is_empty() { position.legal_moves(book).len() } else { legal.len() },
            moves: listed.collect(),
            main_line: answer.line.as_deref().map(line_of),
            refutations: answer.refutations.iter().map(refuted).collect(),
        }
    }
}

/// What is known of a position as JSON.
#[derive(Serialize, Debug)]
#[serde(untagged)]
pub enum ToldJson {
    /// Under a metric of a contest.
    Answer(Box<AnswerJson>),
    /// Under `help`.
    Helpmates(Box<HelpmatesJson>),
}

impl ToldJson {
    /// What is known by these rules, with at most this many moves of each answer.
    #[must_use]
    pub fn new(book: &RuleBook, told: &Told, n_moves: usize) -> Self {
        match told {
            Told::Answer(answer) => ToldJson::Answer(Box::new(AnswerJson::new(book, answer, n_moves))),
            Told::Helpmates(own) => ToldJson::Helpmates(Box::new(HelpmatesJson::new(book, own, n_moves))),
        }
    }
}

/// Helpmates as JSON.
#[derive(Serialize, Debug)]
pub struct HelpmatesJson {
    fen: String,
    stm: String,
    metric: &'static str,
    text: String,
    /// Whether neither side can ever win.
    dead: bool,
    /// How White wins with help.
    white: AnswerJson,
    /// How Black does; null where the rules are not the same for both sides.
    black: Option<AnswerJson>,
}

impl HelpmatesJson {
    /// Helpmates by these rules, with at most this many moves of each answer.
    #[must_use]
    pub fn new(book: &RuleBook, helpmates: &Helpmates, n_moves: usize) -> Self {
        let position = &helpmates.white.position;
        HelpmatesJson {
            fen: position.to_fen(book),
            stm: position.stm().to_string(),
            metric: Metric::Help.name(),
            text: helpmates_in_words(book.variant(), helpmates),
            dead: helpmates.is_dead(),
            white: AnswerJson::new(book, &helpmates.white, n_moves),
            black: helpmates.black.as_ref().map(|answer| AnswerJson::new(book, answer, n_moves)),
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
