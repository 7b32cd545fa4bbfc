//! Checks single rules: mate and stalemate, pins en passant, double steps, overlapping ways.

use super::game::{BOTH, along, around, chess, game, king, piece, position, sergeants};
use crate::{EnPassant, Outcome, RuleBook};
use geometry::Board;
use variant::{Arrival, Blast, Goal, Pass, PieceId, Side, Stalemate, Variant};

#[track_caller]
fn check_moves(book: &RuleBook, fen: &str, expected: &[&str]) {
    let mut got: Vec<String> = position(book, fen).legal_moves(book).iter().map(|mv| mv.uci(book)).collect();
    got.sort();
    assert_eq!(got, expected, "{fen}");
}

#[test]
fn the_end_of_a_game() {
    let book = chess();
    let lost_book = {
        let mut variant = book.variant().clone();
        variant.rules.stalemate = Stalemate::Loss;
        RuleBook::new(&variant)
    };
    let cases = [
        ("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", Some(Outcome::Checkmate), Some(Side::White), Some(Side::White)),
        ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", Some(Outcome::Stalemate), None, Some(Side::White)),
        ("7k/8/6K1/5Q2/8/8/8/8 b - - 0 1", None, None, None),
        // Without the en-passant capture this would be stalemate.
        ("8/8/8/8/1Pp5/2P5/5K2/5N1k b - b3 0 1", None, None, None),
    ];
    for (fen, outcome, winner, winner_if_lost) in cases {
        let position = position(&book, fen);
        assert_eq!(position.outcome(&book), outcome, "{fen}");
        assert_eq!(position.winner(&book), winner, "{fen}");
        assert_eq!(position.winner(&lost_book), winner_if_lost, "{fen}");
    }
}

#[test]
fn en_passant() {
    let book = chess();
    // Both pawns leave the rank, and the rook sees the king.
    check_moves(
        &book,
        "8/8/8/8/k2Pp2R/8/8/4K3 b - d3 0 1",
        &["a4a3", "a4a5", "a4b3", "a4b4", "a4b5", "e4e3"],
    );
    // The capture takes the pawn that gives check.
    check_moves(
        &book,
        "8/8/8/2k5/3Pp3/8/8/1R2KR2 b - d3 0 1",
        &["c5c4", "c5c6", "c5d4", "c5d5", "c5d6", "e4d3"],
    );
    let before = position(&book, "4k3/8/8/8/4p3/8/3P4/4K3 w - - 5 9");
    let after = before.play(before.parse_uci(&book, "d2d4").unwrap());
    assert_eq!(after.to_fen(&book), "4k3/8/8/8/3Pp3/8/8/4K3 b - d3 0 9");
    let taken = after.play(after.parse_uci(&book, "e4d3").unwrap());
    assert_eq!(taken.to_fen(&book), "4k3/8/8/8/8/3p4/8/4K3 w - - 0 10");
    let single = before.play(before.parse_uci(&book, "d2d3").unwrap());
    assert_eq!(single.en_passant(), None);
}

/// A pawn that steps where it captures may step to the passed square and leave the other pawn alone.
#[test]
fn a_step_and_a_capture_en_passant_to_one_square() {
    let book = sergeants();
    let position = position(&book, "2k/3/2K/Ss1/3 w - b3 0 1");
    let square = |name| book.variant().board.square_named(name).unwrap();
    assert_eq!(position.en_passant(), Some(EnPassant { passed: square("b3"), victim: square("b2") }));
    let moves = position.legal_moves(&book);
    let to_b3: Vec<_> = moves.iter().filter(|mv| mv.from == square("a2") && mv.to == square("b3")).collect();
    assert_eq!(to_b3.iter().map(|mv| mv.is_en_passant()).collect::<Vec<_>>(), [true, false]);
}

#[test]
fn overlapping_ways_are_one_move() {
    let rays = [around(1, 0, 4, BOTH), along(&[(2, 0), (0, 2)], 1, BOTH)];
    let book = game(Board::new(4, 4).unwrap(), vec![king(), piece('R', &rays)]);
    check_moves(
        &book,
        "R3/4/3k/K3 w - - 0 1",
        &["a1a2", "a1b1", "a1b2", "a4a2", "a4a3", "a4b4", "a4c4", "a4d4"],
    );
    // A leap needs no free way.
    check_moves(&book, "3k/4/4/RKr1 w - - 0 1", &["a1c1", "b1a2", "b1b2", "b1c1"]);
}

/// Plays one move: the clock after it, and whether the move is a conversion.
#[track_caller]
fn check_clock(book: &RuleBook, fen: &str, mv: &str, clock: u32, is_conversion: bool) {
    let before = position(book, fen);
    let mv = before.parse_uci(book, mv).unwrap_or_else(|fault| panic!("{fen}: {fault}"));
    assert_eq!(before.play(mv).halfmove_clock(), clock, "{fen} {mv:?}");
    assert_eq!((mv.zeroing, mv.is_conversion()), (clock == 0, is_conversion), "{fen} {mv:?}");
    let now = before.clone().with_halfmove_clock(99);
    assert_eq!(now.halfmove_clock(), 99);
    assert_eq!(now.play(mv).halfmove_clock(), if mv.zeroing { 0 } else { 100 }, "{fen} {mv:?}");
    assert_eq!(now.to_fen(book).split(' ').nth(4), Some("99"), "{fen}");
}

#[test]
fn which_moves_set_the_clock_back() {
    let book = chess();
    let fen = "r3k3/1P6/8/3pP3/8/8/P7/4K2R w - d6 41 80";
    check_clock(&book, fen, "e1e2", 42, false);
    check_clock(&book, fen, "h1h8", 42, false);
    check_clock(&book, fen, "a2a3", 0, false);
    check_clock(&book, fen, "a2a4", 0, false);
    check_clock(&book, fen, "b7b8q", 0, true);
    check_clock(&book, fen, "b7a8n", 0, true);
    check_clock(&book, fen, "e5d6", 0, true);
    check_clock(&book, "4k3/8/8/8/8/8/4r3/4K3 w - - 0 1", "e1e2", 0, true);
    // The clock counts on beyond any rule.
    check_clock(&book, "4k3/8/8/8/8/8/8/4K2R w - - 250 300", "h1h2", 251, false);
}

/// Chess with other rules: the king of this game and its moves are the same.
fn changed(change: impl Fn(&mut variant::Variant)) -> RuleBook {
    let mut variant = chess().variant().clone();
    change(&mut variant);
    RuleBook::new(&variant)
}

#[track_caller]
fn check_legal(book: &RuleBook, cases: &[(&str, bool)]) {
    for (fen, expected) in cases {
        assert_eq!(position(book, fen).is_legal(book), *expected, "{fen}");
    }
}

/// A man passes over squares outside its region, and one that stands there may come in.
#[test]
fn regions() {
    let book = changed(|variant| {
        let board = variant.board;
        let ranks =
            |ranks: &[usize]| Some(ranks.iter().flat_map(|&rank| board.rank(rank - 1).iter()).collect());
        let rook = variant.piece_lettered('R').expect("a rook");
        variant.pieces[usize::from(rook.0)].regions = [ranks(&[1, 2, 3, 5]), None];
        variant.pieces[0].regions = [None, ranks(&[7, 8])];
    });
    let rook = ["a2a3", "a2a5", "a2b2", "a2c2", "a2d2", "a2e2", "a2f2", "a2g2", "a2h2"];
    check_moves(&book, "k7/8/8/8/8/8/R7/K7 w - - 0 1", &[&["a1b1", "a1b2"][..], &rook].concat());
    check_legal(&book, &[("k7/8/8/8/8/8/R7/K7 w - - 0 1", true), ("8/8/8/k7/8/8/R7/K7 w - - 0 1", false)]);
    // A king out there may come home; the other king need not fear him below.
    check_moves(&book, "8/8/3k4/8/8/8/8/3RK3 b - - 0 1", &["d6c7", "d6d7", "d6e7"]);
    check_moves(
        &book,
        "8/3k4/8/3K4/8/8/8/8 w - - 0 1",
        &["d5c4", "d5c5", "d5c6", "d5d4", "d5d6", "d5e4", "d5e5", "d5e6"],
    );
}

#[test]
fn compulsory_capture() {
    let book = changed(|variant| variant.rules.must_capture = true);
    check_moves(&book, "7k/8/8/3p4/2P5/8/8/K7 w - - 0 1", &["c4d5"]);
    // The capture would leave the king in check, so it is none.
    check_moves(
        &book,
        "k1r5/8/8/3p4/2P5/2K5/8/8 w - - 0 1",
        &["c3b2", "c3b3", "c3b4", "c3c2", "c3d2", "c3d3", "c3d4", "c4c5"],
    );
    check_moves(
        &book,
        "7k/8/8/8/2r5/2P1p3/2K5/8 w - - 0 1",
        &["c2b1", "c2b2", "c2b3", "c2c1", "c2d1", "c2d3"],
    );
    // En passant is a capture as any other.
    check_moves(&book, "7k/8/8/3pP3/8/8/8/K7 w - d6 0 1", &["e5d6"]);
    check_moves(&book, "7k/8/8/3pP3/8/8/8/K7 w - - 0 1", &["a1a2", "a1b1", "a1b2", "e5e6"]);
}

#[test]
fn no_checks() {
    let book = changed(|variant| variant.rules.checking = false);
    check_moves(
        &book,
        "7k/8/8/8/8/8/7P/K2R4 w - - 0 1",
        &[
            "a1a2", "a1b1", "a1b2", "d1b1", "d1c1", "d1d2", "d1d3", "d1d4", "d1d5", "d1d6", "d1d7", "d1e1",
            "d1f1", "d1g1", "d1h1", "h2h3", "h2h4",
        ],
    );
    // No discovered check either, and no position in which a royal man is attacked.
    check_moves(
        &book,
        "7k/8/8/8/7P/8/6K1/7R w - - 0 1",
        &[].into_iter()
            .chain(["g2f1", "g2f2", "g2f3", "g2g1", "g2g3", "g2h2", "g2h3"])
            .chain(["h1a1", "h1b1", "h1c1", "h1d1", "h1e1", "h1f1", "h1g1", "h1h2", "h1h3", "h4h5"])
            .collect::<Vec<_>>(),
    );
    check_legal(&book, &[("7k/8/8/8/8/8/8/K6R b - - 0 1", false), ("7k/8/8/8/8/8/8/K5R1 b - - 0 1", true)]);
}

#[test]
fn passing() {
    let always = changed(|variant| variant.rules.pass = Pass::Always);
    let stuck = changed(|variant| variant.rules.pass = Pass::OnStalemate);
    check_moves(&always, "7k/8/8/8/8/8/8/K7 w - - 0 1", &["a1a1", "a1a2", "a1b1", "a1b2"]);
    check_moves(&stuck, "7k/8/8/8/8/8/8/K7 w - - 0 1", &["a1a2", "a1b1", "a1b2"]);
    // Not in check, and not instead of being mated; but instead of stalemate.
    for book in [&always, &stuck] {
        check_moves(book, "7k/8/8/8/8/8/r7/K7 w - - 0 1", &["a1a2", "a1b1"]);
        check_moves(book, "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", &[]);
        check_moves(book, "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", &["h8h8"]);
    }
    let before = position(&always, "7k/8/8/8/2Pp4/8/8/K7 b - c3 7 9");
    let pass = before.parse_uci(&always, "h8h8").unwrap();
    assert_eq!((before.san(&always, pass), pass.is_pass(), pass.zeroing), ("--".into(), true, false));
    assert_eq!(before.play(pass).to_fen(&always), "7k/8/8/8/2Pp4/8/8/K7 w - - 8 10");
    // Who has to capture may not pass.
    let must = changed(|variant| (variant.rules.pass, variant.rules.must_capture) = (Pass::Always, true));
    check_moves(&must, "7k/8/8/3p4/2P5/8/8/K7 w - - 0 1", &["c4d5"]);
}

#[test]
fn explosions() {
    let letters = |variant: &Variant, letters: &str| -> Vec<PieceId> {
        letters.chars().filter_map(|letter| variant.piece_lettered(letter)).collect()
    };
    let exploding = |immune: &str| {
        changed(|variant| variant.rules.blast = Some(Blast { immune: letters(variant, immune) }))
    };
    let book = exploding("P");
    let after = |book: &RuleBook, fen, mv| {
        let before = position(book, fen);
        before.play(before.parse_uci(book, mv).unwrap_or_else(|fault| panic!("{fen}: {fault}"))).to_fen(book)
    };
    // Pawns beside it stay, others go, on either side; so does who captures.
    let fen = "k7/8/3nPp2/3Rr2R/3Q4/8/8/K7 w - - 0 1";
    assert_eq!(after(&book, fen, "h5e5"), "k7/8/4Pp2/8/8/8/8/K7 b - - 0 1");
    assert_eq!(after(&exploding(""), fen, "h5e5"), "k7/8/8/8/8/8/8/K7 b - - 0 1");
    let immune = exploding("QP");
    assert_eq!(after(&immune, fen, "h5e5"), "k7/8/4Pp2/8/3Q4/8/8/K7 b - - 0 1");
    assert_eq!(after(&immune, fen, "d4e5"), "k7/8/4Pp2/7R/8/8/8/K7 b - - 0 1");
    // En passant it goes off where the pawn arrives; a promotion is still four moves.
    assert_eq!(after(&book, "7k/2n5/8/3pP3/8/8/8/K7 w - d6 0 1", "e5d6"), "7k/8/8/8/8/8/8/K7 b - - 0 1");
    let promotions =
        ["b1b2", "b1c1", "b1c2", "b7a8b", "b7a8n", "b7a8q", "b7a8r", "b7b8b", "b7b8n", "b7b8q", "b7b8r"];
    check_moves(&book, "r6k/1P6/8/8/8/8/8/1K6 w - - 0 1", &promotions);
    // No side blows up its own king, and a king does not capture.
    check_moves(
        &book,
        "7k/7p/8/8/8/8/1n5R/K7 w - - 0 1",
        &[
            "a1a2", "a1b1", "h2c2", "h2d2", "h2e2", "h2f2", "h2g2", "h2h1", "h2h3", "h2h4", "h2h5", "h2h6",
            "h2h7",
        ],
    );
    check_legal(
        &book,
        &[
            // Side by side neither is attacked.
            ("8/8/8/3kK3/8/8/8/Q7 w - - 0 1", true),
            ("3r4/8/8/3Kk3/8/8/8/8 b - - 0 1", true),
            ("3r4/8/8/3K1k2/8/8/8/8 b - - 0 1", false),
            // Who has blown up the other king need not fear for his own; without his own he cannot have
            // moved.
            ("3r4/8/8/3K4/8/8/8/8 b - - 0 1", true),
            ("3r4/8/8/3K4/8/8/8/8 w - - 0 1", false),
        ],
    );
    // In check a king may be saved by blowing up the other.
    check_moves(&book, "5rnk/8/8/8/8/8/8/5KR1 w - - 0 1", &["f1e1", "f1e2", "f1g2", "g1g8"]);
    let over = position(&book, "3r4/8/8/3K4/8/8/8/8 b - - 0 1");
    assert_eq!((over.outcome(&book), over.winner(&book)), (Some(Outcome::Explosion), Some(Side::White)));
    check_moves(&book, "3r4/8/8/3K4/8/8/8/8 b - - 0 1", &[]);
}

#[test]
fn goals() {
    let board = chess().variant().board;
    let goal = |arrival| {
        let kinds = Some(vec![chess().variant().only_royal().unwrap()]);
        changed(move |variant| {
            let squares = [board.rank(7), board.rank(7)];
            variant.rules.goal = Some(Goal {
                kinds: kinds.clone(),
                places: squares.map(|place| vec![place]),
                n_men: 1,
                arrival,
            });
        })
    };
    let (plain, answered) = (goal(Arrival::AtOnce), goal(Arrival::Answered));
    let (white_there, both) = ("4K3/8/8/k7/8/8/8/8 b - - 0 1", "4K2k/8/8/8/8/8/8/8 w - - 0 1");
    for book in [&plain, &answered] {
        check_moves(book, white_there, &[]);
        assert_eq!(position(book, white_there).winner(book), Some(Side::White));
        check_legal(book, &[("4K3/8/8/k7/8/8/8/8 b - - 0 1", true), ("8/8/8/4K3/8/8/8/k7 w - - 0 1", true)]);
    }
    check_legal(&plain, &[(both, false), ("4K3/8/8/k7/8/8/8/8 w - - 0 1", false)]);
    check_legal(&answered, &[(both, true), ("4K3/8/8/k7/8/8/8/8 w - - 0 1", true), (white_there, true)]);
    assert_eq!(position(&answered, both).ending(&answered).map(|end| end.winner), Some(None));
    let claim = position(&answered, "4K3/8/8/k7/8/8/8/8 w - - 0 1");
    assert_eq!(claim.winner(&answered), Some(Side::White));
    // One step away Black answers, with any move.
    check_moves(&plain, "4K3/k7/8/8/8/8/8/8 b - - 0 1", &[]);
    check_moves(&answered, "4K3/k7/8/8/8/8/8/8 b - - 0 1", &["a7a6", "a7a8", "a7b6", "a7b7", "a7b8"]);
}

/// Two knights on a8 and b8 win, and one if the other square is not empty either.
#[test]
fn goals_that_are_full() {
    let place = ["a8", "b8"].map(|name| chess().variant().board.square_named(name).unwrap());
    let book = changed(move |variant| {
        let kinds = variant.piece_lettered('N').map(|knight| vec![knight]);
        let places = [vec![place.into_iter().collect()], Vec::new()];
        variant.rules.goal = Some(Goal { kinds, places, n_men: 2, arrival: Arrival::Filled });
    });
    let winner = |fen: &str| position(&book, fen).ending(&book).and_then(|ending| ending.winner);
    for won in
        ["NN6/8/8/8/8/8/8/K1k5 b - - 0 1", "NK6/8/8/8/8/8/8/2k5 b - - 0 1", "Nr6/8/8/8/8/8/8/K1k5 b - - 0 1"]
    {
        assert_eq!(winner(won), Some(Side::White), "{won}");
    }
    for open in
        ["N7/8/8/8/8/8/8/K1k5 b - - 0 1", "RR6/8/8/8/8/8/8/K1k5 b - - 0 1", "nK6/8/8/8/8/8/8/2k5 w - - 0 1"]
    {
        assert_eq!(winner(open), None, "{open}");
    }
    // Black has filled it: White wins with a move after which it is full.
    let filled = "Nr6/8/8/8/8/8/8/K1k5 w - - 0 1";
    check_legal(&book, &[(filled, true)]);
    assert_eq!(winner(filled), None);
    check_moves(&book, filled, &["a1a2", "a8b6", "a8c7"]);
}
