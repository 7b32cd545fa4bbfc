//! Checks the warnings of variants that are likely a mistake.

use super::*;

/// A game with these lines at the top and these pieces (letter, movement, further keys) has these warnings.
#[track_caller]
fn check(top: &str, pieces: &[(&str, &str, &str)], expected: &[&str]) {
    let head = format!("name = \"warned\"\n{top}\n");
    let text = pieces.iter().fold(head, |text, (letter, betza, more)| {
        format!("{text}[[piece]]\nletter = \"{letter}\"\nbetza = \"{betza}\"\n{more}\n")
    });
    assert_eq!(parse(&text).warnings(), expected, "{text}");
}

const KING: (&str, &str, &str) = ("K", "K", "royal = true");
const QUEEN: (&str, &str, &str) = ("Q", "Q", "");

#[test]
fn royal_men_that_nobody_attacks() {
    check("", &[KING, QUEEN], &[]);
    check(
        "",
        &[("K", "mK", "royal = true"), ("Q", "mQ", "")],
        &["nothing captures, so K is never attacked and nobody is mated"],
    );
    let alone = "nothing attacks K but the other K: there is no other man that captures";
    check("", &[KING, ("R", "mR", "")], &[alone]);
    check("", &[KING], &[alone]);
    // On three files no man takes three steps sideways, and three forward are too many as well.
    check(
        "board = { files = 3, ranks = 3 }",
        &[KING, ("H", "H", "")],
        &[alone, "H cannot move on a board of this size"],
    );
    check("", &[("K", "", "royal = true"), QUEEN], &["K cannot move"]);
}

#[test]
fn rules_that_never_decide_anything() {
    let rules = |lines: &str| format!("rules = {{ {lines} }}");
    let stalemate =
        |key| format!("with `{key}` nobody is stalemated, so what stalemate is worth says nothing");
    let all = |value| rules(&format!("extinction-value = \"{value}\", extinction-piece-types = \"*\""));
    let horde = "no side ever loses all its men, because each side has a K that is never captured: where White \
                 has no K, as in horde, write `royal-men-white = 0`";
    check(&all("loss"), &[KING, QUEEN], &[horde]);
    check(&all("win"), &[("K", "K", ""), QUEEN], &[]);
    check(&rules("pass = true"), &[KING, QUEEN], &[]);
    check(&rules("pass = true, stalemate-value = \"loss\""), &[KING, QUEEN], &[&stalemate("pass")]);
    check(
        &rules("pass-on-stalemate = true, stalemate-piece-count = true"),
        &[KING, QUEEN],
        &[&stalemate("pass-on-stalemate")],
    );
    check(
        &rules("must-capture = true"),
        &[KING, ("R", "mR", "")],
        &["nothing attacks K but the other K: there is no other man that captures"],
    );
    check(&rules("blast-on-capture = true"), &[KING, QUEEN], &[]);
    check(
        &rules("blast-on-capture = true"),
        &[KING, ("R", "mR", "")],
        &[
            "nothing attacks K but the other K: there is no other man that captures",
            "captures explode, but no man that may capture can",
        ],
    );
    // A bishop on a corner is seen to come there, a man that goes forward only never to the first rank.
    let goal = |squares: &str| rules(&format!("flag-region = \"{squares}\", flag-piece = \"L\""));
    let lance = ("L", "fsR", "");
    check(&goal("a8 a1"), &[KING, QUEEN, lance], &[]);
    check(
        &goal("a1"),
        &[KING, QUEEN, ("L", "fW", "")],
        &[
            "no man of White that wins on the goal ever comes there",
            "L never moves back and is stuck at the end of the board: is it a pawn, with a [piece.pawn] table?",
        ],
    );
}

#[test]
fn castling_to_where_the_king_may_step() {
    let rules = |to: [&str; 2], more: &str| {
        format!(
            "board = {{ files = 6, ranks = 6 }}\n[rules]\ncastling = true\ncastling-king-file = \"c\"\n\
             castling-kingside-file = \"{}\"\ncastling-queenside-file = \"{}\"\n{more}",
            to[0], to[1]
        )
    };
    let rook = ("R", "R", "");
    let twice = |to: &str, rook: &str| {
        format!(
            "K may step to {to}, where castling leads too: in coordinates the step is `c1{to}`, and castling \
             `c1{rook}`"
        )
    };
    let [near, far] = [twice("b1", "a1"), twice("e1", "f1")];
    check(&rules(["e", "b"], ""), &[KING, rook], &[&near]);
    check(&rules(["e", "a"], ""), &[KING, rook], &[]);
    check(&rules(["e", "b"], ""), &[("K", "WDF", "royal = true"), rook], &[&far, &near]);
    check(&rules(["e", "b"], ""), &[("K", "FcW", "royal = true"), rook], &[]);
    check(&rules(["e", "a"], ""), &[("K", "FgR", "royal = true"), rook], &[]);
    let any = "[rules]\ncastling = true\nchess960 = true";
    check(any, &[KING, rook], &[]);
}

#[test]
fn men_that_hardly_move() {
    check("", &[KING, QUEEN, ("X", "", "")], &["X cannot move"]);
    let forward = |name: &str| {
        format!(
            "{name} never moves back and is stuck at the end of the board: is it a pawn, with a [piece.pawn] table?"
        )
    };
    check("", &[KING, QUEEN, ("L", "fR", "")], &[&forward("L")]);
    check("", &[KING, QUEEN, ("S", "fsW", ""), ("G", "WfF", ""), ("O", "fqN", "")], &[]);
    // A hopper needs room for what it hops over.
    let small = "board = { files = 3, ranks = 3 }";
    check(small, &[KING, QUEEN, ("G", "gQ", ""), ("C", "mRcpR", "")], &[]);
    check(small, &[KING, QUEEN, ("G", "gNN", "")], &["G cannot move on a board of this size"]);
    check("board = { files = 3, ranks = 5 }", &[KING, QUEEN, ("G", "gNN", "")], &[]);
    check("board = { files = 3, ranks = 3, cylinder = true }", &[KING, QUEEN, ("D", "D", "")], &[]);
    check("board = { files = 4, ranks = 3, cylinder = true }", &[KING, QUEEN, ("H", "H", "")], &[]);
}

#[test]
fn men_that_move_alike() {
    check("", &[KING, ("M", "K", ""), QUEEN], &[]);
    check("", &[KING, QUEEN, ("X", "RB", "")], &["Q and X move alike on this board"]);
    check("", &[KING, QUEEN, ("X", "Q7", "")], &["Q and X move alike on this board"]);
    check("", &[KING, QUEEN, ("X", "Q6", "")], &[]);
    check(
        "board = { files = 6, ranks = 6 }",
        &[KING, ("R", "R", ""), ("X", "W5", "")],
        &["R and X move alike on this board"],
    );
    let pawn = |more: &str| format!("pawn = {{ promotes-to = [\"Q\"]{more} }}");
    let (plain, slow) = (pawn(""), pawn(", double-step = false"));
    check("", &[KING, QUEEN, ("P", "fmWfcF", &plain), ("S", "fmWfcF", &slow)], &[]);
    check(
        "",
        &[KING, QUEEN, ("P", "fmWfcF", &plain), ("S", "fmWfcF", &plain)],
        &["P and S move alike on this board"],
    );
}

/// King, queen, a man that cannot move, and a pawn.
#[track_caller]
fn check_pawn(board: &str, betza: &str, keys: &str, expected: &[&str]) {
    let pawn = format!("pawn = {{ promotes-to = [\"Q\"]{keys} }}");
    check(board, &[KING, QUEEN, ("P", betza, &pawn)], expected);
}

#[test]
fn pawns_whose_rules_are_of_no_use() {
    for betza in ["fmWfcF", "fmFfcW", "fmWfcFfmN"] {
        check_pawn("", betza, "", &[]);
    }
    let doubtful = "P may step to a square on which it may capture en passant: in coordinates the capture is \
                    meant, and the step cannot be written";
    check_pawn("", "fK", "", &[doubtful]);
    check_pawn("", "fK", ", en-passant = false", &[]);
    check_pawn("", "fK", ", double-step = false", &[]);
    check_pawn("", "fmWfF", "", &[doubtful]);
    // The pawn that has come over the square stands right before it.
    check_pawn("", "fW", "", &[]);
    check_pawn("", "fW", ", en-passant = false", &[]);
    check_pawn(
        "",
        "fmW",
        "",
        &["no pawn can capture P en passant: none reaches a square that it passes over"],
    );
    check_pawn("", "fcF", ", en-passant = false", &["P has a double step but no step without capture"]);
    check_pawn("", "fcF", "", &["P has a double step but no step without capture"]);
    check_pawn("", "fcF", ", double-step = false", &[]);
    check_pawn(
        "",
        "",
        ", double-step = false",
        &["P cannot move", "P can never promote: no step of it leads to a promotion square"],
    );
    // Behind a wall of holes nothing promotes; around a wall that is open it does.
    let wall = "board = { files = 3, ranks = 6, holes = [\"a2\", \"b2\", \"c2\", \"a5\", \"b5\", \"c5\"] }";
    let never = "P can never promote: no step of it leads to a promotion square";
    check_pawn(wall, "fmWfcF", ", start-rank = 3, double-step = false", &[never]);
    let gap = "board = { files = 3, ranks = 6, holes = [\"a2\", \"b2\", \"a5\", \"b5\"] }";
    check_pawn(gap, "fmWfcF", ", start-rank = 3, double-step = false", &[]);
    let again = "a double step of P ends on a6, where it promotes at once";
    check_pawn("", "fmWfcF", ", promotion-rank = 6, double-step-ranks = [2, 4]", &[again]);
    let stuck = "pawn = { promotes-to = [\"Q\", \"X\"] }";
    check(
        "",
        &[KING, QUEEN, ("X", "", ""), ("P", "fmWfcF", stuck)],
        &["X cannot move", "P may become X, which cannot move"],
    );
}

#[test]
fn a_metric_without_its_rule() {
    let top = "metric = \"dtz50\"\nrules = { n-move-rule = 0 }";
    check(top, &[KING, QUEEN], &["without an n-move rule `metric = \"dtz50\"` is `\"dtz\"`"]);
    check("metric = \"dtz50\"", &[KING, QUEEN], &[]);
    check("metric = \"dtz\"\nrules = { n-move-rule = 0 }", &[KING, QUEEN], &[]);
}
