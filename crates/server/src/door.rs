//! Accepts connections, so many at a time, and closes those on which nothing happens.
//!
//! A client that sends its request byte by byte runs into the time for heads, one that reads nothing of its
//! answer or reads it byte by byte into the times for writing, and one that is silent into the time for
//! reading. So no connection is held for ever, and however many clients wait, they take no more memory than
//! [`Options::connections`] and [`Options::flight_bytes`] allow.

use crate::options::Options;
use crate::patience::Patience;
use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio_io_timeout::TimeoutStream;

/// The largest head of a request: a FEN takes some hundred bytes of it.
const HEAD_BYTES: usize = 16 << 10;

/// How long to wait when the system has no descriptor or memory left for a connection.
const PAUSE: Duration = Duration::from_millis(50);

/// Answers requests until `stop` is ready; then accepts no more, and waits for those that are being
/// answered.
pub(crate) async fn serve(
    listener: TcpListener,
    router: Router,
    options: &Options,
    stop: impl Future<Output = ()>,
    watch: impl Fn(isize) + Clone + Send + 'static,
) {
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
        let watch = watch.clone();
        tokio::spawn(async move {
            watch(1);
            // A client that goes away is no error of ours.
            drop(connection.await);
            watch(-1);
            drop(slot);
        });
    }
    drop(listener);
    drop(tokio::time::timeout(options.end_time, graceful.shutdown()).await);
}
