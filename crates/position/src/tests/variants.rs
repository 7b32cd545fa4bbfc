//! Compares the games of variants/ with published perft numbers, and checks how games end.
//!
//! Positions with rights to castle are in tests/cases/perft.csv; those here are without, and neither side
//! could castle within the plies that are counted: from the usual array that takes seven.

use super::game::position;
use crate::{Outcome, Position, RuleBook};
use variant::{Side, Variant};

pub(super) fn book(name: &str) -> RuleBook {
    let path = format!("{}/../../variants/{name}.toml", env!("CARGO_MANIFEST_DIR"));
    RuleBook::new(&Variant::load(path).unwrap_or_else(|error| panic!("{error}")))
}

const ARRAY: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w - - 0 1";

/// Checks for positions of a game how many games of a number of plies begin there.
#[track_caller]
fn check_perft(name: &str, cases: &[(&str, &[(u32, u64)])]) {
    let book = book(name);
    for (fen, numbers) in cases {
        let position = position(&book, fen);
        assert!(position.is_legal(&book), "{name}: {fen}");
        for &(plies, expected) in *numbers {
            assert_eq!(position.perft(&book, plies), expected, "{name}: {fen}, {plies} plies");
        }
    }
}

/// Source: the tests of Fairy-Stockfish (`tests/perft.sh`), Cute Chess (`tst_board.cpp`) and chessops
/// (`variant.test.ts`), which agree where they have the same position; what they do not have through pyffish
/// 0.0.90.
#[test]
fn perft_of_antichess_and_suicide() {
    let both: &[(&str, &[(u32, u64)])] = &[
        (ARRAY, &[(1, 20), (2, 400), (3, 8067), (4, 153_299)]),
        ("8/1p6/8/8/8/8/P7/8 w - - 0 1", &[(1, 2), (2, 4), (3, 4), (4, 3), (5, 1), (6, 0)]),
        ("8/2p5/8/8/8/8/P7/8 w - - 0 1", &[(8, 4), (9, 12), (10, 36), (11, 312), (12, 2557)]),
        ("8/2b5/8/3B4/8/8/2P5/8 b - - 0 1", &[(5, 116_051)]),
        ("8/1kKP4/8/8/8/8/8/6n1 b - - 0 1", &[(3, 5), (4, 0)]),
    ];
    check_perft("antichess", both);
    check_perft("suicide", both);
    check_perft("suicide", &[("8/8/8/3p4/8/4P3/1k6/5N2 w - - 0 1", &[(1, 4), (2, 28), (3, 139), (4, 660)])]);
    check_perft(
        "antichess",
        &[("8/1P6/8/3p4/8/4P3/1k6/5N2 w - - 0 1", &[(1, 9), (2, 73), (3, 739), (4, 4099)])],
    );
}

/// Source: as above.
#[test]
fn perft_of_atomic() {
    let array: &[(u32, u64)] = &[(1, 20), (2, 400), (3, 8902), (4, 197_326)];
    check_perft(
        "atomic",
        &[
            (ARRAY, array),
            // Castling would be possible here and there from the third ply on.
            ("rn2kb1r/1pp1p2p/p2q1pp1/3P4/2P3b1/4PN2/PP3PPP/R2QKB1R b - - 0 1", &[(1, 40), (2, 1238)]),
            ("rn1qkb1r/p5pp/2p5/3p4/N3P3/5P2/PPP4P/R1BQK3 w - - 0 1", &[(1, 28), (2, 833)]),
            ("rnbqk2r/pp1p2pp/2p3Nn/5p2/1b2P1PP/8/PPP2P2/R1BQKB1R w - - 0 1", &[(1, 5), (2, 132)]),
            ("8/8/8/8/8/8/3k4/rR4K1 w - - 0 1", &[(1, 10), (2, 120), (3, 1721), (4, 26_813)]),
            ("4k3/8/3pbn2/8/2N5/3B4/4p3/2K5 w - - 0 1", &[(1, 19), (2, 469), (3, 8209), (4, 185_911)]),
        ],
    );
}

/// Source: as above.
#[test]
fn perft_of_goals() {
    check_perft(
        "king-of-the-hill",
        &[
            (ARRAY, &[(3, 8902)]),
            (
                "8/5k2/1pp2p2/8/3P1PP1/P3K3/1P6/8 b - - 0 1",
                &[(1, 10), (2, 120), (3, 1000), (4, 12_460), (5, 104_314)],
            ),
            ("8/8/2k5/8/8/5K2/8/1Q5r w - - 0 1", &[(1, 29), (2, 400), (3, 9263)]),
            ("rnb2b1r/ppp2ppp/3k4/8/1PKp1pn1/3Pq3/PBP1P2P/RN1Q1B1R w - - 4 12", &[(3, 19_003)]),
        ],
    );
    check_perft(
        "racing-kings",
        &[
            ("8/8/8/8/8/8/krbnNBRK/qrbnNBRQ w - - 0 1", &[(1, 21), (2, 421), (3, 11_264), (4, 296_242)]),
            ("6r1/2K5/5k2/8/3R4/8/8/8 w - - 0 1", &[(4, 86_041)]),
            ("6R1/2k5/5K2/8/3r4/8/8/8 b - - 0 1", &[(4, 86_009)]),
            ("4brn1/2K2k2/8/8/8/8/8/8 w - - 0 1", &[(1, 6), (2, 33), (3, 178), (6, 265_932)]),
        ],
    );
}

/// Source: the tests of mcr (github.com/ywzvennu/mcr, `tests/perft_losers.rs` and so on), whose numbers are
/// those of Fairy-Stockfish too; behind the blank lines, pyffish 0.0.90.
#[test]
fn perft_of_losers_kinglet_shatranj_and_makruk() {
    check_perft(
        "losers",
        &[
            (ARRAY, &[(1, 20), (2, 400), (3, 8067), (4, 152_955)]),
            ("8/8/8/3p4/4P3/8/8/K6k w - - 0 1", &[(1, 1), (2, 0), (3, 0), (4, 0)]),
            ("7k/8/8/3P4/8/8/8/K7 b - - 0 1", &[(1, 0), (2, 0), (3, 0), (4, 0)]),
            ("4k3/3p4/8/8/8/8/4P3/4K3 w - - 0 1", &[(1, 6), (2, 36), (3, 247), (4, 1779), (5, 12_979)]),
            ("4k3/2p2r2/8/3N4/8/2b5/4P3/3RK3 w - - 0 1", &[(1, 1), (2, 15), (3, 219), (4, 2726)]),
            ("3qk3/8/8/8/8/8/3P4/3QK3 w - - 0 1", &[(1, 15), (2, 23), (3, 248), (4, 1020)]),
        ],
    );
    check_perft(
        "kinglet",
        &[
            (ARRAY, &[(1, 20), (2, 400), (3, 8902), (4, 197_742)]),
            ("4k3/P6p/8/8/8/8/p6P/4K3 w - - 0 1", &[(1, 8), (2, 64), (3, 583), (4, 5302), (5, 51_599)]),
            ("4k3/1p6/8/8/8/8/P7/1R2K3 w - - 0 1", &[(1, 16), (2, 102), (3, 1820), (4, 13_807)]),
            ("rnbqkbnr/pppppppp/8/8/8/8/8/RNBQKBNR w - - 0 1", &[(1, 0), (2, 0), (3, 0), (4, 0)]),
            ("4k3/3p4/8/8/8/8/4P3/4K3 w - - 0 1", &[(1, 6), (2, 36), (3, 253), (4, 1859), (5, 14_159)]),
            ("8/2P1k3/8/5n2/3p4/2R5/6K1/8 b - - 0 1", &[(1, 16), (2, 317), (3, 4455), (4, 80_569)]),
        ],
    );
    check_perft(
        "shatranj",
        &[
            (
                "rnbkqbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBKQBNR w - - 0 1",
                &[(1, 16), (2, 256), (3, 4176), (4, 68_122)],
            ),
            (
                "rn1kq1nr/pppppppp/3bb3/8/8/3BB3/PPPPPPPP/RN1KQ1NR w - - 4 3",
                &[(1, 17), (2, 289), (3, 5221), (4, 94_476)],
            ),
            (
                "r1bk1b1r/pppqpppp/2np1n2/8/8/2NPP3/PPPQ1PPP/R1BK1BNR w - - 3 5",
                &[(1, 22), (2, 549), (3, 12_124), (4, 304_365)],
            ),
            ("4k3/8/8/2P1P3/3B4/2P1P3/8/4K3 w - - 0 1", &[(1, 0), (2, 0), (3, 0), (4, 0)]),
            ("4k3/3p1q2/8/2N5/5b2/8/3PQ3/R3K3 w - - 0 1", &[(1, 26), (2, 273), (3, 6674), (4, 70_103)]),
            ("8/3P1k2/4q3/8/2B5/8/4K3/7r w - - 0 1", &[(1, 9), (2, 204), (3, 2051), (4, 44_693)]),
            ("8/8/3k4/8/3K4/4R3/8/8 b - - 0 1", &[(1, 3), (2, 0), (3, 0)]),
        ],
    );
    check_perft(
        "makruk",
        &[
            (
                "rnsmksnr/8/pppppppp/8/8/PPPPPPPP/8/RNSKMSNR w - - 0 1",
                &[(1, 23), (2, 529), (3, 12_012), (4, 273_026)],
            ),
            (
                "rnsmksnr/8/1ppppppp/p7/4P3/PPPP1PPP/8/RNSKMSNR b - - 0 2",
                &[(1, 25), (2, 576), (3, 14_290), (4, 329_789)],
            ),
            (
                "r1smks1r/3n4/ppp1pppp/3p4/3P4/PPP1PPPP/4N3/R1SKMS1R w - - 0 4",
                &[(1, 22), (2, 508), (3, 11_565), (4, 275_266)],
            ),
            ("4k3/8/3pm3/2s2n2/8/1P2S3/3M4/R3K3 w - - 0 1", &[(1, 21), (2, 400), (3, 8381), (4, 156_902)]),
            ("8/2m5/6k1/1P6/5p2/4N3/2K5/3s4 w - - 0 1", &[(1, 9), (2, 131), (3, 1737), (4, 23_694)]),
        ],
    );
}

/// What has ended the game and who has won, or nothing if it goes on.
type End = Option<(Outcome, Option<Side>)>;

#[track_caller]
fn check_end(name: &str, cases: &[(&str, End)]) {
    let book = book(name);
    for (fen, expected) in cases {
        let ending = position(&book, fen).ending(&book).map(|ending| (ending.outcome, ending.winner));
        assert_eq!(ending, *expected, "{name}: {fen}");
    }
}

/// Source: the tests of Cute Chess (`tst_board.cpp`) and chessops (`variant.test.ts`).
#[test]
fn how_games_end() {
    use Outcome::{Checkmate, Explosion, Extinction, Goal, Stalemate};
    let (white, black) = (Some(Side::White), Some(Side::Black));
    check_end(
        "racing-kings",
        &[
            ("kr3NK1/1q2R3/8/8/8/5n2/2N5/1rb2B1R w - - 11 14", Some((Goal, None))),
            ("1k6/6K1/8/8/8/8/8/8 w - - 0 1", Some((Goal, black))),
            ("1K6/7k/8/8/8/8/8/8 b - - 0 1", None),
            ("2KR4/k7/2Q5/4q3/8/8/8/2N5 b - - 0 1", Some((Goal, white))),
            ("6K1/8/3bk3/8/8/8/8/8 b - - 0 1", Some((Goal, white))),
        ],
    );
    check_end(
        "atomic",
        &[
            ("r4b1r/ppp1pppp/7n/8/8/8/PPPPPPPP/RNBQKB1R b - - 0 3", Some((Explosion, white))),
            ("rn5r/pp4pp/2p3Nn/5p2/1b2P1PP/8/PPP2P2/R1B1KB1R b - - 0 9", Some((Explosion, white))),
        ],
    );
    check_end(
        "kinglet",
        &[
            ("8/8/4P3/2Q5/1P6/1P6/8/8 b - - 0 1", Some((Extinction, white))),
            ("2k5/1pp3R1/6p1/r7/8/4K3/8/8 w - - 0 1", Some((Extinction, black))),
            ("8/8/6p1/8/8/4P3/8/8 w - - 0 1", None),
        ],
    );
    check_end(
        "shatranj",
        &[
            ("r3k3/2PB1RN1/1n4P1/4PK2/1p3p2/1P6/Pp3P2/8 b - - 0 1", Some((Checkmate, white))),
            ("7r/8/4bkqK/8/8/8/7R/8 w - - 0 1", Some((Checkmate, black))),
            ("8/8/5kqK/8/8/8/8/8 w - - 0 1", Some((Stalemate, black))),
            // White, to move, claims that Black is bare; Black, to move, may bare White.
            ("8/8/3k4/8/3K4/4R3/8/8 w - - 0 1", Some((Extinction, white))),
            ("8/8/3k4/8/3K4/4R3/8/8 b - - 0 1", None),
            ("8/8/3k4/8/3K4/4RR2/8/8 b - - 0 1", Some((Extinction, white))),
        ],
    );
    check_end(
        "antichess",
        &[
            ("8/8/8/8/8/8/P7/8 w - - 0 1", Some((Extinction, black))),
            ("8/8/8/8/8/p7/P7/8 b - - 0 1", Some((Stalemate, black))),
            ("8/8/8/8/8/p7/P7/8 w - - 0 1", Some((Stalemate, white))),
        ],
    );
    check_end(
        "suicide",
        &[
            ("8/8/8/8/8/p7/P7/8 w - - 0 1", Some((Stalemate, None))),
            ("8/8/8/8/p7/p7/P7/8 w - - 0 1", Some((Stalemate, white))),
            ("8/8/8/8/p7/p7/P7/8 b - - 0 1", Some((Stalemate, white))),
            ("8/8/8/7p/p7/p7/P7/8 b - - 0 1", None),
        ],
    );
    check_end(
        "losers",
        &[
            ("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", Some((Extinction, black))),
            ("7k/p5Q1/P5K1/8/8/8/8/8 b - - 0 1", Some((Checkmate, black))),
            ("7k/8/6K1/8/8/8/8/8 b - - 0 1", Some((Extinction, white))),
        ],
    );
}

/// Compares the captures that are visited alone with the legal moves that capture, in all positions that so
/// many plies lead to; each ends on a square that its man attacks.
fn check_captures(book: &RuleBook, position: &Position, plies: u32) -> usize {
    let occupied = Side::BOTH.map(|side| position.squares_of(side));
    let occupied = occupied[0].union(occupied[1]);
    let mut captures = Vec::new();
    assert!(position.for_each_capture(book, |mv, next| {
        let man = position.man_on(mv.from).expect("a man moves");
        assert!(book.attacked(man, mv.from, occupied).contains(mv.to), "{}: {mv:?}", position.to_fen(book));
        assert_eq!(*next, position.play(mv));
        captures.push(mv);
        true
    }));
    let moves = position.legal_moves(book);
    let expected: Vec<_> = moves.iter().copied().filter(|mv| mv.captured.is_some()).collect();
    assert_eq!(captures, expected, "{}", position.to_fen(book));
    let deeper = moves.iter().filter(|_| plies > 0);
    captures.len() + deeper.map(|&mv| check_captures(book, &position.play(mv), plies - 1)).sum::<usize>()
}

#[test]
fn captures_are_the_moves_that_capture() {
    let array = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w - - 0 1";
    let open = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w - - 0 1";
    let passed = "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1";
    for name in ["fide", "atomic", "antichess", "suicide", "king-of-the-hill", "kinglet"] {
        let book = book(name);
        let n_captures: usize =
            [array, open, passed].map(|fen| check_captures(&book, &position(&book, fen), 2)).iter().sum();
        // Fewer where captures must be made: there are fewer ways to go on.
        assert!(n_captures > 500, "{n_captures} captures of {name}");
    }
    let over = position(&book("atomic"), "r4b1r/ppp1pppp/7n/8/8/8/PPPPPPPP/RNBQKB1R b - - 0 3");
    assert!(over.for_each_capture(&book("atomic"), |mv, _| panic!("{mv:?} after the game")));
}
