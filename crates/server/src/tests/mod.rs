//! Asks a server over tables of three men, mostly without a socket.

mod described;
mod door;
mod lichess;
mod limits;

use crate::{Options, Server};
use axum::body::Body;
use axum::http::{HeaderMap, Request, StatusCode};
use build::{Build, BuildOptions, FolderLock, Unwatched};
use http_body_util::BodyExt;
use library::{Edition, Holding};
use plan::{Plan, Request as Wanted};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use tempfile::TempDir;
use tower::ServiceExt;
use variant::{Metric, Variant};

/// A folder with the tables of three men of chess under all metrics that clients ask for, made once.
fn folder() -> &'static Path {
    static FOLDER: OnceLock<TempDir> = OnceLock::new();
    FOLDER
        .get_or_init(|| {
            let folder = tempfile::tempdir().expect("a folder");
            solve(folder.path(), &Variant::chess());
            folder
        })
        .path()
}

fn solve(folder: &Path, variant: &Variant) {
    let plan = Plan::new(variant, &Wanted::UpTo(3)).expect("a plan");
    let lock = FolderLock::new(folder).expect("a lock");
    let threads = rayon::ThreadPoolBuilder::new().num_threads(2).build().expect("threads");
    for edition in Edition::of_metrics(variant, &[Metric::Dtm, Metric::Dtz50, Metric::Wdl]) {
        let built = Build::new(&plan, &lock, &threads, BuildOptions::default()).run(&edition, &Unwatched);
        assert!(built.expect("a build").error.is_none());
    }
}

/// Chess from the folder, and nothing that is not in it.
fn chess() -> Arc<Server> {
    with(Options { bound: None, ..Options::default() })
}

fn with(options: Options) -> Arc<Server> {
    let holding = Holding { variant: Variant::chess(), folders: vec![folder().into()] };
    Server::new(&[holding], options).expect("a server")
}

/// A game of variants/ without tables: what is asked for is solved.
fn game(name: &str) -> Arc<Server> {
    game_with(name, Options::default())
}

fn game_with(name: &str, options: Options) -> Arc<Server> {
    let path =
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../variants").join(name).with_extension("toml");
    let variant = Variant::load(&path).expect("a game");
    let holding = Holding { variant, folders: Vec::new() };
    Server::new(&[holding], options).expect("a server")
}

/// An answer.
struct Received {
    status: StatusCode,
    headers: HeaderMap,
    body: Vec<u8>,
}

impl Received {
    #[track_caller]
    fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.text()))
    }

    fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }
}

pub(crate) fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime")
}

fn send(server: &Arc<Server>, request: Request<Body>) -> Received {
    runtime().block_on(async {
        let response = server.router().oneshot(request).await.expect("the router refuses nothing");
        let (status, headers) = (response.status(), response.headers().clone());
        let body = response.into_body().collect().await.expect("a body").to_bytes().to_vec();
        Received { status, headers, body }
    })
}

fn get(server: &Arc<Server>, path: &str) -> Received {
    send(server, Request::get(path.replace(' ', "%20")).body(Body::empty()).expect("a request"))
}

fn post(server: &Arc<Server>, path: &str, body: &str) -> Received {
    let request = Request::post(path).header("content-type", "application/json");
    send(server, request.body(Body::from(body.to_owned())).expect("a request"))
}

#[test]
fn page_loads_nothing_from_elsewhere() {
    let page = get(&chess(), "/");
    assert!(page.header("content-type").starts_with("text/html"));
    assert!(page.header("content-security-policy").contains("default-src 'self'"));
    let text = page.text();
    for (before, after) in [("src=\"", '"'), ("stylesheet\" href=\"", '"')] {
        for path in text.split(before).skip(1).filter_map(|rest| rest.split(after).next()) {
            assert!(path.starts_with("/page/"), "{path}");
            assert!(get(&chess(), path).status.is_success(), "{path}");
        }
    }
    assert!(!text.contains("style=\"") && !text.contains("<script>"), "the policy forbids it");
}

#[test]
fn scripts_find_what_they_look_for() {
    let page = get(&chess(), "/").text();
    let ids: BTreeSet<&str> =
        page.split(" id=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    let script = get(&chess(), "/page/explorer.js").text();
    let wanted: BTreeSet<&str> =
        script.split("$(\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    let missing: Vec<&&str> = wanted.difference(&ids).collect();
    assert!(wanted.len() > 20 && missing.is_empty(), "{missing:?} are not in the page");
    let loaded = [("explorer.js", "board.js"), ("explorer.js", "line.js"), ("explorer.js", "men.js")];
    for (script, loaded) in loaded.into_iter().chain([("board.js", "men.js")]) {
        let text = get(&chess(), &format!("/page/{script}")).text();
        assert!(text.contains(&format!("\"./{loaded}\"")), "{script} loads {loaded}");
        assert!(
            get(&chess(), &format!("/page/{loaded}")).header("content-type").starts_with("text/javascript")
        );
    }
}
