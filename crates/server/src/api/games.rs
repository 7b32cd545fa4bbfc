//! Describes the games that are served: board, pieces, metrics, and a position to begin with.

use crate::desk::{Queue, Written};
use crate::game::Game;
use crate::refusal::HttpRefusal;
use crate::state::Shared;
use axum::extract::{Path, State};
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::Arc;
use variant::Metric;

/// A game.
#[derive(Serialize, Clone)]
pub(super) struct GameJson {
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

#[derive(Serialize)]
pub(super) struct Games {
    games: Vec<GameJson>,
}

pub(super) async fn all(State(server): Shared) -> Result<Written, HttpRefusal> {
    let of = server.clone();
    let work = move || {
        let described = |game| GameJson::new(game, &of.options.solve_commands);
        Games { games: of.games.iter().map(described).collect() }
    };
    server.desk.answer(Queue::Counting, move |_| Ok(work())).await
}

pub(super) async fn one(State(server): Shared, Path(game): Path<String>) -> Result<Written, HttpRefusal> {
    let game = server.game(&game)?;
    let of = server.clone();
    server.desk.answer(Queue::Counting, move |_| Ok(GameJson::new(&game, &of.options.solve_commands))).await
}

impl GameJson {
    fn new(game: &Arc<Game>, solve: &BTreeMap<String, String>) -> Self {
        let variant = game.variant();
        let board = &variant.board;
        let pieces = variant.pieces.iter().map(|piece| PieceJson {
            letter: piece.letter,
            name: piece.name.clone(),
            royal: piece.royal,
            pawn: piece.pawn.is_some(),
        });
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
            pieces: pieces.collect(),
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
