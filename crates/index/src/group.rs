//! Finds the symmetries of the board that a material's rules respect.

use geometry::{SquareSet, Symmetry};
use variant::{Man, Material, PawnStep, Variant};

/// The symmetries of the board that every man's movement, every pawn's squares, the goals, the squares that
/// men are kept to and the pawn moves that are given away respect, the identity first.
///
/// For the men of chess: all eight without pawns, the left-right mirror with pawns. In a race to the last
/// rank the left-right mirror is all that is left.
#[must_use]
pub fn symmetry_group(variant: &Variant, material: &Material) -> Vec<Symmetry> {
    let all = goal_symmetries(variant);
    all.into_iter().filter(|&g| material.men().all(|man| is_respected_by(variant, man, g))).collect()
}

/// The symmetries of the board that the goals respect, and the squares that men are kept to; the identity
/// first.
pub(crate) fn goal_symmetries(variant: &Variant) -> Vec<Symmetry> {
    let goals = variant.rules.goal.as_ref().map_or(&[][..], |goal| &goal.squares);
    let kept = variant.rules.kept.iter().flat_map(|kept| &kept.squares);
    let sets: Vec<SquareSet> = goals.iter().chain(kept).copied().collect();
    let all = Symmetry::all(&variant.board).into_iter();
    all.filter(|&g| sets.iter().all(|&set| keeps_set(variant, g, set))).collect()
}

/// Whether a man's movement and, of a pawn, its squares and its moves that are given away respect a symmetry.
pub(crate) fn is_respected_by(variant: &Variant, man: Man, g: Symmetry) -> bool {
    variant.movement(man).is_preserved_by(g)
        && variant.pawn_rules(man).is_none_or(|pawn| {
            let sets = [pawn.zone, pawn.promotion, pawn.double_step_from];
            sets.iter().all(|&set| keeps_set(variant, g, set))
                // A promoted man brings its own movement into the game.
                && pawn.promotes_to.iter().all(|&p| variant.piece(p).movement.is_preserved_by(g))
                && variant.rules.given_steps.iter().all(|steps| keeps_steps(variant, man, g, steps))
        })
}

/// Whether the images of a pawn's moves among these are among them.
fn keeps_steps(variant: &Variant, pawn: Man, g: Symmetry, steps: &[PawnStep]) -> bool {
    let image = |square| g.square(&variant.board, square);
    let mut own = steps.iter().filter(|(man, ..)| *man == pawn);
    own.all(|&(man, from, to)| steps.contains(&(man, image(from), image(to))))
}

fn keeps_set(variant: &Variant, g: Symmetry, set: SquareSet) -> bool {
    set.iter().map(|s| g.square(&variant.board, s)).collect::<SquareSet>() == set
}
