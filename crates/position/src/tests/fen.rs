//! Reads and writes FENs, and checks the faults of wrong ones.

use super::game::{chess, fairy, game, king, piece, position, small, small_berolina};
use crate::{Position, RuleBook};
use geometry::Board;
use variant::Variant;

/// Five files and ranks, without c3 and d2.
fn holed() -> RuleBook {
    let board = Board::new(5, 5).unwrap();
    let holes = ["c3", "d2"].iter().filter_map(|name| board.square_named(name)).collect();
    game(board.with_holes(holes).unwrap(), vec![king(), piece('Q', &[])])
}

#[track_caller]
fn check_same(book: &RuleBook, fen: &str) {
    assert_eq!(position(book, fen).to_fen(book), fen);
}

#[track_caller]
fn check_fault(book: &RuleBook, fen: &str, expected: &[&str]) {
    let error = Position::from_fen(book, fen).expect_err(fen);
    let got: Vec<String> = error.faults().iter().map(ToString::to_string).collect();
    assert_eq!(got, expected, "{fen}");
}

#[test]
fn texts_longer_than_any_fen_are_not_read() {
    let book = chess();
    for part in ["0x", "8/", "k", "* ", "é"] {
        let text = part.repeat(10_000);
        let said = format!("the FEN has {} bytes, and 1000 are the most: give one position", text.len());
        check_fault(&book, &text, &[&said]);
    }
}

#[test]
fn what_is_read_is_written() {
    let book = chess();
    check_same(&book, "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1");
    check_same(&book, "8/8/1k6/2b5/2pP4/8/5K2/8 b - d3 12 57");
    // No pawn can capture on e3, but a double step may have come over it.
    check_same(&book, "8/8/1k6/2b5/4P3/8/5K2/8 b - e3 0 1");
    check_same(&small(), "3k1/3p1/2P2/3d1/1P2R/1K3 b - - 3 9");
    check_same(&game(Board::new(16, 4).unwrap(), vec![king()]), "16/k15/4K11/16 w - - 0 1");
    check_same(
        &game(Board::new(12, 10).unwrap(), vec![king()]),
        "12/k11/10K1/12/12/12/12/12/12/12 w - - 0 1",
    );
    check_same(&holed(), "4k/5/2*2/1Q1*1/K4 w - - 0 1");
    let short = position(&book, "8/8/8/8/8/4k3/8/4K2R w - -");
    assert_eq!(short.to_fen(&book), "8/8/8/8/8/4k3/8/4K2R w - - 0 1");
    let shortest = position(&book, "8/8/8/8/8/4k3/8/4K2R b");
    assert_eq!(shortest.to_fen(&book), "8/8/8/8/8/4k3/8/4K2R b - - 0 1");
    assert_eq!(position(&book, "8/8/8/8/8/4k3/8/4K2R w -"), short);
    assert_eq!(position(&book, " 8/8/8/8/8/4k3/8/4K2R  w - - 7\n").halfmove_clock(), 7);
}

/// Where pawns step diagonally, those on a4 and c4 can both have come over b3.
#[test]
fn two_pawns_over_one_square_are_told_apart() {
    let book = small_berolina();
    let men = "2k/3/P1P/3/3/K2";
    let ambiguous = format!("{men} b - b3 0 1");
    check_fault(
        &book,
        &ambiguous,
        &[
            "the en-passant field is `b3`, expected `-` or a square that a double step has just passed over, here `b3a4` or `b3c4`",
        ],
    );
    check_same(&book, &format!("{men} b - b3a4 0 1"));
    check_same(&book, &format!("{men} b - b3c4 0 1"));
    check_same(&book, "2k/3/P2/3/3/K2 b - b3 0 1");
    assert_eq!(position(&book, "2k/3/P2/3/3/K2 b - b3a4 0 1").to_fen(&book), "2k/3/P2/3/3/K2 b - b3 0 1");
}

#[test]
fn every_fault_is_named() {
    let book = chess();
    let no_double = "`-`: no double step of Black can have led here";
    let cases: &[(&str, &[&str])] = &[
        (
            "8/8/8/8/8/4k3/8/4K2R",
            &[
                "1 field, expected 2 to 6: men and side to move, and perhaps castling, en passant and two clocks, as in `7k/8/8/8/8/8/8/K7 w - -`",
            ],
        ),
        ("8/8/8/8/8/4k3/80/4K2R w", &["rank 2 (`80`) has `80`: empty squares in a row are one number"]),
        (
            "0n7/8/8/44/8/4k3/8/4K2R0 w",
            &[
                "rank 8 (`0n7`) has `0`: a number of empty squares begins with 1 to 9",
                "rank 5 (`44`) has `44`: empty squares in a row are one number",
                "rank 1 (`4K2R0`) has `0`: a number of empty squares begins with 1 to 9",
            ],
        ),
        (
            "8/8/8/8/4k3/8/4K2R w - -",
            &["the men stand on 7 ranks, expected 8, with `/` between them, the last rank first"],
        ),
        (
            "8/8/8/8/8/4k4/8/4K2R w - -",
            &["rank 3 (`4k4`) has 9 squares, expected 8: a digit counts empty squares"],
        ),
        (
            "8/8/8/8/8/4k3/7x/4K2R g - -",
            &[
                "rank 2 has the letter `x`, and test has KQRBNP (lower case for Black)",
                "the side to move is `g`, expected `w` or `b`",
            ],
        ),
        ("7P/8/8/8/8/4k3/8/4K3 w - -", &["White's piece P cannot stand on h8"]),
        (
            "8/8/8/8/8/8/8/4K2K w - -",
            &["White has 2 royal men (`K`), expected 1", "Black has 0 royal men (`k`), expected 1"],
        ),
        (
            "8/8/8/8/8/4k3/8/4K2R w K - x y",
            &[
                "castling rights `K` are not read here; `probe` answers positions with rights, and if nobody \
                 will castle, write `-`",
                "the halfmove clock is `x`, expected a number",
                "the move number is `y`, expected a number",
            ],
        ),
        (
            "4k2rP/8/8/8/8/8/8/4K3 w - -",
            &["rank 8 (`4k2rP`) has 9 squares, expected 8: a digit counts empty squares"],
        ),
        ("8/8/8/8/8/4k3/8/4K2R w 0 -", &["the castling field is `0`, expected `-`"]),
        // No rook stands on a file that the board does not have.
        ("8/8/8/8/8/4k3/8/4K2R w I -", &["the castling field is `I`, expected `-`"]),
        ("8/8/8/8/8/4k3/8/4K2R w - e6", &[&format!("the en-passant field is `e6`, expected {no_double}")]),
        (
            "8/8/8/4p3/8/4k3/8/4K2R w - d6",
            &[
                "the en-passant field is `d6`, expected `-` or a square that a double step has just passed over, here `e6`",
            ],
        ),
        (
            "8/8/4n3/4p3/8/4k3/8/4K2R w - e6",
            &[&format!("the en-passant field is `e6`, expected {no_double}")],
        ),
        ("8/4n3/8/4p3/8/4k3/8/4K2R w - é", &[&format!("the en-passant field is `é`, expected {no_double}")]),
        (
            "99999999999999999999/8/8/8/8/4k3/8/4K2é w - - -1",
            &[
                "rank 8 (`99999999999999999999`) has `99999999999999999999`: empty squares in a row are one number",
                "rank 1 has the letter `é`, and test has KQRBNP (lower case for Black)",
                "the halfmove clock is `-1`, expected a number",
            ],
        ),
    ];
    for (fen, expected) in cases {
        check_fault(&book, fen, expected);
    }
    let holed = holed();
    let cases: &[(&str, &[&str])] = &[
        ("4k/5/5/3*1/K4 w - -", &["rank 3 (`5`) needs `*` at c3: the board has no such square"]),
        (
            "4k/*4/1*Q2/3*1/K3* w - -",
            &[
                "rank 4 (`*4`) has `*` at a4: the board has that square, so give a man or a digit",
                "rank 3 (`1*Q2`) needs `*` at c3: the board has no such square",
                "rank 3 (`1*Q2`) has `*` at b3: the board has that square, so give a man or a digit",
                "rank 1 (`K3*`) has `*` at e1: the board has that square, so give a man or a digit",
            ],
        ),
        (
            "4k/5/2*3/3*1/K4",
            &[
                "1 field, expected 2 to 6: men and side to move, and perhaps castling, en passant and two clocks, as in `4k/5/2*2/3*1/K4 w - -`",
            ],
        ),
        (
            "4k/5/2*3/3*1/K4 w - -",
            &["rank 3 (`2*3`) has 6 squares, expected 5: a digit counts empty squares"],
        ),
    ];
    for (fen, expected) in cases {
        check_fault(&holed, fen, expected);
    }
    let wide = game(Board::new(12, 4).unwrap(), vec![king()]);
    check_fault(
        &wide,
        "012/k11/4K07/12 w",
        &[
            "rank 4 (`012`) has `012`: a number of empty squares begins with 1 to 9",
            "rank 2 (`4K07`) has `07`: a number of empty squares begins with 1 to 9",
        ],
    );
    let castling = |fen: &str| Position::from_fen(&book, fen).unwrap_err().is_castling();
    assert!(castling("r3k3/8/8/8/8/8/8/4K2R w Kq - 0 1"));
    assert!(castling("r3k3/8/8/8/8/8/8/4K2R w Ha - 0 1"));
    assert!(!castling("r3k3/8/8/8/8/8/8/4K2R x Kq - 0 1"));
}

#[test]
fn the_board_is_drawn() {
    let book = fairy();
    let text = position(&book, "8/8/8/1k1pP1Gn/8/8/8/4K3 w - d6 0 1").board_text(&book);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[3], "5 . k . p P . G n");
    assert_eq!(lines[8], "  a b c d e f g h");
    assert_eq!(lines.len(), 9);
    let text = position(&holed(), "4k/5/2*2/1Q1*1/K4 w - - 0 1").board_text(&holed());
    assert_eq!(text, "5 . . . . k\n4 . . . . .\n3 . . * . .\n2 . Q . * .\n1 K . . . .\n  a b c d e\n");
}

#[test]
fn men_on_one_square_are_no_position() {
    let board = Board::new(3, 3).unwrap();
    let book = game(board, vec![king(), piece('Q', &[])]);
    let men: Vec<_> = position(&book, "k2/3/K1Q w - - 0 1").men().collect();
    assert!(Position::from_men(men.clone(), variant::Side::White).is_some());
    let twice = men.iter().map(|&(man, _)| (man, board.square(1, 1)));
    assert!(Position::from_men(twice, variant::Side::White).is_none());
}

/// Where a double step leads aside, the square passed over and the pawn's own may both be named.
#[test]
fn en_passant_aside_is_named_by_two_squares() {
    let book = super::variants::book("berolina");
    for (field, written) in [("d3", "d3"), ("d3e4", "d3"), ("e4d3", "d3")] {
        let read = Position::from_fen(&book, &format!("7k/8/8/8/3pP3/8/8/4K3 b - {field} 0 1")).unwrap();
        assert_eq!(read.to_fen(&book), format!("7k/8/8/8/3pP3/8/8/4K3 b - {written} 0 1"), "{field}");
    }
    let fault = Position::from_fen(&book, "7k/8/8/8/3pP3/8/8/4K3 b - e4 0 1").unwrap_err();
    assert!(fault.to_string().contains("`d3`"), "{fault}");
}

/// A side lacks a man of any royal kind, or any man where the rules do not say what that means.
#[test]
fn what_a_side_needs_is_named() {
    let read = |pieces: &str, fen: &str| {
        let text = format!("name = \"needs\"\nboard = {{ files = 3, ranks = 3 }}\n{pieces}");
        let variant = Variant::parse(&text, "needs.toml").unwrap_or_else(|report| panic!("{report}"));
        Position::from_fen(&RuleBook::new(&variant), fen).map_err(|error| error.to_string())
    };
    let royal = "[[piece]]\nletter = \"K\"\nbetza = \"K\"\nroyal = true\n\
                 [[piece]]\nletter = \"M\"\nbetza = \"QN\"\nroyal = true";
    assert!(read(royal, "m2/3/2K w").is_ok());
    let error = read(royal, "m2/3/3 w").unwrap_err();
    assert!(error.contains("White has 0 royal men (`K or M`), expected 1"), "{error}");
    let still =
        "[rules]\nflag-region = \"*3\"\nflag-piece-count = 2\n[[piece]]\nletter = \"N\"\nbetza = \"mN\"";
    assert!(read(still, "n2/3/N2 w").is_ok());
    let error = read(still, "3/3/N2 w").unwrap_err();
    assert!(error.contains("Black has no men"), "{error}");
}
