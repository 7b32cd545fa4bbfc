//! Asks for too much, and for tables that are damaged.

use super::{chess, folder, get, post, send, with};
use crate::{Options, Server};
use axum::body::Body;
use axum::http::{Request, StatusCode};
use flate2::read::GzDecoder;
use library::Holding;
use std::io::Read;
use std::time::Duration;
use variant::Variant;

const PROBE: &str = "/api/v1/games/fide/probe";
const POSITION: &str = "/standard?fen=8/8/8/8/8/4k3/8/4K2Q w - - 0 1";

#[test]
fn too_much_is_refused() {
    let server = with(Options { positions: 2, body_bytes: 200, bound: None, ..Options::default() });
    let three = r#"{"fens": ["a", "b", "c"]}"#;
    let got = post(&server, PROBE, three);
    assert_eq!(got.status, StatusCode::BAD_REQUEST);
    assert!(got.text().contains("3 positions are asked for, and 2 are the most"), "{}", got.text());
    let large = format!(r#"{{"fens": ["{}"]}}"#, "8".repeat(300));
    assert_eq!(post(&server, PROBE, &large).status, StatusCode::PAYLOAD_TOO_LARGE);
    assert_eq!(get(&server, &format!("{PROBE}?fen={}", "8".repeat(600))).status, StatusCode::BAD_REQUEST);
    assert_eq!(get(&server, "/nowhere/at/all").status, StatusCode::NOT_FOUND);
    assert_eq!(post(&server, "/standard", "{}").status, StatusCode::METHOD_NOT_ALLOWED);
}

#[test]
fn whoever_waits_too_long_is_told_so() {
    let server = with(Options { request_time: Duration::ZERO, ..Options::default() });
    let got = get(&server, POSITION);
    assert_eq!(got.status, StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(got.header("retry-after"), "5");
    assert!(got.text().contains("busy"), "{}", got.text());
    assert!(get(&server, "/metrics").status == StatusCode::SERVICE_UNAVAILABLE || !got.body.is_empty());
}

#[test]
fn damaged_table_is_a_sentence_and_others_go_on() {
    let copy = tempfile::tempdir().expect("a folder");
    for name in ["KQvK.tsm", "KRvK.tsm"] {
        std::fs::copy(folder().join(name), copy.path().join(name)).expect("a copy");
    }
    let damaged = copy.path().join("KQvK.tsm");
    let mut bytes = std::fs::read(&damaged).expect("a file");
    let n = bytes.len();
    bytes[n - 40..].iter_mut().for_each(|byte| *byte ^= 0x55);
    std::fs::write(&damaged, bytes).expect("a file");
    let holding = Holding { variant: Variant::chess(), folder: Some(copy.path().into()) };
    let server = Server::new(&[holding], Options { bound: None, ..Options::default() }).expect("a server");
    for path in [POSITION, &format!("{PROBE}?fen=8/8/8/8/8/4k3/8/4K2Q w - - 0 1")] {
        let got = get(&server, path);
        assert_eq!(got.status, StatusCode::INTERNAL_SERVER_ERROR, "{path}: {}", got.text());
        assert!(got.text().contains("KQvK.tsm"), "{}", got.text());
    }
    let other = get(&server, "/standard?fen=8/8/8/8/8/4k3/8/4K2R w - - 0 1").json();
    assert_eq!(other["category"], "win");
    let listed = get(&server, "/api/v1/games/fide/tables").json();
    assert_eq!(listed["tables"].as_array().map(Vec::len), Some(2), "{listed}");
}

#[test]
fn browsers_of_other_pages_and_proxies_are_served() {
    let request = Request::get(POSITION.replace(' ', "_"))
        .header("origin", "https://example.org")
        .header("accept-encoding", "gzip");
    let got = send(&chess(), request.body(Body::empty()).expect("a request"));
    assert_eq!((got.header("access-control-allow-origin"), got.header("content-encoding")), ("*", "gzip"));
    let mut text = String::new();
    GzDecoder::new(&got.body[..]).read_to_string(&mut text).expect("gzip");
    assert!(text.contains("\"category\":\"win\""), "{text}");
    assert_eq!(got.header("cache-control"), "");
    let kept = with(Options { keep_time: Some(Duration::from_secs(60)), ..Options::default() });
    assert_eq!(get(&kept, POSITION).header("cache-control"), "public, max-age=60");
    assert_eq!(get(&kept, "/standard?fen=nonsense").header("cache-control"), "");
    assert_eq!(get(&kept, "/healthz").header("cache-control"), "");
}

#[test]
fn requests_are_counted() {
    let server = chess();
    assert_eq!(get(&server, "/healthz").text(), "ok\n");
    get(&server, POSITION);
    get(&server, "/standard?fen=nonsense");
    let text = get(&server, "/metrics").text();
    for line in [
        "tablesmith_requests_total{route=\"/{game}\",status=\"200\"} 1",
        "tablesmith_requests_total{route=\"/{game}\",status=\"400\"} 1",
        "tablesmith_request_seconds_count{route=\"/{game}\"} 2",
        "tablesmith_connections 0",
    ] {
        assert!(text.contains(line), "`{line}` is not in\n{text}");
    }
    let cached: u64 = text
        .lines()
        .find_map(|line| line.strip_prefix("tablesmith_cached_bytes ")?.parse().ok())
        .expect("bytes");
    assert!(cached > 0, "{text}");
}
