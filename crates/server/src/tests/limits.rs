//! Asks for too much, and for tables that are damaged.

use super::{chess, folder, get, post, runtime, send, with};
use crate::desk::{Queue, Waiting};
use crate::{Options, Server};
use axum::body::Body;
use axum::http::{Request, StatusCode};
use flate2::read::GzDecoder;
use library::Holding;
use serde_json::json;
use std::io::Read;
use std::path::Path;
use std::time::Duration;
use tower::ServiceExt;
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
fn bodies_that_are_no_question_are_refused() {
    let server = chess();
    for (body, said) in [
        ("[".repeat(900_000), "invalid type"),
        ("[]".repeat(400_000), "invalid length 0"),
        (r#"{"fens":"#.to_owned() + &"[".repeat(900_000), "invalid type"),
        (r#"{"a":"#.repeat(100_000), "unknown field"),
        ("\"é\"".repeat(100_000), "invalid type"),
        (String::new(), "EOF"),
    ] {
        let got = post(&server, PROBE, &body);
        assert!(got.status.is_client_error() && got.body.len() < 1_000, "{}: {}", got.status, got.text());
        assert!(got.text().contains(said), "{}", got.text());
    }
}

#[test]
fn whoever_waits_too_long_is_told_so() {
    let server = with(Options { request_time: Duration::from_millis(20), readers: 1, ..Options::default() });
    let place = server.desk.reading.clone().try_acquire_owned().expect("the only place is free");
    let got = get(&server, POSITION);
    assert_eq!(got.status, StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(got.header("retry-after"), "5");
    assert!(got.text().contains("busy"), "{}", got.text());
    // What needs no place is answered meanwhile.
    assert_eq!(get(&server, "/healthz").status, StatusCode::OK);
    drop(place);
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
    let holding = Holding { variant: Variant::chess(), folders: vec![copy.path().into()] };
    let server = Server::new(&[holding], Options { bound: None, ..Options::default() }).expect("a server");
    for path in [POSITION, &format!("{PROBE}?fen=8/8/8/8/8/4k3/8/4K2Q w - - 0 1")] {
        let got = get(&server, path);
        assert_eq!(got.status, StatusCode::INTERNAL_SERVER_ERROR, "{path}: {}", got.text());
        assert!(got.text().contains("KQvK.tsm"), "{}", got.text());
    }
    let other = get(&server, "/standard?fen=8/8/8/8/8/4k3/8/4K2R w - - 0 1").json();
    assert_eq!(other["category"], "win");
    let listed = get(&server, "/api/v1/games/fide/tables").json();
    // Of a file that cannot be read nothing is known but its name.
    let names = |list: &serde_json::Value| -> Vec<String> {
        let all = list["tables"].as_array().into_iter().flatten();
        all.map(|table| format!("{} {}", table["table"], table["metric"]).replace('"', "")).collect()
    };
    assert_eq!(names(&listed), ["KQvK dtm", "KRvK dtm", "KRvK dtz50", "KRvK wdl"]);
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
    // Another version of the program has another page.
    assert_eq!(get(&kept, "/").header("cache-control"), "no-cache");
    assert_eq!(get(&kept, "/page/explorer.js").header("cache-control"), "no-cache");
}

#[test]
fn large_answers_are_refused_or_wait_for_room() {
    let options = || Options { bound: None, ..Options::default() };
    let body =
        format!(r#"{{"fens": ["{}"], "moves": 99}}"#, ["8/8/8/8/8/4k3/8/4K2Q w - - 0 1"; 40].join(r#"", ""#));
    let large = post(&with(options()), PROBE, &body);
    assert_eq!(large.status, StatusCode::OK);
    let n = large.body.len();
    assert!(n > 64 << 10, "{n}");
    let got = post(&with(Options { answer_bytes: n / 2, ..options() }), PROBE, &body);
    assert_eq!(got.status, StatusCode::BAD_REQUEST);
    assert!(got.text().contains("ask for fewer positions"), "{}", got.text());
    // There is room for one such answer; while it has not been read another one is refused.
    let server = with(Options { flight_bytes: n + 100, ..options() });
    let request = || {
        let request = Request::post(PROBE).header("content-type", "application/json");
        request.body(Body::from(body.clone())).expect("a request")
    };
    let first = runtime()
        .block_on(async { server.router().oneshot(request()).await.expect("the router refuses nothing") });
    assert_eq!(first.status(), StatusCode::OK);
    let got = post(&server, PROBE, &body);
    assert_eq!((got.status, got.header("retry-after")), (StatusCode::SERVICE_UNAVAILABLE, "5"));
    assert_eq!(get(&server, POSITION).status, StatusCode::OK);
    drop(first);
    assert_eq!(post(&server, PROBE, &body).body, large.body);
    // Bodies of requests that are larger than all that may be received take all of it.
    let server = with(Options { flight_bytes: 100, ..options() });
    let small = r#"{"fens": ["8/8/8/8/8/4k3/8/4K2Q w - - 0 1"]}"#;
    assert_eq!(post(&server, PROBE, &format!("{small}{}", " ".repeat(200))).status, StatusCode::OK);
}

#[test]
fn work_that_nobody_waits_for_is_broken_off() {
    let server = with(Options { readers: 1, ..Options::default() });
    let (tell, ended) = std::sync::mpsc::channel();
    runtime().block_on(async {
        let (begin, mut begun) = tokio::sync::mpsc::unbounded_channel();
        let work = move |waiting: &Waiting| {
            let _ = begin.send(());
            // As a loop over positions: it ends when the request has.
            while waiting.check().is_ok() {
                std::thread::sleep(Duration::from_millis(1));
            }
            let _ = tell.send(());
            waiting.check()
        };
        let desk = server.desk.clone();
        let request = tokio::spawn(async move { desk.run(Queue::Reading, work).await });
        begun.recv().await.expect("the work begins");
        // As when the time is over, or the client gone.
        request.abort();
    });
    ended.recv_timeout(Duration::from_secs(60)).expect("the work ends");
    // The only place is free again.
    assert_eq!(get(&server, POSITION).status, StatusCode::OK);
    // A search for what there is not stops too.
    let server = with(Options { request_time: Duration::from_millis(1), readers: 1, ..Options::default() });
    let random = "/api/v1/games/fide/tables/KPvK/random?metric=wdl&plies=200";
    assert_eq!(get(&server, random).status, StatusCode::SERVICE_UNAVAILABLE);
}

/// While something is solved, what is there is answered at once, with a single place for it.
#[test]
fn questions_that_need_solving_hold_no_place_of_others() {
    let server = with(Options { readers: 1, ..Options::default() });
    runtime().block_on(async {
        // As long as another request solves.
        let solving = server.desk.solving.clone().acquire_owned().await.expect("it is free");
        let ask = |path: &str| {
            let request = Request::get(path.replace(' ', "%20")).body(Body::empty()).expect("a request");
            tokio::spawn(server.router().oneshot(request))
        };
        let four = |more: &str| format!("{PROBE}?fen=8/8/8/8/8/4k3/8/3RK2Q w - - 0 1{more}");
        let castling = format!("{PROBE}?fen=4k3/8/8/8/8/8/8/4K2R w K - 0 1");
        let examples = "/api/v1/games/fide/tables/KRRvK/examples";
        let slow = [&four(""), &castling, examples, &four("&line=true"), &four("&metric=dtc")].map(ask);
        for _ in 0..3 {
            let ready = [POSITION, "/api/v1/games/fide/tables/KQvK", "/api/v1/games/fide/tables/KQvK/random"];
            for path in ready.map(ask) {
                let answer = path.await.expect("no panic").expect("the router refuses nothing");
                assert_eq!(answer.status(), StatusCode::OK);
            }
        }
        assert!(slow.iter().all(|question| !question.is_finished()), "there is no place to solve at");
        drop(solving);
        for question in slow {
            let answer = question.await.expect("no panic").expect("the router refuses nothing");
            assert_eq!(answer.status(), StatusCode::OK);
        }
    });
    let solved = |path: &str| get(&server, path).json()["solved"].clone();
    assert_eq!(solved(&format!("{PROBE}?fen=8/8/8/8/8/4k3/8/3RK2Q w - - 0 1")), true);
    assert_eq!(solved(&format!("{PROBE}?fen=4k3/8/8/8/8/8/8/4K2R w K - 0 1")), true);
    assert_eq!(get(&server, "/api/v1/games/fide/tables/KRRvK/examples").json()["searched"], true);
}

#[test]
fn unreadable_folder_takes_no_other_game_away() {
    let gone = tempfile::tempdir().expect("a folder");
    let makruk = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../variants/makruk.toml");
    let holdings = [
        Holding { variant: Variant::chess(), folders: vec![folder().into()] },
        Holding { variant: Variant::load(&makruk).expect("a game"), folders: vec![gone.path().into()] },
    ];
    let server = Server::new(&holdings, Options { bound: None, ..Options::default() }).expect("a server");
    drop(gone);
    let games = get(&server, "/api/v1/games").json();
    assert_eq!((&games["games"][0]["tables"], &games["games"][1]["tables"]), (&json!(15), &json!(null)));
    assert_eq!(get(&server, "/api/v1/games/makruk/tables").status, StatusCode::INTERNAL_SERVER_ERROR);
}

/// The list has each table once, and what is shown of it is that of the first folder which has it.
#[test]
fn tables_of_several_folders_are_listed_together() {
    let [one, other] = [(); 2].map(|()| tempfile::tempdir().expect("a folder"));
    std::fs::copy(folder().join("KQvK.tsm"), one.path().join("KQvK.tsm")).expect("a copy");
    std::fs::copy(folder().join("KRvK.tsm"), other.path().join("KRvK.tsm")).expect("a copy");
    std::fs::write(other.path().join("KQvK.tsm"), "no table").expect("a file");
    let folders = vec![one.path().into(), other.path().into()];
    let holding = Holding { variant: Variant::chess(), folders };
    let server = Server::new(&[holding], Options { bound: None, ..Options::default() }).expect("a server");
    let tables = get(&server, "/api/v1/games/fide/tables").json()["tables"].clone();
    let all = tables.as_array().expect("a list").iter();
    let names: Vec<String> =
        all.map(|table| format!("{} {}", table["table"], table["metric"]).replace('"', "")).collect();
    let columns = |table: &str| ["dtm", "dtz50", "wdl"].map(|metric| format!("{table} {metric}"));
    assert_eq!(names, [columns("KQvK"), columns("KRvK")].concat());
    // Those who ask learn what the folders differ in, and not where they lie.
    let of = |at: usize| tables[at]["folder"].as_str().map(std::path::PathBuf::from);
    let own = |folder: &Path| Some(folder.file_name().expect("a name").into());
    assert_eq!((of(0), of(3)), (own(one.path()), own(other.path())));
    for (table, fen) in
        [("KQvK", "8/8/8/8/8/4k3/8/4K2Q w - - 0 1"), ("KRvK", "8/8/8/8/8/4k3/8/4K2R w - - 0 1")]
    {
        let examples = get(&server, &format!("/api/v1/games/fide/tables/{table}/examples")).json();
        assert_eq!(examples["searched"], true, "{table}");
        assert_eq!(get(&server, &format!("{PROBE}?fen={fen}")).json()["wdl"], 1, "{table}");
    }
    // A table that comes to either folder is seen.
    std::fs::copy(folder().join("KPvK.tsm"), other.path().join("KPvK.tsm")).expect("a copy");
    let now = std::time::SystemTime::now() + Duration::from_secs(100);
    std::fs::File::open(other.path()).and_then(|folder| folder.set_modified(now)).expect("the time is set");
    assert_eq!(get(&server, "/api/v1/games").json()["games"][0]["tables"], 9);
}

#[test]
fn examples_are_those_of_the_file_that_is_there() {
    let copy = tempfile::tempdir().expect("a folder");
    let file = copy.path().join("KQvK.tsm");
    std::fs::copy(folder().join("KQvK.tsm"), &file).expect("a copy");
    let holding = Holding { variant: Variant::chess(), folders: vec![copy.path().into()] };
    let server = Server::new(&[holding], Options { bound: None, ..Options::default() }).expect("a server");
    let examples = || get(&server, "/api/v1/games/fide/tables/KQvK/examples");
    assert_eq!(examples().status, StatusCode::OK);
    // Another file of this name, of another time and damaged in its blocks.
    let mut bytes = std::fs::read(&file).expect("a file");
    let n = bytes.len();
    bytes[n - 40..].iter_mut().for_each(|byte| *byte ^= 0x55);
    std::fs::write(&file, bytes).expect("a file");
    let later = std::time::SystemTime::now() + Duration::from_secs(100);
    let written = std::fs::File::options().write(true).open(&file).and_then(|file| file.set_modified(later));
    written.expect("the time is set");
    assert_eq!(examples().status, StatusCode::INTERNAL_SERVER_ERROR);
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
