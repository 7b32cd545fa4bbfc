//! Compares perft with numbers that others have published or computed.

use super::game::{chess, fairy, fairy_berolina, position, small};
use crate::{Position, RuleBook};
use std::ops::RangeFrom;

/// The rules of a position.
type Game = fn() -> RuleBook;

/// A game, a position, and perft at these depths.
type Case = (Game, &'static str, RangeFrom<u32>, &'static [u64]);

/// Sources, from the top: chessprogramming.org, "Perft Results", positions 3 and "promotion bugs"; Martin
/// Sedlak's perft collection (chessprogramming.net, "Perfect Perft"); Fairy-Stockfish (through its Python
/// module pyffish 0.0.90) with the same pieces.
const CASES: &[Case] = &[
    (chess, "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", 1.., &[14, 191, 2812, 43_238]),
    (chess, "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1", 1.., &[24, 496, 9483]),
    (chess, "3k4/3p4/8/K1P4r/8/8/8/8 b - - 0 1", 6.., &[1_134_888]),
    (chess, "8/8/4k3/8/2p5/8/B2P2K1/8 w - - 0 1", 6.., &[1_015_133]),
    (chess, "8/8/1k6/2b5/2pP4/8/5K2/8 b - d3 0 1", 6.., &[1_440_467]),
    (chess, "2K2r2/4P3/8/8/8/8/8/3k4 w - - 0 1", 6.., &[3_821_001]),
    (chess, "4k3/1P6/8/8/8/8/K7/8 w - - 0 1", 6.., &[217_342]),
    (chess, "8/P1k5/K7/8/8/8/8/8 w - - 0 1", 6.., &[92_683]),
    (chess, "K1k5/8/P7/8/8/8/8/8 w - - 0 1", 6.., &[2_217]),
    (chess, "8/k1P5/8/1K6/8/8/8/8 w - - 0 1", 7.., &[567_584]),
    (chess, "8/8/2k5/5q2/5n2/8/5K2/8 b - - 0 1", 4.., &[23_527]),
    (fairy, "4k3/2p5/8/1n6/6g1/2N5/3P4/4K3 w - - 0 1", 1.., &[17, 426, 5378, 125_146]),
    (fairy, "4k3/3p4/1h6/8/4P3/6Z1/2z5/4K2C w - - 0 1", 1.., &[5, 99, 1859, 34_437]),
    (fairy, "8/1P4k1/4c3/2H5/8/5Z2/1p6/4K3 b - - 0 1", 1.., &[27, 774, 17_607, 460_621]),
    (fairy, "8/8/8/1k1pP1Gn/8/8/8/4K3 w - d6 0 1", 1.., &[14, 241, 3231, 51_406]),
    (fairy_berolina, "4k3/2p5/8/1n6/8/2N5/3P4/4K3 w - - 0 1", 1.., &[16, 246, 3244, 46_901]),
    (fairy_berolina, "4k3/pp6/8/8/8/8/PP6/4K3 w - - 0 1", 1.., &[8, 64, 584, 5329]),
    (small, "3k1/1p3/2r2/5/1PD2/1K3 w - - 0 1", 1.., &[9, 117, 1196, 13_192]),
    (small, "3k1/3p1/2P2/3d1/1P2R/1K3 b - - 0 1", 1.., &[14, 134, 1464, 13_037]),
];

#[track_caller]
fn check_perft(&(game, fen, ref depths, expected): &Case) {
    let book = game();
    let position = position(&book, fen);
    assert!(position.is_legal(&book), "{fen}");
    let got: Vec<u64> =
        depths.clone().take(expected.len()).map(|depth| position.perft(&book, depth)).collect();
    assert_eq!(got, expected, "{fen}");
}

/// The quick ones of the numbers in tests/cases/perft.csv; `cargo xtask perft` has all of them.
#[test]
fn perft_with_castling_is_what_others_have_counted() {
    let path = format!("{}/../../tests/cases/perft.csv", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).unwrap();
    let lines = text.lines().filter(|line| !line.starts_with('#')).skip(1);
    let mut n_checked = 0;
    for line in lines {
        let [game, fen, quick, _] = line.split(';').collect::<Vec<_>>()[..] else { panic!("{line}") };
        let book = super::variants::book(game);
        let position = Position::from_fen_with_castling(&book, fen).unwrap_or_else(|error| panic!("{error}"));
        for number in quick.split_whitespace() {
            let (plies, games) = number.split_once(':').unwrap();
            let games: u64 = games.parse().unwrap();
            assert_eq!(position.perft(&book, plies.parse().unwrap()), games, "{game}: {fen}, {plies} plies");
            n_checked += 1;
        }
    }
    assert!(n_checked > 40, "{n_checked} numbers");
}

#[test]
fn perft_is_what_others_have_counted() {
    CASES.iter().for_each(check_perft);
}
