//! Connects through real sockets: many clients, slow ones, and the end of the server.

use super::{runtime, with};
use crate::Options;
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;

const REQUEST: &[u8] = b"GET /standard?fen=8/8/8/8/8/4k3/8/4K2Q_w_-_-_0_1 HTTP/1.1\r\nhost: x\r\n\r\n";

/// Reads until something of an answer is there.
async fn answer(stream: &mut TcpStream) -> String {
    let mut text = String::new();
    let mut bytes = [0; 4096];
    while !text.contains("\r\n\r\n{") {
        let n = stream.read(&mut bytes).await.unwrap_or(0);
        if n == 0 {
            break;
        }
        text += &String::from_utf8_lossy(&bytes[..n]);
    }
    text
}

/// Runs a test against a listening server; both end before it returns.
fn against<F: Future<Output = ()>>(
    options: Options,
    test: impl FnOnce(std::net::SocketAddr, oneshot::Sender<()>) -> F,
) {
    runtime().block_on(async {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let (stop, stopped) = oneshot::channel();
        let server = with(options).run(listener, async { drop(stopped.await) });
        tokio::join!(server, test(address, stop));
    });
}

#[test]
fn connections_beyond_the_limit_wait_for_their_turn() {
    against(Options { connections: 1, ..Options::default() }, |address, stop| async move {
        let mut first = TcpStream::connect(address).await.expect("a connection");
        first.write_all(REQUEST).await.expect("a request");
        assert!(answer(&mut first).await.starts_with("HTTP/1.1 200"));
        let mut second = TcpStream::connect(address).await.expect("a connection");
        second.write_all(REQUEST).await.expect("a request");
        let waiting = tokio::time::timeout(Duration::from_millis(100), answer(&mut second)).await;
        assert!(waiting.is_err(), "{waiting:?}");
        drop(first);
        assert!(answer(&mut second).await.starts_with("HTTP/1.1 200"));
        drop(stop);
    });
}

#[test]
fn clients_that_send_or_read_nothing_are_let_go() {
    let short = Duration::from_millis(150);
    let options = Options { head_time: short, idle_time: short, request_time: short, ..Options::default() };
    against(options, |address, stop| async move {
        let mut slow = TcpStream::connect(address).await.expect("a connection");
        slow.write_all(b"GET /standard HTTP/1.1\r\nhost").await.expect("half a request");
        let mut silent = TcpStream::connect(address).await.expect("a connection");
        let begun = Instant::now();
        let mut rest = Vec::new();
        // The connection is closed, with or without an answer.
        drop(slow.read_to_end(&mut rest).await);
        drop(silent.read_to_end(&mut rest).await);
        assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
        drop(stop);
    });
}

/// Bodies of which half is sent hold no room for what does not come, and are let go in time.
#[test]
fn half_sent_bodies_hold_nobody_up() {
    const QUESTION: &str = r#"{"fens": ["8/8/8/8/8/4k3/8/4K2Q w - - 0 1"]}"#;
    let head = |n_bytes: usize| {
        let path = "/api/v1/games/fide/probe";
        format!(
            "POST {path} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: {n_bytes}\r\n\r\n"
        )
    };
    let options = |head_time| Options { head_time, flight_bytes: 2 << 20, ..Options::default() };
    against(options(Duration::from_secs(600)), |address, stop| async move {
        let mut halves = Vec::new();
        for _ in 0..40 {
            let mut half = TcpStream::connect(address).await.expect("a connection");
            let sent = head(998_000) + &" ".repeat(30_000);
            half.write_all(sent.as_bytes()).await.expect("half a request");
            halves.push(half);
        }
        let mut whole = TcpStream::connect(address).await.expect("a connection");
        whole.write_all((head(QUESTION.len()) + QUESTION).as_bytes()).await.expect("a request");
        let answer = tokio::time::timeout(Duration::from_secs(60), answer(&mut whole)).await;
        assert!(answer.as_ref().is_ok_and(|answer| answer.starts_with("HTTP/1.1 200")), "{answer:?}");
        drop((halves, stop));
    });
    against(options(Duration::from_millis(150)), |address, stop| async move {
        let mut half = TcpStream::connect(address).await.expect("a connection");
        half.write_all((head(998_000) + QUESTION).as_bytes()).await.expect("half a request");
        let mut rest = Vec::new();
        let closed = tokio::time::timeout(Duration::from_secs(60), half.read_to_end(&mut rest)).await;
        assert!(closed.is_ok(), "the connection is closed");
        let text = String::from_utf8_lossy(&rest);
        assert!(text.starts_with("HTTP/1.1 408") && text.contains("send it at once"), "{text}");
        drop(stop);
    });
}

#[test]
fn end_lets_open_connections_finish() {
    against(Options::default(), |address, stop| async move {
        let mut open = TcpStream::connect(address).await.expect("a connection");
        open.write_all(REQUEST).await.expect("a request");
        assert!(answer(&mut open).await.contains("\"category\":\"win\""));
        drop(stop);
        let mut rest = Vec::new();
        open.read_to_end(&mut rest).await.expect("the connection is closed in order");
        // The server listens no longer.
        let refused = tokio::time::timeout(Duration::from_secs(5), async {
            while TcpStream::connect(address).await.is_ok() {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        });
        assert!(refused.await.is_ok());
    });
}
