//! Answers programs: games, tables, statistics, positions. `api/openapi.json` describes every answer.

mod games;
mod index;
mod pieces;
mod probe;
mod random;
mod tables;

#[cfg(test)]
pub(crate) use index::OPENAPI;

use crate::refused::Refused;
use crate::server::Server;
use axum::Router;
use axum::extract::rejection::{JsonRejection, QueryRejection};
use axum::extract::{FromRequest, FromRequestParts, Json};
use axum::routing::get;
use serde::de::DeserializeOwned;
use std::sync::Arc;

/// The paths of the interface, as the document has them behind `/api/v1`.
#[cfg(test)]
pub(crate) const PATHS: [&str; 10] =
    ["/", "/openapi.json", "/games", GAME, PROBE, PIECE, TABLES, TABLE, CHART, RANDOM];

const GAME: &str = "/games/{game}";
const PROBE: &str = "/games/{game}/probe";
const PIECE: &str = "/games/{game}/pieces/{piece}";
const TABLES: &str = "/games/{game}/tables";
const TABLE: &str = "/games/{game}/tables/{table}";
const CHART: &str = "/games/{game}/tables/{table}/chart.svg";
const RANDOM: &str = "/games/{game}/tables/{table}/random";

pub(crate) fn router() -> Router<Arc<Server>> {
    Router::new()
        .route("/", get(index::index))
        .route("/openapi.json", get(index::openapi))
        .route("/games", get(games::all))
        .route(GAME, get(games::one))
        .route(PROBE, get(probe::one).post(probe::many))
        .route(PIECE, get(pieces::one))
        .route(TABLES, get(tables::all))
        .route(TABLE, get(tables::one))
        .route(CHART, get(tables::chart))
        .route(RANDOM, get(random::random))
}

/// The query of a request; one that cannot be read is refused with a sentence.
pub(super) struct Asked<T>(pub(super) T);

impl<T: DeserializeOwned + Send, S: Send + Sync> FromRequestParts<S> for Asked<T> {
    type Rejection = Refused;

    async fn from_request_parts(parts: &mut axum::http::request::Parts, state: &S) -> Result<Self, Refused> {
        let query = axum::extract::Query::<T>::from_request_parts(parts, state).await;
        query
            .map(|query| Asked(query.0))
            .map_err(|error: QueryRejection| Refused::new(error.status(), "request", error.body_text()))
    }
}

/// The body of a request as JSON; one that cannot be read is refused with a sentence.
pub(super) struct Sent<T>(pub(super) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Sent<T> {
    type Rejection = Refused;

    async fn from_request(request: axum::extract::Request, state: &S) -> Result<Self, Refused> {
        let json = Json::<T>::from_request(request, state).await;
        json.map(|json| Sent(json.0))
            .map_err(|error: JsonRejection| Refused::new(error.status(), "request", error.body_text()))
    }
}
