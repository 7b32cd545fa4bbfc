//! Where the moves of a material lead: captures, promotions, and both at once.

use variant::{Man, Material, PieceId, Variant};

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
        }
    }

    /// What the men become by a move of this kind, with the colours as they are.
    pub(crate) fn lead(&self, material: &Material) -> Material {
        let (gone, come): (&[Man], Option<Man>) = match self {
            Reason::Capture { victim } => (&[*victim], None),
            Reason::Promotion { pawn, to } => (&[*pawn], Some(Man { piece: *to, ..*pawn })),
            Reason::CapturePromotion { pawn, victim, to } => {
                (&[*pawn, *victim], Some(Man { piece: *to, ..*pawn }))
            }
        };
        let mut men: Vec<Man> = material.men().collect();
        for man in gone {
            let place = men.iter().position(|m| m == man).expect("the man is there");
            men.remove(place);
        }
        men.extend(come);
        Material::from_men(men)
    }
}

/// Every way in which a move changes the material, and the canonical material that it leads to; like men once.
pub(crate) fn links(variant: &Variant, material: &Material) -> Vec<(Reason, Material)> {
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
    reasons.into_iter().map(|reason| (reason, reason.lead(material).canonical())).collect()
}
