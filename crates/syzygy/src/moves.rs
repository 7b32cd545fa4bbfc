//! Moves, by the rules of each game that files are about.

use crate::Family;
use crate::board::Board;
use crate::chess::{BLACK, Chessman, KING, PAWN, attacks, is_black, kind, reach, step};

/// What a reader has to know of a move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Step {
    /// Somebody is captured.
    pub(crate) is_capture: bool,
    /// The captured man is a pawn that stands elsewhere than on the target square.
    pub(crate) is_en_passant: bool,
    /// A pawn moves.
    pub(crate) is_pawn: bool,
}

impl Step {
    /// Whether it sets the clock of the fifty-move rule to zero.
    pub(crate) fn is_zeroing(self) -> bool {
        self.is_capture || self.is_pawn
    }
}

impl Board {
    /// The position after a man's move, if that is legal.
    fn after(&self, place: usize, to: u8, becomes: Chessman, victim: Option<usize>) -> Option<Board> {
        let mut next = *self;
        next.men[place] = (becomes, to);
        match victim {
            Some(victim) if self.family == Family::Atomic => next.explode(place, victim, to),
            Some(victim) => {
                next.n_men -= 1;
                next.men[victim] = next.men[next.n_men];
            }
            None => {}
        }
        next.is_black_to_move = !self.is_black_to_move;
        next.passed = None;
        next.is_legal().then_some(next)
    }

    /// Takes away who captures, who is captured, and who stands beside the square of the capture but pawns.
    fn explode(&mut self, place: usize, victim: usize, to: u8) {
        let mut n_left = 0;
        for own in 0..self.n_men {
            let (man, square) = self.men[own];
            let is_near = kind(man) != PAWN && reach(KING, to) >> square & 1 != 0;
            if own != place && own != victim && !is_near {
                self.men[n_left] = (man, square);
                n_left += 1;
            }
        }
        self.n_men = n_left;
    }

    /// Calls `visit` with each legal move and what it leads to until it answers false.
    pub(crate) fn for_each_move(&self, mut visit: impl FnMut(Step, &Board) -> bool) {
        let mut has_captured = false;
        let goes_on = self.captures(&mut |step, next| {
            has_captured = true;
            visit(step, next)
        });
        if goes_on && !(has_captured && self.family.must_capture()) {
            let _ = self.quiet_moves(&mut visit);
        }
    }

    /// Whether there is a legal capture.
    pub(crate) fn has_capture(&self) -> bool {
        !self.captures(&mut |_, _| false)
    }

    /// The legal captures, those en passant too; whether to go on.
    pub(crate) fn captures(&self, visit: &mut impl FnMut(Step, &Board) -> bool) -> bool {
        let occupied = self.occupied();
        for (place, &(man, from)) in self.own_men() {
            let is_pawn = kind(man) == PAWN;
            let step = Step { is_capture: true, is_en_passant: false, is_pawn };
            for (victim, &(other, to)) in self.men().iter().enumerate() {
                let is_royal = kind(other) == KING && self.family.has_royal_kings();
                if is_black(other) != is_black(man)
                    && !is_royal
                    && attacks(man, from, to, occupied)
                    && !self.arrive(place, to, Some(victim), step, visit)
                {
                    return false;
                }
            }
            let Some(to) = self.passed.filter(|&to| is_pawn && attacks(man, from, to, 0)) else { continue };
            let pawn = if is_black(man) { (PAWN, to + 8) } else { (PAWN | BLACK, to.wrapping_sub(8)) };
            if let Some(victim) = self.men().iter().position(|&other| other == pawn)
                && !self.arrive(place, to, Some(victim), Step { is_en_passant: true, ..step }, visit)
            {
                return false;
            }
        }
        true
    }

    /// The moves without captures that leave the king safe, those of pawns last; whether to go on.
    fn quiet_moves(&self, visit: &mut impl FnMut(Step, &Board) -> bool) -> bool {
        self.piece_moves(visit) && self.pawn_moves(visit)
    }

    /// The same of all men but pawns.
    pub(crate) fn piece_moves(&self, visit: &mut impl FnMut(Step, &Board) -> bool) -> bool {
        let occupied = self.occupied();
        let step = Step { is_capture: false, is_en_passant: false, is_pawn: false };
        for (place, &(man, from)) in self.own_men() {
            if kind(man) == PAWN {
                continue;
            }
            let mut targets = reach(man, from) & !occupied;
            while targets != 0 {
                let to = targets.trailing_zeros() as u8;
                targets &= targets - 1;
                if attacks(man, from, to, occupied) && !self.arrive(place, to, None, step, visit) {
                    return false;
                }
            }
        }
        true
    }

    /// The same of pawns.
    pub(crate) fn pawn_moves(&self, visit: &mut impl FnMut(Step, &Board) -> bool) -> bool {
        let occupied = self.occupied();
        let is_free = |square: &usize| occupied >> *square & 1 == 0;
        let step_of_pawn = Step { is_capture: false, is_en_passant: false, is_pawn: true };
        for (place, &(man, from)) in self.own_men() {
            if kind(man) != PAWN {
                continue;
            }
            let (forward, home) = if is_black(man) { (-1, 6) } else { (1, 1) };
            let Some(to) = step(from.into(), 0, forward).filter(is_free) else { continue };
            if !self.arrive(place, to as u8, None, step_of_pawn, visit) {
                return false;
            }
            let far = step(to, 0, forward).filter(|_| from >> 3 == home).filter(is_free);
            if let Some(far) = far
                && let Some(next) = self.after(place, far as u8, man, None)
                && !visit(step_of_pawn, &Board { passed: Some(to as u8), ..next })
            {
                return false;
            }
        }
        true
    }

    /// A man's arrival on a square, as every man that he may become; whether to go on.
    fn arrive(
        &self,
        place: usize,
        to: u8,
        victim: Option<usize>,
        step: Step,
        visit: &mut impl FnMut(Step, &Board) -> bool,
    ) -> bool {
        let (man, _) = self.men[place];
        if kind(man) == PAWN && matches!(to >> 3, 0 | 7) {
            let mut kinds = self.family.promotions().iter();
            return kinds.all(|kind| {
                let next = self.after(place, to, kind | man & BLACK, victim);
                next.is_none_or(|next| visit(step, &next))
            });
        }
        self.after(place, to, man, victim).is_none_or(|next| visit(step, &next))
    }
}
