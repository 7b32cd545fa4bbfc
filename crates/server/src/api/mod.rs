//! Answers programs: games, tables, statistics, positions. `api/openapi.json` describes every answer.

mod extractor;
mod games;
mod index;
mod pieces;
mod probe;
mod random;
mod tables;

#[cfg(test)]
pub(crate) use index::OPENAPI;

use crate::state::Server;
use axum::Router;
use axum::routing::get;
use std::sync::Arc;

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
        .route("/", get(index::index))
        .route("/openapi.json", get(index::openapi))
        .route("/games", get(games::all))
        .route(GAME, get(games::one))
        .route(PROBE, get(probe::one).post(probe::many))
        .route(PIECE, get(pieces::one))
        .route(TABLES, get(tables::all))
        .route(TABLE, get(tables::one))
        .route(CHART, get(tables::chart))
        .route(EXAMPLES, get(tables::examples))
        .route(RANDOM, get(random::random))
}
