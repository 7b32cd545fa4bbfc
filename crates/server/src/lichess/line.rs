//! Plays the main line of a position as Lichess's interface has it: by distances to zeroing moves, to the
//! end.

use super::category::signed_dtz;
use crate::desk::Waiting;
use crate::game::Game;
use crate::refusal::HttpRefusal;
use axum::http::StatusCode;
use position::Position;
use probe::{MissingTable, ProbeError, Tablebase};
use serde::Serialize;
use table::Value;
use variant::{Metric, Side};

/// How a game goes on if both sides play by the tables.
#[derive(Serialize, Default, Debug)]
pub(super) struct MainLine {
    dtz: i32,
    precise_dtz: Option<i32>,
    mainline: Vec<LineMove>,
    winner: Option<&'static str>,
}

#[derive(Serialize, Debug)]
struct LineMove {
    uci: String,
    san: String,
    /// Of the position after the move.
    dtz: i32,
    precise_dtz: Option<i32>,
}

/// The line ends with the game, or where the clock lets somebody claim a draw.
pub(super) fn main_line(
    game: &Game,
    position: &Position,
    waiting: &Waiting,
) -> Result<MainLine, HttpRefusal> {
    let has_rule = game.variant().rules.rule_plies().is_some();
    let metric = if has_rule { Metric::Dtz50 } else { Metric::Dtm };
    let answered = game.tables.ask(position, Some(metric), |tables| {
        let (line, missing) = play(game, tables, position, waiting)?;
        // A line that stops halfway is none.
        match missing {
            Some(missing) => Err(ProbeError::Missing(missing)),
            None => Ok((line, None)),
        }
    });
    // A line that was broken off is no answer.
    waiting.check()?;
    answered.map(|answered| answered.answer).map_err(|error| match error {
        ProbeError::Missing(missing) => {
            HttpRefusal::new(StatusCode::NOT_FOUND, "not built", missing.to_string())
        }
        error => error.into(),
    })
}

fn play(
    game: &Game,
    tables: &Tablebase,
    position: &Position,
    waiting: &Waiting,
) -> Result<(MainLine, Option<MissingTable>), ProbeError> {
    let book = game.book();
    let rule = game.variant().rules.rule_plies().map_or(u32::MAX, u32::from);
    let distance = |position: &Position| -> Result<(i32, Option<i32>), ProbeError> {
        let answer = tables.probe(position)?;
        let dtz = signed_dtz(answer.value);
        let is_rounded = answer.value.ply().is_some() && game.tables.is_rounded(answer.file.as_deref());
        Ok((dtz, (!is_rounded).then_some(dtz)))
    };
    let (dtz, precise_dtz) = distance(position)?;
    let mut line = MainLine { dtz, precise_dtz, ..MainLine::default() };
    if dtz == 0 {
        return Ok((line, None));
    }
    let mut position = position.clone();
    while position.halfmove_clock() < rule && !waiting.is_over() {
        let best = match tables.best_moves(&position) {
            Ok(moves) => moves.into_iter().next(),
            Err(ProbeError::Missing(missing)) => return Ok((line, Some(missing))),
            Err(error) => return Err(error),
        };
        let Some(best) = best.filter(|best| !matches!(best.value, Value::Draw | Value::Stalemate)) else {
            break;
        };
        let san = position.san(book, best.mv);
        position = position.play(best.mv);
        let (dtz, precise_dtz) = distance(&position)?;
        line.mainline.push(LineMove { uci: best.uci, san, dtz, precise_dtz });
    }
    line.winner = position.winner(book).map(|side| if side == Side::White { "w" } else { "b" });
    Ok((line, None))
}
