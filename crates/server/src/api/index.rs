//! Says what the server is, and describes its interface.

use crate::state::Shared;
use axum::Json;
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use serde::Serialize;

/// The description of every request and answer, which the tests hold against the answers.
pub(crate) const OPENAPI: &str = include_str!("../../api/openapi.json");

/// The server, and where to read on.
#[derive(Serialize)]
pub(super) struct Index {
    program: &'static str,
    openapi: &'static str,
    games: Vec<String>,
    /// The most positions of one request.
    max_positions: usize,
}

pub(super) async fn index(State(server): Shared) -> Json<Index> {
    Json(Index {
        program: library::PROGRAM,
        openapi: "/api/v1/openapi.json",
        games: server.names().map(str::to_owned).collect(),
        max_positions: server.options.positions,
    })
}

pub(super) async fn openapi() -> Response {
    ([(header::CONTENT_TYPE, "application/json")], OPENAPI).into_response()
}
