//! Answers programs: games, tables, statistics, positions. `api/openapi.json` describes every answer.

mod probe;
mod tables;

use crate::desk::{Queue, Written};
use crate::game::Game;
use crate::refusal::HttpRefusal;
use crate::state::{Server, Shared};
use axum::extract::{Path, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use library::moves_in_words;
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::Arc;
use variant::{Metric, Variant};

/// The paths of the interface, as the document has them behind `/api/v1`.
#[cfg(test)]
pub(crate) const PATHS: [&str; 11] =
    ["/", "/openapi.json", "/games", GAME, PROBE, PIECE, TABLES, TABLE, CHART, EXAMPLES, RANDOM];

const GAME: &str = "/games/{game}";
const PROBE: &str = "/games/{game}/probe";
const PIECE: &str = "/games/{game}/pieces/{piece}";
const TABLES: &str = "/games/{game}/tables";
const TABLE: &str = "/games/{game}/tables/{table}";
const CHART: &str = "/games/{game}/tables/{table}/chart.svg";
const EXAMPLES: &str = "/games/{game}/tables/{table}/examples";
const RANDOM: &str = "/games/{game}/tables/{table}/random";

pub(crate) fn router() -> Router<Arc<Server>> {
    Router::new()
        .route("/", get(index))
        .route("/openapi.json", get(openapi))
        .route("/games", get(all))
        .route(GAME, get(one_game))
        .route(PROBE, get(probe::one).post(probe::many))
        .route(PIECE, get(one_piece))
        .route(TABLES, get(tables::all))
        .route(TABLE, get(tables::one))
        .route(CHART, get(tables::chart))
        .route(EXAMPLES, get(tables::examples))
        .route(RANDOM, get(tables::random))
}

/// A game.
#[derive(Serialize, Clone)]
struct GameJson {
    name: String,
    /// The name under which clients of Lichess's tablebase know it.
    alias: Option<&'static str>,
    description: String,
    source: String,
    board: BoardJson,
    pieces: Vec<PieceJson>,
    /// The metric of the rules.
    metric: &'static str,
    /// The metrics of which the folder has tables.
    metrics: Vec<&'static str>,
    /// After how many plies without a capture or a pawn move a game is drawn.
    rule_plies: Option<u16>,
    /// How many tables the folder has; null if it cannot be read.
    tables: Option<usize>,
    /// Whether small tables that are missing are solved.
    solves: bool,
    /// The command that makes tables, without their names.
    solve: Option<String>,
    /// A legal position.
    fen: Option<String>,
}

#[derive(Serialize, Clone)]
struct BoardJson {
    files: usize,
    ranks: usize,
    /// Whether the first and the last file are neighbours.
    cylinder: bool,
    /// Squares of the rectangle that are missing.
    holes: Vec<String>,
}

#[derive(Serialize, Clone)]
struct PieceJson {
    letter: char,
    name: String,
    royal: bool,
    pawn: bool,
}

impl PieceJson {
    fn new(piece: &variant::Piece) -> Self {
        let variant::Piece { letter, name, royal, pawn, .. } = piece;
        PieceJson { letter: *letter, name: name.clone(), royal: *royal, pawn: pawn.is_some() }
    }
}

#[derive(Serialize)]
struct Games {
    games: Vec<GameJson>,
}

async fn all(State(server): Shared) -> Result<Written, HttpRefusal> {
    let of = server.clone();
    let work = move || {
        let described = |game| GameJson::new(game, &of.options.solve_commands);
        Games { games: of.games.iter().map(described).collect() }
    };
    server.desk.answer(Queue::Counting, move |_| Ok(work())).await
}

async fn one_game(State(server): Shared, Path(game): Path<String>) -> Result<Written, HttpRefusal> {
    let game = server.game(&game)?;
    let of = server.clone();
    server.desk.answer(Queue::Counting, move |_| Ok(GameJson::new(&game, &of.options.solve_commands))).await
}

impl GameJson {
    fn new(game: &Arc<Game>, solve: &BTreeMap<String, String>) -> Self {
        let variant = game.variant();
        let board = &variant.board;
        GameJson {
            name: variant.name.clone(),
            alias: game.alias(),
            description: variant.description.clone(),
            source: variant.source.clone(),
            board: BoardJson {
                files: board.files(),
                ranks: board.ranks(),
                cylinder: board.is_cylinder(),
                holes: board.holes().iter().map(|square| board.name(square)).collect(),
            },
            pieces: variant.pieces.iter().map(PieceJson::new).collect(),
            metric: variant.default_metric.name(),
            metrics: game.tables.metrics().iter().copied().map(Metric::name).collect(),
            rule_plies: variant.rules.rule_plies(),
            // A folder that cannot be read takes no other game away.
            tables: game.listed().ok().map(|tables| tables.len()),
            solves: game.tables.solves(),
            solve: solve.get(&variant.name).cloned(),
            fen: game.first_fen().clone(),
        }
    }
}

/// A piece.
#[derive(Serialize)]
struct Described {
    #[serde(flatten)]
    piece: PieceJson,
    /// Its movement in Betza notation; null where the notation has no word for it.
    betza: Option<String>,
    /// The movement as a picture, one line a rank, and below what the marks mean.
    diagram: Vec<String>,
    /// The movement in sentences.
    words: Vec<String>,
    /// What a pawn may become, by letters.
    promotes_to: Vec<char>,
}

async fn one_piece(
    State(server): Shared,
    Path((game, piece)): Path<(String, String)>,
) -> Result<Json<Described>, HttpRefusal> {
    let game = server.game(&game)?;
    describe(game.variant(), &piece).map(Json)
}

fn describe(variant: &Variant, name: &str) -> Result<Described, HttpRefusal> {
    let is_named = |piece: &&variant::Piece| {
        let mut letters = name.chars();
        let letter = letters.next().filter(|_| letters.next().is_none());
        letter.is_some_and(|letter| letter.eq_ignore_ascii_case(&piece.letter))
            || piece.name.eq_ignore_ascii_case(name)
    };
    let piece = variant.pieces.iter().find(is_named).ok_or_else(|| {
        let known: Vec<String> =
            variant.pieces.iter().map(|piece| format!("{} ({})", piece.letter, piece.name)).collect();
        HttpRefusal::absent(format!("{} has no such piece; it has {}", variant.name, known.join(", ")))
    })?;
    let promotes_to = piece.pawn.iter().flat_map(|pawn| pawn.all_promotions());
    Ok(Described {
        piece: PieceJson::new(piece),
        betza: piece.movement.to_betza(),
        diagram: piece.movement.diagram().lines().map(str::to_owned).collect(),
        words: moves_in_words(variant, piece),
        promotes_to: promotes_to.map(|id| variant.piece(id).letter).collect(),
    })
}

/// The description of every request and answer, which the tests hold against the answers.
pub(crate) const OPENAPI: &str = include_str!("../../api/openapi.json");

/// The server, and where to read on.
#[derive(Serialize)]
struct Index {
    program: &'static str,
    openapi: &'static str,
    games: Vec<String>,
    /// The most positions of one request.
    max_positions: usize,
}

async fn index(State(server): Shared) -> Json<Index> {
    Json(Index {
        program: library::PROGRAM,
        openapi: "/api/v1/openapi.json",
        games: server.names().map(str::to_owned).collect(),
        max_positions: server.options.positions,
    })
}

async fn openapi() -> Response {
    ([(header::CONTENT_TYPE, "application/json")], OPENAPI).into_response()
}
