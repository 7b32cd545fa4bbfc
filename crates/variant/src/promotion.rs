//! Finds the squares where a pawn can be promoted, by a quiet move or by a capture.

use crate::{Man, Variant};
use geometry::{Square, SquareSet};

impl Variant {
    /// The squares on which a step of this pawn can promote it: a quiet one, or the capture of such a man, en
    /// passant too.
    ///
    /// Only the board is looked at, not who stands on it; empty for men that are no pawns.
    #[must_use]
    pub fn promotion_squares(&self, pawn: Man, victim: Option<Man>) -> SquareSet {
        let Some(rules) = self.pawn_rules(pawn) else { return SquareSet::EMPTY };
        let targets = match victim {
            None => rules.promotion,
            // Where the pawn is promoted many a man cannot stand: a pawn of the other side, for one.
            Some(victim) => {
                rules.promotion.intersection(self.zone(victim).union(self.squares_passed_over(victim)))
            }
        };
        let movement = self.movement(pawn);
        let rays =
            movement.rays().iter().filter(|ray| if victim.is_some() { ray.capture } else { ray.quiet });
        rays.flat_map(|ray| rules.zone.iter().filter_map(|from| self.board.offset(from, ray.step)))
            .filter(|&to| targets.contains(to))
            .collect()
    }

    /// The squares on which a man can be captured en passant: those that its double steps pass over.
    pub(crate) fn squares_passed_over(&self, man: Man) -> SquareSet {
        self.double_steps(man).into_iter().map(|(over, _)| over).collect()
    }

    /// The double steps after which a man can be captured en passant: each with the square that it passes
    /// over and the one where it ends.
    pub(crate) fn double_steps(&self, man: Man) -> Vec<(Square, Square)> {
        let Some(rules) = self.pawn_rules(man).filter(|rules| rules.en_passant) else { return Vec::new() };
        let board = &self.board;
        let movement = self.movement(man);
        let quiet = movement.rays().iter().filter(|ray| ray.quiet);
        let twice = |from, step| {
            let over = board.offset(from, step)?;
            Some((over, board.offset(over, step)?))
        };
        quiet.flat_map(|ray| rules.double_step_from.iter().filter_map(|from| twice(from, ray.step))).collect()
    }
}
