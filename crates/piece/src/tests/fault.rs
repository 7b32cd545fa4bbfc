//! Checks the faults of refused Betza strings: their place, their sentence and their help.

use crate::Movement;

/// Every fault of the string: column, message, and a part of the help.
#[track_caller]
fn check_faults(betza: &str, expected: &[(usize, &str, &str)]) {
    let error = Movement::parse(betza).expect_err(betza);
    let found: Vec<_> = error.faults.iter().map(|f| (f.column, f.message.as_str())).collect();
    let wanted: Vec<_> = expected.iter().map(|&(column, message, _)| (column, message)).collect();
    assert_eq!(found, wanted, "{betza}");
    for (fault, (_, _, help)) in error.faults.iter().zip(expected) {
        assert!(fault.help.contains(help), "{betza}: {}", fault.help);
        assert!(
            !fault.span.is_empty() && betza.get(fault.span.clone()).is_some(),
            "{betza}: {:?}",
            fault.span
        );
    }
}

/// The only fault of the string.
#[track_caller]
fn check_fault(betza: &str, column: usize, message: &str, help: &str) {
    check_faults(betza, &[(column, message, help)]);
}

/// The only fault is that something is not supported, because.
#[track_caller]
fn check_refused(betza: &str, column: usize, what: &str, because: &str, help: &str) {
    check_fault(betza, column, &format!("{what} is not supported, because {because}"), help);
}

#[test]
fn letters_that_are_none() {
    let known = "moves are W F D N A H C Z G (L is C, J is Z) and K Q R B";
    check_fault("WXF", 2, "there is no move `X`", known);
    check_fault("kN", 1, "there is no modifier `k`", "the letter of a move is upper case: `K`");
    check_fault("x", 1, "there is no modifier `x`", "modifiers are m, c, n, p, g, q and the directions");
    check_fault("mRcpRx", 6, "there is no modifier `x`", "modifiers are m, c");
    check_fault("Nfm", 2, "modifiers without a move", "as in `fmW`");
    check_fault("gQmp", 3, "modifiers without a move", "as in `fmW`");
    check_fault("n", 1, "modifiers without a move", "as in `fmW`; such letters are upper case: `N`");
    check_fault("W 3", 2, "` ` is no part of the notation", known);
    check_fault("W-F", 2, "`-` is no part of the notation", known);
    check_faults(
        "é½W",
        &[(1, "`é` is no part of the notation", "remove it"), (2, "`½` is no part of the notation", "")],
    );
    check_faults(
        "nfN p",
        &[(4, "` ` is no part of the notation", "remove it"), (5, "modifiers without a move", "fmW")],
    );
}

#[test]
fn words_are_one_fault() {
    check_fault(
        "half rook",
        1,
        "`half rook` is no notation but words",
        "rook is `R`; a move has an upper-case",
    );
    check_fault("queen", 1, "`queen` is no notation but words", "queen is `Q`; a move");
    check_fault("rook and rook", 1, "`rook and rook` is no notation but words", "rook is `R`; a move");
    check_fault("Berolina-pawn", 1, "`Berolina-pawn` is no notation but words", "pawn is `fmWfcF`");
    check_fault("griffon", 1, "`griffon` is no notation but words", "the list of pieces by name");
    // Letters of modifiers alone may be notation that is not finished.
    check_fault("fmcrb", 1, "modifiers without a move", "as in `fmW`");
}

#[test]
fn ranges_that_cannot_be() {
    let range = "write a number from 1 to 254, or 0 for as far as the board goes";
    check_fault("3W", 1, "a range without a move before it", "as in `W3`");
    check_fault("W03", 2, "the range `03` cannot be", range);
    check_fault("W255", 2, "the range `255` cannot be", range);
    check_fault("pR99999999999", 3, "the range `99999999999` cannot be", range);
    check_fault("NN3", 3, "a range after a doubled letter", "write `N3` or `NN`");
    check_fault("gNN3", 4, "a range after a doubled letter", "write `N3` or `NN`");
    check_fault("NNN", 3, "`N` more than twice", "`NN` goes as far as the board does");
}

#[test]
fn modifiers_that_mean_nothing() {
    check_fault("mmW", 2, "`m` twice", "write it once");
    check_fault("nnN", 2, "`n` twice", "write it once");
    check_fault("ppR", 2, "`p` twice", "write it once");
    let half = "fh bh lh rh for a half, hl hr for a hand";
    check_fault("hW", 1, "the direction `h` means nothing for `W`", half);
    check_fault("fhK", 1, "the direction `fh` means nothing for `W`", half);
    check_fault("hN", 1, "the direction `h` means nothing for `N`", half);
    check_fault("hpNN", 1, "the direction `h` means nothing for `N`", half);
    let lame = "lame moves are nN nD nA nH nC nZ nG";
    check_fault("nW", 1, "`n` means nothing for `W`", lame);
    check_fault("fnF", 2, "`n` means nothing for `F`", lame);
    check_fault("WnK", 2, "`n` means nothing for `K`", lame);
    check_fault("nR", 1, "`n` means nothing for `R`", "a ride stops at the first man anyway");
    check_fault("nB3", 1, "`n` means nothing for `B`", lame);
    let round = "only the steps of N, C and Z go round";
    check_fault("qW", 1, "`q` means nothing for `W`", round);
    check_fault("mqQ", 2, "`q` means nothing for `Q`", round);
    check_fault("qA", 1, "`q` means nothing for `A`", round);
    check_fault("qN1", 1, "a circle of one step is a leap", "write `N` for the leap, or `qN`");
    check_faults(
        "fhnK",
        &[
            (1, "the direction `fh` means nothing for `W`", half),
            (3, "`n` means nothing for `K`", "leave it out"),
        ],
    );
}

#[test]
fn hoppers_need_room() {
    let room = "a hopper needs two steps or more: to the man it passes over, and on behind him";
    check_fault("pW", 1, room, "write `pR` for as far as the board goes, or a number as in `pW2`");
    check_fault("gF", 1, room, "write `gB` for as far as the board goes, or a number as in `gF2`");
    check_fault("pK", 1, room, "`pQ`");
    check_fault("gQ1", 1, room, "`gQ` for as far as the board goes, or a number as in `gQ2`");
    check_fault("mRfcpN", 5, room, "`pNN` for as far as the board goes, or a number as in `pN2`");
}

#[test]
fn paths_that_exclude_each_other() {
    check_fault("npNN", 2, "`p` beside `n`", "a lame move needs its way empty, a hopper needs a man on it");
    check_fault("gnR", 2, "`n` beside `g`", "a lame move needs its way empty, a hopper needs a man on it");
    check_fault("mpfgR", 4, "`g` beside `p`", "`p` lands anywhere behind the man, `g` on the next square");
    check_fault("qnN", 2, "`n` beside `q`", "a circular ride is neither lame nor does it hop");
    check_fault("gqN", 2, "`q` beside `g`", "a circular ride is neither lame nor does it hop");
    check_faults("npgW", &[(2, "`p` beside `n`", ""), (3, "`g` beside `n`", "")]);
}

#[test]
fn what_is_not_supported_has_its_reason() {
    check_refused(
        "fmWfcFifmnD",
        7,
        "`i` (moves from the initial square only)",
        "a table does not know who has moved before",
        "`double-step` in `[piece.pawn]`",
    );
    check_refused(
        "fmWfceF",
        6,
        "`e` (en passant)",
        "it is a rule of pawns here and no way to move",
        "`en-passant = true` in `[piece.pawn]`",
    );
    check_refused(
        "KdN",
        2,
        "`d` (captures of one's own men)",
        "men take men of the other side only, in every rule that tables know",
        "leave it out",
    );
    check_refused("ucN", 1, "`u` (unloading)", "a man that was taken is gone for good", "leave it out");
    check_refused(
        "BoR",
        2,
        "`o` (rides round a cylinder)",
        "the cylinder is a property of the board here, for all men alike",
        "`cylinder = true` in `[board]`",
    );
    check_refused(
        "zB",
        1,
        "`z` (crooked rides)",
        "a ride here repeats its step or turns the same way each time, and does not go to and fro",
        "write `q` for a ride that goes round",
    );
    check_refused(
        "tR",
        1,
        "`t` (tame moves, or hops over some men only)",
        "readers of the notation disagree on what it says",
        "leave it out",
    );
    check_refused(
        "mQyR",
        3,
        "`y` (rides that change on the way)",
        "a ride here keeps to one kind of path from its first step to its last",
        "for a ride that goes on behind a man write `p`",
    );
    check_refused(
        "jD",
        1,
        "`j` (moves that must jump, or skip a square)",
        "it says two things: of a leap that a man must be jumped over, of a ride that it passes its first square",
        "leave it out for a leap",
    );
    let legs = "a move here goes one way and takes at most one man, where it ends";
    check_refused("KmafW", 3, "`a` (moves of several legs)", legs, "the lame leap (`nN`)");
    check_refused("[F?R]W", 1, "`[` (legs in brackets)", legs, "the lame leap (`nN`)");
    check_refused("W[F", 2, "`[` (legs in brackets)", legs, "the leap (`N` for a step and a diagonal one)");
    let castling = "a movement does not know who has moved";
    check_refused("KO2N", 2, "`O` (castling)", castling, "write `castling = true` in `[rules]`");
    check_refused(
        "U",
        1,
        "`U` (the universal leaper)",
        "a movement here is made of steps, and its steps would depend on the board",
        "moves are W F",
    );
    check_refused(
        "N@",
        2,
        "`@` (drops)",
        "in a game with drops material never shrinks, so no table can be built before the others",
        "leave it out",
    );
}

/// However long a string is, what is said of it is not.
#[test]
fn texts_that_are_too_long_are_not_read() {
    let column_of = |text: &str| {
        let error = Movement::parse(text).expect_err("it has a fault");
        assert!(error.to_string().len() < 60_000 && error.faults.len() <= 100, "{}", error.faults.len());
        (error.faults[0].column, error.faults[0].message.clone(), error.faults.len())
    };
    let long = |n: usize| format!("the movement has {n} bytes, and 8192 are the most");
    assert_eq!(column_of(&"(".repeat(20_000)), (60, long(20_000), 1));
    assert_eq!(column_of(&"[]".repeat(20_000)), (60, long(40_000), 1));
    assert_eq!(column_of(&"é".repeat(20_000)), (60, long(40_000), 1));
    assert_eq!(column_of(&"W".repeat(8_193)), (60, long(8_193), 1));
    // What may be so long has its first faults named.
    let none = |text: &str| format!("`{text}` is no part of the notation");
    assert_eq!(column_of(&"(".repeat(8_000)), (1, none("("), 100));
    assert_eq!(column_of(&("[".repeat(4_000) + &"]".repeat(4_000))).2, 100);
    assert_eq!(column_of(&("x".repeat(8_000) + "W")), (1, "there is no modifier `x`".into(), 100));
    assert_eq!(Movement::parse(&"WF".repeat(4_000)), Movement::parse("K"));
}

#[test]
fn all_faults_are_told_at_once() {
    let error = Movement::parse("fmWfceFifmnD4pWx").unwrap_err();
    assert_eq!(error.faults.iter().map(|f| f.column).collect::<Vec<_>>(), [6, 8, 14, 16]);
    let text = Movement::parse("Wp").unwrap_err().to_string();
    assert_eq!(
        text,
        "movement `Wp`: column 2: modifiers without a move (write the letter of a move after them, as in `fmW`)"
    );
}
