//! A position as a reader of Syzygy files looks at it: who has captures, and what they lead to.
//!
//! Files leave to their readers whatever a capture decides, so a reader has to know the moves of chess. It needs them
//! for seven men at most, one position at a time: a list of men is enough.

use super::chess::{
    BLACK, Chessman, KING, MAX_MEN, PAWN, PROMOTIONS, attacks, chessman, is_black, kind, name_of_men, step,
};
use geometry::Square;
use std::collections::BTreeMap;
use variant::{Man, Side, Variant};

/// A chess position of at most seven men, without rights to castle.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Board {
    men: [(Chessman, u8); MAX_MEN],
    n_men: usize,
    is_black_to_move: bool,
    /// The square that a double step has just passed over.
    passed: Option<u8>,
}

/// What a reader has to know of a move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Step {
    /// Somebody is captured.
    pub(super) is_capture: bool,
    /// The captured man is a pawn that stands elsewhere than on the target square.
    pub(super) is_en_passant: bool,
    /// A pawn moves.
    pub(super) is_pawn: bool,
}

impl Step {
    /// Whether it sets the clock of the fifty-move rule to zero.
    pub(super) fn is_zeroing(self) -> bool {
        self.is_capture || self.is_pawn
    }
}

impl Board {
    /// The position of these men, who must be those of a variant with the rules of chess; none if they are not two kings
    /// and up to five others, two stand on one square, or a pawn stands on a last rank. `passed` is the square that a
    /// double step has just passed over.
    #[must_use]
    pub fn new(
        variant: &Variant,
        men: impl IntoIterator<Item = (Man, Square)>,
        stm: Side,
        passed: Option<Square>,
    ) -> Option<Self> {
        let mut board = Board {
            men: [(0, 0); MAX_MEN],
            n_men: 0,
            is_black_to_move: stm == Side::Black,
            passed: passed.map(|square| square.index() as u8),
        };
        let mut occupied = 0u64;
        for (man, square) in men {
            let man = chessman(variant, man)?;
            let square = u8::try_from(square.index()).ok().filter(|&square| square < 64)?;
            let is_misplaced = kind(man) == PAWN && !(8..56).contains(&square);
            if board.n_men == MAX_MEN || is_misplaced || occupied >> square & 1 != 0 {
                return None;
            }
            occupied |= 1 << square;
            board.men[board.n_men] = (man, square);
            board.n_men += 1;
        }
        let n_kings = |king: Chessman| board.men().iter().filter(|(man, _)| *man == king).count();
        (n_kings(KING) == 1 && n_kings(KING | BLACK) == 1).then_some(board)
    }

    /// The men and their squares.
    pub(super) fn men(&self) -> &[(Chessman, u8)] {
        &self.men[..self.n_men]
    }

    pub(super) fn is_black_to_move(&self) -> bool {
        self.is_black_to_move
    }

    /// The square that a double step has just passed over.
    pub(super) fn passed(&self) -> Option<u8> {
        self.passed
    }

    /// The same position without the right to capture en passant.
    pub(super) fn without_en_passant(&self) -> Self {
        Board { passed: None, ..*self }
    }

    /// The name of the file for these men, and whether it has the colours exchanged.
    pub(super) fn name(&self) -> (String, bool) {
        name_of_men(self.men().iter().map(|&(man, _)| man))
    }

    /// A number for which men there are.
    pub(super) fn key(&self) -> u64 {
        // How many there are of each man, four bits each.
        self.men().iter().fold(0, |key, &(man, _)| key + (1 << (4 * u64::from(man))))
    }

    /// The squares on which men stand.
    pub(super) fn occupied(&self) -> u64 {
        self.men().iter().fold(0, |set, &(_, square)| set | 1 << square)
    }

    /// Whether the king of a side is attacked.
    fn is_attacked(&self, black: bool) -> bool {
        let king = if black { KING | BLACK } else { KING };
        let Some(&(_, square)) = self.men().iter().find(|(man, _)| *man == king) else { return true };
        let occupied = self.occupied();
        let foes = self.men().iter().filter(|(man, _)| is_black(*man) != black);
        foes.into_iter().any(|&(man, from)| attacks(man, from, square, occupied))
    }

    /// Whether the side not to move could lose its king.
    #[must_use]
    pub fn is_legal(&self) -> bool {
        !self.is_attacked(!self.is_black_to_move)
    }

    /// Whether the side to move is mated.
    pub(super) fn is_mate(&self) -> bool {
        let mut has_move = false;
        self.for_each_move(|_, _| {
            has_move = true;
            false
        });
        !has_move && self.is_attacked(self.is_black_to_move)
    }

    /// The position after a man's move, if that is legal.
    fn after(&self, place: usize, to: u8, becomes: Chessman, victim: Option<usize>) -> Option<Board> {
        let mut next = *self;
        next.men[place] = (becomes, to);
        if let Some(victim) = victim {
            next.n_men -= 1;
            next.men[victim] = next.men[next.n_men];
        }
        next.is_black_to_move = !self.is_black_to_move;
        next.passed = None;
        next.is_legal().then_some(next)
    }

    /// Calls `visit` with each legal move and what it leads to until it answers false.
    pub(super) fn for_each_move(&self, mut visit: impl FnMut(Step, &Board) -> bool) {
        let _ = self.captures(&mut visit) && self.quiet_moves(&mut visit);
    }

    /// The legal captures, those en passant too; whether to go on.
    pub(super) fn captures(&self, visit: &mut impl FnMut(Step, &Board) -> bool) -> bool {
        let occupied = self.occupied();
        for (place, &(man, from)) in self.own_men() {
            let is_pawn = kind(man) == PAWN;
            let step = Step { is_capture: true, is_en_passant: false, is_pawn };
            for (victim, &(other, to)) in self.men().iter().enumerate() {
                let may = is_black(other) != is_black(man) && kind(other) != KING;
                if may
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

    /// The legal moves without captures; whether to go on.
    fn quiet_moves(&self, visit: &mut impl FnMut(Step, &Board) -> bool) -> bool {
        let occupied = self.occupied();
        let step = Step { is_capture: false, is_en_passant: false, is_pawn: false };
        for (place, &(man, from)) in self.own_men() {
            if kind(man) == PAWN {
                continue;
            }
            let mut targets = super::chess::reach(man, from) & !occupied;
            while targets != 0 {
                let to = targets.trailing_zeros() as u8;
                targets &= targets - 1;
                if attacks(man, from, to, occupied) && !self.arrive(place, to, None, step, visit) {
                    return false;
                }
            }
        }
        self.pawn_moves(visit)
    }

    /// The legal moves of pawns without captures; whether to go on.
    pub(super) fn pawn_moves(&self, visit: &mut impl FnMut(Step, &Board) -> bool) -> bool {
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
            let mut kinds = PROMOTIONS.iter();
            return kinds.all(|kind| {
                let next = self.after(place, to, kind | man & BLACK, victim);
                next.is_none_or(|next| visit(step, &next))
            });
        }
        self.after(place, to, man, victim).is_none_or(|next| visit(step, &next))
    }

    fn own_men(&self) -> impl Iterator<Item = (usize, &(Chessman, u8))> {
        self.men().iter().enumerate().filter(|(_, (man, _))| is_black(*man) == self.is_black_to_move)
    }
}

/// Which material each number of [`Board::key`] stands for: what is found out once of a choice of men.
pub(super) type ByMen<T> = BTreeMap<u64, T>;
