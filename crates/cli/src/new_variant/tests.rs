//! Checks the template of a variant file for every board.

use super::filled;
use crate::args::parse_board;
use variant::{Material, Variant};

/// The template for this board is right, warns of nothing, and has the tables that it says.
#[track_caller]
fn check(size: &str) {
    let board = parse_board(size).unwrap();
    let text = filled("my-game", &board);
    assert!(!text.contains("{{"), "{text}");
    let variant = Variant::parse(&text, "my-game.toml").unwrap_or_else(|report| panic!("{size}: {report}"));
    assert_eq!((variant.name.as_str(), variant.board), ("my-game", board), "{size}");
    assert_eq!(variant.warnings(), [""; 0], "{size}");
    assert_eq!(Material::all(&variant, 3).len(), 4, "{size}");
}

#[test]
fn the_template_is_right_on_every_board() {
    for size in ["8x8", "3x3", "3x4", "4x5", "5x5", "6x6", "10x8", "9x10", "11x11", "16x8", "8x16", "3×16"] {
        check(size);
    }
}

#[track_caller]
fn check_refused(size: &str, expected: &str) {
    assert_eq!(parse_board(size).unwrap_err(), expected, "{size}");
}

#[test]
fn sizes_that_are_none() {
    for size in ["", "8", "8x", "x8", "8x8x8", "ten by eight", "-8x8", "8.0x8"] {
        check_refused(size, "write files and ranks, as in 10x8");
    }
    check_refused("1x3", "a board of 1×3 is not supported: 1 to 16 files and ranks, 4 to 128 squares");
    check_refused("12x12", "a board of 12×12 is not supported: 1 to 16 files and ranks, 4 to 128 squares");
}
