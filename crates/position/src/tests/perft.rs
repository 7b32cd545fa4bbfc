//! Perft numbers that others have published or computed.

use super::game::{chess, fairy, fairy_berolina, position, small};
use crate::RuleBook;

#[track_caller]
fn check_perft(book: &RuleBook, fen: &str, expected: &[u64]) {
    let position = position(book, fen);
    assert!(position.is_legal(book), "{fen}");
    let got: Vec<u64> = (1..=expected.len() as u32).map(|depth| position.perft(book, depth)).collect();
    assert_eq!(got, expected, "{fen}");
}

/// Source: chessprogramming.org, "Perft Results", positions 3 and "promotion bugs" (n1n5/PPPk4/…).
#[test]
fn chess_positions_of_the_programming_wiki() {
    let book = chess();
    check_perft(&book, "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", &[14, 191, 2812, 43238]);
    check_perft(&book, "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1", &[24, 496, 9483]);
}

/// Source: Martin Sedlak's perft collection (chessprogramming.net, "Perfect Perft").
#[test]
fn chess_positions_of_sedlak() {
    let book = chess();
    let cases: &[(&str, u32, u64)] = &[
        ("3k4/3p4/8/K1P4r/8/8/8/8 b - - 0 1", 6, 1_134_888),
        ("8/8/4k3/8/2p5/8/B2P2K1/8 w - - 0 1", 6, 1_015_133),
        ("8/8/1k6/2b5/2pP4/8/5K2/8 b - d3 0 1", 6, 1_440_467),
        ("2K2r2/4P3/8/8/8/8/8/3k4 w - - 0 1", 6, 3_821_001),
        ("4k3/1P6/8/8/8/8/K7/8 w - - 0 1", 6, 217_342),
        ("8/P1k5/K7/8/8/8/8/8 w - - 0 1", 6, 92_683),
        ("K1k5/8/P7/8/8/8/8/8 w - - 0 1", 6, 2_217),
        ("8/k1P5/8/1K6/8/8/8/8 w - - 0 1", 7, 567_584),
        ("8/8/2k5/5q2/5n2/8/5K2/8 b - - 0 1", 4, 23_527),
    ];
    for &(fen, depth, expected) in cases {
        assert_eq!(position(&book, fen).perft(&book, depth), expected, "{fen}");
    }
}

/// Source: Fairy-Stockfish (through its Python module pyffish 0.0.90) with the same pieces.
#[test]
fn fairy_positions_of_fairy_stockfish() {
    let book = fairy();
    check_perft(&book, "4k3/2p5/8/1n6/6g1/2N5/3P4/4K3 w - - 0 1", &[17, 426, 5378, 125_146]);
    check_perft(&book, "4k3/3p4/1h6/8/4P3/6Z1/2z5/4K2C w - - 0 1", &[5, 99, 1859, 34_437]);
    check_perft(&book, "8/1P4k1/4c3/2H5/8/5Z2/1p6/4K3 b - - 0 1", &[27, 774, 17_607, 460_621]);
    check_perft(&book, "8/8/8/1k1pP1Gn/8/8/8/4K3 w - d6 0 1", &[14, 241, 3231, 51_406]);
    let book = fairy_berolina();
    check_perft(&book, "4k3/2p5/8/1n6/8/2N5/3P4/4K3 w - - 0 1", &[16, 246, 3244, 46_901]);
    check_perft(&book, "4k3/pp6/8/8/8/8/PP6/4K3 w - - 0 1", &[8, 64, 584, 5329]);
}

/// Source: as above.
#[test]
fn positions_on_a_small_board() {
    let book = small();
    check_perft(&book, "3k1/1p3/2r2/5/1PD2/1K3 w - - 0 1", &[9, 117, 1196, 13_192]);
    check_perft(&book, "3k1/3p1/2P2/3d1/1P2R/1K3 b - - 0 1", &[14, 134, 1464, 13_037]);
}
