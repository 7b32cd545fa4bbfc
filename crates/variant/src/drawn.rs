//! Materials whose every position is a draw by the rules alone, so that no table is needed.

use crate::{Man, Material, Side, Variant};
use geometry::Step;
use piece::{Manner, Ray};
use std::collections::BTreeSet;

impl Variant {
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
            let leads_back = |ray: &Ray| ray.manner == Manner::Plain || self.board.holes().is_empty();
            let step = |ray: &Ray| (ray.limit == 1 && leads_back(ray)).then_some(ray.step);
            captures.map(step).collect::<Option<BTreeSet<Step>>>()
        };
        let [white, black] = Side::BOTH.map(attacks);
        let reversed = white.map(|steps| steps.into_iter().map(Step::reversed).collect::<BTreeSet<Step>>());
        reversed.is_some() && reversed == black
    }
}
