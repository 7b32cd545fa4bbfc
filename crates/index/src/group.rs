//! Finds the symmetries of the board that a material's rules respect.

use geometry::{SquareSet, Symmetry};
use variant::{Material, Variant};

/// The symmetries of the board that every man's movement, every pawn's squares and the goals respect, the
/// identity first.
///
/// For the men of chess: all eight without pawns, the left-right mirror with pawns. In a race to the last
/// rank the left-right mirror is all that is left.
#[must_use]
pub fn symmetry_group(variant: &Variant, material: &Material) -> Vec<Symmetry> {
    let board = &variant.board;
    let keeps_set =
        |g: Symmetry, set: SquareSet| set.iter().map(|s| g.square(board, s)).collect::<SquareSet>() == set;
    let goals = variant.rules.goal.as_ref().map_or(&[][..], |goal| &goal.squares);
    Symmetry::all(board)
        .into_iter()
        .filter(|&g| goals.iter().all(|&set| keeps_set(g, set)))
        .filter(|&g| {
            material.men().all(|man| {
                variant.movement(man).is_preserved_by(g) && variant.pawn_rules(man).is_none_or(|pawn| {
                    [pawn.zone, pawn.promotion, pawn.double_step_from].iter().all(|&set| keeps_set(g, set))
                            // A promoted man brings its own movement into the game.
                            && pawn.promotes_to.iter().all(|&p| variant.piece(p).movement.is_preserved_by(g))
                })
            })
        })
        .collect()
}
