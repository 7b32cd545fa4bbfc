//! Gathers the captures of pawns by the royal men: the ghosts of a slice, as sets.
//!
//! A ghost has a royal man on the square of a pawn that he has captured (see `successor/capture.rs`). For the
//! row man those of one pawn are a word, for the lane man one bit of every word.

use super::reading::word_verdicts;
use super::room::DuelRoom;
use super::royal::{Duel, DuelSlice};
use crate::successor::after;
use crate::word::SolverWord;
use geometry::Square;
use index::MAX_PLACED;
use variant::Side;
use variant::exit::Change;

impl<W: SolverWord> Duel<W> {
    /// Gathers the captures by the royal man of `side`.
    pub(super) fn gather_captures(&self, slice: &DuelSlice<'_, W>, side: Side, room: &mut DuelRoom<W>) {
        let ground = slice.ground;
        let layout = ground.layout;
        let men = &ground.motion.men;
        let ghosts = &mut room.ghosts[side.index()];
        let (captor, other) = (self.royal[side.index()], self.royal[(!side).index()]);
        let is_row = ground.row_man() == Some(captor);
        let mut squares = [Square::from_index(0); MAX_PLACED];
        for (&pawn, &square) in layout.pawns().iter().zip(layout.pawn_squares(ground.slice)) {
            squares[pawn] = square;
        }
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
