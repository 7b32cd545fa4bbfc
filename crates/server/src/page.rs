//! Serves the explorer: one page with its script, its style and its drawings, all inside the program.

use crate::state::Server;
use axum::Router;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use std::sync::Arc;

const HTML: (&str, &str) = ("text/html; charset=utf-8", include_str!("../page/explorer.html"));
const STYLE: (&str, &str) = ("text/css; charset=utf-8", include_str!("../page/explorer.css"));
const MEN: (&str, &str) = ("text/javascript; charset=utf-8", include_str!("../page/men.js"));
const BOARD: (&str, &str) = ("text/javascript; charset=utf-8", include_str!("../page/board.js"));
const SCRIPT: (&str, &str) = ("text/javascript; charset=utf-8", include_str!("../page/explorer.js"));

/// The page loads nothing from elsewhere and runs no script but its own.
const POLICY: &str = "default-src 'self'; img-src 'self' data:; base-uri 'none'; frame-ancestors 'self'";

pub(crate) fn router() -> Router<Arc<Server>> {
    Router::new()
        .route("/", get(|| async { file(HTML) }))
        .route("/page/explorer.css", get(|| async { file(STYLE) }))
        .route("/page/men.js", get(|| async { file(MEN) }))
        .route("/page/board.js", get(|| async { file(BOARD) }))
        .route("/page/explorer.js", get(|| async { file(SCRIPT) }))
}

fn file((kind, text): (&'static str, &'static str)) -> Response {
    let headers = [
        (header::CONTENT_TYPE, kind),
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        // Another version of the program has another page.
        (header::CACHE_CONTROL, "no-cache"),
    ];
    (headers, text).into_response()
}
