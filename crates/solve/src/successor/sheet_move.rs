//! Reads the values of one pawn move in the placements of a sheet where it is possible.
//!
//! Values are read a row or a column at a time. Placement by placement they are read where that does not do:
//! captures that explode, and double steps that can be answered en passant under rules by which more than the
//! best value counts. Promotions to men that are given away are looked at a word at a time.

use super::pawn_move::{PawnMove, Reply, after, replied_worths, with_replies, without};
use super::placement::PlacementReader;
use crate::ground::{Ground, Sheet, WordSquares, word_any_attacked};
use crate::motion::Attack;
use crate::word::SolverWord;
use geometry::Square;
use index::MAX_PLACED;
use table::{MoveKind, NO_MOVE, Scale, Value, ValueRows, View, value_after, worth};
use variant::Side;

/// A pawn move in the placements of a sheet: where it is possible, and how its values are read.
pub(crate) enum SheetMove<'v, W: SolverWord> {
    /// Along the lane, but on the squares of `free`; for every square of the row man but those of `free`, or
    /// for one square only.
    Rows { rows: ValueRows<'v>, kind: MoveKind, free: W, only: Option<Square>, replies: Vec<ValueRows<'v>> },
    /// For one square of the lane man, who is captured: the worth by the square of the row man.
    Column { worths: Box<W::Worths>, target: Square },
    /// To men that are given away.
    Given(GivenMove<'v, W>),
    /// Placement by placement.
    Each { pawn_move: &'v PawnMove<'v, W>, moved: [Square; MAX_PLACED], reader: &'v PlacementReader<'v, W> },
}

impl<'v, W: SolverWord> SheetMove<'v, W> {
    /// The move in this sheet; none if it is not possible there.
    pub(crate) fn new(
        ground: &Ground<'_, W>,
        side: Side,
        pawn_move: &'v PawnMove<'v, W>,
        sheet: &Sheet<W>,
        scale: &Scale,
        reader: &'v PlacementReader<'v, W>,
    ) -> Option<Self> {
        let kind = pawn_move.kind;
        let n_men = ground.motion.men.len();
        let lane = ground.lane();
        let target = pawn_move.target;
        let mut moved = sheet.squares;
        moved[pawn_move.pawn] = target;
        if let Some(given) = reader.given_value(pawn_move) {
            let captured = reader.captured(pawn_move);
            return Some(SheetMove::Given(GivenMove::new(ground, pawn_move, moved, given, captured)));
        }
        if reader.is_needed(pawn_move) {
            return Some(SheetMove::Each { pawn_move, moved, reader });
        }
        // Where there is no man in the lane, any man will do: the pawn's row has the one value that is
        // needed.
        let Some(lane) = lane else {
            return SheetMove::alone(side, pawn_move, &moved, n_men, sheet, scale);
        };
        let Some(victim) = pawn_move.victim else {
            if pawn_move.free & sheet.taken != W::ZERO {
                return None;
            }
            let rows = after(pawn_move.view, !side, &moved, n_men, None, sheet.row_man, lane);
            let reply = |reply: &Reply<'v>| {
                let mut replied = moved;
                replied[reply.pawn] = reply.target;
                after(reply.view, side, &replied, n_men, Some(reply.victim), sheet.row_man, lane)
            };
            let replies = pawn_move.replies.iter().map(reply).collect();
            return Some(SheetMove::Rows { rows, kind, free: pawn_move.free, only: None, replies });
        };
        if victim == lane {
            if sheet.taken.has(target.index()) {
                return None;
            }
            let mut worths = Box::new(W::NO_MOVES);
            match sheet.row_man {
                Some(row_man) => {
                    let rows = after(pawn_move.view, !side, &moved, n_men, Some(victim), None, row_man);
                    W::worths(&rows, target, &mut worths);
                }
                None => {
                    let (left, n) = without(&moved, n_men, Some(victim));
                    worths.as_mut().as_mut()[0] = worth(pawn_move.view.value(!side, &left[..n]));
                }
            }
            scale.count_worths(kind, W::Worths::as_mut(&mut worths));
            return Some(SheetMove::Column { worths, target });
        }
        let only = sheet.row_man.filter(|&man| man == victim).map(|_| target);
        let here =
            if only.is_some() { !sheet.taken.has(target.index()) } else { sheet.squares[victim] == target };
        let row_man = sheet.row_man.filter(|&man| man != victim);
        here.then(|| {
            let rows = after(pawn_move.view, !side, &moved, n_men, Some(victim), row_man, lane);
            SheetMove::Rows { rows, kind, free: W::ZERO, only, replies: Vec::new() }
        })
    }

    /// The move where no man is in the lane: the one placement of the slice.
    fn alone(
        side: Side,
        pawn_move: &PawnMove<'v, W>,
        moved: &[Square; MAX_PLACED],
        n_men: usize,
        sheet: &Sheet<W>,
        scale: &Scale,
    ) -> Option<Self> {
        if pawn_move.victim.is_none() && pawn_move.free & sheet.taken != W::ZERO {
            return None;
        }
        let value = |view: &View<'_>, squares: &[Square; MAX_PLACED], gone: Option<usize>, stm: Side| {
            let (left, n) = without(squares, n_men, gone);
            view.value(stm, &left[..n])
        };
        let replies = pawn_move.replies.iter().map(|reply| {
            let mut replied = *moved;
            replied[reply.pawn] = reply.target;
            value(reply.view, &replied, Some(reply.victim), side)
        });
        let quiet = value(pawn_move.view, moved, pawn_move.victim, !side);
        let mut worths = Box::new(W::NO_MOVES);
        worths.as_mut().as_mut()[0] = worth(with_replies(quiet, replies, scale));
        scale.count_worths(pawn_move.kind, &mut W::Worths::as_mut(&mut worths)[..1]);
        Some(SheetMove::Column { worths, target: Square::from_index(0) })
    }

    /// Makes the move where it is better than the best so far, in the word of the row man's square.
    #[inline]
    pub(crate) fn join(
        &self,
        ground: &Ground<'_, W>,
        sheet: &Sheet<W>,
        row_square: Square,
        best: &mut W::Worths,
        scale: &Scale,
    ) {
        match self {
            SheetMove::Each { pawn_move, moved, reader } => {
                let mut squares = *moved;
                let mut taken = sheet.taken;
                if let Some(man) = sheet.row_man {
                    squares[man] = row_square;
                    taken |= W::bit(row_square.index());
                }
                let lane_squares =
                    if ground.lane().is_some() { ground.lane_mask & !taken } else { W::bit(0) };
                for at in lane_squares.bits() {
                    let mut taken = taken;
                    if let Some(lane) = ground.lane() {
                        squares[lane] = Square::from_index(at);
                        taken |= W::bit(at);
                    }
                    let fits = match pawn_move.victim {
                        Some(victim) => squares[victim] == pawn_move.target,
                        None => pawn_move.free & taken == W::ZERO,
                    };
                    if fits {
                        let value = reader.value(pawn_move, &squares[..ground.motion.men.len()]);
                        let mut worths = [worth(value)];
                        scale.count_worths(pawn_move.kind, &mut worths);
                        let best = &mut best.as_mut()[at];
                        *best = (*best).max(worths[0]);
                    }
                }
            }
            SheetMove::Given(given) => given.join(ground, sheet, row_square, best, scale),
            SheetMove::Column { worths, target } => {
                let best = &mut best.as_mut()[target.index()];
                *best = (*best).max(W::Worths::as_ref(worths)[row_square.index()]);
            }
            SheetMove::Rows { rows, kind, free, only, replies } => {
                let stands_in_the_way = sheet.row_man.is_some() && free.has(row_square.index());
                if stands_in_the_way || only.is_some_and(|only| only != row_square) {
                    return;
                }
                let mut worths = W::NO_MOVES;
                if replies.is_empty() {
                    W::worths(rows, row_square, &mut worths);
                } else {
                    replied_worths::<W>(rows, replies, row_square, &mut worths, scale);
                }
                scale.count_worths(*kind, worths.as_mut());
                free.bits().for_each(|at| worths.as_mut()[at] = NO_MOVE);
                best.as_mut()
                    .iter_mut()
                    .zip(worths.as_ref())
                    .for_each(|(best, &worth)| *best = (*best).max(worth));
            }
        }
    }
}

/// A promotion to men that are given away, in the placements of a sheet where it is possible.
///
/// Such men are not looked at, and the promotion is a little, for all squares of the lane man at once: where
/// it is illegal, and where the new man can be captured at once, which leads back to men that are known. What
/// that makes of it is a bound of the true value on the side of what is given: moves are left out of those
/// that can only be better than it for the side that it is taken from.
pub(crate) struct GivenMove<'v, W> {
    pawn_move: &'v PawnMove<'v, W>,
    /// The squares of the sheet's men once the pawn has moved.
    moved: [Square; MAX_PLACED],
    /// What the other side, to move, is given.
    given: Value,
    /// The positions in which the new man has been captured; none if that need not be looked at.
    captured: Option<&'v View<'v>>,
    /// The royal men of the side that promotes, and the men of the other side.
    royals: Vec<usize>,
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
        // With one man more of its kind a pseudo-royal one may be royal no more.
        let promoted = men[pawn_move.pawn].pawn_rules.iter().flat_map(|rules| &rules.promotes_to);
        let is_sure = |royal: &usize| !promoted.clone().any(|&piece| piece == men[*royal].man.piece);
        let royals = ground.motion.royals(side).filter(is_sure).collect();
        let others = (0..men.len()).filter(is_other).collect();
        // A move back inside is looked for where it can help the side to move.
        let helps = pawn_move.victim.is_none() && matches!(given, Value::Loss(_));
        GivenMove { pawn_move, moved, given, captured: captured.filter(|_| helps), royals, others }
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
        let lanes = match (victim, ground.lane()) {
            (Some(victim), Some(lane)) if victim == lane => W::bit(target.index()) & !before,
            (Some(victim), _) if squares[victim] != target => return,
            (None, _) if free & before != W::ZERO => return,
            // No man is in the lane: one bit stands for the placement.
            (_, None) => ground.lane_mask,
            (_, Some(_)) => ground.lane_mask & !(before | free),
        };
        let is_known = |man: &usize| Some(*man) != ground.lane() && Some(*man) != victim;
        let holes = W::from_bits(ground.layout.board().holes().bits());
        let known = (0..ground.motion.men.len()).filter(is_known);
        let taken = known.fold(holes, |taken, man| taken | W::bit(squares[man].index()));
        let word = WordSquares { squares, taken, shared: false };
        let illegal = word_any_attacked(ground, &self.royals, &self.others, &word);
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
