//! Finds who wins: the same sets as in the general pass, without plies.
//!
//! ```text
//!   L = open ∩ placements from which D has no move to an escape
//!   W = A's pawn wins ∪ unmove_A(L ∪ ghosts that lose for D), the positions among them
//!   escape = positions with A to move that are not in W ∪ ghosts of D's captures that hold
//! ```
//!
//! W and L begin with what is decided at once and grow in turn; when neither does, they are what is won in
//! any number of plies and no more. `open` has the positions with D to move but stalemates and those with a
//! pawn move that does not lose.

use super::room::DuelRoom;
use super::royal::Duel;
use crate::ground::Ground;
use crate::word::SolverWord;
use kernel::{lane_moves, row_moves};
use variant::{Side, Verdict};

/// Fills in where the attacker wins and the other side loses, and where that side has no move and has not
/// lost.
pub(super) fn solve_pass<W: SolverWord>(
    duel: &Duel<W>,
    ground: &Ground<'_, W>,
    attacker: Side,
    room: &mut DuelRoom<W>,
) {
    let (a, d) = (attacker.index(), (!attacker).index());
    let n = ground.n_words();
    let loses_stuck = ground.law.stuck[d] == Some(Verdict::Loss);
    let DuelRoom { attacked, legal, pawns, ghosts, won, lost, stuck, open, escape, sum, origins, .. } = room;
    let (won, lost, stuck) = (&mut won[a], &mut lost[d], &mut stuck[d]);
    let (own_pawns, own_ghosts) = (&pawns[a], &ghosts[a]);
    let (pawns, ghosts) = (&pawns[d], &ghosts[d]);
    // All that the defender may move to says where he has no move.
    escape.iter_mut().zip(&legal[a]).zip(&ghosts.any).for_each(|((e, &l), &g)| *e = l | g);
    take_back(duel, ground, !attacker, escape, origins);
    for i in 0..n {
        let none = legal[d][i] & !(pawns.any[i] | origins[i]);
        lost[i] = if loses_stuck { none } else { none & attacked[d][i] };
        stuck[i] = none & !lost[i];
        open[i] = legal[d][i] & !(pawns.held[i] | stuck[i]);
    }
    loop {
        sum.iter_mut().zip(&*lost).zip(&own_ghosts.won).for_each(|((s, &l), &g)| *s = l | g);
        take_back(duel, ground, attacker, sum, origins);
        for i in 0..n {
            won[i] = legal[a][i] & (own_pawns.won[i] | origins[i]);
            escape[i] = (legal[a][i] & !won[i]) | ghosts.held[i];
        }
        take_back(duel, ground, !attacker, escape, origins);
        let mut has_grown = false;
        for i in 0..n {
            let found = open[i] & !origins[i];
            has_grown |= found != lost[i];
            lost[i] = found;
        }
        if !has_grown {
            return;
        }
    }
}

/// Sets `origins` to where a move of a side's royal man into `targets` comes from.
fn take_back<W: SolverWord>(
    duel: &Duel<W>,
    ground: &Ground<'_, W>,
    side: Side,
    targets: &[W],
    origins: &mut [W],
) {
    let man = duel.royal[side.index()];
    let walks = &ground.motion.men[man].walks.any;
    origins.fill(W::ZERO);
    let (row_len, taken) = (ground.row_len(), [ground.fixed]);
    if ground.row_man() == Some(man) {
        let files = ground.layout.board().files();
        row_moves(origins, targets, &[true], &taken, row_len, files, walks);
    } else {
        lane_moves(origins, targets, &[true], &taken, row_len, walks);
    }
}
