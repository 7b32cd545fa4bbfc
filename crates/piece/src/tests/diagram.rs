//! Checks the pictures of movements.

use crate::{CATALOGUE, Movement, RIDE, Ray, RayPath};
use geometry::Step;

#[track_caller]
fn check(betza: &str, expected: &str) {
    let picture = Movement::parse(betza).unwrap().diagram();
    let expected: Vec<&str> = expected.trim().lines().map(str::trim).collect();
    assert_eq!(picture.lines().collect::<Vec<_>>(), expected, "{betza}:\n{picture}");
}

#[test]
fn steps_and_modes() {
    check(
        "",
        ". . . . . . .
         . . . . . . .
         . . . . . . .
         . . . O . . .
         . . . . . . .
         . . . . . . .
         . . . . . . .",
    );
    check(
        "fmWfcFbK",
        ". . . . . . .
         . . . . . . .
         . . c m c . .
         . . . O . . .
         . . x x x . .
         . . . . . . .
         . . . . . . .
         c captures and does not move so
         m moves without capturing
         x moves and captures",
    );
}

#[test]
fn rides_go_on() {
    check(
        "RfG",
        ". . . . ↑ . . . .
         . x . . x . . x .
         . . . . x . . . .
         . . . . x . . . .
         ← x x x O x x x →
         . . . . x . . . .
         . . . . x . . . .
         . . . . x . . . .
         . . . . ↓ . . . .
         x moves and captures
         arrows: and so on in the same way",
    );
    check(
        "fB2rNN",
        ". . . . . . . . .
         . . . . . . . . .
         . . x . . . x . ↗
         . . . x . x x . .
         . . . . O . . . .
         . . . . . . x . .
         . . . . . . . . ↘
         . . . . . . . . .
         . . . . . . . . .
         x moves and captures
         arrows: and so on in the same way",
    );
}

#[test]
fn paths_have_marks() {
    check(
        "mRcpR",
        ". . . ↑ . . .
         . . . 1 . . .
         . . . m . . .
         ← 1 m O m 1 →
         . . . m . . .
         . . . 1 . . .
         . . . ↓ . . .
         1 moves; captures over one man to any square behind him
         m moves without capturing
         arrows: and so on in the same way",
    );
    check(
        "fgQ3",
        "g . . g . . g
         . g . g . g .
         . . . . . . .
         . . . O . . .
         . . . . . . .
         . . . . . . .
         . . . . . . .
         g moves and captures over one man to the square next behind him",
    );
    check(
        "fhnN",
        ". . . . . . .
         . . n . n . .
         . n . : . n .
         . . : O : . .
         . . . . . . .
         . . . . . . .
         . . . . . . .
         n moves and captures if nothing is on the way
         : must be empty for a lame move across it",
    );
    check(
        "frqN",
        ". . . . . . q . . . . . .
         . . . . q . . . q . . . .
         . . . . . . . . . . . . .
         . . . q . . . . . q . . .
         . . . . . . . . . . . . .
         . . . . q . . . q . . . .
         . . . . . . O . . . q . .
         . . . . . . . . . . . . .
         . . . . . q . . . . . q .
         . . . . . . . . . . . . .
         . . . . . . q . . . q . .
         . . . . . . . . q . . . .
         . . . . . . . . . . . . .
         q moves and captures going round",
    );
    check(
        "fRfmpRfnD",
        ". . . ↑ . . .
         . . . 1 . . .
         . . . x . . .
         . . . O . . .
         . . . . . . .
         . . . . . . .
         . . . . . . .
         1 moves directly or if nothing is on the way or over one man to any square behind him; \
         captures directly or if nothing is on the way
         x moves and captures
         ↑ moves directly or over one man to any square behind him; captures
         arrows: and so on in the same way",
    );
}

#[test]
fn every_movement_has_a_picture_of_odd_sides() {
    for piece in CATALOGUE {
        let picture = Movement::parse(piece.betza).unwrap().diagram();
        let rows: Vec<&str> = picture.lines().take_while(|line| line.chars().nth(1) == Some(' ')).collect();
        let side = rows[0].chars().count().div_ceil(2);
        let rows = &rows[..side];
        assert!(side % 2 == 1 && (7..=15).contains(&side), "{}: {side}", piece.name);
        assert!(rows.iter().all(|row| row.chars().count() == 2 * side - 1), "{}:\n{picture}", piece.name);
        assert_eq!(rows[side / 2].chars().nth(side - 1), Some('O'), "{}:\n{picture}", piece.name);
    }
    // A step that no picture has room for, and one that leads nowhere, do no harm.
    for (files, ranks) in [(i8::MIN, i8::MAX), (100, 1), (0, 0)] {
        for path in [RayPath::Plain, RayPath::Lame, RayPath::Cannon, RayPath::CircularLeft] {
            let ray = Ray { step: Step::new(files, ranks), limit: 1, quiet: true, capture: true, path };
            let rays = [ray, Ray { limit: RIDE, ..ray }].map(|ray| Movement::from_rays([ray]));
            assert!(rays.iter().all(|m| m.diagram().contains('O') && !m.in_words().is_empty()));
        }
    }
}
