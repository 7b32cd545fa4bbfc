//! Derives the value of a position from the values that its moves lead to, straight from the definition, and
//! lists the other materials that one move can lead to.
//!
//! That list is the judge's own, apart from that of plans and solvers.

use position::{Ending, Move, Position, RuleBook};
use std::collections::BTreeSet;
use table::{MoveKind, Ply, Scale, Value};
use variant::{Man, Material, Side, Variant};

/// Whether the position has a right to capture en passant and a pawn that might use it.
pub(crate) fn may_matter(book: &RuleBook, position: &Position) -> bool {
    position.en_passant().is_some()
        && position.men_of(position.stm()).any(|(man, _)| book.variant().is_pawn(man))
}

/// What kind of move this is, as far as metrics care.
pub(crate) fn kind_of(mv: &Move) -> MoveKind {
    MoveKind::new(mv.is_conversion(), mv.zeroing)
}

/// The value of a legal position as the definition has it: the best of what its moves lead to; none if the
/// value of one of them is not to be had.
pub fn derived(
    book: &RuleBook,
    scale: &Scale,
    position: &Position,
    mut value: impl FnMut(&Position) -> Option<Value>,
) -> Option<Value> {
    if scale.clock_plies().is_some_and(|plies| position.halfmove_clock() >= plies.into()) {
        // Only a loss without a move goes before the rule: who has won without one would have to claim it.
        let lost = position.ending(book).map(|ending| value_of(book, ending, position.stm()));
        return Some(lost.filter(|value| !matches!(value, Value::Win(_))).unwrap_or(Value::Draw));
    }
    let mut best: Option<Value> = None;
    let mut is_known = true;
    position.for_each_successor(book, |mv, next| {
        match value(next).and_then(|after| after.before_move_of(kind_of(&mv), scale)) {
            Some(own) => best = better(scale, best, own),
            None => is_known = false,
        }
    });
    is_known.then(|| best.unwrap_or_else(|| without_a_move(book, position)))
}

/// The one that the mover prefers.
fn better(scale: &Scale, best: Option<Value>, other: Value) -> Option<Value> {
    Some(match best {
        Some(best) if scale.preference(&best, &other).is_ge() => best,
        _ => other,
    })
}

/// The value of a position without a legal move. Who has won without one claims it, and the claim counts as a
/// ply.
///
/// # Panics
/// If there is a legal move.
pub(crate) fn without_a_move(book: &RuleBook, position: &Position) -> Value {
    let ending = position.ending(book);
    value_of(book, ending.expect("a position without a legal move"), position.stm())
}

/// The value of a position whose men have ended the game, wherever they could move; none of others.
pub(crate) fn adjudicated(book: &RuleBook, position: &Position) -> Option<Value> {
    position.adjudication(book).map(|ending| value_of(book, ending, position.stm()))
}

fn value_of(book: &RuleBook, ending: Ending, stm: Side) -> Value {
    match ending.winner {
        // Where both sides want White to win every other end is none.
        winner if book.variant().rules.helped && winner != Some(Side::White) => Value::Draw,
        None => Value::Stalemate,
        Some(winner) if winner == stm => Value::Win(Ply(1)),
        Some(_) => Value::Loss(Ply(0)),
    }
}

/// The materials that a capture, a promotion, both at once or an explosion leaves, in the same colours.
/// Materials of which the men alone decide are left out, because they have no tables.
#[must_use]
pub fn exits(variant: &Variant, material: &Material) -> BTreeSet<Material> {
    let men: Vec<Man> = material.men().collect();
    let mut found = BTreeSet::new();
    for mover in Side::BOTH {
        let mut silent = promotions(variant, &men, mover, None);
        silent.extend(captures(variant, &men, mover, |_| true));
        if variant.rules.check_counting.is_some() {
            let quiet = Some(Material::from_men(men.iter().copied()));
            let quiet = quiet.filter(|own| !variant.is_always_drawn(own));
            found.extend(silent.iter().chain(&quiet).map(|left| with_check(left, mover)));
            // A double step that gives check may be answered by a capture en passant.
            let answers = captures(variant, &men, mover, |victim| variant.is_pawn(victim));
            for answer in answers.iter().map(|left| with_check(left, !mover)) {
                found.extend([with_check(&answer, mover), answer]);
            }
        }
        found.extend(silent);
    }
    let before = material.given_checks();
    let counted = |left: Material| {
        let given = Side::BOTH.map(|side| left.given_checks()[side.index()] + before[side.index()]);
        left.with_given_checks(given)
    };
    found.into_iter().map(counted).filter(|exit| !variant.is_over(exit)).collect()
}

/// The men, this side having given one check more.
fn with_check(left: &Material, by: Side) -> Material {
    let mut given = left.given_checks();
    given[by.index()] += 1;
    left.clone().with_given_checks(given)
}

/// The men that a side's captures of such men leave.
fn captures(variant: &Variant, men: &[Man], mover: Side, may_go: impl Fn(Man) -> bool) -> BTreeSet<Material> {
    let mut found = BTreeSet::new();
    if variant.rules.blast.is_some() && variant.has_captures() {
        found.extend(explosions(variant, men));
    } else if variant.has_captures() {
        // A royal man is never captured.
        let is_royal = |&victim: &usize| variant.is_royal_among(men[victim], men.iter().copied());
        let victims = (0..men.len()).filter(|victim| men[*victim].side != mover && may_go(men[*victim]));
        for victim in victims.filter(|victim| !is_royal(victim)) {
            found.insert(Material::from_men(without(men, &[victim])));
            found.extend(promotions(variant, men, mover, Some(victim)));
        }
    }
    found
}

/// What promotions leave, with the capture of one man or without one.
fn promotions(variant: &Variant, men: &[Man], mover: Side, victim: Option<usize>) -> BTreeSet<Material> {
    let mut found = BTreeSet::new();
    for (i, &pawn) in men.iter().enumerate().filter(|&(i, _)| Some(i) != victim) {
        let Some(rules) = variant.pawn_rules(pawn).filter(|_| pawn.side == mover) else { continue };
        // A pawn captures men of the other side only, and none who cannot stand on a promotion square.
        let is_captured = |v: usize| {
            men[v].side != pawn.side && !variant.zone(men[v]).intersection(rules.promotion).is_empty()
        };
        if victim.is_some_and(|v| !is_captured(v)) {
            continue;
        }
        for piece in rules.promotes_to {
            let gone: Vec<usize> = victim.into_iter().chain([i]).collect();
            let promoted = Man { piece, ..pawn };
            found.insert(Material::from_men(without(men, &gone).into_iter().chain([promoted])));
        }
    }
    found
}

/// What captures leave where they explode: neither who captures nor who is captured, and of those whom
/// explosions take away any choice, wherever they stand.
fn explosions(variant: &Variant, men: &[Man]) -> BTreeSet<Material> {
    let blast = variant.rules.blast.as_ref();
    let is_immune = |man: &Man| blast.is_some_and(|blast| blast.immune.contains(&man.piece));
    let mut found = BTreeSet::new();
    let common: Vec<usize> = (0..men.len()).filter(|&i| !variant.is_royal(men[i])).collect();
    for &captor in &common {
        for &victim in common.iter().filter(|&&victim| men[victim].side != men[captor].side) {
            let near = |i: &usize| ![captor, victim].contains(i) && !is_immune(&men[*i]);
            let near: Vec<usize> = (0..men.len()).filter(near).collect();
            for choice in 0..1_usize << near.len() {
                let chosen = near.iter().enumerate().filter(|(bit, _)| choice >> bit & 1 == 1);
                let gone: Vec<usize> = chosen.map(|(_, &i)| i).chain([captor, victim]).collect();
                found.insert(Material::from_men(without(men, &gone)));
            }
        }
    }
    found
}

fn without(men: &[Man], gone: &[usize]) -> Vec<Man> {
    men.iter().enumerate().filter(|(i, _)| !gone.contains(i)).map(|(_, &man)| man).collect()
}
