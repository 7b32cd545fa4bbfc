//! Finds movements that Fairy-Stockfish's dialect of Betza notation lacks, and writes games in that dialect.
//!
//! It reads most terms as we do. Some it takes without a complaint and plays otherwise; these are listed here
//! with the reason, found by asking it.

use geometry::{Board, Step};
use piece::{Movement, RIDE, Ray, RayPath};
use std::fmt::Write as _;

/// The letter of the piece that is tried.
pub(super) const LETTER: char = 'X';

/// Why Fairy-Stockfish cannot play this movement; none if it can.
pub(super) fn obstacle(movement: &Movement) -> Option<&'static str> {
    movement.rays().iter().find_map(ray_obstacle)
}

fn ray_obstacle(ray: &Ray) -> Option<&'static str> {
    let kind = kind(ray.step);
    let is_king_step = matches!(kind, (1, 0) | (1, 1));
    match (ray.path, ray.limit) {
        (RayPath::CircularLeft | RayPath::CircularRight, _) => Some("it has no circular rides"),
        (RayPath::Cannon | RayPath::Grasshopper, _) if !is_king_step => {
            Some("it has hoppers along ranks, files and diagonals only")
        }
        (RayPath::Cannon | RayPath::Grasshopper, RIDE) => None,
        (RayPath::Cannon | RayPath::Grasshopper, _) => {
            Some("it counts a hopper's steps behind the hurdle only")
        }
        (RayPath::Lame, 1) if matches!(kind, (2, 0) | (2, 1) | (2, 2) | (3, 2)) => None,
        (RayPath::Lame, _) => Some("of lame men it has nN, nD, nA and nZ only"),
        (RayPath::Plain, 1) => None,
        (RayPath::Plain, RIDE) if is_king_step || kind == (2, 1) => None,
        (RayPath::Plain, _) if is_king_step => None,
        (RayPath::Plain, _) => {
            Some("of riders it has those along ranks, files and diagonals, and the nightrider")
        }
    }
}

/// The step without its direction, longer side first.
fn kind(step: Step) -> (u8, u8) {
    let (files, ranks) = (step.files.unsigned_abs(), step.ranks.unsigned_abs());
    (files.max(ranks), files.min(ranks))
}

/// A game as a section of a `variants.ini`: chess on a board, with one more piece.
pub(super) fn section(name: &str, board: &Board, betza: &str, royal: Option<&str>) -> String {
    let mut text = format!("[{name}:chess]\ncustomPiece1 = {}:{betza}\n", LETTER.to_ascii_lowercase());
    if let Some(royal) = royal {
        let _ = writeln!(text, "king = k:{royal}");
    }
    let _ = writeln!(text, "castling = false\nmaxFile = {}\nmaxRank = {}", board.files(), board.ranks());
    let _ = writeln!(text, "promotionRegionWhite = *{}\npromotionRegionBlack = *1", board.ranks());
    let _ = writeln!(text, "doubleStepRegionWhite = *2\ndoubleStepRegionBlack = *{}\n", board.ranks() - 1);
    text
}

#[cfg(test)]
mod tests {
    use super::{obstacle, section};
    use geometry::Board;
    use piece::Movement;

    #[track_caller]
    fn check(betza: &str, reason: Option<&str>) {
        let movement = Movement::parse(betza).unwrap_or_else(|fault| panic!("{betza}: {fault}"));
        match (obstacle(&movement), reason) {
            (None, None) => {}
            (Some(got), Some(part)) => assert!(got.contains(part), "{betza}: {got}"),
            (got, _) => panic!("{betza}: {got:?}"),
        }
    }

    #[test]
    fn what_fairy_stockfish_cannot_say_is_left_out() {
        for betza in ["QN", "NN", "gQ", "mRcpR", "nNnAnDnZ", "fsmWfcF3", "hlN", "CLZG"] {
            check(betza, None);
        }
        check("qN", Some("no circular rides"));
        check("DD", Some("of riders it has"));
        check("N2", Some("of riders it has"));
        check("nNN", Some("of lame men"));
        check("nH", Some("of lame men"));
        check("pNN", Some("hoppers along"));
        check("pR4", Some("behind the hurdle"));
    }

    #[test]
    fn a_game_is_a_section() {
        let board = Board::new(10, 8).expect("a board");
        let text = section("nightrider", &board, "NN", Some("N"));
        let expected = "[nightrider:chess]\ncustomPiece1 = x:NN\nking = k:N\ncastling = false\nmaxFile = 10\n\
                        maxRank = 8\npromotionRegionWhite = *8\npromotionRegionBlack = *1\n\
                        doubleStepRegionWhite = *2\ndoubleStepRegionBlack = *7\n\n";
        assert_eq!(text, expected);
    }
}
