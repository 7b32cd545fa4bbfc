//! Checks moves as text.

use super::game::{chess, position, sergeants};
use crate::RuleBook;

#[track_caller]
fn check_san(book: &RuleBook, fen: &str, moves: &[(&str, &str)]) {
    let position = position(book, fen);
    for &(uci, san) in moves {
        let mv = position.parse_uci(book, uci).unwrap_or_else(|error| panic!("{fen}: {error}"));
        assert_eq!(position.san(book, mv), san, "{fen} {uci}");
        assert_eq!(mv.uci(book), uci);
    }
}

#[test]
fn moves_in_short_notation() {
    let book = chess();
    let cases: &[(&str, &[(&str, &str)])] = &[
        (
            "8/8/1k6/2b5/2pP4/8/5K2/8 b - d3 0 1",
            &[("c4d3", "cxd3+"), ("c4c3", "c3"), ("c5d4", "Bxd4+"), ("b6b7", "Kb7")],
        ),
        (
            "3n3k/4P3/8/8/8/8/8/4K3 w - - 0 1",
            &[("e7e8q", "e8=Q+"), ("e7d8n", "exd8=N"), ("e7d8r", "exd8=R+")],
        ),
        (
            "8/8/6K1/4k3/8/8/8/R6R w - - 0 1",
            &[("a1d1", "Rad1"), ("h1d1", "Rhd1"), ("a1a5", "Ra5+"), ("h1h2", "Rh2")],
        ),
        ("7k/8/6K1/8/8/8/8/R7 w - - 0 1", &[("a1a8", "Ra8#"), ("g6f7", "Kf7")]),
        ("7k/8/8/R7/8/8/8/R3K3 w - - 0 1", &[("a1a3", "R1a3"), ("a5a3", "R5a3"), ("a5a8", "Ra8+")]),
        ("7k/8/8/Q1Q5/8/Q7/8/4K3 w - - 0 1", &[("a5b4", "Qa5b4"), ("c5b4", "Qcb4"), ("a3b4", "Q3b4")]),
        ("7k/8/8/8/3p4/2P1P3/8/4K3 w - - 0 1", &[("c3d4", "cxd4"), ("e3d4", "exd4"), ("e3e4", "e4")]),
        ("k7/2K5/8/8/8/8/8/1Q6 w - - 0 1", &[("b1b7", "Qb7#"), ("b1b6", "Qb6")]),
    ];
    for (fen, moves) in cases {
        check_san(&book, fen, moves);
    }
    // Pawns that step sideways need telling apart; one that may step or capture en passant captures.
    let book = sergeants();
    check_san(&book, "3/3/SS1/3/k1K w - - 0 1", &[("a3b4", "ab4"), ("b3b4", "bb4"), ("b3c4", "c4")]);
    check_san(&book, "2k/3/2K/Ss1/3 w - b3 0 1", &[("a2b3", "axb3")]);
}

#[test]
fn what_is_no_legal_move_is_refused() {
    let book = chess();
    let position = position(&book, "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1");
    let error = position.parse_uci(&book, "h8h7").unwrap_err();
    assert_eq!(error.to_string(), "`h8h7` is no legal move; there are none");
    for text in ["", "h8", "h8g8q", "e2e4", "ß"] {
        assert!(position.parse_uci(&book, text).is_err());
    }
}
