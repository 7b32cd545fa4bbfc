//! Gathers as sets what leaves a slice: the pawn moves of one side, and the captures of pawns by the royal
//! men. See `successor` for what is asked of pawn moves.
//!
//! A pawn move that leads to a slice with the same mobile men is read as a whole: what the slice is for the
//! other side is what the move leads to, but where a mobile man stands in the way. The few other moves are
//! read row by row as in the general way.
//!
//! Behind promotions to men that are given away a little is read: see `successor/sheet_move.rs` for what is
//! asked. This is for games in which no man can stand between a man and what he attacks, so that where a
//! royal man is attacked depends on two squares only.

use super::{Duel, DuelRoom, DuelSlice, Verdicts, word_verdicts};
use crate::ground::{Sheet, for_each_sheet};
use crate::successor::{PawnMove, PlacementReader, SheetMove, after, pawn_moves};
use crate::word::SolverWord;
use geometry::Square;
use table::{Value, View, value_after};
use variant::Side;
use variant::exit::Change;

impl<W: SolverWord> Duel<W> {
    /// Gathers the pawn moves of `side`.
    pub(super) fn gather_pawn_moves(&self, slice: &DuelSlice<'_, W>, side: Side, room: &mut DuelRoom<W>) {
        let DuelSlice { variant, ground, views, scale } = *slice;
        let moves = pawn_moves(ground, side, views);
        if moves.is_empty() {
            return;
        }
        let reader = PlacementReader::new(variant, ground, views, scale);
        // The slice is one row.
        for_each_sheet(ground, ground.blocks(), |sheet| {
            let mut others = Vec::new();
            for pawn_move in &moves {
                if let Some(given) = reader.given_value(pawn_move).filter(|_| self.touch.is_some()) {
                    let captured = reader.captured(pawn_move);
                    self.look_ahead(slice, pawn_move, (given, captured), room);
                    self.join(side, ground.lane_mask & !(sheet.taken | pawn_move.free), room);
                    continue;
                }
                match SheetMove::new(ground, side, pawn_move, sheet, scale, &reader) {
                    None => {}
                    Some(SheetMove::Rows { rows, free, only: None, replies, .. }) => {
                        let squares = ground.lane_mask & !(sheet.taken | free);
                        self.images.read(&rows, squares, &mut room.behind, &mut room.image);
                        if !replies.is_empty() {
                            room.answers.clear();
                            for rows in &replies {
                                self.images.read(rows, squares, &mut room.answer, &mut room.image);
                                room.answers.join(&room.answer);
                            }
                            room.behind.answer(&room.answers);
                        }
                        self.join(side, squares, room);
                    }
                    Some(other) => others.push(other),
                }
            }
            if !others.is_empty() {
                join_others(slice, sheet, side, &others, room);
            }
        });
    }

    /// Adds a move that leads to what is behind it, with both mobile men on these squares.
    fn join(&self, side: Side, squares: W, room: &mut DuelRoom<W>) {
        let moves = &mut room.pawns[side.index()];
        let (behind, placements) = (&room.behind, &room.placements);
        for at in squares.bits() {
            let legal = squares & placements[at] & !behind.illegal[at];
            moves.any[at] |= legal;
            moves.won[at] |= legal & behind.lost[at];
            moves.held[at] |= legal & !behind.won[at];
        }
    }
}

/// Adds moves that are not read as a whole.
fn join_others<W: SolverWord>(
    slice: &DuelSlice<'_, W>,
    sheet: &Sheet<W>,
    side: Side,
    others: &[SheetMove<'_, W>],
    room: &mut DuelRoom<W>,
) {
    let moves = &mut room.pawns[side.index()];
    for at in (slice.ground.lane_mask & !sheet.taken).bits() {
        let mut best = W::NO_MOVES;
        for other in others {
            other.join(slice.ground, sheet, Square::from_index(at), &mut best, slice.scale);
        }
        room.distinct.find(best.as_ref(), room.placements[at]);
        for &(worth, bits) in room.distinct.found() {
            let after = value_after(worth);
            if after == Value::Illegal {
                continue;
            }
            moves.any[at] |= bits;
            match after {
                Value::Win(_) => continue,
                Value::Loss(_) => moves.won[at] |= bits,
                _ => {}
            }
            moves.held[at] |= bits;
        }
    }
}

impl<W: SolverWord> Verdicts<W> {
    /// Makes the sets those of no answers: a placement without one is illegal.
    fn clear(&mut self) {
        self.illegal.fill(W::ONES);
        [&mut self.stuck, &mut self.lost, &mut self.won].into_iter().for_each(|set| set.fill(W::ZERO));
    }

    /// Adds captures en passant that lead to these, as a set in which a win is theirs who capture.
    ///
    /// `illegal` is where there is none, `won` where one wins, `stuck` where one draws.
    fn join(&mut self, behind: &Verdicts<W>) {
        for at in 0..self.illegal.len() {
            let behind = behind.word(at);
            self.illegal[at] &= behind.illegal;
            self.won[at] |= behind.lost;
            self.stuck[at] |= !(behind.illegal | behind.lost | behind.won);
        }
    }

    /// What positions are once these captures en passant are among their moves: the best counts, and where
    /// there was no move, that is no longer the end of the game.
    fn answer(&mut self, answers: &Verdicts<W>) {
        for at in 0..self.illegal.len() {
            let (mut own, answers) = (self.word(at), answers.word(at));
            let legal = !own.illegal;
            let can = !answers.illegal;
            let was_stuck = own.stuck & can;
            own.won |= answers.won & legal;
            own.lost = ((own.lost & !answers.stuck) | (was_stuck & !answers.stuck)) & !own.won;
            own.stuck &= !can;
            self.set(at, own);
        }
    }
}

impl<W: SolverWord> Duel<W> {
    /// Sets what is behind a promotion: what the other side is given, and where the new man can be captured
    /// at once, what that leads to, if `captured` is known.
    fn look_ahead(
        &self,
        slice: &DuelSlice<'_, W>,
        pawn_move: &PawnMove<'_, W>,
        (given, captured): (Value, Option<&View<'_>>),
        room: &mut DuelRoom<W>,
    ) {
        let ground = slice.ground;
        let side = ground.motion.men[pawn_move.pawn].man.side;
        let behind = &mut room.behind;
        match pawn_move.victim {
            None => behind.illegal.copy_from_slice(&room.attacked[side.index()]),
            victim => self.fill_attacked(ground, side, victim, &mut behind.illegal),
        }
        behind.stuck.fill(W::ZERO);
        behind.lost.fill(W::when(matches!(given, Value::Loss(_))));
        behind.won.fill(W::when(matches!(given, Value::Win(_))));
        let helps = pawn_move.victim.is_none() && matches!(given, Value::Loss(_));
        if let Some(view) = captured.filter(|_| helps) {
            self.capture_new_man(slice, pawn_move, (side, view), room);
        }
    }

    /// Where the other side's royal man can capture the new man, the best of both choices is his.
    fn capture_new_man(
        &self,
        slice: &DuelSlice<'_, W>,
        pawn_move: &PawnMove<'_, W>,
        (side, view): (Side, &View<'_>),
        room: &mut DuelRoom<W>,
    ) {
        let &PawnMove { pawn, target, .. } = pawn_move;
        let ground = slice.ground;
        let men = &ground.motion.men;
        let (own, captor) = (self.royal[side.index()], self.royal[(!side).index()]);
        let mut squares = ground.standing().squares;
        squares[captor] = target;
        let rows = after(view, side, &squares, men.len(), Some(pawn), None, own);
        let captured = word_verdicts::<W>(&rows, Square::from_index(0));
        let drawn = !(captured.illegal | captured.won | captured.lost);
        let behind = &mut room.behind;
        let from = men[captor].attacks_on[target.index()].iter().map(|attack| usize::from(attack.square));
        if ground.row_man() == Some(captor) {
            for at in from {
                behind.won[at] |= captured.lost;
                behind.lost[at] &= !(captured.lost | drawn);
            }
            return;
        }
        let from = from.fold(W::ZERO, |bits, at| bits | W::bit(at));
        for at in ((captured.lost | drawn) & ground.lane_mask).bits() {
            if captured.lost.has(at) {
                behind.won[at] |= from;
            }
            behind.lost[at] &= !from;
        }
    }
}

/// A ghost has a royal man on the square of a pawn that he has captured (see `successor/capture.rs`). For
/// the row man those of one pawn are a word, for the lane man one bit of every word.
impl<W: SolverWord> Duel<W> {
    /// Gathers the captures by the royal man of `side`.
    pub(super) fn gather_captures(&self, slice: &DuelSlice<'_, W>, side: Side, room: &mut DuelRoom<W>) {
        let ground = slice.ground;
        let layout = ground.layout;
        let men = &ground.motion.men;
        let ghosts = &mut room.ghosts[side.index()];
        let (captor, other) = (self.royal[side.index()], self.royal[(!side).index()]);
        let is_row = ground.row_man() == Some(captor);
        let mut squares = ground.standing().squares;
        // The squares of the man who does not capture.
        let others = ground.lane_mask & !ground.fixed;
        for &victim in layout.pawns().iter().filter(|&&victim| men[victim].man.side != side) {
            let Some(view) = slice.views.others.get(&Change::new(Some(victim), None)) else { continue };
            let at = squares[victim];
            squares[captor] = at;
            let rows = after(view, !side, &squares, men.len(), Some(victim), None, other);
            let behind = word_verdicts::<W>(&rows, Square::from_index(0));
            let legal = others & !behind.illegal;
            let sets = [
                (&mut ghosts.any, legal),
                (&mut ghosts.won, legal & behind.lost),
                (&mut ghosts.held, legal & !behind.won),
            ];
            for (set, bits) in sets {
                if is_row {
                    set[at.index()] |= bits;
                } else {
                    bits.bits().for_each(|x| set[x] |= W::bit(at.index()));
                }
            }
        }
    }
}
