//! Decides materials by the rules alone: the game is over with these men, or every position is a draw.

use crate::{Man, Material, PieceId, Side, Variant, Verdict};
use geometry::Step;
use piece::{Ray, RayPath};
use std::collections::BTreeSet;

impl Variant {
    /// The result for either side to move if these men alone decide the game, wherever they stand; none if
    /// the material has a table.
    ///
    /// A side that has lost its royal man by an explosion is at the end of the game; and so is one that is
    /// extinct, whoever is to move, if no royal man can be left attacked by that. Without royal men the rules
    /// have one without any man extinct.
    #[must_use]
    pub fn constant(&self, material: &Material) -> Option<[Option<Verdict>; 2]> {
        let has_royal = |side| material.side(side).iter().any(|&piece| Some(piece) == self.royal());
        if self.royal().is_some() {
            let lost = Side::BOTH.into_iter().find(|&side| !has_royal(side))?;
            return Some(Side::BOTH.map(|stm| Some(if stm == lost { Verdict::Loss } else { Verdict::Win })));
        }
        let extinct = Side::BOTH.map(|stm| self.extinct(material, stm));
        extinct.iter().all(Option::is_some).then_some(extinct)
    }

    /// The result for the side to move by the rule of extinction, wherever the men stand; none if nobody is
    /// extinct.
    #[must_use]
    pub fn extinct(&self, material: &Material, stm: Side) -> Option<Verdict> {
        let n_men = |side, kind: Option<PieceId>| {
            material.side(side).iter().filter(|&&piece| kind.is_none_or(|kind| kind == piece)).count()
        };
        self.rules.extinction.as_ref()?.verdict(n_men, stm)
    }

    /// Whether the men alone decide every position of a material, so that it has no table.
    #[must_use]
    pub fn is_over(&self, material: &Material) -> bool {
        self.constant(material).is_some()
    }

    /// Whether the rules alone prove every legal position of a material drawn.
    ///
    /// Two bare royal men, stalemate a draw, no goal on the board, and captures by leaps that lead back as
    /// well: then each attacks the other or neither does. Who is to move and attacked could capture first, so
    /// the other's last move was illegal: nobody is ever mated. Nor is anybody where captures explode, for
    /// royal men make none.
    #[must_use]
    pub fn is_always_drawn(&self, material: &Material) -> bool {
        let is_bare = material.n_men() == 2 && material.men().all(|man| self.is_royal(man));
        let has_both = Side::BOTH.into_iter().all(|side| material.side(side).len() == 1);
        let nobody_wins = self.rules.stalemate_verdict(1, 1).is_none() && self.rules.goal.is_none();
        let is_over = || Side::BOTH.into_iter().any(|stm| self.extinct(material, stm).is_some());
        let is_mutual = || self.rules.blast.is_some() || self.royals_attack_mutually();
        is_bare && has_both && nobody_wins && !is_over() && is_mutual()
    }

    fn royals_attack_mutually(&self) -> bool {
        let attacks = |side| {
            let movement = self.movement(Man { side, piece: self.royal()? });
            let captures = movement.rays().iter().filter(|ray| ray.capture);
            // A lame leap and its reverse go different ways, and a hole may stop only one of them.
            let leads_back = |ray: &Ray| ray.path == RayPath::Plain || self.board.holes().is_empty();
            let step = |ray: &Ray| (ray.limit == 1 && leads_back(ray)).then_some(ray.step);
            captures.map(step).collect::<Option<BTreeSet<Step>>>()
        };
        let [white, black] = Side::BOTH.map(attacks);
        let reversed = white.map(|steps| steps.into_iter().map(Step::reversed).collect::<BTreeSet<Step>>());
        reversed.is_some() && reversed == black
    }
}
