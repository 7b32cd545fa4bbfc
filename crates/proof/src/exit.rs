//! Which other materials one move can lead to.

use std::collections::BTreeSet;
use variant::{Man, Material, Variant};

/// The materials that a capture, a promotion or both at once leave, in the same colours.
pub(crate) fn exits(variant: &Variant, material: &Material) -> BTreeSet<Material> {
    let men: Vec<Man> = material.men().collect();
    let mut found = BTreeSet::new();
    for victim in std::iter::once(None).chain((0..men.len()).map(Some)) {
        if victim.is_some_and(|v| variant.is_royal(men[v])) {
            continue;
        }
        let left = |i: usize| Some(i) != victim;
        let rest = |promoted: Option<(usize, Man)>| {
            let now = |i: usize| promoted.filter(|&(p, _)| p == i).map_or(men[i], |(_, man)| man);
            Material::from_men((0..men.len()).filter(|&i| left(i)).map(now))
        };
        if victim.is_some() {
            found.insert(rest(None));
        }
        for (i, &pawn) in men.iter().enumerate().filter(|&(i, _)| left(i)) {
            // A pawn captures men of the other side only.
            if victim.is_some_and(|v| men[v].side == pawn.side) {
                continue;
            }
            let Some(rules) = variant.pawn_rules(pawn) else { continue };
            // A man that cannot stand on a promotion square is not captured there.
            if victim.is_some_and(|v| variant.zone(men[v]).intersection(rules.promotion).is_empty()) {
                continue;
            }
            for piece in rules.promotes_to {
                found.insert(rest(Some((i, Man { piece, ..pawn }))));
            }
        }
    }
    found
}
