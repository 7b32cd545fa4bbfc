//! Looks ahead behind promotions to men that are given away: see `successor/given_move.rs` for what is asked.
//!
//! This is for games in which nobody can stand between a man and what he attacks, so that where a royal man
//! is attacked depends on two squares only.

use super::reading::word_verdicts;
use super::room::DuelRoom;
use super::royal::{Duel, DuelSlice};
use crate::successor::{PawnMove, after};
use crate::word::SolverWord;
use geometry::Square;
use index::MAX_PLACED;
use table::{Value, View};
use variant::Side;

impl<W: SolverWord> Duel<W> {
    /// Sets what is behind a promotion: what the other side is given, and where the new man can be captured
    /// at once, what that leads to, if `captured` is known.
    pub(super) fn look_ahead(
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
        let (layout, men) = (ground.layout, &ground.motion.men);
        let (own, captor) = (self.royal[side.index()], self.royal[(!side).index()]);
        let mut squares = [Square::from_index(0); MAX_PLACED];
        for (&pawn, &square) in layout.pawns().iter().zip(layout.pawn_squares(ground.slice)) {
            squares[pawn] = square;
        }
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
