//! Single rules: mate and stalemate, pins en passant, what a double step leaves, overlapping ways.

use super::game::{BOTH, along, around, chess, game, king, piece, position, sergeants};
use crate::{EnPassant, Outcome, RuleBook};
use geometry::Board;
use variant::{Side, Stalemate};

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
