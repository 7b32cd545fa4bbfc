//! Answers positions: value, moves, and how the game goes on.

use crate::desk::{Queue, Waiting, Written};
use crate::game::Game;
use crate::refusal::HttpRefusal;
use crate::state::{QueryParameters, RequestBody, Shared};
use axum::extract::{Path, State};
use library::{Told, ToldJson, answer_many};
use position::Position;
use probe::{Answer, Ask, Line, ProbeError, RatedMove};
use serde::{Deserialize, Serialize};
use std::sync::atomic::{AtomicUsize, Ordering};
use table::Scale;
use variant::Metric;

/// The query of a single position.
#[derive(Deserialize)]
pub(super) struct ProbeQuery {
    fen: Option<String>,
    metric: Option<String>,
    /// How many of the best moves to list; none for all.
    moves: Option<usize>,
    /// Whether to play on.
    #[serde(default)]
    line: bool,
    /// Whether to show how moves are answered that give the result away.
    #[serde(default)]
    why: bool,
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
    Probed(ToldJson),
    Refused { fen: String, error: &'static str, message: String },
}

/// What is asked about a position.
#[derive(Clone, Copy)]
struct Wanted {
    metric: Option<Metric>,
    n_moves: usize,
    line: bool,
    why: bool,
}

pub(super) async fn one(
    State(server): Shared,
    Path(game): Path<String>,
    QueryParameters(one): QueryParameters<ProbeQuery>,
) -> Result<Written, HttpRefusal> {
    let game = server.game(&game)?;
    let fen = one.fen.ok_or_else(|| HttpRefusal::bad("the query has no `fen`"))?;
    let metric = Game::metric(one.metric.as_deref())?;
    let n_moves = one.moves.unwrap_or(usize::MAX);
    let wanted = Wanted { metric, n_moves, line: one.line, why: one.why };
    let work = move |waiting: &Waiting| probed(&game, &game.position(&fen)?, wanted, waiting);
    server.desk.answer(Queue::Reading, work).await
}

pub(super) async fn many(
    State(server): Shared,
    Path(game): Path<String>,
    RequestBody(many, received): RequestBody<BatchRequest>,
) -> Result<Written, HttpRefusal> {
    let game = server.game(&game)?;
    let wanted = Wanted {
        metric: Game::metric(many.metric.as_deref())?,
        n_moves: many.moves,
        line: many.line,
        why: false,
    };
    let (n, most) = (many.fens.len(), server.options.positions);
    if n > most {
        return Err(HttpRefusal::bad(format!("{n} positions are asked for, and {most} are the most")));
    }
    let desk = server.desk.clone();
    let work = move |waiting: &Waiting| {
        let _received = &received;
        let positions: Vec<Result<Position, HttpRefusal>> =
            many.fens.iter().map(|fen| game.position(fen)).collect();
        let block = |at: usize| game.tables.block_of(positions[at].as_ref().ok()?, wanted.metric);
        // Each answer is written as soon as it is there, so that no more than they all may take is held.
        let n_bytes = AtomicUsize::new(0);
        let written: Vec<Result<Vec<u8>, HttpRefusal>> = answer_many(n, block, |at| {
            waiting.check()?;
            desk.check_size(n_bytes.load(Ordering::Relaxed))?;
            let probed = positions[at].clone().and_then(|own| probed(&game, &own, wanted, waiting));
            let bytes = desk.bytes_of(&match probed {
                Ok(probed) => OneOfMany::Probed(probed),
                Err(HttpRefusal { kind: error, message, .. }) => {
                    OneOfMany::Refused { fen: many.fens[at].clone(), error, message }
                }
            })?;
            n_bytes.fetch_add(bytes.len() + 1, Ordering::Relaxed);
            Ok(bytes)
        });
        let mut bytes = br#"{"results":["#.to_vec();
        for (at, answer) in written.into_iter().enumerate() {
            if at > 0 {
                bytes.push(b',');
            }
            bytes.extend(answer?);
        }
        bytes.extend_from_slice(b"]}");
        desk.written(bytes)
    };
    server.desk.run(Queue::Counting, work).await
}

fn probed(
    game: &Game,
    position: &Position,
    wanted: Wanted,
    waiting: &Waiting,
) -> Result<ToldJson, HttpRefusal> {
    let line = if wanted.line { Line::ToStop } else { Line::None };
    let (moves, why) = (wanted.n_moves > 0 || wanted.why, wanted.why);
    let ask = Ask { moves, line, why, goes_on: &|| !waiting.is_over(), ..Ask::VALUE };
    if wanted.metric == Some(Metric::Help) {
        let helpmates = game.tables.helpmates(position, &ask);
        waiting.check()?;
        return Ok(ToldJson::new(game.book(), &Told::Helpmates(Box::new(helpmates?)), wanted.n_moves));
    }
    let answered = game.tables.answer_legal(position, wanted.metric, &ask);
    // A line that was broken off is no answer.
    waiting.check()?;
    let answer = match answered {
        Err(ProbeError::Missing(missing)) => {
            let scale = Scale::new(missing.column.metric, &game.variant().rules);
            let moves = RatedMove::unrated(game.book(), position);
            let line = wanted.line.then(Vec::new);
            Answer { missing: Some(missing), line, ..Answer::unknown(position.clone(), scale, moves) }
        }
        answered => answered?,
    };
    Ok(ToldJson::new(game.book(), &Told::Answer(Box::new(answer)), wanted.n_moves))
}
