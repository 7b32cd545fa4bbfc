//! Lists the limits that a search tries, and says how late each comes.

use crate::{Bound, Limit};
use geometry::Square;
use position::Position;
use std::cmp::Ordering;
use variant::{Man, Side, Variant};

/// The limits that are tried for a bound. The side for which it is sought needs its own promotions to win,
/// and the other side's to see that they do not help.
fn limits_of(bound: Bound) -> Vec<Limit> {
    let own = bound.winner_outside().map_or(Side::White, |winner| !winner);
    let each = |n_own, n_other| match own {
        Side::White => Limit::each(n_own, n_other),
        Side::Black => Limit::each(n_other, n_own),
    };
    vec![
        Limit::in_all(0),
        each(1, 0).with_first_only(),
        each(0, 1),
        Limit::in_all(1).with_first_only(),
        each(1, 1).with_first_only(),
        each(2, 0).with_first_only(),
        each(2, 1).with_first_only(),
        Limit::in_all(1),
        each(1, 1),
        Limit::in_all(2),
    ]
}

/// The limits that are tried for both bounds, the first of all first; positions of this many men are
/// outside of all limits.
pub(super) fn limits_with(few_men: u8) -> Vec<(Limit, Bound)> {
    let of = |bound| limits_of(bound).into_iter().map(move |limit| (limit.with_few_men(few_men), bound));
    of(Bound::Lower).chain(of(Bound::Upper)).collect()
}

/// How many pawns may be captured in runs that come before those in which all may, where pieces make
/// slices large.
const FEW_CAPTURED: [u8; 2] = [1, 2];

/// The limits in which pawns stand or few are captured that are tried for both bounds: where a piece
/// stands on the board and the rules let captures be counted.
pub(super) fn limits_of_pawns(variant: &Variant, roots: &[Position], few_men: u8) -> Vec<(Limit, Bound)> {
    let is_piece = |man: Man| !variant.is_pawn(man) && !variant.is_royal(man);
    let has_piece = roots.iter().any(|root| root.men().any(|(man, _)| is_piece(man)));
    if !has_piece || !Limit::may_count_captures(variant) {
        return Vec::new();
    }
    let captured = FEW_CAPTURED.map(|n| Limit::in_all(0).with_few_men(few_men).with_captured(n));
    // Of several positions some may have lost pawns that others have.
    let holds_roots = |limit: &Limit| {
        let limit = limit.clone().with_beginning(variant, roots);
        let material = |root: &Position| root.material();
        roots.iter().all(|root| limit.allows(variant, &material(root)))
    };
    let captured = captured.into_iter().filter(holds_roots);
    let captured =
        captured.flat_map(|limit| [Bound::Lower, Bound::Upper].map(|bound| (limit.clone(), bound)));
    // Without a promotion, and with one of the own side.
    let standing = limits_with(few_men).into_iter().filter(|(limit, bound)| {
        let own = usize::from(*bound == Bound::Upper);
        limit.in_all == Some(0) || (limit.each[own], limit.each[1 - own]) == (Some(1), Some(0))
    });
    let standing = standing.flat_map(|(limit, bound)| {
        [0, 1].map(|n_plies| (limit.clone().with_own_pawns_standing(n_plies), bound))
    });
    captured.chain(standing).collect()
}

/// The side that has a pawn nearer to its promotion than all of the other's, if there is one.
pub(super) fn nearer_to_promotion(variant: &Variant, roots: &[Position]) -> Option<Side> {
    let board = &variant.board;
    let n_ranks = |man: Man, square: Square| {
        let promotion = variant.pawn_rules(man)?.promotion;
        promotion.iter().map(|to| board.rank_of(to).abs_diff(board.rank_of(square))).min()
    };
    let nearest = Side::BOTH.map(|side| {
        let men = roots.iter().flat_map(|root| root.men()).filter(|(man, _)| man.side == side);
        men.filter_map(|(man, square)| n_ranks(man, square)).min()
    });
    let [white, black] = nearest.map(|n_ranks| n_ranks.unwrap_or(usize::MAX));
    match white.cmp(&black) {
        Ordering::Less => Some(Side::White),
        Ordering::Equal => None,
        Ordering::Greater => Some(Side::Black),
    }
}

/// How late a run comes: by what it takes, but one with a second promoted man of a side, or with few
/// captured pawns, only where it is much cheaper than the others. What one queen does not decide, two
/// seldom do, and few captures decide only what is blocked. Pawns that stand have to make it cheaper, too.
/// The side with the `nearer` pawn is promoted first, so new men of the other one come later.
pub(super) fn cost(limit: &Limit, bound: Bound, n_values: u64, nearer: Option<Side>) -> u64 {
    let has_two = limit.each.iter().chain([&limit.in_all]).flatten().any(|&n| n >= 2);
    let own = bound.winner_outside().map(|winner| !winner);
    let promotes = |side: Side| limit.each[side.index()].or(limit.in_all).is_some_and(|n| n > 0);
    let is_farther = own.is_some_and(|own| nearer == Some(!own) && promotes(own));
    let factors = [
        if has_two { SECOND_MAN } else { 1 },
        if limit.captured.is_some() { CAPTURES } else { 1 },
        limit.own_pawns_stand.map_or(1, |n_plies| STANDING[usize::from(n_plies).min(1)]),
        if is_farther { FARTHER } else { 1 },
    ];
    factors.into_iter().fold(n_values, u64::saturating_mul)
}

/// So much cheaper a run with a second promoted man of a side has to be.
const SECOND_MAN: u64 = 8;

/// So much cheaper a run has to be in which few pawns may be captured.
const CAPTURES: u64 = 4;

/// So much cheaper a run has to be in which own pawns stand, at once and after the first move: who wins is
/// often known without it.
const STANDING: [u64; 2] = [2, 3];

/// So much cheaper a run for a bound of the side has to be whose pawns are farther from their promotion.
const FARTHER: u64 = 4;
