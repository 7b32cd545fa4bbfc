//! Which symmetries of the board a material's rules respect.

use geometry::{SquareSet, Symmetry};
use variant::{Material, Variant};

/// The symmetries of the board that every man's movement and every pawn's squares respect, the identity first.
///
/// For the men of chess: all eight without pawns, the left-right mirror with pawns.
#[must_use]
pub fn symmetry_group(variant: &Variant, material: &Material) -> Vec<Symmetry> {
    let board = &variant.board;
    let keeps_set =
        |g: Symmetry, set: SquareSet| set.iter().map(|s| g.square(board, s)).collect::<SquareSet>() == set;
    Symmetry::all(board)
        .into_iter()
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
