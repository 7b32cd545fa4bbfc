//! Makes random pawns: they step and capture where they like, as long as it is forward.

use super::dice::Dice;
use super::movement::{Kinds, piece, random_steps};
use geometry::{Board, SquareSet, Step};
use piece::{Movement, Ray, RayPath};
use variant::{PawnRules, Piece, PieceId};

/// A pawn that promotes to some of the officers, which come right behind the royal piece.
pub(super) fn pawn(dice: &mut Dice, kinds: Kinds, board: &Board, letter: char, n_officers: usize) -> Piece {
    let straight = [Step::new(0, 1)];
    let diagonal = [Step::new(-1, 1), Step::new(1, 1)];
    let forward: Vec<Step> = [(0, 1), (-1, 1), (1, 1), (-1, 2), (1, 2), (2, 1), (-2, 1), (0, 2)]
        .map(|(f, r)| Step::new(f, r))
        .into();
    let mut choose = |likely: &[Step], other: &[Step]| match dice.below(10) {
        0..5 => likely.to_vec(),
        5..7 => other.to_vec(),
        _ => random_steps(dice, &forward),
    };
    let quiet = choose(&straight, &diagonal);
    let capture = choose(&diagonal, &straight);
    let ray = |quiet: bool| {
        move |&step: &Step| Ray { step, limit: 1, quiet, capture: !quiet, path: RayPath::Plain }
    };
    let movement = Movement::from_rays(quiet.iter().map(ray(true)).chain(capture.iter().map(ray(false))));

    let first_rank = usize::from(dice.chance(75));
    let promotion_rank = board.ranks() - if board.ranks() > 4 && dice.chance(20) { 2 } else { 1 };
    let ranks = |range: std::ops::Range<usize>| -> SquareSet {
        board.squares().filter(|&s| range.contains(&board.rank_of(s))).collect()
    };
    let mut promotion = ranks(promotion_rank..board.ranks());
    let mut zone = ranks(first_rank..promotion_rank);
    if kinds == Kinds::All && dice.chance(15) {
        // On the other squares of the last ranks it stays what it is, perhaps stuck.
        let stays: SquareSet = promotion.iter().filter(|_| dice.chance(40)).collect();
        (zone, promotion) = (zone.union(stays), promotion.without(stays));
    }
    let from = match dice.below(10) {
        0..7 => ranks(first_rank..first_rank + 1),
        7 => zone,
        _ => SquareSet::EMPTY,
    };
    // A double step never promotes.
    let lands =
        |s| quiet.iter().all(|step| board.offset(s, step.times(2)).is_none_or(|to| zone.contains(to)));
    let double_step_from: SquareSet = from.iter().filter(|&s| lands(s)).collect();
    let sure = dice.below(n_officers);
    let promotes_to =
        (0..n_officers).filter(|&i| i == sure || dice.chance(40)).map(|i| PieceId(1 + i as u8)).collect();
    let rules = PawnRules {
        zone,
        double_step_from,
        en_passant: dice.chance(80) && !double_step_from.is_empty(),
        promotion,
        promotes_to,
    };
    Piece { pawn: Some(rules), ..piece(letter, movement) }
}
