//! Looks ahead behind promotions to men that are given away, a word of placements at a time.
//!
//! What `placement` finds of one placement is found of all squares of the lane man at once: where the
//! promotion is illegal, and where the new man can be captured and what that is worth.

use super::pawn_move::PawnMove;
use super::view_reader::{after, without};
use crate::ground::{Ground, Sheet, WordSquares, word_attacked};
use crate::motion::Attack;
use crate::word::SolverWord;
use geometry::Square;
use index::MAX_PLACED;
use table::{MoveKind, Scale, Value, View, value_after, worth};

/// A promotion to men that are given away, in the placements of a sheet where it is possible. The lane man is
/// not its victim.
pub(crate) struct GivenMove<'v, W> {
    pawn_move: &'v PawnMove<'v, W>,
    /// The squares of the sheet's men once the pawn has moved.
    moved: [Square; MAX_PLACED],
    /// What the other side, to move, is given.
    given: Value,
    /// The positions in which the new man has been captured; none if that need not be looked at.
    captured: Option<&'v View<'v>>,
    /// The royal man of the side that promotes, and the men of the other side.
    royal: Option<usize>,
    others: Vec<usize>,
}

impl<'v, W: SolverWord> GivenMove<'v, W> {
    /// The promotion; `captured` are the positions without the pawn.
    pub(super) fn new(
        ground: &Ground<'_, W>,
        pawn_move: &'v PawnMove<'v, W>,
        moved: [Square; MAX_PLACED],
        given: Value,
        captured: Option<&'v View<'v>>,
    ) -> Self {
        let men = &ground.motion.men;
        let side = men[pawn_move.pawn].man.side;
        let is_other = |&man: &usize| men[man].man.side != side && Some(man) != pawn_move.victim;
        let royal = (0..men.len()).find(|&man| men[man].royal && men[man].man.side == side);
        let others = (0..men.len()).filter(is_other).collect();
        // A move back inside is looked for where it can help the side to move.
        let helps = pawn_move.victim.is_none() && matches!(given, Value::Loss(_));
        GivenMove { pawn_move, moved, given, captured: captured.filter(|_| helps), royal, others }
    }

    /// Makes the move where it is better than the best so far, in the word of the row man's square.
    pub(super) fn join(
        &self,
        ground: &Ground<'_, W>,
        sheet: &Sheet<W>,
        row_square: Square,
        best: &mut W::Worths,
        scale: &Scale,
    ) {
        let &PawnMove { target, victim, free, kind, .. } = self.pawn_move;
        let (mut squares, mut before) = (self.moved, sheet.taken);
        if let Some(man) = sheet.row_man {
            squares[man] = row_square;
            before |= W::bit(row_square.index());
        }
        let lanes = match victim {
            Some(victim) if squares[victim] != target => return,
            Some(_) => ground.lane_mask & !before,
            None if free & before != W::ZERO => return,
            None => ground.lane_mask & !(before | free),
        };
        let is_known = |man: &usize| Some(*man) != ground.lane() && Some(*man) != victim;
        let holes = W::from_bits(ground.layout.board().holes().bits());
        let known = (0..ground.motion.men.len()).filter(is_known);
        let taken = known.fold(holes, |taken, man| taken | W::bit(squares[man].index()));
        let word = WordSquares { squares, taken, shared: false };
        let illegal = self.royal.map_or(W::ZERO, |royal| word_attacked(ground, royal, &self.others, &word));
        let legal = lanes & !illegal;
        if legal == W::ZERO {
            return;
        }
        let mut worths = W::NO_MOVES;
        legal.bits().for_each(|at| worths.as_mut()[at] = worth(self.given));
        if let Some(view) = self.captured {
            for &captor in self.others.iter().filter(|&&captor| !ground.motion.men[captor].pawn) {
                self.capture(ground, view, (captor, &word), legal, &mut worths, scale);
            }
        }
        scale.count_worths(kind, worths.as_mut());
        let joined = best.as_mut().iter_mut().zip(worths.as_ref());
        joined.for_each(|(best, &worth)| *best = (*best).max(worth));
    }

    /// Makes the promotion worth no more than a capture of the new man leaves of it.
    fn capture(
        &self,
        ground: &Ground<'_, W>,
        view: &View<'_>,
        (captor, word): (usize, &WordSquares<W>),
        legal: W,
        worths: &mut W::Worths,
        scale: &Scale,
    ) {
        let &PawnMove { pawn, target, .. } = self.pawn_move;
        let (men, lane) = (&ground.motion.men, ground.lane());
        let attacks = men[captor].attacks_on[target.index()].iter();
        let reaches = if lane == Some(captor) {
            let open = attacks.filter(|attack: &&Attack<W>| attack.between.allows(word.taken));
            open.fold(W::ZERO, |bits, attack| bits | W::bit(attack.square.into()))
        } else {
            let from = word.squares[captor].index();
            let from_there = attacks.filter(|attack| usize::from(attack.square) == from);
            from_there.fold(W::ZERO, |bits, attack| bits | attack.between.mask(word.taken))
        };
        let reaches = reaches & legal;
        let Some(lane) = lane.filter(|_| reaches != W::ZERO) else { return };
        let mut squares = word.squares;
        squares[captor] = target;
        // With the captor on the lane, all his squares lead to one: the row of the pawn's has its value.
        let varying = if captor == lane { None } else { Some(lane) };
        let side = men[pawn].man.side;
        let mut behind = W::NO_MOVES;
        match varying {
            Some(lane) => {
                let rows = after(view, side, &squares, men.len(), Some(pawn), None, lane);
                W::worths(&rows, Square::from_index(0), &mut behind);
            }
            None => {
                let (left, n) = without(&squares, men.len(), Some(pawn));
                let value = worth(view.value(side, &left[..n]));
                reaches.bits().for_each(|at| behind.as_mut()[at] = value);
            }
        }
        scale.count_worths(MoveKind::Conversion, behind.as_mut());
        for at in reaches.bits() {
            // What the captor gets is the value of the position that the promotion leads to.
            if let Some(own) = value_after(behind.as_ref()[at]).before_move() {
                let slot = &mut worths.as_mut()[at];
                *slot = (*slot).min(worth(own));
            }
        }
    }
}
