//! Lists the other materials that one move can lead to: the judge's own list, apart from that of plans and
//! solvers.

use std::collections::BTreeSet;
use variant::{Man, Material, Variant};

/// The materials that a capture, a promotion, both at once or an explosion leaves, in the same colours.
/// Materials of which the men alone decide are left out, because they have no tables.
#[must_use]
pub fn exits(variant: &Variant, material: &Material) -> BTreeSet<Material> {
    let men: Vec<Man> = material.men().collect();
    let mut found = promotions(variant, &men, None);
    if variant.rules.blast.is_some() {
        found.extend(explosions(variant, &men));
    } else {
        // A royal man is never captured.
        for victim in (0..men.len()).filter(|&victim| !variant.is_royal(men[victim])) {
            found.insert(Material::from_men(without(&men, &[victim])));
            found.extend(promotions(variant, &men, Some(victim)));
        }
    }
    found.retain(|exit| !variant.is_over(exit));
    found
}

/// What promotions leave, with the capture of one man or without one.
fn promotions(variant: &Variant, men: &[Man], victim: Option<usize>) -> BTreeSet<Material> {
    let mut found = BTreeSet::new();
    for (i, &pawn) in men.iter().enumerate().filter(|&(i, _)| Some(i) != victim) {
        let Some(rules) = variant.pawn_rules(pawn) else { continue };
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
    let is_immune = |man: &Man| {
        let blast = variant.rules.blast.as_ref();
        variant.is_pawn(*man) || blast.is_some_and(|blast| blast.immune.contains(&man.piece))
    };
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
