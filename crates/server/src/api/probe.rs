//! Answers positions: value, moves, and how the game goes on.

use crate::desk::{Queue, Waiting, Written};
use crate::game::Game;
use crate::refusal::HttpRefusal;
use crate::state::{QueryParameters, RequestBody, Shared};
use axum::extract::{Path, State};
use library::{Counted, Finding, Successors, end_name, headline};
use position::Position;
use probe::{MissingTable, ProbeError, Tablebase};
use serde::{Deserialize, Serialize};
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
enum Answer {
    Probed(Box<Probed>),
    Refused { fen: String, error: &'static str, message: String },
}

/// What is known of a position.
#[derive(Serialize)]
pub(super) struct Probed {
    fen: String,
    stm: String,
    /// The metric that was asked.
    metric: &'static str,
    /// 1 for a win of the side to move, 0 for a draw, −1 for a loss; null if nobody knows.
    wdl: Option<i8>,
    #[serde(flatten)]
    counted: Counted,
    /// How the game has ended, if it has.
    outcome: Option<&'static str>,
    text: String,
    /// The name of the file that was asked; null if the rules or tables in memory say it.
    file: Option<String>,
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
    wdl: Option<i8>,
    #[serde(flatten)]
    counted: Counted,
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
                Ok(probed) => Answer::Probed(Box::new(probed)),
                Err(refused) => {
                    Answer::Refused { fen: fen.clone(), error: refused.kind, message: refused.message }
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
    let answered =
        game.tables.ask(&position, wanted.metric, |tables| known(tables, &position, wanted, waiting));
    // A line that was broken off is no answer.
    waiting.check()?;
    match answered {
        Ok(answered) => {
            let solved = answered.is_solved || answered.answer.solved;
            Ok(Probed { metric: answered.metric.name(), solved, ..answered.answer })
        }
        Err(ProbeError::Missing(missing)) => Ok(unknown(game, &position, wanted, &missing)),
        Err(error) => Err(error.into()),
    }
}

/// What tables know of a position, and what they miss.
fn known(
    tables: &Tablebase,
    position: &Position,
    wanted: Wanted,
    waiting: &Waiting,
) -> Result<(Probed, Option<MissingTable>), ProbeError> {
    let book = tables.book();
    let answer = match tables.probe(position) {
        Ok(answer) => Ok(answer),
        Err(ProbeError::Missing(missing)) => Err(missing),
        Err(error) => return Err(error),
    };
    let Successors { moves, missing } =
        if wanted.n_moves > 0 { Successors::of(tables, position)? } else { Successors::default() };
    let line = match wanted.line {
        true => tables.main_line_while(position, &|| !waiting.is_over())?,
        false => probe::Line::default(),
    };
    let missing = answer.as_ref().err().cloned().or(missing).or(line.missing);
    if let Some(missing) = missing.as_ref().filter(|_| answer.is_err()) {
        // Moves into tables that are there are worth showing where nothing else is known.
        if moves.iter().all(|successor| successor.value.is_none()) {
            return Err(ProbeError::Missing(missing.clone()));
        }
    }
    let legal: Vec<_> = moves.iter().map(|successor| successor.mv).collect();
    let legal_moves = if wanted.n_moves > 0 { moves.len() } else { position.legal_moves(book).len() };
    let listed = moves.iter().take(wanted.n_moves).map(|successor| MoveJson {
        uci: successor.uci.clone(),
        san: position.san_among(book, successor.mv, &legal),
        wdl: successor.value.and_then(table::Value::wdl),
        counted: match successor.value {
            Some(value) => Counted::new(tables.scale(), value, successor.is_cursed),
            None => Counted::default(),
        },
        fen: successor.next.to_fen(book),
    });
    let mut at = position.clone();
    let played = line.moves.iter().map(|rated| {
        let san = at.san(book, rated.mv);
        at = at.play(rated.mv);
        LineMove { uci: rated.uci.clone(), san, fen: at.to_fen(book), stop: rated.is_stop }
    });
    let main_line = wanted.line.then(|| played.collect());
    let mut probed = Probed {
        fen: position.to_fen(book),
        stm: position.stm().to_string(),
        metric: tables.scale().metric().name(),
        wdl: None,
        counted: Counted::default(),
        outcome: None,
        text: missing.as_ref().map_or_else(String::new, unknown_text),
        file: None,
        solved: false,
        missing: missing.as_ref().map(|missing| missing.material.clone()),
        legal_moves,
        moves: listed.collect(),
        main_line,
    };
    if let Ok(answer) = answer {
        probed.counted = Counted::new(tables.scale(), answer.value, answer.is_cursed);
        let finding = Finding {
            position: position.clone(),
            value: answer.value,
            is_cursed: answer.is_cursed,
            outcome: answer.outcome,
            moves: Vec::new(),
            main_line: None,
            missing: None,
            file: answer.file,
            is_rights_solved: answer.is_rights_solved,
            is_decided: answer.missing.is_some(),
        };
        probed.wdl = finding.value.wdl();
        probed.outcome = finding.outcome.map(end_name);
        probed.text = headline(tables, &finding);
        probed.file = finding.file_name();
        probed.solved = finding.is_rights_solved;
    }
    Ok((probed, missing))
}

/// The answer where no table knows anything: the legal moves.
fn unknown(game: &Game, position: &Position, wanted: Wanted, missing: &MissingTable) -> Probed {
    let book = game.book();
    let moves = Successors::unrated(book, position).moves;
    let legal: Vec<_> = moves.iter().map(|successor| successor.mv).collect();
    let listed = moves.iter().take(wanted.n_moves).map(|successor| MoveJson {
        uci: successor.uci.clone(),
        san: position.san_among(book, successor.mv, &legal),
        wdl: None,
        counted: Counted::default(),
        fen: successor.next.to_fen(book),
    });
    Probed {
        fen: position.to_fen(book),
        stm: position.stm().to_string(),
        metric: missing.metric.name(),
        wdl: None,
        counted: Counted::default(),
        outcome: position.outcome(book).map(end_name),
        text: unknown_text(missing),
        file: None,
        solved: false,
        missing: Some(missing.material.clone()),
        legal_moves: moves.len(),
        moves: listed.collect(),
        main_line: wanted.line.then(Vec::new),
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
