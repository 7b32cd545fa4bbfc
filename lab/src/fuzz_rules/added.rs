//! Adds rules to random games that the dice of `proof` do not throw: regions, several royal men, goals that
//! ask for more than a man on a square, men that are turned round, men that are royal while they are few,
//! pawns that may stay pawns, checks that are counted.

use super::case::{MOST_SQUARES_FOR_FOUR, least_men};
use geometry::{Board, SquareSet};
use proof::Dice;
use variant::{Arrival, Goal, Material, PawnRules, Piece, PieceId, PseudoRoyal, Rules, Variant};

/// The game with one or two rules more that belongs to this seed; as it is if none of them fit it.
pub(super) fn with_added_rules(variant: &Variant, seed: u64) -> Variant {
    let mut dice = Dice::new(seed ^ 0xADD);
    let attempts = (0..20).map(|_| {
        let Variant { name, board, mut pieces, mut rules, .. } = variant.clone();
        for _ in 0..1 + dice.below(2) {
            add(&mut dice, &board, &mut pieces, &mut rules);
        }
        let is_other = pieces != variant.pieces || rules != variant.rules;
        Variant::from_parts(&name, board, pieces, rules).ok().filter(|game| is_other && is_played(game))
    });
    attempts.flatten().next().unwrap_or_else(|| variant.clone())
}

/// Whether there are games of so few men that the oracle looks at all of them.
fn is_played(game: &Variant) -> bool {
    let fewest = least_men(game);
    let fits = fewest < 4 || game.board.n_squares() <= MOST_SQUARES_FOR_FOUR;
    fits && (fewest..=4).all(|n| Material::all(game, n).iter().any(|material| !game.is_over(material)))
}

fn add(dice: &mut Dice, board: &Board, pieces: &mut [Piece], rules: &mut Rules) {
    match dice.below(10) {
        0 => pieces.iter_mut().filter(|piece| piece.pawn.is_none()).for_each(|piece| {
            let white = squares(dice, board, 65);
            piece.regions = match dice.below(5) {
                0 => [None; 2],
                1 => [Some(white), Some(white.mirror_ranks(board))],
                2 => [Some(white); 2],
                3 => [Some(white), Some(squares(dice, board, 65))],
                _ => [None, Some(white)],
            };
        }),
        1 => rules.royal_men = *dice.pick(&[[2, 2], [2, 2], [0, 1], [1, 0]]),
        2 => {
            // One of the officers, who come right behind the royal man, is royal, too.
            let second = 1 + dice.below(2);
            pieces[second].royal = true;
            let pawns = pieces.iter_mut().filter_map(|piece| piece.pawn.as_mut());
            pawns.for_each(|pawn| pawn.promotes_to.retain(|&to| to != PieceId(second as u8)));
        }
        3 => rules.goal = Some(goal(dice, board, Arrival::AtOnce, 2)),
        4 => {
            let arrival = *dice.pick(&[Arrival::Safe, Arrival::SafeOrKept, Arrival::Filled]);
            let n_men = 1 + u8::from(arrival == Arrival::Filled);
            rules.goal = Some(goal(dice, board, arrival, n_men));
        }
        5 => rules.black_turned = true,
        8 => rules.check_counting = Some(1 + dice.below(3) as u8),
        6 => pieces.iter_mut().filter_map(|piece| piece.pawn.as_mut()).for_each(|pawn| {
            let promotes_to = vec![PieceId(1 + dice.below(2) as u8)];
            let mut black = PawnRules { promotes_to, ..pawn.clone() };
            // Either both sides' pawns must promote, or neither's.
            if dice.chance(50) && pawn.zone.intersection(pawn.promotion).is_empty() {
                let nearer = board.rank(board.ranks() - 2);
                (black.zone, black.promotion) = (black.zone.without(nearer), black.promotion.union(nearer));
                black.double_step_from = black.double_step_from.intersection(black.zone);
                black.en_passant &= !black.double_step_from.is_empty();
            }
            pawn.black = Some(Box::new(black));
        }),
        7 => pieces.iter_mut().filter_map(|piece| piece.pawn.as_mut()).for_each(|pawn| {
            pawn.black = None;
            if dice.chance(50) {
                pawn.zone = pawn.zone.union(pawn.promotion);
                pawn.promotion = pawn.promotion.union(board.rank(board.ranks() - 2)).intersection(pawn.zone);
            }
            if dice.chance(50) {
                pawn.double_step_from = pawn.zone;
            }
        }),
        _ => {
            let kinds = (1..pieces.len()).filter(|&i| pieces[i].pawn.is_none());
            let kinds = kinds.filter(|_| dice.chance(60)).map(|i| PieceId(i as u8)).collect();
            rules.pseudo_royal = Some(PseudoRoyal { kinds, most_men: 1 + dice.below(2) as u8 });
        }
    }
}

/// A goal of every kind of men, for the sides alike or not; of some of its places any one will do.
fn goal(dice: &mut Dice, board: &Board, arrival: Arrival, n_men: u8) -> Goal {
    let n_places = if arrival.heeds_attacks() { 1 } else { 1 + dice.below(2) };
    let white: Vec<SquareSet> = (0..n_places).map(|_| squares(dice, board, 30)).collect();
    let black = match dice.below(3) {
        0 => white.clone(),
        1 => (0..n_places).map(|_| squares(dice, board, 30)).collect(),
        _ => white.iter().map(|place| place.mirror_ranks(board)).collect(),
    };
    Goal { kinds: None, places: [white, black], n_men, arrival }
}

/// Squares of the board, each so often in a hundred times.
fn squares(dice: &mut Dice, board: &Board, percent: u64) -> SquareSet {
    board.all().iter().filter(|_| dice.chance(percent)).collect()
}
