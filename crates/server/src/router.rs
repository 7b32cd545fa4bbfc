//! Leads each request to what answers it, bounds its time, and listens.

use crate::desk::busy;
use crate::refusal::HttpRefusal;
use crate::state::{Server, Shared};
use crate::{api, door, lichess, page};
use axum::Router;
use axum::extract::{DefaultBodyLimit, MatchedPath, Request, State};
use axum::http::{HeaderValue, Method, StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use std::sync::Arc;
use std::time::Instant;
use tokio::net::TcpListener;
use tower_http::compression::CompressionLayer;
use tower_http::cors::{Any, CorsLayer};

impl Server {
    /// What answers requests.
    pub fn router(self: &Arc<Self>) -> Router {
        let cors = CorsLayer::new()
            .allow_origin(Any)
            .allow_methods([Method::GET, Method::POST])
            .allow_headers([header::CONTENT_TYPE]);
        Router::new()
            .merge(page::router())
            .nest("/api/v1", api::router())
            .route("/healthz", get(|| async { "ok\n" }))
            .route("/metrics", get(|State(server): Shared| async move { server.gauges.text() }))
            .merge(lichess::router())
            .fallback(|| async {
                HttpRefusal::absent("there is no such page; / has the explorer, /api/v1 the interface")
            })
            .layer(DefaultBodyLimit::max(self.options.body_bytes))
            .layer(CompressionLayer::new())
            .layer(cors)
            .layer(from_fn_with_state(self.clone(), watched))
            .with_state(self.clone())
    }

    /// Answers requests until `stop` is ready, and those that have begun for a while longer.
    pub async fn run(self: Arc<Self>, listener: TcpListener, stop: impl Future<Output = ()>) {
        let (router, counted) = (self.router(), self.clone());
        door::serve(listener, router, &self.options, stop, move |n| counted.gauges.connect(n)).await;
    }
}

/// Bounds the time of a request, counts it, and writes its line.
async fn watched(State(server): Shared, request: Request, next: Next) -> Response {
    let begun = Instant::now();
    let (method, path) = (request.method().clone(), request.uri().path().to_owned());
    let route = request.extensions().get::<MatchedPath>().map_or("none", MatchedPath::as_str).to_owned();
    let keeps = server.options.keep_time.filter(|_| method == Method::GET && !is_live(&route));
    let mut response = match tokio::time::timeout(server.options.request_time, next.run(request)).await {
        Ok(response) => response,
        Err(_) => busy().into_response(),
    };
    if response.status() == StatusCode::SERVICE_UNAVAILABLE {
        response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("5"));
    }
    if let Some(keep_time) = keeps.filter(|_| response.status().is_success()) {
        let value = format!("public, max-age={}", keep_time.as_secs());
        if let Ok(value) = HeaderValue::from_str(&value) {
            // The page says itself how long it may be kept.
            response.headers_mut().entry(header::CACHE_CONTROL).or_insert(value);
        }
    }
    let (status, time) = (response.status(), begun.elapsed());
    server.gauges.count(&route, status, time);
    tracing::info!(%method, path, status = status.as_u16(), micros = time.as_micros() as u64, "request");
    response
}

/// Whether an answer is another one each time.
fn is_live(route: &str) -> bool {
    matches!(route, "/healthz" | "/metrics") || route.ends_with("/random")
}
