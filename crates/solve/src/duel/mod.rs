//! Finds who wins in a slice whose only mobile men are two royal men: in chess, two kings and pawns.
//!
//! A structure has thousands of such slices, and each is small: 4,096 placements a side to move. What the
//! general way costs beside the values (lists of events by ply, flags of blocks and rows, values of moves
//! placement by placement) is many times what the values cost. Here a slice is a few sets of as many words as
//! the board has squares, and everything is done to whole sets:
//!
//! ```text
//!   pawn moves   the codes behind a move become sets by who wins (`reading`), and moves are joined by ORs
//!   captures     so do the rows and columns of ghosts
//!   the pass     W and L grow together until neither does (`pass`): under `wdl` no ply is asked for
//! ```
//!
//! The general way stays for everything else: other metrics, more men, men that move otherwise than they
//! capture, and rules that ask for sets of their own. The values are the same.

mod capture;
mod given;
mod pass;
mod pawn;
mod reading;
mod room;
mod royal;

pub(crate) use room::DuelRoom;
pub(crate) use royal::{Duel, DuelSlice};

use crate::pass::Longest;
use crate::pool::Pool;
use crate::word::SolverWord;
use kernel::join_bytes;
use pass::solve_pass;
use table::{Ply, Value};
use variant::Side;

impl<W: SolverWord> Duel<W> {
    /// Writes who wins in a slice: the wins of the attackers and the losses of their opponents, by side to
    /// move. `longest` has the longest values that there are, and gets longer ones.
    pub(crate) fn solve(
        &self,
        slice: &DuelSlice<'_, W>,
        attackers: &[Side],
        rooms: &Pool<DuelRoom<W>>,
        codes: [Option<&mut [u8]>; 2],
        longest: &mut [Longest; 2],
    ) {
        let ground = slice.ground;
        let mut room = rooms.lend();
        let room = &mut *room;
        room.reset(ground.n_words());
        ground.fill_all_placements(&mut room.placements);
        for side in Side::BOTH {
            self.fill_attacked(ground, side, None, &mut room.attacked[side.index()]);
        }
        for stm in Side::BOTH {
            let legal = room.placements.iter().zip(&room.attacked[(!stm).index()]);
            let legal = legal.map(|(&placements, &illegal)| placements & !illegal);
            room.legal[stm.index()].iter_mut().zip(legal).for_each(|(slot, legal)| *slot = legal);
        }
        for side in Side::BOTH {
            self.gather_pawn_moves(slice, side, room);
            self.gather_captures(slice, side, room);
        }
        for &attacker in attackers {
            solve_pass(self, ground, attacker, room);
            let (winner, loser) = (attacker.index(), (!attacker).index());
            let has_any = |words: &[W]| words.iter().any(|&word| word != W::ZERO);
            if has_any(&room.won[winner]) {
                longest[winner] = longest[winner].with(Value::Win(Ply(1)));
            }
            if has_any(&room.lost[loser]) {
                longest[loser] = longest[loser].with(Value::Loss(Ply(0)));
            }
        }
        let row_len = ground.lane_len();
        for (stm, codes) in Side::BOTH.into_iter().zip(codes) {
            let Some(codes) = codes else { continue };
            let stm = stm.index();
            let (won, lost, stuck) = (&room.won[stm], &room.lost[stm], &room.stuck[stm]);
            let drawn = &mut room.sum;
            for (place, drawn) in drawn.iter_mut().enumerate() {
                *drawn = room.legal[stm][place] & !(won[place] | lost[place] | stuck[place]);
            }
            join_bytes(codes, row_len, drawn, stuck, lost, won);
        }
    }
}
