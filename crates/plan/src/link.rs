//! Where the moves of a material lead: captures, promotions, and both at once.

use std::collections::BTreeSet;
use variant::{Blast, Man, Material, PieceId, Variant};

/// Why one table needs another.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Reason {
    /// A man is captured.
    Capture {
        /// The man that goes.
        victim: Man,
    },
    /// A pawn is promoted.
    Promotion {
        /// The pawn.
        pawn: Man,
        /// What it becomes.
        to: PieceId,
    },
    /// A pawn captures on a promotion square.
    CapturePromotion {
        /// The pawn.
        pawn: Man,
        /// The man that goes.
        victim: Man,
        /// What the pawn becomes.
        to: PieceId,
    },
    /// A capture takes the captor away too, and maybe men around.
    Explosion {
        /// The man that captures.
        captor: Man,
        /// The man that is captured.
        victim: Man,
    },
}

impl Reason {
    /// The reason in short, with the letters of FEN: `xr`, `P=Q`, `Pxr=Q`.
    #[must_use]
    pub fn text(&self, variant: &Variant) -> String {
        let man = |man: Man| variant.fen_letter(man);
        let becomes = |pawn: Man, piece: PieceId| man(Man { piece, ..pawn });
        match *self {
            Reason::Capture { victim } => format!("x{}", man(victim)),
            Reason::Promotion { pawn, to } => format!("{}={}", man(pawn), becomes(pawn, to)),
            Reason::CapturePromotion { pawn, victim, to } => {
                format!("{}x{}={}", man(pawn), man(victim), becomes(pawn, to))
            }
            Reason::Explosion { captor, victim } => format!("{}x{}", man(captor), man(victim)),
        }
    }

    /// What the men become by a move of this kind, with the colours as they are; of an explosion if nobody
    /// stands near.
    pub(crate) fn lead(&self, material: &Material) -> Material {
        let (gone, come): (&[Man], Option<Man>) = match self {
            Reason::Capture { victim } => (&[*victim], None),
            Reason::Promotion { pawn, to } => (&[*pawn], Some(Man { piece: *to, ..*pawn })),
            Reason::CapturePromotion { pawn, victim, to } => {
                (&[*pawn, *victim], Some(Man { piece: *to, ..*pawn }))
            }
            Reason::Explosion { captor, victim } => (&[*captor, *victim], None),
        };
        Material::from_men(without(material, gone).into_iter().chain(come))
    }
}

/// The men that are left without these.
fn without(material: &Material, gone: &[Man]) -> Vec<Man> {
    let mut men: Vec<Man> = material.men().collect();
    for man in gone {
        let place = men.iter().position(|m| m == man).expect("the man is there");
        men.remove(place);
    }
    men
}

/// Every way in which a move changes the material, and the canonical material that it leads to; like men
/// once. What the rules say the value of without a table is left out.
pub(crate) fn links(variant: &Variant, material: &Material) -> Vec<(Reason, Material)> {
    let links = match &variant.rules.blast {
        None => plain_links(variant, material),
        Some(blast) => explosions(variant, material, blast),
    };
    let canonical = links.into_iter().map(|(reason, to)| (reason, to.canonical(variant)));
    canonical.filter(|(_, to)| variant.constant(to).is_none()).collect()
}

/// Where captures take the captor away and who stands around, but for pawns and immune men, wherever they
/// stand.
fn explosions(variant: &Variant, material: &Material, blast: &Blast) -> Vec<(Reason, Material)> {
    let mut kinds: Vec<Man> = material.men().collect();
    kinds.dedup();
    let mut links = Vec::new();
    for &pawn in kinds.iter().filter(|&&man| !variant.promotion_squares(man, None).is_empty()) {
        let Some(rules) = variant.pawn_rules(pawn) else { continue };
        for to in rules.promotes_to {
            let reason = Reason::Promotion { pawn, to };
            links.push((reason, reason.lead(material)));
        }
    }
    for &captor in kinds.iter().filter(|man| !variant.is_royal(**man)) {
        for &victim in kinds.iter().filter(|man| man.side != captor.side && !variant.is_royal(**man)) {
            let mut leads = BTreeSet::from([without(material, &[captor, victim])]);
            let stays = |man: &Man| variant.is_pawn(*man) || blast.immune.contains(&man.piece);
            // A royal man that is blown up ends the game: no table is behind that.
            for near in without(material, &[captor, victim]).into_iter().filter(|man| !stays(man)) {
                if !variant.is_royal(near) {
                    let less = |men: &Vec<Man>| {
                        let place = men.iter().position(|man| *man == near)?;
                        let mut men = men.clone();
                        men.remove(place);
                        Some(men)
                    };
                    leads.append(&mut leads.iter().filter_map(less).collect());
                }
            }
            let reason = Reason::Explosion { captor, victim };
            links.extend(leads.into_iter().map(|men| (reason, Material::from_men(men))));
        }
    }
    links
}

/// Where captures take the victim only.
fn plain_links(variant: &Variant, material: &Material) -> Vec<(Reason, Material)> {
    let mut men: Vec<Man> = material.men().collect();
    men.dedup();
    let victims: Vec<Man> = men.iter().copied().filter(|&m| !variant.is_royal(m)).collect();
    let mut reasons: Vec<Reason> = victims.iter().map(|&victim| Reason::Capture { victim }).collect();
    for &pawn in &men {
        let Some(rules) = variant.pawn_rules(pawn) else { continue };
        if !variant.promotion_squares(pawn, None).is_empty() {
            reasons.extend(rules.promotes_to.iter().map(|&to| Reason::Promotion { pawn, to }));
        }
        for &victim in victims.iter().filter(|v| v.side != pawn.side) {
            if !variant.promotion_squares(pawn, Some(victim)).is_empty() {
                let both = |&to: &PieceId| Reason::CapturePromotion { pawn, victim, to };
                reasons.extend(rules.promotes_to.iter().map(both));
            }
        }
    }
    reasons.into_iter().map(|reason| (reason, reason.lead(material))).collect()
}
