//! Lists every way in which a move can change which men there are.

use crate::{Change, Reason};
use variant::{Blast, Man, Variant};

/// One way for a move to leave a table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Exit {
    /// The kind of move.
    pub reason: Reason,
    /// What becomes of the men.
    pub change: Change,
}

/// Every exit from a table with these men, in a fixed order. Several exits can have the same change, and like
/// men have like exits.
///
/// Invariant: a royal man never leaves the board, because that ends the game.
#[must_use]
pub fn exits(variant: &Variant, men: &[Man]) -> Vec<Exit> {
    match &variant.rules.blast {
        None => {
            let mut exits: Vec<Exit> = capturable(variant, men).map(|victim| capture(men, victim)).collect();
            exits.extend(promotions(variant, men, true));
            exits
        }
        Some(blast) => {
            // A pawn that captures explodes instead of being promoted.
            let mut exits = promotions(variant, men, false);
            exits.extend(explosions(variant, men, blast));
            exits
        }
    }
}

/// The places of the men that can be captured without ending the game.
fn capturable(variant: &Variant, men: &[Man]) -> impl Iterator<Item = usize> {
    (0..men.len()).filter(|&place| !variant.is_royal(men[place]))
}

fn capture(men: &[Man], victim: usize) -> Exit {
    Exit { reason: Reason::Capture { victim: men[victim] }, change: Change::new(Some(victim), None) }
}

/// Every promotion, by a quiet move and, where pawns capture so, by a capture.
fn promotions(variant: &Variant, men: &[Man], with_captures: bool) -> Vec<Exit> {
    let mut exits = Vec::new();
    for (place, &pawn) in men.iter().enumerate() {
        let Some(rules) = variant.pawn_rules(pawn) else { continue };
        let victims =
            capturable(variant, men).filter(|&victim| with_captures && men[victim].side != pawn.side);
        for captured in std::iter::once(None).chain(victims.map(Some)) {
            let victim = captured.map(|victim| men[victim]);
            if variant.promotion_squares(pawn, victim).is_empty() {
                continue;
            }
            for &to in &rules.promotes_to {
                let reason = match victim {
                    None => Reason::Promotion { pawn, to },
                    Some(victim) => Reason::CapturePromotion { pawn, victim, to },
                };
                exits.push(Exit { reason, change: Change::new(captured, Some((place, to))) });
            }
        }
    }
    exits
}

/// Every capture that takes away the captor, the captured man, and any choice of the others that an explosion
/// beside them takes, wherever they stand.
fn explosions(variant: &Variant, men: &[Man], blast: &Blast) -> Vec<Exit> {
    let stays = |man: Man| variant.is_royal(man) || variant.is_pawn(man) || blast.immune.contains(&man.piece);
    let may_go: u16 = (0..men.len()).filter(|&place| !stays(men[place])).map(|place| 1 << place).sum();
    let mut exits = Vec::new();
    for captor in capturable(variant, men) {
        for victim in capturable(variant, men).filter(|&victim| men[victim].side != men[captor].side) {
            let reason = Reason::Explosion { captor: men[captor], victim: men[victim] };
            let two = 1 << captor | 1 << victim;
            let choices = (0..1u16 << men.len()).filter(|choice| choice & !(may_go & !two) == 0);
            exits.extend(
                choices.map(|others| Exit { reason, change: Change { gone: two | others, promoted: None } }),
            );
        }
    }
    exits
}
