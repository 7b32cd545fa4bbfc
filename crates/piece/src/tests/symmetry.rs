//! Checks that what is said of a movement does not depend on how the board is turned.

use super::Numbers;
use crate::{Movement, named};
use geometry::Symmetry;

/// The rows of the picture, every arrow a star.
fn rows(movement: &Movement) -> Vec<Vec<char>> {
    let picture = movement.diagram();
    let side = picture.lines().next().unwrap().chars().count();
    let rows = picture.lines().take(side.div_ceil(2));
    rows.map(|row| row.chars().map(|c| if c > '\u{ff}' { '*' } else { c }).collect()).collect()
}

#[test]
fn pictures_and_gaits_turn_with_the_movement() {
    let mut numbers = Numbers(3);
    for case in 0..120 {
        let movement = numbers.movement(1 + case % 4);
        let gait = |m: &Movement| {
            (
                m.is_colour_bound(),
                m.n_squares_of_64(),
                m.can_lose_a_move(),
                m.can_take_back(),
                m.symmetries().len(),
            )
        };
        for symmetry in (0..8).map(Symmetry::from_index) {
            let turned = movement.transformed(symmetry);
            assert_eq!(gait(&turned), gait(&movement), "{movement:?} {symmetry:?}");
        }
        let mirrored = rows(&movement.transformed(Symmetry::MIRROR_FILES));
        let expected: Vec<Vec<char>> =
            rows(&movement).into_iter().map(|row| row.into_iter().rev().collect()).collect();
        assert_eq!(mirrored, expected, "{movement:?}");
        let mirrored = rows(&movement.transformed(Symmetry::MIRROR_RANKS));
        let expected: Vec<Vec<char>> = rows(&movement).into_iter().rev().collect();
        assert_eq!(mirrored, expected, "{movement:?}");
    }
}

#[test]
fn symmetries_hold_by_the_squares_of_the_way() {
    // The lame horse keeps all eight although its way is no straight line; a circle keeps them as both ways
    // round.
    for name in ["horse", "janggi elephant", "rose", "grasshopper", "cannon"] {
        let movement = named(name).unwrap().movement();
        for symmetry in movement.symmetries() {
            for ray in movement.rays() {
                let way: Vec<_> = ray.legs().take(9).map(|leg| symmetry.step(leg.step)).collect();
                let is_there =
                    |other: &crate::Ray| other.legs().take(9).map(|leg| leg.step).eq(way.iter().copied());
                assert!(movement.rays().iter().any(is_there), "{name} {symmetry:?} {ray:?}");
            }
        }
        assert_eq!(movement.symmetries().len(), 8, "{name}");
    }
}
