//! Holds the OpenAPI document against the answers, and asks our own interface.

use crate::api::{OPENAPI, PATHS};
use crate::tests::{Received, chess, game, get, post, with};
use crate::{Options, Server};
use axum::http::StatusCode;
use library::Holding;
use position::{Position, RuleBook};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::sync::Arc;
use structure::{Bound, Limit, MAX_SLICES, Structure, Unwatched, solve};
use variant::{Metric, Variant};

const MATE_IN_5: &str = "8/8/8/8/8/4k3/8/4K2Q w - - 0 1";

fn document() -> Value {
    serde_json::from_str(OPENAPI).expect("the document is JSON")
}

/// Asks, and compares status and body with what the document says of the path.
#[track_caller]
fn ask(server: &Arc<Server>, template: &str, path: &str, status: u16) -> Received {
    conform(get(server, path), "get", template, path, status)
}

#[track_caller]
fn conform(got: Received, method: &str, template: &str, path: &str, status: u16) -> Received {
    assert_eq!(got.status.as_u16(), status, "{path}: {}", got.text());
    let documented = &document()["paths"][template][method]["responses"][status.to_string()]["content"];
    let kind = got.header("content-type").split(';').next().unwrap_or_default().to_owned();
    let of = &documented[kind.as_str()]["schema"];
    assert!(of.is_object(), "{template} does not document {status} as `{kind}`: {}", got.text());
    if kind == "application/json" {
        let faults = faults(&document(), of, &got.json());
        assert!(faults.is_empty(), "{path} is not as documented: {faults:#?}\n{}", got.text());
    }
    got
}

/// Positions that were solved by themselves are listed beside the tables.
#[test]
fn endings_with_many_men_are_listed() {
    let (folder, chess) = (tempfile::tempdir().expect("a folder"), Variant::chess());
    let fen = "8/8/8/8/8/2k5/1R6/K7 w - - 0 1";
    let root = Position::from_fen(&RuleBook::new(&chess), fen).expect("a position");
    let structure =
        Structure::new(&chess, Metric::Dtm, &[root], (Limit::none(), &[Bound::Exact]), MAX_SLICES);
    let path = folder.path().join("rook.tss");
    solve(&structure.expect("a structure"), &path, 1 << 30, &Unwatched).expect("it is solved");
    std::fs::write(folder.path().join("other.tss"), "no structure").expect("a file");
    let holding = Holding { variant: chess, folders: vec![folder.path().into()] };
    let server = Server::new(&[holding], Options { bound: None, ..Options::default() }).expect("a server");
    let tables = ask(&server, "/api/v1/games/{game}/tables", "/api/v1/games/fide/tables", 200).json();
    let expected = json!([{ "file": "rook.tss", "metric": "dtm", "exact": true, "positions": [fen] }]);
    assert_eq!((&tables["structures"], &tables["tables"]), (&expected, &json!([])));
}

#[test]
fn document_has_every_route_and_no_other() {
    let document = document();
    let documented: BTreeSet<&str> =
        document["paths"].as_object().expect("paths").keys().map(String::as_str).collect();
    let routes: BTreeSet<String> =
        PATHS.iter().map(|path| format!("/api/v1{path}").trim_end_matches('/').to_owned()).collect();
    assert_eq!(documented, routes.iter().map(String::as_str).collect());
    for path in &routes {
        let path = path.replace("{game}", "fide").replace("{table}", "KQvK").replace("{piece}", "Q");
        assert_ne!(get(&chess(), &path).status, StatusCode::METHOD_NOT_ALLOWED, "{path}");
        assert!(!get(&chess(), &path).text().contains("no such page"), "{path}");
    }
}

#[test]
fn answers_are_as_documented() {
    let (server, game) = (chess(), "/api/v1/games/{game}");
    ask(&server, "/api/v1", "/api/v1", 200);
    ask(&server, "/api/v1/openapi.json", "/api/v1/openapi.json", 200);
    let games = ask(&server, "/api/v1/games", "/api/v1/games", 200).json();
    assert_eq!(games["games"][0]["metrics"], json!(["dtm", "dtz50", "wdl"]));
    ask(&server, game, "/api/v1/games/standard", 200);
    ask(&server, game, "/api/v1/games/shogi", 404);
    let probe = "/api/v1/games/{game}/probe";
    let fens = [
        MATE_IN_5,
        "8/8/8/8/8/4k3/8/4K2Q b - - 95 60",
        "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1",
        "8/8/8/2r5/8/4k3/8/4K2Q w - - 0 1",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w - - 0 1",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "8/8/8/8/8/4k3/8/4K2R w K - 0 1",
    ];
    for fen in fens {
        for more in
            ["", "&line=true", "&metric=dtz50&line=true", "&metric=wdl&moves=3", "&moves=0", "&why=true"]
        {
            ask(&server, probe, &format!("/api/v1/games/fide/probe?fen={fen}{more}"), 200);
        }
    }
    let helped = |fen: &str| format!("/api/v1/games/fide/probe?fen={fen}&metric=help&line=true");
    ask(&with(Options::default()), probe, &helped(MATE_IN_5), 200);
    ask(&server, probe, &helped(fens[fens.len() - 2]), 400);
    ask(&server, probe, &helped("8/8/8/3k4/8/8/8/1Q1KR3 w - - 0 1"), 404);
    for bad in
        ["", "?fen=nonsense", "?fen=8/8/8/8/8/3kq3/8/4K2Q b - - 0 1", "?fen=8/8/8/8/8/4k3/8/4K2Q w K1 - 0 1"]
    {
        ask(&server, probe, &format!("/api/v1/games/fide/probe{bad}"), 400);
    }
    ask(&server, probe, &format!("/api/v1/games/fide/probe?fen={MATE_IN_5}&metric=dtx"), 400);
    ask(&server, probe, &format!("/api/v1/games/fide/probe?fen={MATE_IN_5}&moves=many"), 400);
    let piece = "/api/v1/games/{game}/pieces/{piece}";
    for name in ["Q", "n", "pawn"] {
        ask(&server, piece, &format!("/api/v1/games/fide/pieces/{name}"), 200);
    }
    ask(&server, piece, "/api/v1/games/fide/pieces/wizard", 404);
    let tables = "/api/v1/games/{game}/tables";
    let listed = ask(&server, tables, "/api/v1/games/fide/tables", 200).json();
    assert_eq!(listed["tables"].as_array().map(Vec::len), Some(15));
    let table = "/api/v1/games/{game}/tables/{table}";
    for (name, status) in [("KQvK", 200), ("kpk?metric=dtz50", 200), ("KQvK?metric=wdl", 200), ("KQvKR", 404)]
    {
        ask(&server, table, &format!("/api/v1/games/fide/tables/{name}"), status);
    }
    ask(&server, table, "/api/v1/games/fide/tables/KXvK", 404);
    ask(&server, table, "/api/v1/games/fide/tables/KQvK?metric=x", 400);
    let chart = "/api/v1/games/{game}/tables/{table}/chart.svg";
    for (name, status) in [
        ("KQvK/chart.svg", 200),
        ("KPvK/chart.svg?metric=dtz50&scale=log", 200),
        ("KQvK/chart.svg?width=360", 200),
        ("KQvK/chart.svg?width=100", 400),
        ("KQvK/chart.svg?width=wide", 400),
        ("KBvK/chart.svg", 404),
        ("KQvK/chart.svg?scale=round", 400),
    ] {
        ask(&server, chart, &format!("/api/v1/games/fide/tables/{name}"), status);
    }
    let examples = "/api/v1/games/{game}/tables/{table}/examples";
    for (query, status) in [
        ("KQvK/examples", 200),
        ("KPvK/examples?metric=dtz50", 200),
        ("KPvK/examples?metric=wdl", 200),
        ("KQvKR/examples", 404),
        ("KQvK/examples?metric=x", 400),
    ] {
        ask(&server, examples, &format!("/api/v1/games/fide/tables/{query}"), status);
    }
    let random = "/api/v1/games/{game}/tables/{table}/random";
    for (query, status) in [
        ("", 200),
        ("?metric=wdl&wdl=0", 200),
        ("?plies=19", 200),
        ("?plies=200", 404),
        ("?wdl=2", 400),
        ("?stm=x", 400),
    ] {
        ask(&server, random, &format!("/api/v1/games/fide/tables/KQvK/random{query}"), status);
    }
}

#[test]
fn probes_list_what_is_asked_for() {
    let probe =
        |query: &str| get(&chess(), &format!("/api/v1/games/fide/probe?fen={MATE_IN_5}{query}")).json();
    let all = probe("&line=true");
    assert_eq!((&all["dtm"], &all["wdl"], &all["file"]), (&json!(9), &json!(1), &json!("KQvK.tsm")));
    assert_eq!(all["text"], "White mates in 5 moves, 9 plies");
    assert_eq!((all["moves"].as_array().map(Vec::len), &all["legal_moves"]), (Some(18), &json!(18)));
    assert_eq!(
        (&all["moves"][0]["uci"], &all["moves"][0]["fen"]),
        (&json!("h1d5"), &json!("8/8/8/3Q4/8/4k3/8/4K3 b - - 1 1"))
    );
    assert_eq!(all["main_line"].as_array().map(Vec::len), Some(9));
    assert_eq!(all["main_line"][8]["fen"].as_str().map(|fen| fen.contains(" b ")), Some(true));
    let three = probe("&moves=3");
    assert_eq!((three["moves"].as_array().map(Vec::len), &three["main_line"]), (Some(3), &Value::Null));
    let cursed =
        get(&chess(), "/api/v1/games/fide/probe?fen=8/8/8/8/8/4k3/8/4K2Q w - - 95 60&metric=dtz50").json();
    assert_eq!((&cursed["wdl"], &cursed["wdl_now"], &cursed["dtz50"]), (&json!(1), &json!(0), &json!(9)));
    let unknown = get(&chess(), "/api/v1/games/fide/probe?fen=8/8/8/2r5/8/4k3/8/4K2Q w - - 0 1").json();
    assert_eq!((&unknown["wdl"], &unknown["missing"]), (&Value::Null, &json!("KQvKR")));
    assert!(unknown["legal_moves"].as_u64().is_some_and(|n| n > 3), "{unknown}");
}

#[test]
fn many_positions_are_answered_in_their_order() {
    let (template, path) = ("/api/v1/games/{game}/probe", "/api/v1/games/fide/probe");
    let body = json!({ "fens": [MATE_IN_5, "nonsense", "8/8/8/8/8/4k3/8/4K2R w - - 0 1"], "moves": 1 });
    let got = conform(post(&chess(), path, &body.to_string()), "post", template, path, 200).json();
    let results = got["results"].as_array().expect("results");
    assert_eq!((results.len(), &results[0]["dtm"], &results[1]["error"]), (3, &json!(9), &json!("fen")));
    assert_eq!(results[2]["moves"].as_array().map(Vec::len), Some(1));
    conform(post(&chess(), path, "{"), "post", template, path, 400);
    conform(post(&chess(), path, r#"{"fens": 3}"#), "post", template, path, 422);
    conform(post(&chess(), path, r#"{"fens": [], "lines": true}"#), "post", template, path, 422);
}

#[test]
fn random_positions_are_like_what_is_asked_for() {
    let random = |query: &str| get(&chess(), &format!("/api/v1/games/fide/tables/KQvK/random{query}")).json();
    let drawn = random("?plies=19&stm=w&seed=7");
    // Only one position, modulo symmetry, is as far from mate.
    assert_eq!((&drawn["plies"], &drawn["wdl"]), (&json!(19), &json!(1)));
    assert_eq!(random("?plies=19&stm=w&seed=7"), drawn);
    let lost = random("?wdl=-1");
    assert!(lost["fen"].as_str().is_some_and(|fen| fen.contains(" b ")), "{lost}");
    let seed = &lost["seed"];
    assert_eq!(random(&format!("?wdl=-1&seed={seed}"))["fen"], lost["fen"]);
}

#[test]
fn tables_are_counted_and_drawn_as_their_files_say() {
    let table = get(&chess(), "/api/v1/games/fide/tables/KQvK").json();
    assert_eq!(table["statistics"]["white_to_move"]["wins"], json!({ "orbits": 18081, "unreduced": 144508 }));
    let listed = get(&chess(), "/api/v1/games/fide/tables").json();
    let own = listed["tables"]
        .as_array()
        .and_then(|tables| tables.iter().find(|table| table["table"] == "KQvK" && table["metric"] == "dtm"));
    let own = own.expect("KQvK is listed");
    assert_eq!((&own["positions"], &own["longest_win"]["plies"]), (&json!(46137), &json!(19)));
    let chart = get(&chess(), "/api/v1/games/fide/tables/KQvK/chart.svg").text();
    assert!(chart.starts_with("<svg") && chart.contains("KQvK dtm: White to move"), "{chart}");
    // A bar for each distance: 10 of wins, 11 of losses, and two in the legends.
    assert_eq!(chart.matches("<rect").count(), 23, "{chart}");
}

#[test]
fn tables_show_several_examples() {
    let server = chess();
    let of = |path: &str| get(&server, &format!("/api/v1/games/fide/tables/{path}")).json();
    let queen = of("KQvK/examples");
    // White's longest wins, and Black's longest losses, which are a ply shorter or longer.
    let kinds: Vec<String> = queen["longest"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|longest| format!("{} {} {}", longest["stm"], longest["wdl"], longest["plies"]))
        .collect();
    assert_eq!(kinds, [r#""w" 1 19"#, r#""b" -1 20"#]);
    let pawn = of("KPvK/examples");
    assert_eq!((&pawn["searched"], &pawn["n_zugzwangs"]), (&json!(true), &json!(80)));
    assert_eq!(pawn["zugzwangs"].as_array().map(Vec::len), Some(12));
    for longest in pawn["longest"].as_array().expect("a list") {
        let fens = longest["fens"].as_array().expect("FENs");
        assert!(!fens.is_empty() && fens.len() <= 12, "{longest}");
        for fen in fens {
            let fen = fen.as_str().unwrap_or_default().replace(' ', "_");
            let probed = get(&server, &format!("/api/v1/games/fide/probe?fen={fen}")).json();
            assert_eq!((&probed["dtm"], &probed["wdl"]), (&longest["plies"], &longest["wdl"]), "{fen}");
        }
    }
    assert_eq!(of("KPvK/examples?metric=wdl")["longest"], json!([]));
    // The second answer is the first one, kept.
    assert_eq!(of("KPvK/examples"), pawn);
}

#[test]
fn chess_is_the_first_of_several_games() {
    let holding = |text: &str| Holding {
        variant: Variant::parse(text, "built in").expect("rules"),
        folders: Vec::new(),
    };
    let holdings = [variant::game::ATOMIC, variant::game::CHESS, variant::game::SUICIDE].map(holding);
    let solve_commands = [("fide".to_owned(), "tablesmith solve variants/fide.toml".to_owned())].into();
    let server = Server::new(&holdings, Options { solve_commands, ..Options::default() }).expect("a server");
    let games = ask(&server, "/api/v1/games", "/api/v1/games", 200).json();
    let of = |key: &str| -> Vec<Value> {
        games["games"].as_array().expect("games").iter().map(|game| game[key].clone()).collect()
    };
    assert_eq!(of("name"), ["fide", "atomic", "suicide"]);
    // A game is listed with the command that makes its tables, if one is known.
    assert_eq!(of("solve"), [json!("tablesmith solve variants/fide.toml"), Value::Null, Value::Null]);
}

#[test]
fn games_without_tables_are_solved_when_somebody_asks() {
    let server = game("capablanca");
    let listed = get(&server, "/api/v1/games").json();
    let fen = listed["games"][0]["fen"].as_str().expect("a position to begin with").to_owned();
    assert_eq!(listed["games"][0]["board"]["files"], 10);
    let got =
        ask(&server, "/api/v1/games/{game}/probe", &format!("/api/v1/games/capablanca/probe?fen={fen}"), 200);
    let got = got.json();
    assert_eq!((&got["solved"], &got["file"]), (&json!(true), &Value::Null));
    assert!(got["wdl"].is_i64(), "{got}");
    let table =
        ask(&server, "/api/v1/games/{game}/tables/{table}", "/api/v1/games/capablanca/tables/KQvK", 200);
    assert_eq!(table.json()["solved"], true);
    assert!(get(&server, "/metrics").text().contains("tablesmith_solved_tables "));
    // A server without a bound for it solves nothing.
    let strict = with(Options { bound: None, ..Options::default() });
    let missing = get(&strict, "/api/v1/games/fide/tables/KQvKR");
    assert_eq!(missing.status, StatusCode::NOT_FOUND);
}

/// Everything in a value that is not as a schema says; `document` has the components.
///
/// It knows the words of JSON Schema that the document uses, and refuses every other one, so that nothing is
/// taken for checked that is not.
pub(super) fn faults(document: &Value, schema: &Value, value: &Value) -> Vec<String> {
    let mut faults = Vec::new();
    Checker { document, faults: &mut faults }.check(schema, value, "");
    faults
}

struct Checker<'a> {
    document: &'a Value,
    faults: &'a mut Vec<String>,
}

impl Checker<'_> {
    fn check(&mut self, schema: &Value, value: &Value, at: &str) {
        for (word, says) in schema.as_object().expect("a schema is an object") {
            match word.as_str() {
                "description" => {}
                "$ref" => {
                    let pointer =
                        says.as_str().and_then(|target| target.strip_prefix('#')).expect("a local reference");
                    let target =
                        self.document.pointer(pointer).unwrap_or_else(|| panic!("{pointer} leads nowhere"));
                    self.check(target, value, at);
                }
                "type" => {
                    let is = |name: &Value| is_of_type(name.as_str().expect("a type"), value);
                    let fits = says.as_array().map_or_else(|| is(says), |names| names.iter().any(is));
                    self.hold(fits, || format!("{at} is {value}, expected {says}"));
                }
                "enum" => {
                    let fits = says.as_array().expect("a list").contains(value);
                    self.hold(fits, || format!("{at} is {value}, expected one of {says}"));
                }
                "minimum" => {
                    let fits = value.as_i64().is_none_or(|n| n >= says.as_i64().expect("a number"));
                    self.hold(fits, || format!("{at} is {value}, less than {says}"));
                }
                "items" => {
                    for (i, item) in value.as_array().into_iter().flatten().enumerate() {
                        self.check(says, item, &format!("{at}/{i}"));
                    }
                }
                "required" => {
                    for key in says.as_array().expect("a list").iter().filter_map(Value::as_str) {
                        self.hold(value.get(key).is_some(), || format!("{at} has no `{key}`"));
                    }
                }
                "properties" => {
                    for (key, schema) in says.as_object().expect("an object") {
                        if let Some(inner) = value.get(key) {
                            self.check(schema, inner, &format!("{at}/{key}"));
                        }
                    }
                }
                "additionalProperties" => {
                    assert_eq!(says, &Value::Bool(false), "the document closes its objects");
                    for key in value.as_object().into_iter().flat_map(|object| object.keys()) {
                        self.hold(schema["properties"].get(key).is_some(), || format!("{at} has `{key}`"));
                    }
                }
                "oneOf" => {
                    let fits = says.as_array().expect("a list").iter();
                    let n = fits.filter(|schema| faults(self.document, schema, value).is_empty()).count();
                    self.hold(n == 1, || {
                        format!("{at} fits {n} of {} schemas", says.as_array().map_or(0, Vec::len))
                    });
                }
                other => panic!("the test does not know `{other}`"),
            }
        }
    }

    fn hold(&mut self, is_right: bool, says: impl FnOnce() -> String) {
        if !is_right {
            self.faults.push(says());
        }
    }
}

fn is_of_type(name: &str, value: &Value) -> bool {
    match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "integer" => value.is_i64() || value.is_u64(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        other => panic!("there is no type `{other}`"),
    }
}

#[test]
fn faults_are_found() {
    let document = serde_json::json!({});
    let schema = serde_json::json!({
        "type": "object", "additionalProperties": false, "required": ["a"],
        "properties": { "a": { "type": ["integer", "null"], "minimum": 1 } },
    });
    let n = |value| faults(&document, &schema, &value).len();
    assert_eq!(n(serde_json::json!({ "a": 1 })), 0);
    assert_eq!(n(serde_json::json!({ "a": null })), 0);
    assert_eq!(n(serde_json::json!({ "a": 0 })), 1);
    assert_eq!(n(serde_json::json!({ "a": "x", "b": 1 })), 2);
    assert_eq!(n(serde_json::json!({})), 1);
    assert_eq!(n(serde_json::json!([])), 2);
}
