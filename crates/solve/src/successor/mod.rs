//! Gathers, before the iteration of a slice, what lies outside it: captures of mobile men (`capture`) and,
//! here, the pawn moves of one side, the moves that leave a slice.
//!
//! Of a side's pawn moves in a placement two things matter. Whether one of them wins, and how soon: the side
//! needs nothing else then. And whether all of them lose, and how late: until then they are a way out. Of a
//! side that wants to lose, as under `help`, it matters whether one of them loses, and how soon. A
//! double step is worth what it is worth with the other side's en-passant captures added to its replies.

mod capture;
mod event;
mod pawn_move;
mod placement;
mod sheet_move;

pub(crate) use capture::{Captures, Checks, Kept};
pub(crate) use event::{Decisions, Events, capture_bytes, exit_bytes};
pub(crate) use pawn_move::{PawnMove, Views, after, for_each_reading, pawn_moves};
pub(crate) use placement::PlacementReader;
pub(crate) use sheet_move::SheetMove;

use crate::ground::{Ground, Sheet, block_ranges, for_each_sheet};
use crate::packed::Spill;
use crate::pool::{Loan, Pool};
use crate::word::SolverWord;
use event::{BlockEvents, PackRoom};
use geometry::Square;
use index::{BlockId, BlockRange};
use kernel::{Distinct, repeated};
use std::sync::Arc;
use table::{NO_MOVE, Scale, Value, threads, value_after};
use variant::{Side, Variant};

/// The pawn moves of one side.
#[derive(Debug)]
pub(crate) struct Exits<W> {
    /// A plane: the placements in which the side has a legal pawn move.
    pub(crate) any: Vec<W>,
    /// A plane: the placements in which one of them is a capture; empty where that makes no difference.
    pub(crate) captures: Vec<W>,
    /// The placements in which one of them wins, by the side's distance as the metric counts.
    pub(crate) won: Events<W>,
    /// The placements in which all of them lose, by the side's distance as the metric counts; in which one
    /// of them does, if the side wants to lose.
    pub(crate) lost: Events<W>,
}

impl<W: SolverWord> Exits<W> {
    /// The pawn moves of `side`, listed or packed, in a spill if there is one; none if it has no pawn or
    /// they are not asked for. Under compulsory capture `forced` has where its mobile men have a capture.
    pub(crate) fn gather(
        variant: &Variant,
        ground: &Ground<'_, W>,
        side: Side,
        views: &Views<'_>,
        scale: &Scale,
        (forced, kept, spill): (Option<&[W]>, Kept, Option<&Arc<Spill>>),
        decisions: &Pool<Decisions<W>>,
    ) -> Option<Self> {
        let men = &ground.motion.men;
        let is_unasked = kept == (Kept::Packed { for_attacker: false, for_defender: false });
        if is_unasked || !men.iter().any(|m| m.pawn && m.man.side == side) {
            return None;
        }
        let moves = pawn_moves(ground, side, views);
        let reader = &PlacementReader::new(variant, ground, views, scale);
        let mut any = repeated(W::ZERO, ground.n_words());
        let mut captures = vec![W::ZERO; if forced.is_some() { ground.n_words() } else { 0 }];
        let gathering = |(blocks, any, captures): (BlockRange, &mut [W], &mut [W])| {
            let mut gatherer = Gatherer {
                ground,
                scale,
                wants_loss: scale.is_helped() && side == Side::Black,
                any,
                forced,
                captures,
                first_word: blocks.span(ground.words_per_block()).start,
                decisions: decisions.lend(),
                distinct: Distinct::default(),
            };
            let mut possible = Vec::new();
            for_each_sheet(ground, blocks, |sheet| {
                if sheet.n_shared == 0 {
                    possible.clear();
                    let here = |pawn_move| {
                        let one = SheetMove::new(ground, side, pawn_move, sheet, scale, reader)?;
                        Some((one, pawn_move.victim.is_some()))
                    };
                    possible.extend(moves.iter().filter_map(here));
                    gatherer.gather_sheet(sheet, &possible);
                }
            });
            gatherer.decisions
        };
        if let Kept::Packed { for_attacker, for_defender } = kept {
            // Attackers ask for what wins, defenders for what loses.
            let n = ground.words_per_block();
            let pack = |room: &mut PackRoom<W>, (block, any): (BlockId, &mut [W])| {
                let part = gathering((block.alone(), any, &mut []));
                let (won, lost) = part.sorted();
                let won = if for_attacker { won.pack(ground, block, room) } else { Vec::new() };
                let lost = if for_defender { lost.pack(ground, block, room) } else { Vec::new() };
                (won, lost)
            };
            let blocks = ground.blocks().zip(any.chunks_mut(n));
            let packed = threads::map_in(blocks, || PackRoom::new(spill), pack);
            let (won, lost): (Vec<BlockEvents>, Vec<BlockEvents>) = packed.into_iter().unzip();
            let (won, lost) = (Events::packed(ground, won), Events::packed(ground, lost));
            return Some(Exits { any, captures, won, lost });
        }
        let (mut rest, mut captures_rest) = (any.as_mut_slice(), captures.as_mut_slice());
        let mut parts = Vec::new();
        for blocks in block_ranges(ground) {
            let n_words = blocks.len() * ground.words_per_block();
            let (part, others) = rest.split_at_mut(n_words);
            let (captures, other_captures) = captures_rest.split_at_mut(n_words.min(captures_rest.len()));
            (rest, captures_rest) = (others, other_captures);
            parts.push((blocks, part, captures));
        }
        let parts = threads::map(parts, |part| gathering(part).sorted());
        let (won, lost): (Vec<Events<W>>, Vec<Events<W>>) = parts.into_iter().unzip();
        let (won, lost) = (Events::joined(won), Events::joined(lost));
        Some(Exits { any, captures, won, lost })
    }
}

/// Gathers the moves of one sheet after another.
struct Gatherer<'a, 'p, W: SolverWord> {
    ground: &'a Ground<'a, W>,
    scale: &'a Scale,
    /// Whether the side wants to lose, and soon.
    wants_loss: bool,
    /// The placements with a legal pawn move, of the words from `first_word` on.
    any: &'a mut [W],
    /// Under compulsory capture, of the whole plane: where a mobile man has a capture.
    forced: Option<&'a [W]>,
    /// Under compulsory capture: where a pawn has one.
    captures: &'a mut [W],
    first_word: usize,
    decisions: Loan<'p, Decisions<W>>,
    distinct: Distinct<W>,
}

impl<W: SolverWord> Gatherer<'_, '_, W> {
    /// Gathers from the moves that are possible in a sheet, each with whether it is a capture.
    fn gather_sheet(&mut self, sheet: &Sheet<W>, possible: &[(SheetMove<'_, W>, bool)]) {
        if possible.is_empty() {
            return;
        }
        if sheet.row_man.is_none() {
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
        possible: &[(SheetMove<'_, W>, bool)],
        row_square: Square,
        taken: W,
        word: usize,
    ) {
        let placements =
            if self.ground.lane().is_some() { self.ground.lane_mask & !taken } else { self.ground.lane_mask };
        let mut best = W::NO_MOVES;
        match self.forced {
            None => {
                for (one, _) in possible {
                    self.join(one, sheet, row_square, &mut best);
                }
            }
            Some(forced) => {
                best = self.compelled(sheet, possible, row_square, placements, (word, forced[word]))
            }
        }
        self.distinct.find(best.as_ref(), placements);
        let mut legal = W::ZERO;
        for &(worth, bits) in self.distinct.found() {
            match value_after(worth).before_move() {
                None => continue,
                Some(Value::Win(ply)) if self.wants_loss => self.decisions.lost.add(ply.0, word, bits),
                Some(Value::Win(ply)) => self.decisions.won.add(ply.0, word, bits),
                Some(Value::Loss(ply)) => self.decisions.lost.add(ply.0, word, bits),
                Some(_) => {}
            }
            legal |= bits;
        }
        self.any[word - self.first_word] = legal;
    }

    /// Makes a move where it is better than the best so far: for a side that wants to lose, where it loses
    /// sooner.
    fn join(&self, one: &SheetMove<'_, W>, sheet: &Sheet<W>, row_square: Square, best: &mut W::Worths) {
        if !self.wants_loss {
            return one.join(self.ground, sheet, row_square, best, self.scale);
        }
        let mut own = W::NO_MOVES;
        one.join(self.ground, sheet, row_square, &mut own, self.scale);
        for (best, &own) in best.as_mut().iter_mut().zip(own.as_ref()) {
            *best = (*best).max(if own == NO_MOVE { NO_MOVE } else { (-own).max(0) });
        }
    }

    /// The best of the moves of each placement of a word under compulsory capture, `forced` being where a
    /// mobile man has one.
    fn compelled(
        &mut self,
        sheet: &Sheet<W>,
        possible: &[(SheetMove<'_, W>, bool)],
        row_square: Square,
        placements: W,
        (word, forced): (usize, W),
    ) -> W::Worths {
        let (mut best, mut quiet) = (W::NO_MOVES, W::NO_MOVES);
        for (one, is_capture) in possible {
            let of_kind = if *is_capture { &mut best } else { &mut quiet };
            self.join(one, sheet, row_square, of_kind);
        }
        let has_move = |at: &usize| best.as_ref()[*at] != NO_MOVE;
        let captures = placements.bits().filter(has_move).fold(W::ZERO, |bits, at| bits | W::bit(at));
        self.captures[word - self.first_word] = captures;
        for at in (placements & !(captures | forced)).bits() {
            best.as_mut()[at] = quiet.as_ref()[at];
        }
        // A mobile man's capture leaves only the captures of pawns.
        best
    }
}

#[cfg(test)]
mod tests;
