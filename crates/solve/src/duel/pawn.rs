//! Gathers the pawn moves of one side as sets: see `successor/exit.rs` for what is asked of them.
//!
//! A pawn move that leads to a slice with the same mobile men is read as a whole: what the slice is for the
//! other side is what the move leads to, but where a mobile man stands in the way. Behind promotions to men
//! that are given away a little is read (`given`). The few other moves are read row by row as in the general
//! way.

use super::reading::Verdicts;
use super::room::DuelRoom;
use super::royal::{Duel, DuelSlice};
use crate::ground::{Sheet, for_each_sheet};
use crate::successor::{PlacementReader, SheetMove, pawn_moves};
use crate::word::SolverWord;
use geometry::Square;
use table::{Value, value_after};
use variant::Side;

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
