//! Pawn moves: the values of the moves that leave a slice, gathered before its iteration.
//!
//! Of a side's pawn moves in a placement two things matter. Whether one of them wins, and how soon: the side needs
//! nothing else then. And whether all of them lose, and how late: until then they are a way out.
//! A double step is worth what it is worth with the other side's en-passant captures added to its replies.

use crate::event::{Decisions, Events};
use crate::ground::Ground;
use crate::lane::SolverWord;
use crate::reach::Change;
use crate::sheet::{Sheet, block_ranges, for_each_sheet};
use geometry::Square;
use index::MAX_MEN;
use kernel::Distinct;
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::ops::Range;
use table::{MoveKind, NO_MOVE, Scale, Value, ValueRows, View, value_after, worth};
use variant::{Man, PieceId, Side, Variant};

/// What one side's pawn moves lead to.
#[derive(Debug)]
pub(crate) struct Exits<W> {
    /// A plane: the placements in which the side has a legal pawn move.
    pub(crate) any: Vec<W>,
    /// The placements in which one of them wins, by the side's distance as the metric counts.
    pub(crate) won: Events<W>,
    /// The placements in which all of them lose, by the side's distance as the metric counts.
    pub(crate) lost: Events<W>,
}

/// A pawn move that the slice allows, as far as pawns go.
#[derive(Debug)]
struct PawnMove<'v, W> {
    pawn: usize,
    target: Square,
    /// Squares that must be free: the target of a quiet move, and what a double step passes over.
    free: W,
    victim: Option<usize>,
    /// The table that the move leads to.
    view: &'v View<'v>,
    kind: MoveKind,
    /// En-passant captures that answer the move.
    replies: Vec<Reply<'v>>,
}

/// An en-passant capture.
#[derive(Debug)]
struct Reply<'v> {
    pawn: usize,
    target: Square,
    /// The pawn that has made the double step.
    victim: usize,
    /// The table that the capture leads to.
    view: &'v View<'v>,
}

/// The views that pawn moves need: of the table being made, and of those that its exits lead to.
pub(crate) struct Views<'v> {
    pub(crate) own: &'v View<'v>,
    pub(crate) others: &'v BTreeMap<Change, View<'v>>,
}

impl<'v> Views<'v> {
    /// The view behind a change; the table being made if nothing changes.
    fn after(&self, captured: Option<usize>, promoted: Option<(usize, PieceId)>) -> &'v View<'v> {
        match (captured, promoted) {
            (None, None) => self.own,
            _ => &self.others[&Change { captured, promoted }],
        }
    }
}

impl<W: SolverWord> Exits<W> {
    /// The pawn moves of `side`; none if it has no pawn.
    pub(crate) fn gather(
        variant: &Variant,
        ground: &Ground<'_, W>,
        side: Side,
        views: &Views<'_>,
        scale: &Scale,
    ) -> Option<Self> {
        let men = &ground.motion.men;
        if !men.iter().any(|m| m.pawn && m.man.side == side) {
            return None;
        }
        let moves = pawn_moves(variant, ground, side, views);
        let mut any = vec![W::ZERO; ground.n_words()];
        let gathering = |(blocks, any): (Range<usize>, &mut [W])| {
            let first_word = blocks.start * ground.layout.words_per_block();
            let found = Decisions::none();
            let distinct = Distinct::default();
            let mut gatherer = Gatherer { ground, scale, any, first_word, found, distinct };
            let mut possible = Vec::new();
            for_each_sheet(ground, blocks, |sheet| {
                if sheet.n_shared == 0 {
                    possible.clear();
                    possible
                        .extend(moves.iter().filter_map(|m| Possible::new(ground, side, m, sheet, scale)));
                    gatherer.gather_sheet(sheet, &possible);
                }
            });
            gatherer.found
        };
        let mut rest = any.as_mut_slice();
        let mut parts = Vec::new();
        for range in block_ranges(ground) {
            let (part, others) = rest.split_at_mut(range.len() * ground.layout.words_per_block());
            rest = others;
            parts.push((range, part));
        }
        let found: Vec<Decisions<W>> = parts.into_par_iter().map(gathering).collect();
        let (won, lost) = Decisions::sorted(found.iter());
        found.into_iter().for_each(Decisions::spare);
        Some(Exits { any, won, lost })
    }
}

/// Gathers the moves of one sheet after another.
struct Gatherer<'a, W> {
    ground: &'a Ground<'a, W>,
    scale: &'a Scale,
    /// The placements with a legal pawn move, of the words from `first_word` on.
    any: &'a mut [W],
    first_word: usize,
    found: Decisions<W>,
    distinct: Distinct<W>,
}

impl<W: SolverWord> Gatherer<'_, W> {
    fn gather_sheet(&mut self, sheet: &Sheet<W>, possible: &[Possible<'_, W>]) {
        if possible.is_empty() {
            return;
        }
        if sheet.axis.is_none() {
            return self.gather_word(sheet, possible, Square::from_index(0), sheet.taken, sheet.word);
        }
        for square in self.ground.layout.board().squares() {
            let bit = W::bit(square.index());
            if sheet.taken & bit == W::ZERO {
                self.gather_word(sheet, possible, square, sheet.taken | bit, sheet.word + square.index());
            }
        }
    }

    /// The best of the moves of each placement of a word.
    fn gather_word(
        &mut self,
        sheet: &Sheet<W>,
        possible: &[Possible<'_, W>],
        axis: Square,
        taken: W,
        word: usize,
    ) {
        let placements =
            if self.ground.lane().is_some() { self.ground.lane_mask & !taken } else { self.ground.lane_mask };
        let mut best = W::NO_MOVES;
        for one in possible {
            one.join(sheet, axis, &mut best, self.scale);
        }
        self.distinct.find(best.as_ref(), placements);
        let mut legal = W::ZERO;
        for &(worth, bits) in self.distinct.found() {
            match value_after(worth).before_move() {
                None => continue,
                Some(Value::Win(ply)) => self.found.won.add(ply.0, word, bits),
                Some(Value::Loss(ply)) => self.found.lost.add(ply.0, word, bits),
                Some(_) => {}
            }
            legal |= bits;
        }
        self.any[word - self.first_word] = legal;
    }
}

/// A pawn move in the placements of a sheet: where it is possible, and how its values are read.
enum Possible<'v, W: SolverWord> {
    /// Along the lane, but on the squares of `free`; for every square of the axis man but those of `free`, or for
    /// one square only.
    Rows { rows: ValueRows<'v>, kind: MoveKind, free: W, only: Option<Square>, replies: Vec<ValueRows<'v>> },
    /// For one square of the man in the lane, who is captured: the worth by the square of the axis man.
    Column { worths: Box<W::Worths>, target: Square },
}

impl<'v, W: SolverWord> Possible<'v, W> {
    /// The move in this sheet; none if it is not possible there.
    fn new(
        ground: &Ground<'_, W>,
        side: Side,
        pawn_move: &PawnMove<'v, W>,
        sheet: &Sheet<W>,
        scale: &Scale,
    ) -> Option<Self> {
        let kind = pawn_move.kind;
        let n_men = ground.motion.men.len();
        let lane = ground.lane();
        let target = pawn_move.target;
        let mut moved = sheet.squares;
        moved[pawn_move.pawn] = target;
        // Where there is nobody in the lane, any man will do: the pawn's row has the one value that is needed.
        let Some(lane) = lane else {
            return Possible::alone(side, pawn_move, &moved, n_men, sheet, scale);
        };
        let Some(victim) = pawn_move.victim else {
            if pawn_move.free & sheet.taken != W::ZERO {
                return None;
            }
            let rows = after(pawn_move.view, !side, &moved, n_men, None, sheet.axis, lane);
            let reply = |reply: &Reply<'v>| {
                let mut replied = moved;
                replied[reply.pawn] = reply.target;
                after(reply.view, side, &replied, n_men, Some(reply.victim), sheet.axis, lane)
            };
            let replies = pawn_move.replies.iter().map(reply).collect();
            return Some(Possible::Rows { rows, kind, free: pawn_move.free, only: None, replies });
        };
        if victim == lane {
            if sheet.taken.has(target.index()) {
                return None;
            }
            let mut worths = Box::new(W::NO_MOVES);
            match sheet.axis {
                Some(axis) => {
                    let rows = after(pawn_move.view, !side, &moved, n_men, Some(victim), None, axis);
                    W::worths(&rows, target, &mut worths);
                }
                None => {
                    let (left, n) = without(&moved, n_men, Some(victim));
                    worths.as_mut().as_mut()[0] = worth(pawn_move.view.value(!side, &left[..n]));
                }
            }
            scale.count_worths(kind, W::Worths::as_mut(&mut worths));
            return Some(Possible::Column { worths, target });
        }
        let only = sheet.axis.filter(|&axis| axis == victim).map(|_| target);
        let here =
            if only.is_some() { !sheet.taken.has(target.index()) } else { sheet.squares[victim] == target };
        let axis = sheet.axis.filter(|&axis| axis != victim);
        here.then(|| {
            let rows = after(pawn_move.view, !side, &moved, n_men, Some(victim), axis, lane);
            Possible::Rows { rows, kind, free: W::ZERO, only, replies: Vec::new() }
        })
    }

    /// The move where no man is in the lane: the one placement of the slice.
    fn alone(
        side: Side,
        pawn_move: &PawnMove<'v, W>,
        moved: &[Square; MAX_MEN],
        n_men: usize,
        sheet: &Sheet<W>,
        scale: &Scale,
    ) -> Option<Self> {
        if pawn_move.victim.is_none() && pawn_move.free & sheet.taken != W::ZERO {
            return None;
        }
        let value = |view: &View<'_>, squares: &[Square; MAX_MEN], gone: Option<usize>, stm: Side| {
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
        Some(Possible::Column { worths, target: Square::from_index(0) })
    }

    /// Makes the move where it is better than the best so far, in the word of the axis man's square.
    #[inline]
    fn join(&self, sheet: &Sheet<W>, axis: Square, best: &mut W::Worths, scale: &Scale) {
        match self {
            Possible::Column { worths, target } => {
                let best = &mut best.as_mut()[target.index()];
                *best = (*best).max(W::Worths::as_ref(worths)[axis.index()]);
            }
            Possible::Rows { rows, kind, free, only, replies } => {
                let stands_in_the_way = sheet.axis.is_some() && free.has(axis.index());
                if stands_in_the_way || only.is_some_and(|only| only != axis) {
                    return;
                }
                let mut worths = W::NO_MOVES;
                if replies.is_empty() {
                    W::worths(rows, axis, &mut worths);
                } else {
                    replied_worths::<W>(rows, replies, axis, &mut worths, scale);
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

/// The rows of values behind a move, in which the man at place `gone` has been captured.
fn after<'v>(
    view: &'v View<'v>,
    stm: Side,
    squares: &[Square; MAX_MEN],
    n_men: usize,
    gone: Option<usize>,
    axis: Option<usize>,
    varying: usize,
) -> ValueRows<'v> {
    let (left, n) = without(squares, n_men, gone);
    let place = |man: usize| man - usize::from(gone.is_some_and(|gone| man > gone));
    view.rows(stm, &left[..n], axis.map(place), place(varying))
}

/// The squares of the men that are left, and how many they are.
fn without(squares: &[Square; MAX_MEN], n_men: usize, gone: Option<usize>) -> ([Square; MAX_MEN], usize) {
    let mut left = *squares;
    match gone {
        None => (left, n_men),
        Some(gone) => {
            left.copy_within(gone + 1..n_men, gone);
            (left, n_men - 1)
        }
    }
}

/// The worths of a row of double steps that can be answered en passant.
fn replied_worths<W: SolverWord>(
    rows: &ValueRows<'_>,
    replies: &[ValueRows<'_>],
    axis: Square,
    worths: &mut W::Worths,
    scale: &Scale,
) {
    let quiet = W::codes(rows, axis);
    let replies: Vec<_> = replies.iter().map(|rows| W::codes(rows, axis)).collect();
    for (at, slot) in worths.as_mut().iter_mut().enumerate() {
        *slot = worth(with_replies(W::value(&quiet, at), replies.iter().map(|row| W::value(row, at)), scale));
    }
}

/// The value of a position for the side to move once it may also capture en passant, with these results.
///
/// Its best choice counts, and where it had no move, that is no longer the end of the game.
fn with_replies(value: Value, results: impl Iterator<Item = Value>, scale: &Scale) -> Value {
    if value == Value::Illegal {
        return value;
    }
    let captures = results.filter_map(|result| result.before_move_of(MoveKind::Conversion, scale));
    match captures.max_by(Value::preference) {
        Some(capture) if value == Value::Stalemate => capture,
        Some(capture) if capture.preference(&value).is_gt() => capture,
        _ => value,
    }
}

/// All pawn moves of a side in a slice.
fn pawn_moves<'v, W: SolverWord>(
    variant: &Variant,
    ground: &Ground<'_, W>,
    side: Side,
    views: &Views<'v>,
) -> Vec<PawnMove<'v, W>> {
    let layout = ground.layout;
    let board = layout.board();
    let standing: Vec<(usize, Square)> =
        layout.pawns().iter().copied().zip(layout.pawn_squares(ground.slice).iter().copied()).collect();
    let men = layout.men();
    let mut moves = Vec::new();
    for &(pawn, from) in standing.iter().filter(|(pawn, _)| men[*pawn].side == side) {
        let rules = variant.pawn_rules(men[pawn]).expect("a pawn has pawn rules");
        let mut add = |target: Square, free: W, victim: Option<usize>, replies| {
            if rules.promotion.contains(target) {
                for &piece in &rules.promotes_to {
                    let view = views.after(victim, Some((pawn, piece)));
                    let kind = MoveKind::Conversion;
                    moves.push(PawnMove { pawn, target, free, victim, view, kind, replies: Vec::new() });
                }
            } else if rules.zone.contains(target) {
                let kind = if victim.is_some() { MoveKind::Conversion } else { MoveKind::PawnMove };
                let view = views.after(victim, None);
                moves.push(PawnMove { pawn, target, free, victim, view, kind, replies });
            }
        };
        for ray in variant.movement(men[pawn]).rays() {
            let Some(target) = board.offset(from, ray.step) else { continue };
            let target_bit = W::bit(target.index());
            if ray.quiet && ground.pawns & target_bit == W::ZERO {
                add(target, target_bit, None, Vec::new());
                let twice = board.offset(target, ray.step).filter(|_| rules.double_step_from.contains(from));
                if let Some(twice) = twice.filter(|&t| rules.zone.contains(t) && !ground.pawns.has(t.index()))
                {
                    let free = target_bit | W::bit(twice.index());
                    let replies = if rules.en_passant {
                        replies(variant, &standing, men, (pawn, target), views)
                    } else {
                        vec![]
                    };
                    add(twice, free, None, replies);
                }
            }
            if ray.capture {
                let on_target = |v: &usize| standing.iter().all(|&(p, s)| p != *v || s == target);
                let enemies = (0..men.len()).filter(|&v| men[v].side != side && !variant.is_royal(men[v]));
                let can_stand = |v: &usize| variant.zone(men[*v]).contains(target);
                enemies
                    .filter(on_target)
                    .filter(can_stand)
                    .for_each(|victim| add(target, W::ZERO, Some(victim), Vec::new()));
            }
        }
    }
    moves
}

/// The en-passant captures of a pawn that has just passed over a square.
fn replies<'v>(
    variant: &Variant,
    standing: &[(usize, Square)],
    men: &[Man],
    (victim, target): (usize, Square),
    views: &Views<'v>,
) -> Vec<Reply<'v>> {
    let mut replies = Vec::new();
    for &(pawn, from) in standing.iter().filter(|(pawn, _)| men[*pawn].side != men[victim].side) {
        let movement = variant.movement(men[pawn]);
        let reaches = |r: &piece::Ray| r.capture && variant.board.offset(from, r.step) == Some(target);
        if !movement.rays().iter().any(reaches) {
            continue;
        }
        let rules = variant.pawn_rules(men[pawn]).expect("a pawn has pawn rules");
        if rules.promotion.contains(target) {
            for &piece in &rules.promotes_to {
                let view = views.after(Some(victim), Some((pawn, piece)));
                replies.push(Reply { pawn, target, victim, view });
            }
        } else if rules.zone.contains(target) {
            replies.push(Reply { pawn, target, victim, view: views.after(Some(victim), None) });
        }
    }
    replies
}
