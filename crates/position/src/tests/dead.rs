//! Checks that dead positions are found, and that no mate exists among them.

use super::game::{game, officers, position};
use crate::{Outcome, Position, RuleBook};
use geometry::{Board, Square};
use std::path::Path;
use variant::{Man, PieceId, Side, Variant};

#[track_caller]
fn check(file: &str, cases: &[(&str, bool)]) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../variants").join(file);
    let book = RuleBook::new(&Variant::load(&path).unwrap());
    for (fen, expected) in cases {
        assert_eq!(position(&book, fen).is_dead(&book), *expected, "{file}: {fen}");
    }
}

#[test]
fn dead_positions_are_those_that_players_know() {
    check(
        "fide.toml",
        &[
            ("8/8/8/8/8/4k3/8/4K3 w - - 0 1", true),
            ("8/8/8/8/8/4k3/N7/4K3 w - - 0 1", true),
            ("8/8/8/8/8/4k3/b7/4K3 w - - 0 1", true),
            // Bishops on squares of one colour, however many; and with one on the other.
            ("B1B1B1B1/1b1b1b1b/B7/8/8/4k3/8/4K3 w - - 0 1", true),
            ("B1B1B1B1/1b1b1b1b/B7/7B/B1B1B1B1/1b1b1b1b/3k4/1b1b1K1B w - - 0 1", true),
            ("BB6/8/8/8/8/4k3/8/4K3 w - - 0 1", false),
            ("8/8/8/8/8/4k3/NN6/4K3 w - - 0 1", false),
            ("8/8/8/8/8/4k3/N6n/4K3 w - - 0 1", false),
            ("8/8/8/8/8/4k3/N6b/4K3 w - - 0 1", false),
            ("8/8/8/8/8/4k3/P7/4K3 w - - 0 1", false),
        ],
    );
    // Elsewhere a knight may do, and a game that is won by more than mate goes on.
    check(
        "cylinder.toml",
        &[("8/8/8/8/8/4k3/8/4K3 w - - 0 1", true), ("8/8/8/8/8/4k3/N7/4K3 w - - 0 1", false)],
    );
    check("king-of-the-hill.toml", &[("8/8/8/8/8/k7/8/4K3 w - - 0 1", false)]);
    check("antichess.toml", &[("8/8/8/8/8/4k3/8/4K3 w - - 0 1", false)]);
    check(
        "atomic.toml",
        &[
            ("8/8/8/8/8/4k3/8/4K3 w - - 0 1", true),
            ("8/8/8/8/8/4k3/N7/4K3 w - - 0 1", false),
            // An explosion has taken Black's king.
            ("8/8/8/8/8/8/8/4K3 b - - 0 1", false),
        ],
    );
    check("stalemate-loses.toml", &[("8/8/8/8/8/4k3/N7/4K3 w - - 0 1", false)]);
}

#[test]
fn no_dead_position_is_mate() {
    // A knight; a bishop; one of each side.
    let men = [vec![4], vec![3], vec![3, 3]];
    for (files, ranks) in [(3, 3), (3, 4), (4, 4), (5, 3)] {
        let book = game(Board::new(files, ranks).unwrap(), officers());
        let n_squares = files * ranks;
        let mut n_dead = 0;
        for others in &men {
            let n_places = n_squares.pow(2 + others.len() as u32);
            for place in 0..n_places {
                let square = |at: u32| Square::from_index(place / n_squares.pow(at) % n_squares);
                let own = others.iter().enumerate().map(|(at, &id)| {
                    let side = if at == 0 { Side::White } else { Side::Black };
                    (Man { side, piece: PieceId(id) }, square(2 + at as u32))
                });
                let kings =
                    Side::BOTH.map(|side| (Man { side, piece: PieceId(0) }, square(side.index() as u32)));
                let Some(position) = Position::from_men(kings.into_iter().chain(own), Side::Black) else {
                    continue;
                };
                if position.is_dead(&book) && position.is_legal(&book) {
                    n_dead += 1;
                    assert_ne!(
                        position.outcome(&book),
                        Some(Outcome::Checkmate),
                        "{}",
                        position.to_fen(&book)
                    );
                }
            }
        }
        assert!(n_dead > 0, "{files} × {ranks}");
    }
}
