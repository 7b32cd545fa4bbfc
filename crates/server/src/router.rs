//! Leads each request to what answers it, bounds its time, and listens: accepts a bounded number of
//! connections at a time, and closes those on which nothing happens.

use crate::desk::busy;
use crate::refusal::HttpRefusal;
use crate::state::{Server, Shared};
use crate::{api, lichess};
use axum::Router;
use axum::extract::{DefaultBodyLimit, MatchedPath, Request, State};
use axum::http::{HeaderValue, Method, StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use std::io;
use std::io::IoSlice;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio::time::{Sleep, sleep_until};
use tokio_io_timeout::TimeoutStream;
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
            .merge(router())
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

    /// Answers requests until `stop` is ready; then accepts no more, and waits for those that are being
    /// answered.
    pub async fn run(self: Arc<Self>, listener: TcpListener, stop: impl Future<Output = ()>) {
        let (router, options) = (self.router(), &self.options);
        let slots = Arc::new(Semaphore::new(options.connections.max(1)));
        let graceful = GracefulShutdown::new();
        let mut http = http1::Builder::new();
        http.timer(TokioTimer::new()).header_read_timeout(options.head_time).max_buf_size(HEAD_BYTES);
        let mut stop = std::pin::pin!(stop);
        loop {
            let accepted = async {
                // The semaphore is never closed.
                let slot = slots.clone().acquire_owned().await;
                (slot, listener.accept().await)
            };
            let (slot, accepted) = tokio::select! {
                accepted = accepted => accepted,
                () = &mut stop => break,
            };
            let Ok((stream, _)) = accepted else {
                tokio::time::sleep(PAUSE).await;
                continue;
            };
            // Answers are written at once; without this some wait for the client's next acknowledgement.
            drop(stream.set_nodelay(true));
            let mut stream = TimeoutStream::new(stream);
            // The reading side is also watched while an answer is computed.
            stream.set_read_timeout(Some(options.idle_time.max(options.request_time + options.head_time)));
            stream.set_write_timeout(Some(options.idle_time));
            let stream = Patience::new(Box::pin(stream), options.write_time);
            let service = TowerToHyperService::new(router.clone());
            let connection = graceful.watch(http.serve_connection(TokioIo::new(stream), service));
            let server = self.clone();
            tokio::spawn(async move {
                server.gauges.connect(1);
                // A client that goes away is no error of ours.
                drop(connection.await);
                server.gauges.connect(-1);
                drop(slot);
            });
        }
        drop(listener);
        drop(tokio::time::timeout(options.end_time, graceful.shutdown()).await);
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

/// The files of the page: path, kind and text.
const FILES: [[&str; 3]; 6] = [
    ["/", "text/html", include_str!("../page/explorer.html")],
    ["/page/explorer.css", "text/css", include_str!("../page/explorer.css")],
    ["/page/men.js", "text/javascript", include_str!("../page/men.js")],
    ["/page/board.js", "text/javascript", include_str!("../page/board.js")],
    ["/page/line.js", "text/javascript", include_str!("../page/line.js")],
    ["/page/explorer.js", "text/javascript", include_str!("../page/explorer.js")],
];

/// The page loads nothing from elsewhere and runs no script but its own.
const POLICY: &str = "default-src 'self'; img-src 'self' data:; base-uri 'none'; frame-ancestors 'self'";

fn router() -> Router<Arc<Server>> {
    let file = |kind: &str, text: &'static str| {
        let headers = [
            (header::CONTENT_TYPE, format!("{kind}; charset=utf-8")),
            (header::CONTENT_SECURITY_POLICY, POLICY.into()),
            (header::X_CONTENT_TYPE_OPTIONS, "nosniff".into()),
            // Another version of the program has another page.
            (header::CACHE_CONTROL, "no-cache".into()),
        ];
        get((headers, text))
    };
    FILES.iter().fold(Router::new(), |router, &[path, kind, text]| router.route(path, file(kind, text)))
}

/// The largest head of a request: a FEN takes some hundred bytes of it.
///
/// A client that sends its request byte by byte runs into the time for heads, one that reads nothing of its
/// answer or reads it byte by byte into the times for writing, and one that is silent into the time for
/// reading. So no connection is held for ever, and however many clients wait, they take no more memory than
/// `Options::connections` and `Options::flight_bytes` allow.
const HEAD_BYTES: usize = 16 << 10;

/// How long to wait when the system has no descriptor or memory left for a connection.
const PAUSE: Duration = Duration::from_millis(50);

/// A stream on which an answer may be written for so long, and no longer.
///
/// A time for each write is not enough: a client that reads a byte now and then keeps its answer in memory
/// for hours. Here the time begins with the first byte of an answer and ends with the next request.
#[derive(Debug)]
pub(crate) struct Patience<S> {
    stream: S,
    write_time: Duration,
    /// When the answer that is being written is to be read.
    end: Option<tokio::time::Instant>,
    /// Wakes the task that waits for the client then.
    alarm: Option<Pin<Box<Sleep>>>,
}

impl<S> Patience<S> {
    pub(crate) fn new(stream: S, write_time: Duration) -> Self {
        Patience { stream, write_time, end: None, alarm: None }
    }

    /// What a write has come to, or that the time is over.
    fn in_time<T>(&mut self, cx: &mut Context<'_>, done: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        let now = tokio::time::Instant::now();
        let end = *self.end.get_or_insert(now + self.write_time);
        if now < end && done.is_ready() {
            return done;
        }
        let alarm = self.alarm.get_or_insert_with(|| Box::pin(sleep_until(end)));
        ready!(alarm.as_mut().poll(cx));
        Poll::Ready(Err(io::Error::new(io::ErrorKind::TimedOut, "the answer was not read in time")))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Patience<S> {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let n_before = bytes.filled().len();
        let done = Pin::new(&mut this.stream).poll_read(cx, bytes);
        if bytes.filled().len() > n_before {
            // Another request.
            (this.end, this.alarm) = (None, None);
        }
        done
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Patience<S> {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let done = Pin::new(&mut this.stream).poll_write(cx, bytes);
        this.in_time(cx, done)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let done = Pin::new(&mut this.stream).poll_write_vectored(cx, bytes);
        this.in_time(cx, done)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_flush(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use crate::router::Patience;
    use std::io::ErrorKind;
    use std::time::Duration;
    use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};

    /// Writes an answer to a client that reads a byte a millisecond; with requests before that.
    async fn written(n_bytes: usize, write_time: Duration) -> std::io::Result<()> {
        let (own, mut client) = duplex(16);
        let mut own = Patience::new(own, write_time);
        tokio::spawn(async move {
            client.write_all(b"two requests").await.expect("a request");
            let mut byte = [0];
            while client.read(&mut byte).await.is_ok_and(|n| n > 0) {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        });
        for n in [3, 9] {
            own.read_exact(&mut vec![0; n]).await?;
            own.write_all(&vec![0; n_bytes]).await?;
        }
        own.flush().await
    }

    #[test]
    fn answers_that_are_read_byte_by_byte_come_to_an_end() {
        let runtime = crate::tests::runtime();
        runtime.block_on(async {
            // Each answer has a time of its own.
            written(20, Duration::from_secs(60)).await.expect("the answers are read in time");
            let error = written(1 << 20, Duration::from_millis(60)).await.expect_err("it takes minutes");
            assert_eq!(error.kind(), ErrorKind::TimedOut);
        });
    }
}
