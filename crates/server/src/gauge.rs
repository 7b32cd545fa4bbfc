//! Counts requests, times and connections, and writes them for Prometheus.

use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use prometheus_client::collector::Collector;
use prometheus_client::encoding::text::encode;
use prometheus_client::encoding::{DescriptorEncoder, EncodeLabelSet, EncodeMetric};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::{ConstGauge, Gauge};
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;
use std::fmt;
use std::time::Duration;

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
    /// Counters at zero; `sizes` are asked whenever somebody reads them.
    pub(crate) fn new(sizes: Sizes) -> Self {
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

/// Asks for sizes that nobody counts up.
pub(crate) struct Sizes {
    /// Nobody waits for a table or a file for this.
    pub(crate) now: Box<dyn Fn() -> Held + Send + Sync>,
}

/// What is in memory.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Held {
    /// The bytes of decompressed blocks.
    pub(crate) cached_bytes: u64,
    /// The tables that were solved because somebody asked.
    pub(crate) solved_tables: u64,
    /// Their bytes.
    pub(crate) solved_bytes: u64,
}

impl fmt::Debug for Sizes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Sizes")
    }
}

impl Collector for Sizes {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let Held { cached_bytes, solved_tables, solved_bytes } = (self.now)();
        for (name, help, value) in [
            ("cached_bytes", "Decompressed blocks of tables in memory", cached_bytes),
            ("solved_tables", "Tables solved in memory because somebody asked", solved_tables),
            ("solved_bytes", "Memory of these tables", solved_bytes),
        ] {
            let gauge = ConstGauge::new(value as i64);
            gauge.encode(encoder.encode_descriptor(name, help, None, gauge.metric_type())?)?;
        }
        Ok(())
    }
}
