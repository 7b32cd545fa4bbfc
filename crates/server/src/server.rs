//! Opens the tables that are served, builds the router, and listens.

use crate::desk::Desk;
use crate::game::Game;
use crate::gauge::{Gauges, Sizes};
use crate::options::Options;
use crate::refused::Refused;
use crate::{api, door, lichess, page};
use axum::Router;
use axum::extract::{DefaultBodyLimit, MatchedPath, Request, State};
use axum::http::{HeaderValue, Method, StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use library::{Holding, LibraryError};
use std::sync::Arc;
use std::time::Instant;
use tokio::net::TcpListener;
use tower_http::compression::CompressionLayer;
use tower_http::cors::{Any, CorsLayer};

/// Why a server cannot be opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// The tables of a game cannot be opened.
    #[error(transparent)]
    Library(#[from] LibraryError),
    /// There is nothing to serve.
    #[error("there are no tables and no rules to serve: name a folder of tables, or the rules of a game")]
    Nothing,
}

/// Games and their tables, and what counts requests for them.
#[derive(Debug)]
pub struct Server {
    pub(crate) games: Vec<Arc<Game>>,
    pub(crate) options: Options,
    pub(crate) desk: Desk,
    pub(crate) gauges: Gauges,
}

/// What handlers are given.
pub(crate) type Shared = State<Arc<Server>>;

impl Server {
    /// Opens the tables of these games; no table is read yet.
    ///
    /// # Errors
    /// There is no game, or its folder cannot be read.
    pub fn new(holdings: &[Holding], options: Options) -> Result<Arc<Self>, OpenError> {
        if holdings.is_empty() {
            return Err(OpenError::Nothing);
        }
        let cache_bytes = options.cache_bytes / holdings.len();
        let game = |holding| Game::new(holding, cache_bytes, options.bound).map(Arc::new);
        let games: Vec<Arc<Game>> = holdings.iter().map(game).collect::<Result<_, _>>()?;
        let counted = games.clone();
        let now = move || {
            let cached = counted.iter().map(|game| game.tables.cached_bytes() as u64).sum();
            let solved = counted.iter().map(|game| game.tables.solved_names().len() as u64).sum();
            (cached, solved)
        };
        let gauges = Gauges::new(Sizes { now: Box::new(now) });
        Ok(Arc::new(Server { games, desk: Desk::new(options.readers), options, gauges }))
    }

    /// The names of the games.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.games.iter().map(|game| game.variant().name.as_str())
    }

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
                Refused::absent("there is no such page; / has the explorer, /api/v1 the interface")
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

    /// The game of a name.
    pub(crate) fn game(&self, name: &str) -> Result<Arc<Game>, Refused> {
        let game = self.games.iter().find(|game| game.is_named(name));
        game.cloned().ok_or_else(|| {
            let names: Vec<&str> = self.names().collect();
            let shown: String = name.chars().take(40).filter(|c| !c.is_control()).collect();
            Refused::absent(format!("there is no game `{shown}` here; there are {}", names.join(", ")))
        })
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
        Err(_) => {
            let refused = Refused::new(
                StatusCode::SERVICE_UNAVAILABLE,
                "busy",
                "the server is busy, and the answer took too long; ask again later",
            );
            ([(header::RETRY_AFTER, "5")], refused).into_response()
        }
    };
    if let Some(keep_time) = keeps.filter(|_| response.status().is_success()) {
        let value = format!("public, max-age={}", keep_time.as_secs());
        if let Ok(value) = HeaderValue::from_str(&value) {
            response.headers_mut().insert(header::CACHE_CONTROL, value);
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
