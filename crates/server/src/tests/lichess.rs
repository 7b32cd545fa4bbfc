//! Asks as clients of Lichess's tablebase do.

use super::{Received, chess, game, game_with, get, with};
use crate::{Options, Server};
use axum::http::StatusCode;
use build::RightsBuild;
use library::{Holding, MemoryLimit};
use plan::{Plan, Request as Wanted};
use serde_json::{Value, json};
use std::sync::Arc;
use variant::{Material, Metric, Variant};

/// Every key of a position, in order.
const KEYS: [&str; 11] = [
    "checkmate",
    "stalemate",
    "variant_win",
    "variant_loss",
    "insufficient_material",
    "dtz",
    "precise_dtz",
    "dtm",
    "dtw",
    "dtc",
    "category",
];

#[track_caller]
fn answer(path: &str) -> Value {
    let got = get(&chess(), path);
    assert_eq!(got.status, StatusCode::OK, "{path}: {}", got.text());
    got.json()
}

/// Whether an answer has these values, and all keys.
#[track_caller]
fn check(path: &str, expected: &Value) {
    check_in(&answer(path), path, expected);
}

#[track_caller]
fn check_in(found: &Value, path: &str, expected: &Value) {
    for key in KEYS {
        assert!(found.get(key).is_some(), "{path} has no `{key}`: {found}");
        for mv in found["moves"].as_array().expect("moves") {
            assert!(mv.get(key).is_some(), "{path} has no `{key}` in {mv}");
        }
    }
    for (key, value) in expected.as_object().expect("an object") {
        assert_eq!(&found[key], value, "{path}: {key} of {found}");
    }
}

#[track_caller]
fn check_refused(path: &str, status: StatusCode, says: &str) -> Received {
    let got = get(&chess(), path);
    assert_eq!(got.status, status, "{path}: {}", got.text());
    assert!(got.text().contains(says), "{path}: {}", got.text());
    assert!(got.header("content-type").starts_with("text/plain"), "{path}: {:?}", got.headers);
    got
}

#[test]
fn positions_have_every_key_and_the_right_values() {
    let mate_in_5 = json!({
        "dtz": 9, "precise_dtz": 9, "dtm": 9, "dtw": null, "dtc": null, "category": "win", "checkmate": false,
    });
    check("/standard?fen=8/8/8/8/8/4k3/8/4K2Q_w_-_-_0_1", &mate_in_5);
    check("/fide?fen=8/8/8/8/8/4k3/8/4K2Q w - - 0 1", &mate_in_5);
    // Mate itself counts as a ply to a zeroing move.
    let mate = json!({ "checkmate": true, "dtz": -1, "dtm": 0, "category": "loss", "moves": [] });
    check("/standard?fen=7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", &mate);
    let stalemate = json!({ "stalemate": true, "dtz": 0, "dtm": 0, "category": "draw", "moves": [] });
    check("/standard?fen=7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", &stalemate);
    let bare = json!({ "insufficient_material": true, "dtz": 0, "category": "draw" });
    check("/standard?fen=8/8/8/8/8/4k3/N7/4K3 w - - 0 1", &bare);
    check("/standard?fen=8/8/8/8/8/4k3/8/4K3 w - - 0 1", &bare);
    check("/standard?fen=8/8/8/8/8/4k3/8/4K2Q b - - 0 1", &json!({ "dtz": -16, "category": "loss" }));
}

#[test]
fn moves_are_seen_by_the_other_side_and_come_best_first() {
    let found = answer("/standard?fen=8/8/8/8/8/4k3/8/4K2Q w - - 0 1");
    let moves = found["moves"].as_array().expect("moves");
    assert_eq!(moves.len(), 18);
    let best = &moves[0];
    let expected = json!({
        "uci": "h1d5", "san": "Qd5", "zeroing": false, "conversion": false, "category": "loss", "dtm": -8, "dtz": -8,
    });
    for (key, value) in expected.as_object().expect("an object") {
        assert_eq!(&best[key], value, "{key} of {best}");
    }
    let dtm = |mv: &Value| mv["dtm"].as_i64().expect("a distance");
    assert!(
        moves
            .windows(2)
            .all(|pair| pair[0]["category"] != pair[1]["category"] || dtm(&pair[0]) >= dtm(&pair[1]))
    );
    assert_eq!(moves[17]["category"], "draw");
    // The side that loses holds out: its slowest loss first, and a capture that draws before all.
    let lost = answer("/standard?fen=8/8/8/8/8/4k3/8/4K2Q b - - 0 1");
    let moves = lost["moves"].as_array().expect("moves");
    assert!(moves.windows(2).all(|pair| dtm(&pair[0]) >= dtm(&pair[1])), "{lost}");
    let saved = answer("/standard?fen=8/8/8/8/8/8/3k4/3Q3K b - - 0 1");
    assert_eq!((&saved["moves"][0]["uci"], &saved["moves"][0]["zeroing"]), (&json!("d2d1"), &json!(true)));
}

#[test]
fn clock_decides_between_a_win_and_a_cursed_one() {
    let fen = |clock: u32| format!("/standard?fen=8/8/8/8/8/4k3/8/4K2Q w - - {clock} 60");
    check(&fen(91), &json!({ "category": "win", "dtz": 9 }));
    check(&fen(92), &json!({ "category": "cursed-win", "dtz": 9 }));
    let moves = &answer(&fen(92))["moves"];
    assert_eq!(moves[0]["category"], "blessed-loss", "{moves}");
    check("/standard?fen=8/8/8/8/8/4k3/8/4K2Q b - - 95 60", &json!({ "category": "blessed-loss" }));
}

/// A position, its category, and those of some of its moves; the first of them is listed first, unless moves
/// come before it of which nothing is known.
type Case = (&'static str, &'static str, &'static [(&'static str, &'static str)]);

#[track_caller]
fn check_categories(server: &Arc<Server>, game: &str, cases: &[Case]) {
    for (fen, category, moves) in cases {
        let got = get(server, &format!("/{game}?fen={fen}")).json();
        check_in(&got, fen, &json!({ "category": category }));
        let listed = got["moves"].as_array().expect("moves");
        let all_known = listed.iter().all(|mv| mv["category"] != "unknown");
        if let Some((first, category)) = moves.first()
            && (all_known || *category == "loss")
        {
            assert_eq!(listed[0]["uci"], *first, "{fen}: {got}");
        }
        for (uci, category) in *moves {
            let found = listed.iter().find(|mv| mv["uci"] == *uci);
            assert_eq!(found.map(|mv| &mv["category"]), Some(&json!(category)), "{fen}: {uci} of {got}");
        }
    }
}

/// A side that could claim a draw before a move loses nothing by it: not by mate, capture or pawn move.
#[test]
fn what_comes_after_the_whole_rule_is_cursed() {
    let chess_cases: &[Case] = &[
        ("7k/8/6K1/8/8/8/8/5Q2 w - - 99 80", "win", &[("f1f8", "loss"), ("f1f7", "draw")]),
        (
            "7k/8/6K1/8/8/8/8/5Q2 w - - 100 80",
            "cursed-win",
            &[("f1f8", "blessed-loss"), ("f1f2", "blessed-loss"), ("f1f7", "draw")],
        ),
        ("7k/8/6K1/8/8/8/8/5Q2 w - - 101 80", "cursed-win", &[("f1f8", "blessed-loss")]),
        // Mate by the last ply that counts is one; after that it is too late.
        ("5Q1k/8/6K1/8/8/8/8/8 b - - 100 80", "loss", &[]),
        ("5Q1k/8/6K1/8/8/8/8/8 b - - 101 80", "blessed-loss", &[]),
        ("7k/5Q2/6K1/8/8/8/8/8 b - - 101 80", "draw", &[]),
        // Pawn moves and promotions set the clock back if there is still time for them.
        ("8/P7/8/8/8/8/k7/7K w - - 99 80", "win", &[("a7a8q", "loss"), ("a7a8n", "draw")]),
        ("8/P7/8/8/8/8/k7/7K w - - 100 80", "cursed-win", &[("a7a8q", "blessed-loss"), ("a7a8n", "draw")]),
        ("8/8/P7/8/8/8/k7/7K w - - 99 80", "win", &[("a6a7", "loss")]),
        ("8/8/P7/8/8/8/k7/7K w - - 100 80", "cursed-win", &[("a6a7", "blessed-loss")]),
        // The loser's capture saves him at any time.
        ("8/8/8/8/8/8/3k4/3Q3K b - - 100 80", "draw", &[("d2d1", "draw"), ("d2e3", "cursed-win")]),
        // A capture into a table that is there.
        ("8/8/8/8/8/2k5/3r4/3QK3 w - - 99 80", "win", &[("d1d2", "loss")]),
    ];
    check_categories(&chess(), "standard", chess_cases);
    let rules_alone = || Options { bound: None, ..Options::default() };
    let atomic_cases: &[Case] = &[
        ("8/8/8/8/8/8/1kp5/3QK3 w - - 99 80", "win", &[("d1c2", "loss")]),
        ("8/8/8/8/8/8/1kp5/3QK3 w - - 100 80", "cursed-win", &[("d1c2", "blessed-loss")]),
    ];
    check_categories(&game_with("atomic", rules_alone()), "atomic", atomic_cases);
    let antichess_cases: &[Case] = &[
        ("8/8/8/8/8/8/1r6/8 w - - 100 80", "win", &[]),
        ("8/8/8/8/8/8/1r6/8 w - - 101 80", "cursed-win", &[]),
    ];
    check_categories(&game_with("antichess", rules_alone()), "antichess", antichess_cases);
}

/// The root has the category of its best move where no table has its men, whatever their number.
#[test]
fn moves_decide_what_no_table_has() {
    let cases: &[Case] = &[
        ("6k1/5ppp/8/8/8/8/5PPP/1R4K1 w - - 0 1", "win", &[("b1b8", "loss"), ("b1b7", "unknown")]),
        ("6k1/5ppp/8/8/8/8/5PPP/1R4K1 w - - 100 80", "cursed-win", &[]),
        ("7k/7p/1R6/6P1/P7/5n2/4r3/7K b - - 0 41", "win", &[("e2h2", "loss"), ("e2e1", "unknown")]),
        // Mate, stalemate and dead bishops of any number of men.
        ("rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3", "loss", &[]),
        ("k7/P7/K7/8/7p/7P/6pP/6B1 b - - 0 1", "draw", &[]),
        ("B1B1B1B1/1b1b1b1b/B7/8/8/4k3/8/4K3 w - - 0 1", "draw", &[("a6b5", "draw")]),
        // A capture into a table that is there; what draws only does not decide.
        ("8/8/8/8/8/2k5/3r4/3QK3 w - - 0 1", "win", &[("d1d2", "loss"), ("d1c1", "unknown")]),
        ("8/8/8/8/8/2k5/8/2NrK3 w - - 0 1", "unknown", &[("e1e2", "unknown"), ("e1d1", "draw")]),
    ];
    check_categories(&chess(), "standard", cases);
    let mate = "/standard?fen=6k1/5ppp/8/8/8/8/5PPP/1R4K1 w - - 0 1";
    check(mate, &json!({ "dtz": 1, "precise_dtz": 1, "dtm": 1, "checkmate": false }));
    let line = answer(&mate.replace('?', "/mainline?"));
    assert_eq!(
        (line["mainline"].as_array().map(Vec::len), &line["winner"]),
        (Some(1), &json!("w")),
        "{line}"
    );
}

/// Our own interface lists the moves that decide first.
#[test]
fn our_own_interface_says_what_the_rules_decide() {
    let probe = |query: &str| get(&chess(), &format!("/api/v1/games/fide/probe?{query}")).json();
    let got = probe("fen=6k1/5ppp/8/8/8/8/5PPP/1R4K1 w - - 0 1&moves=2&line=true");
    assert_eq!((&got["wdl"], &got["dtm"], &got["legal_moves"]), (&json!(1), &json!(1), &json!(20)), "{got}");
    assert_eq!((&got["moves"][0]["uci"], &got["moves"][0]["dtm"]), (&json!("b1b8"), &json!(1)), "{got}");
    assert_eq!(
        (&got["main_line"][0]["san"], &got["text"]),
        (&json!("Rb8#"), &json!("White mates in 1 move, 1 ply"))
    );
    let got = probe("fen=rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3");
    assert_eq!(
        (&got["wdl"], &got["outcome"], &got["missing"]),
        (&json!(-1), &json!("checkmate"), &json!(null))
    );
    let got = probe("fen=B1B1B1B1/1b1b1b1b/B7/8/8/4k3/8/4K3 w - - 0 1&moves=0&metric=wdl");
    assert_eq!((&got["wdl"], &got["text"]), (&json!(0), &json!("draw")), "{got}");
}

#[test]
fn what_no_table_has_is_unknown_and_no_error() {
    let unknown = json!({ "category": "unknown", "dtz": null, "dtm": null, "precise_dtz": null });
    check("/standard?fen=8/8/8/2r5/8/4k3/8/4K2Q w - - 0 1", &unknown);
    let start = "/standard?fen=rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    check(start, &unknown);
    assert_eq!(answer(start)["moves"].as_array().map(Vec::len), Some(20));
    // White may castle, and no file has it. White's moves end the right and tell it; Black's do not.
    check(CASTLES, &json!({ "category": "win", "dtz": 21, "dtm": 21 }));
    let white = answer(CASTLES);
    let castling = white["moves"].as_array().and_then(|moves| moves.iter().find(|mv| mv["uci"] == "e1g1"));
    assert_eq!(
        castling.map(|mv| (&mv["category"], &mv["dtm"])),
        Some((&json!("loss"), &json!(-28))),
        "{white}"
    );
    let black = answer("/standard?fen=4k3/8/8/8/8/8/8/4K2R b K - 0 1");
    assert_eq!(
        (&black["moves"][0]["category"], &black["moves"][0]["dtm"]),
        (&json!("unknown"), &json!(null))
    );
    // A capture into a table that is there is known all the same.
    let known = answer("/standard?fen=8/8/8/8/8/2k5/3r4/3QK3 w - - 0 1");
    let capture = known["moves"].as_array().and_then(|moves| moves.iter().find(|mv| mv["uci"] == "d1d2"));
    assert_eq!(capture.map(|mv| &mv["dtm"]), Some(&json!(-12)), "{known}");
}

/// White may castle, and mates in 11 moves.
const CASTLES: &str = "/standard?fen=4k3/8/8/8/8/8/8/4K2R w K - 0 1";

#[test]
fn castling_rights_are_solved_when_somebody_asks() {
    let server = with(Options::default());
    let got = get(&server, CASTLES).json();
    check_in(&got, CASTLES, &json!({ "category": "win", "dtz": 21, "precise_dtz": 21, "dtm": 21 }));
    let castling = got["moves"].as_array().and_then(|moves| moves.iter().find(|mv| mv["uci"] == "e1g1"));
    let castling = castling.expect("castling in coordinates");
    assert!(castling["san"] == "O-O" && castling["dtm"].as_i64().is_some_and(|dtm| dtm <= -24), "{castling}");
    // A rook's move ends the right; a move of Black's does not.
    assert!(got["moves"].as_array().is_some_and(|moves| moves.iter().all(|mv| mv["dtm"].is_i64())), "{got}");
    let black = get(&server, "/standard?fen=4k3/8/8/8/8/8/8/4K2R b K - 0 1").json();
    assert!(black["category"] == "loss" && black["moves"][0]["dtm"].is_i64(), "{black}");
    let line = get(&server, &CASTLES.replace('?', "/mainline?")).json();
    assert_eq!((&line["dtz"], &line["winner"]), (&json!(21), &json!("w")));
    assert_eq!(line["mainline"].as_array().map(Vec::len), Some(21));
    // Five men are too many, with rights as without.
    let five = get(&server, "/standard?fen=4k3/8/8/8/8/8/PP6/4K2R w K - 0 1").json();
    assert_eq!((&five["category"], five["moves"].is_array()), (&json!("unknown"), true));
}

/// Where nothing is solved the file answers.
#[test]
fn castling_rights_are_read_from_files() {
    let (folder, chess) = (tempfile::tempdir().expect("a folder"), Variant::chess());
    for file in std::fs::read_dir(super::folder()).expect("files") {
        let file = file.expect("a file").path();
        let name = file.file_name().expect("a name");
        if name.to_string_lossy().starts_with("KRvK") {
            std::fs::copy(&file, folder.path().join(name)).expect("a copy");
        }
    }
    let material = Material::parse(&chess, "KRvK").expect("a material");
    let plan = Plan::new(&chess, &Wanted::Table(material)).expect("a plan");
    let memory = MemoryLimit::new(None);
    let (metric, folder) = (Metric::Dtm, folder.path());
    let build =
        RightsBuild { variant: &chess, metric, folder, lent: None, n_threads: 1, force: false, memory };
    assert_eq!(build.run(&plan, &|_| {}, &mut |_| Ok(())).expect("files"), 0);
    let holding = Holding { variant: chess.clone(), folders: vec![folder.into()] };
    let server = Server::new(&[holding], Options { bound: None, ..Options::default() }).expect("a server");
    let got = get(&server, CASTLES).json();
    check_in(&got, CASTLES, &json!({ "category": "win", "dtm": 21, "dtz": 21 }));
    let got = get(&server, &CASTLES.replace("/standard?", "/api/v1/games/fide/probe?line=true&")).json();
    assert_eq!((&got["file"], &got["dtm"], &got["solved"]), (&json!("KRvK.tsm"), &json!(21), &json!(false)));
    assert_eq!(got["main_line"].as_array().map(Vec::len), Some(21), "{got}");
}

#[test]
fn castling_rights_of_our_own_interface() {
    let probe = |server: &Arc<Server>, fen: &str| {
        get(server, &format!("/api/v1/games/fide/probe?fen={fen}&metric=dtm")).json()
    };
    let fen = "4k3/8/8/8/8/8/8/4K2R w K - 0 1";
    let got = probe(&with(Options::default()), fen);
    assert_eq!((&got["wdl"], &got["dtm"], &got["solved"]), (&json!(1), &json!(21), &json!(true)), "{got}");
    assert!(got["moves"].as_array().is_some_and(|moves| moves.iter().any(|mv| mv["uci"] == "e1g1")), "{got}");
    // What may not be solved is not known, and its moves are shown all the same.
    let got = probe(&chess(), "4k3/8/8/8/8/8/8/4K2R b K - 0 1");
    assert_eq!((&got["wdl"], &got["missing"]), (&json!(null), &json!("KRvK")), "{got}");
    assert!(got["moves"].as_array().is_some_and(|moves| moves.len() == 5), "{got}");
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    let got = probe(&with(Options::default()), start);
    assert_eq!((&got["legal_moves"], &got["wdl"]), (&json!(20), &json!(null)));
    let text = got["text"].as_str().unwrap_or_default();
    assert!(text.starts_with("not known: positions of 32 men with castling rights are not solved"), "{text}");
    // A right that the men deny is left out, as everywhere.
    let got = probe(&chess(), "4k3/8/8/8/8/8/8/4K1R1 w K - 0 1");
    assert_eq!((&got["fen"], &got["wdl"]), (&json!("4k3/8/8/8/8/8/8/4K1R1 w - - 0 1"), &json!(1)), "{got}");
}

#[test]
fn rights_that_cannot_be_are_ignored() {
    let known = json!({ "category": "win" });
    check("/standard?fen=4k3/8/8/8/8/8/8/4K2R w q - 0 1", &known);
    check("/standard?fen=4k3/8/8/8/8/8/8/4K1R1 w KQkq - 0 1", &known);
    check("/standard?fen=4k3/8/8/8/8/8/8/4K1R1 w - e3 0 1", &known);
    check("/standard?fen=4k3/8/8/8/8/8/8/4K1R1 w", &known);
    check("/standard?fen=4k3/8/8/8/8/8/8/4K1R1", &known);
}

#[test]
fn bad_positions_are_refused_in_words() {
    let bad = StatusCode::BAD_REQUEST;
    check_refused("/standard", bad, "no `fen`");
    check_refused("/standard?fen=nonsense", bad, "not a position");
    check_refused("/standard?fen=8/8/8/8/8/3kq3/8/4K2Q b - - 0 1", bad, "illegal");
    check_refused("/standard?fen=8/8/8/8/8/3kK3/8/8 w - - 0 1", bad, "illegal");
    check_refused(&format!("/standard?fen={}", "8".repeat(1_100)), bad, "bytes, and 1000 are the most");
    check_refused("/chess960?fen=8/8/8/8/8/4k3/8/4K2Q w - - 0 1", StatusCode::NOT_FOUND, "there are fide");
}

#[test]
fn main_lines_end_with_mate_or_with_the_clock() {
    let line = answer("/standard/mainline?fen=8/8/8/8/8/4k3/8/4K2Q w - - 0 1");
    assert_eq!((&line["dtz"], &line["precise_dtz"], &line["winner"]), (&json!(9), &json!(9), &json!("w")));
    let moves = line["mainline"].as_array().expect("moves");
    let distances: Vec<i64> = moves.iter().filter_map(|mv| mv["dtz"].as_i64()).collect();
    assert_eq!(distances, [-8, 7, -6, 5, -4, 3, -2, 1, -1]);
    assert_eq!(moves[0]["uci"], "h1d5");
    assert!(moves[8]["san"].as_str().is_some_and(|san| san.ends_with('#')), "{line}");
    let claimed = answer("/standard/mainline?fen=8/8/8/8/8/4k3/8/4K2Q w - - 96 80");
    assert_eq!((claimed["mainline"].as_array().map(Vec::len), &claimed["winner"]), (Some(4), &json!(null)));
    let drawn = answer("/standard/mainline?fen=8/8/8/8/8/4k3/N7/4K3 w - - 0 1");
    assert_eq!(drawn, json!({ "dtz": 0, "precise_dtz": 0, "mainline": [], "winner": null }));
    let absent = StatusCode::NOT_FOUND;
    check_refused("/standard/mainline?fen=8/8/8/2r5/8/4k3/8/4K2Q w - - 0 1", absent, "KQvKR");
    check_refused(&CASTLES.replace('?', "/mainline?"), absent, "dtz50 with castling rights in KRvK.tsm");
    let ten = "/standard/mainline?fen=6B1/8/2bk4/p1p1p3/P1P1P3/3K4/8/8 b - - 3 1";
    check_refused(ten, absent, "has 10 men, and tables have at most 8; run solve with --position");
}

#[test]
fn small_tables_are_solved_when_somebody_asks() {
    let server = with(Options::default());
    let got = get(&server, "/standard?fen=8/8/8/2n5/8/4k3/8/4K2R w - - 0 1").json();
    assert!(got["dtz"].is_i64() && got["dtm"].is_i64(), "{got}");
    assert!(got["moves"].as_array().is_some_and(|moves| moves.iter().all(|mv| mv["dtm"].is_i64())), "{got}");
    // Five men are too many for that.
    let got = get(&server, "/standard?fen=8/8/8/2n5/8/2b1k3/8/4K2R w - - 0 1").json();
    assert_eq!(got["category"], "unknown");
}

#[test]
fn games_that_are_won_otherwise_count_to_the_win() {
    let antichess = game("antichess");
    // A side without men has won; a side that can capture must.
    let got = get(&antichess, "/antichess?fen=8/8/8/8/8/8/1r6/R7 w - - 0 1").json();
    check_in(&got, "antichess", &json!({ "dtm": null, "insufficient_material": false }));
    assert!(got["dtw"].is_i64(), "{got}");
    let over = get(&antichess, "/antichess?fen=8/8/8/8/8/8/1r6/8 w - - 0 1").json();
    check_in(&over, "antichess", &json!({ "variant_win": true, "category": "win", "moves": [] }));
    let atomic = game("atomic");
    let got = get(&atomic, "/atomic?fen=8/8/8/8/8/3k4/8/3K3Q w - - 0 1").json();
    check_in(&got, "atomic", &json!({ "dtm": null, "checkmate": false }));
    assert!(got["dtw"].is_i64(), "{got}");
}
