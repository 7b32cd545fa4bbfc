//! Answers as Lichess's tablebase does: `GET /{game}?fen=…` and `GET /{game}/mainline?fen=…`.
//!
//! Clients exist in a dozen languages, so every key is always there, numbers that are not known are null,
//! and what is refused is refused in the same cases. A table that is not there is no refusal: its category
//! is `unknown`.

mod answer;
mod category;
mod line;
mod question;

use crate::desk::{Queue, Written};
use crate::refusal::{HttpRefusal, Plain};
use crate::state::{Server, Shared};
use axum::Router;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, State};
use axum::routing::get;
use question::question;
use serde::Deserialize;
use std::sync::Arc;

pub(crate) fn router() -> Router<Arc<Server>> {
    Router::new().route("/{game}", get(position)).route("/{game}/mainline", get(main_line))
}

#[derive(Deserialize)]
struct PositionQuery {
    fen: Option<String>,
}

impl PositionQuery {
    fn fen(self) -> Result<String, HttpRefusal> {
        self.fen.ok_or_else(|| HttpRefusal::bad("the query has no `fen`"))
    }
}

async fn position(
    State(server): Shared,
    Path(game): Path<String>,
    asked: Result<Query<PositionQuery>, QueryRejection>,
) -> Result<Written, Plain> {
    let (game, fen) = (server.game(&game)?, asked_fen(asked)?);
    let answer = server.desk.answer(Queue::Reading, move |_| answer::answer(&game, &question(&game, &fen)?));
    Ok(answer.await?)
}

async fn main_line(
    State(server): Shared,
    Path(game): Path<String>,
    asked: Result<Query<PositionQuery>, QueryRejection>,
) -> Result<Written, Plain> {
    let (game, fen) = (server.game(&game)?, asked_fen(asked)?);
    let answer = server
        .desk
        .answer(Queue::Reading, move |waiting| line::main_line(&game, &question(&game, &fen)?, waiting));
    Ok(answer.await?)
}

fn asked_fen(asked: Result<Query<PositionQuery>, QueryRejection>) -> Result<String, HttpRefusal> {
    let Query(asked) = asked.map_err(|error| HttpRefusal::bad(error.body_text()))?;
    asked.fen()
}
