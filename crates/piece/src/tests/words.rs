//! Checks movements in words, and what men can do in the long run.

use crate::{Movement, named};

#[track_caller]
fn check(betza: &str, words: &[&str]) {
    assert_eq!(Movement::parse(betza).unwrap().in_words(), words, "{betza}");
}

#[test]
fn sentences() {
    check("", &["does not move"]);
    check("K", &["moves and captures one square along ranks, files and diagonals"]);
    check("Q3", &["moves and captures up to 3 squares along ranks, files and diagonals"]);
    check(
        "fmWfcF",
        &[
            "moves one square forward without capturing",
            "captures one square diagonally forward",
            "every move leads forward",
        ],
    );
    check("fsmR", &["moves any distance forward and sideways without capturing", "never goes back"]);
    check("rbF2", &["moves and captures up to 2 squares diagonally backward to the right"]);
    check("flbF", &["moves and captures one square diagonally backward and forward to the left"]);
    check(
        "RN",
        &["moves and captures any distance along ranks and files", "moves and captures by a (2,1) leap"],
    );
    check("vD", &["moves and captures by a (2,0) leap forward and backward"]);
    check(
        "ffN",
        &["moves and captures by a (2,1) leap more forward than sideways", "every move leads forward"],
    );
    check("flNbrN", &["moves and captures by a (2,1) leap 1 forward 2 left and 1 backward 2 right"]);
    check("hrC", &["moves and captures by a (3,1) leap to the right-handed four of its squares"]);
    check("AA", &["moves and captures by any number of (2,2) leaps in one direction"]);
    check("lhZ3", &["moves and captures by up to 3 (3,2) leaps in one direction to the left"]);
    check("nN", &["moves and captures by a (2,1) step if nothing is on the way"]);
    check("cnDD", &["captures by any number of (2,0) steps in one direction if nothing is on the way"]);
    check(
        "mRcpR",
        &[
            "moves any distance along ranks and files without capturing",
            "captures along ranks and files over one man to any square behind him",
        ],
    );
    check(
        "gQ4",
        &["moves and captures along ranks, files and diagonals over one man to the square next behind him, \
             at most 4 squares away"],
    );
    check(
        "gNN",
        &["moves and captures by any number of (2,1) leaps in one direction over one man, \
             the last being the one over him"],
    );
    check("pN3", &["moves and captures by up to 3 (2,1) leaps in one direction over one man"]);
    check("qN", &["moves and captures by any number of (2,1) leaps round a circle, either way"]);
    check(
        "fqN2",
        &[
            "moves and captures by up to 2 (2,1) leaps round a circle, either way, \
             beginning more forward than sideways",
            "every move leads forward",
        ],
    );
}

/// Symmetries, bound to a colour, squares of 64, can lose a move, can go back.
#[track_caller]
fn check_gait(betza: &str, symmetries: &str, colour: bool, n_squares: usize, tempo: bool, back: bool) {
    let movement = Movement::parse(betza).unwrap();
    assert_eq!(movement.symmetries_in_words(), symmetries, "{betza}");
    let found = (
        movement.is_colour_bound(),
        movement.n_squares_of_64(),
        movement.can_lose_a_move(),
        movement.can_take_back(),
    );
    assert_eq!(found, (colour, n_squares, tempo, back), "{betza}");
}

#[test]
fn gaits() {
    let all = "all eight symmetries of the square";
    check_gait("K", all, false, 64, true, true);
    check_gait("N", all, false, 64, false, true);
    check_gait("NN", all, false, 64, true, true);
    check_gait("W", all, false, 64, false, true);
    check_gait("F", all, true, 32, false, true);
    check_gait("B", all, true, 32, true, true);
    check_gait("C", all, true, 32, false, true);
    check_gait("A", all, true, 8, false, true);
    check_gait("D", all, true, 16, false, true);
    check_gait("AD", all, true, 16, true, true);
    // The lame horse goes back over another square than it came over; the elephant over the same.
    check_gait("nN", all, false, 64, false, false);
    check_gait("nA", all, true, 8, false, true);
    check_gait("mRcpR", all, false, 64, true, true);
    check_gait("pR", all, false, 64, true, true);
    check_gait("gQ", all, false, 64, true, false);
    check_gait("gQ2", all, true, 16, true, true);
    check_gait("qN", all, false, 64, true, true);
    check_gait("qC", all, true, 32, true, true);
    let mirror = "the left-right mirror only";
    check_gait("WfF", mirror, false, 64, true, false);
    check_gait("fR", mirror, false, 8, false, false);
    check_gait("fW2bW", mirror, false, 8, true, false);
    check_gait("fW2bWbnD", mirror, false, 8, true, true);
    // The leap back needs no empty square, the steps forward do.
    check_gait("fW2bWbD", mirror, false, 8, true, false);
    check_gait("", all, true, 1, false, true);
}

#[test]
fn symmetries_are_a_group_with_a_name() {
    let groups = [
        ("Q", 8, "all eight symmetries of the square"),
        ("vR", 4, "the mirrors left-right and forward-backward, and the half turn"),
        ("flbrF", 4, "the mirrors on both diagonals, and the half turn"),
        ("hrN", 4, "the four turns, no mirror"),
        ("fW", 2, "the left-right mirror only"),
        ("rW", 2, "the forward-backward mirror only"),
        ("frF", 2, "the mirror on the diagonal from a1 only"),
        ("flF", 2, "the mirror on the diagonal from h1 only"),
        ("lfNrbN", 2, "the half turn only"),
        ("lfN", 1, "none"),
        ("qN", 8, "all eight symmetries of the square"),
        ("fqN", 2, "the left-right mirror only"),
    ];
    for (betza, n, words) in groups {
        let movement = Movement::parse(betza).unwrap();
        assert_eq!(movement.symmetries().len(), n, "{betza}");
        assert_eq!(movement.symmetries_in_words(), words, "{betza}");
    }
    assert!(named("gold").is_some_and(|gold| Movement::parse(gold.betza).unwrap().symmetries().len() == 2));
}
