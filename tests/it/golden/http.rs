//! Asks both HTTP interfaces: `/api/v1`, one position and many, and the one of Lichess's tablebase.

use super::answers::{Answer, grouped};
use super::corpus::{GameCases, Question};
use super::json;
use axum::body::Body;
use axum::http::Request;
use http_body_util::BodyExt;
use library::Holding;
use serde_json::{Value, json as object};
use server::{Options, Server};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tower::ServiceExt;
use variant::Variant;

/// A server of one game.
pub(super) struct Served<'a> {
    game: &'a GameCases,
    server: Arc<Server>,
    runtime: tokio::runtime::Runtime,
}

/// A text as a part of an address.
fn escaped(text: &str) -> String {
    let escape = |byte: u8| match byte {
        b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' | b'/' | b'-' => char::from(byte).to_string(),
        _ => format!("%{byte:02X}"),
    };
    text.bytes().map(escape).collect()
}

impl<'a> Served<'a> {
    /// Serves what is in the folder, and solves nothing.
    pub(super) fn new(game: &'a GameCases, folder: &Path) -> Self {
        let variant = Variant::load(game.rules()).expect("the rules of a game");
        let holding = Holding { variant, folders: vec![folder.into()] };
        let request_time = Duration::from_secs(3600);
        let options = Options { bound: None, cache_bytes: 100 << 20, request_time, ..Options::default() };
        let server = Server::new(&[holding], options).expect("a server");
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        Served { game, server, runtime }
    }

    /// The status of an answer and its text.
    fn send(&self, request: Request<Body>) -> (u16, String) {
        self.runtime.block_on(async {
            let response = self.server.router().oneshot(request).await.expect("the router refuses nothing");
            let status = response.status().as_u16();
            let bytes = response.into_body().collect().await.expect("a body").to_bytes();
            (status, String::from_utf8(bytes.to_vec()).expect("text"))
        })
    }

    fn get(&self, path: &str) -> (u16, String) {
        self.send(Request::get(path).body(Body::empty()).expect("a request"))
    }

    /// `GET /api/v1/games/{game}/probe`.
    pub(super) fn by_api(&self, question: &Question) -> Answer {
        let metric = question.metric.map_or_else(String::new, |metric| format!("&metric={metric}"));
        let (name, fen) = (self.game.name, escaped(question.fen));
        let (status, text) = self.get(&format!("/api/v1/games/{name}/probe?line=true{metric}&fen={fen}"));
        let mut answer = json::answer(&value(&text), question.fen);
        if status != 200 {
            answer.push(("status", status.to_string()));
        }
        answer
    }

    /// Asserts that positions asked at once are answered as one by one; one in seven is enough.
    pub(super) fn check_many(&self, answers: &[Answer]) {
        for metric in [None, Some("wdl"), Some("dtm"), Some("dtc"), Some("dtz"), Some("dtz50")] {
            let asked = self.game.questions.iter().zip(answers).step_by(7);
            let (questions, answers): (Vec<&Question>, Vec<&Answer>) =
                asked.filter(|(question, _)| question.metric == metric).unzip();
            let fens: Vec<&str> = questions.iter().map(|question| question.fen).collect();
            let body = object!({ "fens": fens, "metric": metric, "moves": 1000, "line": true }).to_string();
            let path = format!("/api/v1/games/{}/probe", self.game.name);
            let request = Request::post(path).header("content-type", "application/json");
            let (_, text) = self.send(request.body(Body::from(body)).expect("a request"));
            let found = value(&text);
            let found = found["results"].as_array().unwrap_or_else(|| panic!("no results: {text}"));
            assert_eq!(found.len(), fens.len());
            for ((found, fen), expected) in found.iter().zip(fens).zip(answers) {
                let expected = expected.iter().filter(|(aspect, _)| *aspect != "status").cloned();
                assert_eq!(json::answer(found, fen), expected.collect::<Answer>(), "{fen}");
            }
        }
    }

    /// `GET /{game}`, as clients of Lichess's tablebase ask.
    pub(super) fn by_lichess(&self, question: &Question) -> Answer {
        let (status, text) = self.get(&format!("/{}?fen={}", self.game.name, escaped(question.fen)));
        if status != 200 {
            return vec![("refused", text), ("status", status.to_string())];
        }
        let found = value(&text);
        let moves = found["moves"].as_array().expect("moves");
        let wdl = match found["category"].as_str().expect("a category") {
            "win" => "1",
            "loss" => "-1",
            "draw" | "cursed-win" | "blessed-loss" => "0",
            _ => "null",
        };
        let mut answer = vec![("lichess", facts(&found)), ("wdl", wdl.into())];
        if !moves.is_empty() {
            let uci = |mv: &Value| mv["uci"].as_str().expect("a move").to_owned();
            let san = |mv: &Value| mv["san"].as_str().expect("a move").to_owned();
            answer.push(("move", uci(&moves[0])));
            answer.push(("next", grouped(moves.iter().map(|mv| (facts(mv), uci(mv))))));
            answer.push(("san", json::san(moves.iter().map(|mv| (uci(mv), san(mv))))));
        }
        answer
    }

    /// `GET /{game}/mainline`.
    pub(super) fn by_main_line(&self, question: &Question) -> Answer {
        let (status, text) = self.get(&format!("/{}/mainline?fen={}", self.game.name, escaped(question.fen)));
        if status != 200 {
            return vec![("refused", text), ("status", status.to_string())];
        }
        let found = value(&text);
        let line = found["mainline"].as_array().expect("a line");
        let moves = line.iter().map(|mv| format!("{} {}", mv["san"].as_str().expect("a move"), mv["dtz"]));
        let ends = format!("dtz {}, winner {}", found["dtz"], found["winner"]);
        let line = [ends].into_iter().chain(moves).collect::<Vec<_>>().join(", ");
        vec![("line", line.replace('"', ""))]
    }
}

fn value(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// What Lichess's interface says of a position: the category, distances that are known, flags that are set.
fn facts(found: &Value) -> String {
    let mut text = found["category"].as_str().expect("a category").to_owned();
    for key in ["dtz", "precise_dtz", "dtm", "dtw", "dtc"] {
        // The precise distance is worth a word where it is another one.
        if !found[key].is_null() && (key != "precise_dtz" || found[key] != found["dtz"]) {
            text += &format!(" {key} {}", found[key]);
        }
    }
    let flags = ["checkmate", "stalemate", "variant_win", "variant_loss", "insufficient_material"];
    for key in flags.into_iter().chain(["zeroing", "conversion"]).filter(|&key| found[key] == true) {
        text += &format!(" {key}");
    }
    text
}
