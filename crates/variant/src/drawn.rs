//! Materials whose every position is a draw by the rules alone, so that no table is needed.

use crate::{Man, Material, Side, Stalemate, Variant};
use geometry::Step;
use piece::{Manner, Ray};
use std::collections::BTreeSet;

impl Variant {
    /// Whether the rules alone prove every legal position of a material drawn.
    ///
    /// Two bare royal men, stalemate a draw, and captures by leaps that lead back as well: then each attacks the other
    /// or neither does. Who is to move and attacked could capture first, so the other's last move was illegal: nobody
    /// is ever mated.
    #[must_use]
    pub fn is_always_drawn(&self, material: &Material) -> bool {
        let is_bare = material.n_men() == 2 && material.men().all(|man| self.is_royal(man));
        let has_both = Side::BOTH.into_iter().all(|side| material.side(side).len() == 1);
        is_bare && has_both && self.rules.stalemate == Stalemate::Draw && self.royals_attack_mutually()
    }

    fn royals_attack_mutually(&self) -> bool {
        let attacks = |side| {
            let movement = self.movement(Man { side, piece: self.royal() });
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
