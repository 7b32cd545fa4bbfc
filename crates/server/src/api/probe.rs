//! Answers positions: value, moves, and how the game goes on.

use crate::desk::{Queue, Waiting, Written};
use crate::game::Game;
use crate::refusal::HttpRefusal;
use crate::state::{QueryParameters, RequestBody, Shared};
use axum::extract::{Path, State};
use library::{Known, end_name, headline};
use probe::{Answer, Ask, Between, Line, MissingTable, ProbeError, RatedMove};
use serde::{Deserialize, Serialize};
use table::Scale;
use variant::Metric;

/// The query of a single position.
#[derive(Deserialize)]
pub(super) struct ProbeQuery {
    fen: Option<String>,
    metric: Option<String>,
    /// How many of the best moves to list; all, if nobody says.
    moves: Option<usize>,
    /// Whether to play on.
    #[serde(default)]
    line: bool,
}

/// Several positions.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct BatchRequest {
    fens: Vec<String>,
    metric: Option<String>,
    #[serde(default)]
    moves: usize,
    #[serde(default)]
    line: bool,
}

/// The answer of one of several positions.
#[derive(Serialize)]
#[serde(untagged)]
enum OneOfMany {
    Probed(Box<Probed>),
    Refused { fen: String, error: &'static str, message: String },
}

/// An answer as JSON.
#[derive(Serialize)]
pub(super) struct Probed {
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
    /// Whether the tables were solved because a caller asked, or the positions with rights to castle.
    solved: bool,
    /// The table without which not all is known.
    missing: Option<String>,
    /// How many legal moves there are.
    legal_moves: usize,
    /// The best of them.
    moves: Vec<MoveJson>,
    /// How it goes on; null if nobody asked.
    main_line: Option<Vec<LineMove>>,
}

#[derive(Serialize)]
struct MoveJson {
    uci: String,
    san: String,
    #[serde(flatten)]
    known: Known,
    /// The position after the move.
    fen: String,
}

#[derive(Serialize)]
struct LineMove {
    uci: String,
    san: String,
    fen: String,
    /// Whether the metric begins to count again behind this move.
    stop: bool,
}

/// What is asked about a position.
#[derive(Clone, Copy)]
struct Wanted {
    metric: Option<Metric>,
    n_moves: usize,
    line: bool,
}

pub(super) async fn one(
    State(server): Shared,
    Path(game): Path<String>,
    QueryParameters(one): QueryParameters<ProbeQuery>,
) -> Result<Written, HttpRefusal> {
    let game = server.game(&game)?;
    let fen = one.fen.ok_or_else(|| HttpRefusal::bad("the query has no `fen`"))?;
    let metric = Game::metric(one.metric.as_deref())?;
    let wanted = Wanted { metric, n_moves: one.moves.unwrap_or(usize::MAX), line: one.line };
    server.desk.answer(Queue::Reading, move |waiting| probed(&game, &fen, wanted, waiting)).await
}

pub(super) async fn many(
    State(server): Shared,
    Path(game): Path<String>,
    RequestBody(many, received): RequestBody<BatchRequest>,
) -> Result<Written, HttpRefusal> {
    let game = server.game(&game)?;
    let wanted =
        Wanted { metric: Game::metric(many.metric.as_deref())?, n_moves: many.moves, line: many.line };
    let (n, most) = (many.fens.len(), server.options.positions);
    if n > most {
        return Err(HttpRefusal::bad(format!("{n} positions are asked for, and {most} are the most")));
    }
    let desk = server.desk.clone();
    let work = move |waiting: &Waiting| {
        let _received = &received;
        // Each answer is written as soon as it is there, so that no more than they all may take is held.
        let mut bytes = br#"{"results":["#.to_vec();
        for (i, fen) in many.fens.iter().enumerate() {
            waiting.check()?;
            let answer = match probed(&game, fen, wanted, waiting) {
                Ok(probed) => OneOfMany::Probed(Box::new(probed)),
                Err(refused) => {
                    OneOfMany::Refused { fen: fen.clone(), error: refused.kind, message: refused.message }
                }
            };
            if i > 0 {
                bytes.push(b',');
            }
            desk.write(&mut bytes, &answer)?;
        }
        bytes.extend_from_slice(b"]}");
        desk.written(bytes)
    };
    server.desk.run(Queue::Counting, work).await
}

fn probed(game: &Game, fen: &str, wanted: Wanted, waiting: &Waiting) -> Result<Probed, HttpRefusal> {
    let position = game.position(fen)?;
    let line = if wanted.line { Line::ToStop } else { Line::None };
    let ask = Ask { moves: wanted.n_moves > 0, line, goes_on: &|| !waiting.is_over() };
    let answered = game.tables.answer_legal(&position, wanted.metric, &ask);
    // A line that was broken off is no answer.
    waiting.check()?;
    match answered {
        Ok(answer) => Ok(Probed::new(game, &answer, wanted)),
        Err(ProbeError::Missing(missing)) => {
            let scale = Scale::new(missing.metric, &game.variant().rules);
            let moves = RatedMove::unrated(game.book(), &position);
            let missing = Some(missing);
            Ok(Probed::new(game, &Answer { missing, ..Answer::unknown(position, scale, moves) }, wanted))
        }
        Err(error) => Err(error.into()),
    }
}

impl Probed {
    fn new(game: &Game, answer: &Answer, wanted: Wanted) -> Self {
        let (book, position) = (game.book(), &answer.position);
        let legal: Vec<_> = answer.moves.iter().map(|rated| rated.mv).collect();
        let listed = answer.moves.iter().take(wanted.n_moves).map(|rated| MoveJson {
            uci: rated.uci.clone(),
            san: position.san_among(book, rated.mv, &legal),
            known: Known::new(&answer.scale, rated.value, rated.is_cursed),
            fen: position.play(rated.mv).to_fen(book),
        });
        let mut at = position.clone();
        let played = answer.line.iter().flatten().map(|rated| {
            let san = at.san(book, rated.mv);
            at = at.play(rated.mv);
            LineMove { uci: rated.uci.clone(), san, fen: at.to_fen(book), stop: rated.is_stop }
        });
        let main_line = wanted.line.then(|| played.collect());
        let unknown = answer.missing.as_ref().filter(|_| answer.value == Between::ANYTHING);
        Probed {
            fen: position.to_fen(book),
            stm: position.stm().to_string(),
            metric: answer.scale.metric().name(),
            known: Known::new(&answer.scale, answer.value, answer.is_cursed),
            outcome: answer.outcome.map(end_name),
            text: unknown.map_or_else(|| headline(game.variant(), answer), unknown_text),
            by: answer.by.name(),
            file: answer.file_name(),
            files: answer.bounds_from(),
            solved: answer.is_solved || answer.is_rights_solved,
            missing: answer.missing.as_ref().map(|missing| missing.material.clone()),
            legal_moves: if wanted.n_moves > 0 { legal.len() } else { position.legal_moves(book).len() },
            moves: listed.collect(),
            main_line,
        }
    }
}

fn unknown_text(missing: &MissingTable) -> String {
    let MissingTable { material, metric, .. } = missing;
    match &missing.too_large {
        Some(why) => format!("not known: {why}"),
        None if missing.is_of_rights() => {
            format!("not known: {material} with castling rights ({metric}) is not here")
        }
        None => format!("not known: the table {material} ({metric}) is not here"),
    }
}
