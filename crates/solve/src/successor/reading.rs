//! Lists which slices of other tables, and of a table's own, the captures and pawn moves of a slice lead
//! to.
//!
//! Where tables are read slice by slice, what a slice needs is read before it is begun, by all threads.
//! Explosions are left out: which men are gone depends on where the mobile men stand, so their slices are
//! read when the first placement asks for them.

use super::pawn_move::{Views, pawn_moves};
use crate::ground::Ground;
use crate::word::SolverWord;
use geometry::Square;
use index::MAX_PLACED;
use table::View;
use variant::Side;
use variant::exit::Change;

/// Calls `visit` with every view that moves of a slice lead to, the side to move there, and squares of the
/// men left: those of the pawns and of a promoted man are what counts.
pub(crate) fn for_each_reading<W: SolverWord>(
    ground: &Ground<'_, W>,
    views: &Views<'_>,
    mut visit: impl FnMut(&View<'_>, Side, &[Square]),
) {
    let men = &ground.motion.men;
    let mut squares = [Square::from_index(0); MAX_PLACED];
    let layout = ground.layout;
    for (&pawn, &square) in layout.pawns().iter().zip(layout.pawn_squares(ground.slice)) {
        squares[pawn] = square;
    }
    let mut visit_without =
        |view: &View<'_>, stm: Side, squares: &[Square; MAX_PLACED], gone: Option<usize>| {
            let mut left = *squares;
            let mut n = men.len();
            if let Some(gone) = gone {
                left.copy_within(gone + 1..n, gone);
                n -= 1;
            }
            visit(view, stm, &left[..n]);
        };
    let explodes = ground.law.blast.is_some();
    for side in Side::BOTH {
        let victims = (0..men.len()).filter(|&man| men[man].man.side != side && !men[man].royal);
        for victim in victims.filter(|_| !explodes) {
            if let Some(view) = views.others.get(&Change::new(Some(victim), None)) {
                visit_without(view, !side, &squares, Some(victim));
            }
        }
        for pawn_move in pawn_moves(ground, side, views) {
            if explodes && pawn_move.victim.is_some() {
                continue;
            }
            let mut moved = squares;
            moved[pawn_move.pawn] = pawn_move.target;
            visit_without(pawn_move.view, !side, &moved, pawn_move.victim);
            for reply in pawn_move.replies.iter().filter(|_| !explodes) {
                let mut replied = moved;
                replied[reply.pawn] = reply.target;
                visit_without(reply.view, side, &replied, Some(reply.victim));
            }
        }
    }
}
