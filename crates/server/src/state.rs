//! Opens the tables that are served, and holds what handlers need: queries read, requests counted.

use crate::desk::{Desk, Options, too_large};
use crate::game::Game;
use crate::refusal::HttpRefusal;
use axum::body::Body;
use axum::extract::rejection::{JsonRejection, QueryRejection};
use axum::extract::{FromRequest, FromRequestParts, Json, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use library::{AskedTables, Holding, LibraryError, SolveLedger};
use prometheus_client::collector::Collector;
use prometheus_client::encoding::text::encode;
use prometheus_client::encoding::{DescriptorEncoder, EncodeLabelSet, EncodeMetric};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::{ConstGauge, Gauge};
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;
use serde::de::DeserializeOwned;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::timeout;
use variant::game::meant;

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
        // Games without files have no blocks to keep.
        let n_with_files = holdings.iter().filter(|holding| !holding.folders.is_empty()).count();
        let cache_bytes = options.cache_bytes / n_with_files.max(1);
        // All games share the memory of what is solved.
        let ledger = SolveLedger::new(options.bound.map_or(0, |bound| bound.kept_bytes));
        let game = |holding| Game::new(holding, cache_bytes, options.bound, &ledger).map(Arc::new);
        let mut games: Vec<Arc<Game>> = holdings.iter().map(game).collect::<Result<_, _>>()?;
        // A client that names no game means chess.
        games.sort_by_key(|game| game.alias().is_none());
        let gauges = Gauges::new(Sizes(games.clone()));
        Ok(Arc::new(Server { games, desk: Desk::new(&options), options, gauges }))
    }

    /// The names of the games.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.games.iter().map(|game| game.variant().name.as_str())
    }

    /// The game of a name.
    pub(crate) fn game(&self, name: &str) -> Result<Arc<Game>, HttpRefusal> {
        let game = meant(self.games.iter().map(|game| &*game.variant().name), name);
        game.map(|at| self.games[at].clone()).ok_or_else(|| {
            let names: Vec<&str> = self.names().collect();
            let shown: String = name.chars().take(40).filter(|c| !c.is_control()).collect();
            HttpRefusal::absent(format!("there is no game `{shown}` here; there are {}", names.join(", ")))
        })
    }
}

/// The upper ends of the classes of times, in seconds.
const CLASSES: [f64; 11] = [0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0];

/// A request by where it went and how it ended; a few dozen combinations in all, whatever clients send.
#[derive(Clone, PartialEq, Eq, Hash, Debug, EncodeLabelSet)]
struct Ended {
    route: String,
    status: u16,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, EncodeLabelSet)]
struct Route {
    route: String,
}

/// What is counted while a server runs.
#[derive(Debug)]
pub(crate) struct Gauges {
    registry: Registry,
    requests: Family<Ended, Counter>,
    times: Family<Route, Histogram>,
    connections: Gauge,
}

impl Gauges {
    /// Sets counters to zero; `sizes` are asked whenever a client reads them.
    fn new(sizes: Sizes) -> Self {
        let mut registry = Registry::with_prefix("tablesmith");
        let requests = Family::<Ended, Counter>::default();
        let times = Family::<Route, Histogram>::new_with_constructor(|| Histogram::new(CLASSES));
        let connections = Gauge::default();
        registry.register("requests", "Requests by route and status", requests.clone());
        registry.register("request_seconds", "Time from request to answer", times.clone());
        registry.register("connections", "Open connections", connections.clone());
        registry.register_collector(Box::new(sizes));
        Gauges { registry, requests, times, connections }
    }

    /// Counts a request that was answered.
    pub(crate) fn count(&self, route: &str, status: StatusCode, time: Duration) {
        let ended = Ended { route: route.into(), status: status.as_u16() };
        self.requests.get_or_create(&ended).inc();
        self.times.get_or_create(&Route { route: route.into() }).observe(time.as_secs_f64());
    }

    /// Counts connections that open or close.
    pub(crate) fn connect(&self, n: isize) {
        self.connections.inc_by(n as i64);
    }

    /// All of it in the text format of OpenMetrics.
    pub(crate) fn text(&self) -> Response {
        let mut text = String::new();
        match encode(&mut text, &self.registry) {
            Ok(()) => {
                let kind = "application/openmetrics-text; version=1.0.0; charset=utf-8";
                ([(header::CONTENT_TYPE, kind)], text).into_response()
            }
            Err(fmt::Error) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
        }
    }
}

/// Asks games for sizes that no counter tracks: what they have in memory. Waits for no table and no file.
#[derive(Debug)]
struct Sizes(Vec<Arc<Game>>);

impl Collector for Sizes {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let sum = |of: fn(&AskedTables) -> u64| self.0.iter().map(|game| of(&game.tables)).sum::<u64>();
        let (cached, solved) = (sum(|own| own.cached_bytes() as u64), sum(AskedTables::solved_bytes));
        for (name, help, value) in [
            ("cached_bytes", "Decompressed blocks of tables in memory", cached),
            (
                "solved_tables",
                "Tables solved in memory because somebody asked",
                sum(|own| own.solved_names().len() as u64),
            ),
            ("solved_bytes", "Memory of these tables", solved),
        ] {
            let gauge = ConstGauge::new(value as i64);
            gauge.encode(encoder.encode_descriptor(name, help, None, gauge.metric_type())?)?;
        }
        Ok(())
    }
}

/// The query of a request; one that cannot be read is refused with a sentence.
pub(crate) struct QueryParameters<T>(pub(crate) T);

impl<T: DeserializeOwned + Send, S: Send + Sync> FromRequestParts<S> for QueryParameters<T> {
    type Rejection = HttpRefusal;

    async fn from_request_parts(
        parts: &mut axum::http::request::Parts,
        state: &S,
    ) -> Result<Self, HttpRefusal> {
        let query = axum::extract::Query::<T>::from_request_parts(parts, state).await;
        query
            .map(|query| QueryParameters(query.0))
            .map_err(|error: QueryRejection| HttpRefusal::new(error.status(), "request", error.body_text()))
    }
}

/// The body of a request as JSON, and its bytes of the allowance that all requests share; one that cannot be
/// read, or comes too slowly, is refused with a sentence.
pub(crate) struct RequestBody<T>(pub(crate) T, pub(crate) OwnedSemaphorePermit);

impl<T: DeserializeOwned> FromRequest<Arc<Server>> for RequestBody<T> {
    type Rejection = HttpRefusal;

    async fn from_request(
        request: axum::extract::Request,
        server: &Arc<Server>,
    ) -> Result<Self, HttpRefusal> {
        let (most, time) = (server.options.body_bytes, server.options.head_time);
        let length = request.headers().get(header::CONTENT_LENGTH);
        let length: Option<usize> = length.and_then(|length| length.to_str().ok()?.parse().ok());
        if length.is_some_and(|length| length > most) {
            return Err(too_large(most));
        }
        let (parts, body) = request.into_parts();
        let received = timeout(time, server.desk.receive(body, most)).await;
        let (bytes, received) = received.map_err(|_| {
            let message =
                format!("the body took more than {} seconds to arrive; send it at once", time.as_secs());
            HttpRefusal::new(StatusCode::REQUEST_TIMEOUT, "request", message)
        })??;
        let request = axum::extract::Request::from_parts(parts, Body::from(bytes));
        let json = Json::<T>::from_request(request, server).await;
        json.map(|json| RequestBody(json.0, received))
            .map_err(|error: JsonRejection| HttpRefusal::new(error.status(), "request", error.body_text()))
    }
}
