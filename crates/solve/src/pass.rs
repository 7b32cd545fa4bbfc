//! One pass: all wins of one side (the attacker) in one slice, ply by ply.
//!
//! Two sets grow: `W`, attacker to move and won, and `L`, defender to move and lost. At every ply
//!
//! ```text
//!   L_new(n) = ( unmove_D(W_new(n−1)) ∪ defender's exits due ) ∩ open − unmove_D(escape)
//!   W_new(n) = ( unmove_A(L_new(n−1)) ∪ attacker's exits due ) ∩ escape ∩ placements
//! ```
//!
//! `open` holds the positions, defender to move, that may still become lost: not decided, and without a pawn move that
//! is not known to lose. `escape` holds the placements, attacker to move, that the defender may move to without being
//! lost: at first every legal one, then less and less. Those of them that are no ghosts are what the attacker has not
//! won yet. Ghosts (see `capture`) enter with the ply of the position after the capture, so that captures are moves
//! like any other.
//!
//! A half-step goes through the blocks once: moves are taken back into a block, it is cut down to what is open, codes
//! are written, and what was found is taken out of the open set while the block is still at hand.

use crate::block::{
    Block, PARALLEL_WORDS, SCRATCH, Sink, WithScratch, for_each_block, store, store_word, take_all,
};
use crate::capture::Captures;
use crate::code::Storable;
use crate::exit::Exits;
use crate::frontier::Frontier;
use crate::ground::Ground;
use crate::unmove::{Scratch, Source, Unmover};
use kernel::{cut, cut_placements};
use rayon::prelude::*;
use table::{Ply, Value};
use variant::{Side, Stalemate};

/// What a pass needs to know of its slice; the same for both attackers.
pub(crate) struct Facts<'a> {
    pub(crate) ground: &'a Ground<'a>,
    /// By side: the placements in which its royal man is attacked.
    pub(crate) attacked: &'a [Vec<u64>; 2],
    /// By the side that captures.
    pub(crate) captures: &'a [Captures; 2],
    /// By the side that has the pawns.
    pub(crate) exits: &'a [Option<Exits>; 2],
    pub(crate) stalemate: Stalemate,
}

/// A value did not fit into the codes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Overflow;

/// The planes of a pass, used again from slice to slice.
#[derive(Debug, Default)]
pub(crate) struct Planes {
    open: Vec<u64>,
    escape: Vec<u64>,
    won: Frontier,
    won_next: Frontier,
    lost: Frontier,
    lost_next: Frontier,
    touched: Vec<bool>,
}

/// One pass over a slice.
pub(crate) struct Pass<'a> {
    facts: &'a Facts<'a>,
    attacker: Side,
    unmove_attacker: Unmover<'a>,
    unmove_defender: Unmover<'a>,
    planes: &'a mut Planes,
}

impl<'a> Pass<'a> {
    pub(crate) fn new(facts: &'a Facts<'a>, attacker: Side, planes: &'a mut Planes) -> Self {
        let ground = facts.ground;
        let (n_blocks, n_rows, row_len) = (ground.n_blocks(), ground.n_rows(), ground.row_len());
        for frontier in [&mut planes.won, &mut planes.won_next, &mut planes.lost, &mut planes.lost_next] {
            frontier.reset(n_blocks, n_rows, row_len);
        }
        planes.open.resize(ground.n_words(), 0);
        planes.escape.resize(ground.n_words(), 0);
        planes.touched.resize(n_blocks, false);
        let pass = Pass {
            facts,
            attacker,
            unmove_attacker: Unmover::new(ground, attacker),
            unmove_defender: Unmover::new(ground, !attacker),
            planes,
        };
        pass.with_open_sets()
    }

    /// Everything legal is open, and an escape.
    fn with_open_sets(self) -> Self {
        let facts = self.facts;
        let ground = facts.ground;
        let (won_side, lost_side) = (self.attacker.index(), (!self.attacker).index());
        let pending = facts.exits[lost_side].as_ref().map(|exits| &exits.any);
        let n = ground.words_per_block();
        let planes = &mut *self.planes;
        // With one side to move, the other side's royal man must not be attacked.
        let one = |(block, (open, escape)): (usize, (&mut [u64], &mut [u64]))| {
            SCRATCH.with_scratch(|scratch| {
                ground.prepare(block, scratch);
                ground.fill_placements(block, scratch, open);
            });
            let words = block * n..(block + 1) * n;
            let attacked = facts.attacked[lost_side][words.clone()].iter();
            escape.iter_mut().zip(&*open).zip(attacked).for_each(|((e, &o), &a)| *e = o & !a);
            let attacked = facts.attacked[won_side][words.clone()].iter();
            open.iter_mut().zip(attacked).for_each(|(o, &a)| *o &= !a);
            if let Some(pending) = pending {
                open.iter_mut().zip(&pending[words]).for_each(|(o, &p)| *o &= !p);
            }
        };
        if planes.open.len() >= PARALLEL_WORDS {
            let blocks = planes.open.par_chunks_mut(n).zip(planes.escape.par_chunks_mut(n));
            blocks.enumerate().for_each(one);
        } else {
            planes.open.chunks_mut(n).zip(planes.escape.chunks_mut(n)).enumerate().for_each(one);
        }
        for &(word, bits) in &facts.captures[lost_side].legal {
            planes.escape[word as usize] |= bits;
        }
        self
    }

    /// Runs to the end; the codes of the attacker's wins and of the defender's losses are written as they are found.
    pub(crate) fn run<C: Storable>(
        mut self,
        wins: Option<&mut [C]>,
        losses: Option<&mut [C]>,
    ) -> Result<(), Overflow> {
        let ground = self.facts.ground;
        let mut wins = wins.map(|codes| Sink::new(ground, codes));
        let mut losses = losses.map(|codes| Sink::new(ground, codes));
        let end = self.end_of_events();
        self.find_ends(&mut losses);
        self.add_ghosts(0);
        self.next_ply();
        let mut ply = 1;
        while self.planes.won.any || self.planes.lost.any || ply <= end {
            self.find_losses(ply, &mut losses)?;
            self.find_wins(ply, &mut wins)?;
            self.add_ghosts(ply);
            self.next_ply();
            ply += 1;
        }
        wins.into_iter().chain(losses).for_each(|sink| sink.close(ground));
        Ok(())
    }

    /// What has been found becomes what is looked back from.
    fn next_ply(&mut self) {
        let planes = &mut *self.planes;
        std::mem::swap(&mut planes.won, &mut planes.won_next);
        std::mem::swap(&mut planes.lost, &mut planes.lost_next);
        planes.won_next.clear();
        planes.lost_next.clear();
    }

    /// The first ply after which no ghost and no exit is due.
    fn end_of_events(&self) -> usize {
        let (attacker, defender) = (self.attacker.index(), (!self.attacker).index());
        let exits = &self.facts.exits;
        let of_exits = exits[attacker].as_ref().map_or(0, |e| e.won.end());
        let of_defender = exits[defender].as_ref().map_or(0, |e| e.lost.end());
        let captures = &self.facts.captures;
        captures[attacker].lost.end().max(captures[defender].won.end()).max(of_exits).max(of_defender)
    }

    /// Where the defender has no move: lost in 0 plies, or a stalemate, which is over for ever.
    fn find_ends<C: Storable>(&mut self, losses: &mut Option<Sink<'_, C>>) {
        let (facts, unmover) = (self.facts, &self.unmove_defender);
        let attacked = &facts.attacked[(!self.attacker).index()];
        let planes = &mut *self.planes;
        let escape = &planes.escape;
        planes.touched.fill(true);
        let loses = facts.stalemate == Stalemate::Loss;
        let (mate_code, stalemate_code) =
            (C::from_value(Value::Loss(Ply(0))), C::from_value(Value::Stalemate));
        let mut stalemates = std::mem::take(&mut planes.won_next);
        // Stalemates are found beside the mates: the frontier of the wins is not needed yet.
        stalemates.any = for_each_block(
            facts.ground,
            &planes.touched,
            &mut stalemates,
            &mut planes.open,
            losses.as_mut(),
            unmover.order(),
            |block, scratch| {
                block.live.fill(true);
                block.found.copy_from_slice(block.open);
                refute(facts.ground, unmover, escape, block, scratch);
                take_all(facts.ground, block);
                let n = block.found.len();
                let attacked = &attacked[block.number * n..(block.number + 1) * n];
                let Some((codes, _)) = &mut block.codes else { return };
                for (place, (&word, &attacked)) in block.found.iter().zip(attacked).enumerate() {
                    let mates = if loses { word } else { word & attacked };
                    store_word(facts.ground, codes, place, mates, mate_code);
                    store_word(facts.ground, codes, place, word & !mates, stalemate_code);
                }
            },
        );
        // What is left in the frontier of the losses are mates.
        for (word, &bits) in stalemates.words.iter().enumerate().filter(|(_, bits)| **bits != 0) {
            let mates = if loses { bits } else { bits & attacked[word] };
            if mates != 0 {
                planes.lost_next.add(word, mates);
            }
        }
        stalemates.clear();
        planes.won_next = stalemates;
    }

    /// The captures that lead to positions decided at this ply enter the frontiers; those that lose are no escape.
    fn add_ghosts(&mut self, ply: usize) {
        let (attacker, defender) = (self.attacker.index(), (!self.attacker).index());
        let planes = &mut *self.planes;
        for (word, bits) in self.facts.captures[attacker].lost.due(ply) {
            planes.lost_next.add(word, bits);
        }
        for (word, bits) in self.facts.captures[defender].won.due(ply) {
            planes.won_next.add(word, bits);
            planes.escape[word] &= !bits;
        }
    }

    fn find_wins<C: Storable>(&mut self, ply: usize, wins: &mut Option<Sink<'_, C>>) -> Result<(), Overflow> {
        let (facts, unmover) = (self.facts, &self.unmove_attacker);
        let planes = &mut *self.planes;
        if let Some(exits) = &facts.exits[self.attacker.index()] {
            exits.won.due(ply).for_each(|(word, bits)| planes.won_next.add(word, bits));
        }
        if !planes.lost.any && !planes.won_next.any {
            return Ok(());
        }
        planes.touched.copy_from_slice(&planes.won_next.live_blocks);
        unmover.mark_origins(&planes.lost.live_blocks, &mut planes.touched);
        let source = planes.lost.source();
        let code = C::from_value(Value::Win(Ply(ply as u16)));
        planes.won_next.any = for_each_block(
            facts.ground,
            &planes.touched,
            &mut planes.won_next,
            &mut planes.escape,
            wins.as_mut(),
            unmover.order(),
            |block, scratch| {
                unmove(facts.ground, unmover, source, block, scratch);
                if facts.ground.is_word() {
                    block.found[0] &= block.open[0] & facts.ground.word_placements(block.number);
                } else {
                    let row_len = facts.ground.row_len();
                    let Scratch { taken, shared, .. } = &*scratch;
                    cut_placements(block.found, block.live, block.open, taken, shared, row_len);
                }
                take_all(facts.ground, block);
                store(facts.ground, block, code);
            },
        );
        if planes.won_next.any && wins.is_some() && code.is_none() { Err(Overflow) } else { Ok(()) }
    }

    fn find_losses<C: Storable>(
        &mut self,
        ply: usize,
        losses: &mut Option<Sink<'_, C>>,
    ) -> Result<(), Overflow> {
        let (facts, unmover) = (self.facts, &self.unmove_defender);
        let planes = &mut *self.planes;
        if let Some(exits) = &facts.exits[(!self.attacker).index()] {
            // Nothing keeps these from being lost any more but other men's moves.
            let attacked = &facts.attacked[self.attacker.index()];
            for (word, bits) in exits.lost.due(ply) {
                let bits = bits & !attacked[word];
                if bits != 0 {
                    planes.open[word] |= bits;
                    planes.lost_next.add(word, bits);
                }
            }
        }
        if !planes.won.any && !planes.lost_next.any {
            return Ok(());
        }
        planes.touched.copy_from_slice(&planes.lost_next.live_blocks);
        unmover.mark_origins(&planes.won.live_blocks, &mut planes.touched);
        let (source, escape) = (planes.won.source(), &planes.escape);
        let code = C::from_value(Value::Loss(Ply(ply as u16)));
        planes.lost_next.any = for_each_block(
            facts.ground,
            &planes.touched,
            &mut planes.lost_next,
            &mut planes.open,
            losses.as_mut(),
            unmover.order(),
            |block, scratch| {
                unmove(facts.ground, unmover, source, block, scratch);
                if facts.ground.is_word() {
                    block.found[0] &= block.open[0];
                } else {
                    cut(block.found, block.live, block.open, facts.ground.row_len());
                }
                refute(facts.ground, unmover, escape, block, scratch);
                take_all(facts.ground, block);
                store(facts.ground, block, code);
            },
        );
        if planes.lost_next.any && losses.is_some() && code.is_none() { Err(Overflow) } else { Ok(()) }
    }
}

/// Takes back the moves into `source`, into one block.
#[inline]
fn unmove<C>(
    ground: &Ground<'_>,
    unmover: &Unmover<'_>,
    source: Source<'_>,
    block: &mut Block<'_, C>,
    scratch: &mut Scratch,
) {
    if ground.is_word() {
        block.found[0] |= unmover.unmove_word(source.words, block.number);
    } else {
        unmover.unmove(source, block.number, block.found, block.live, scratch);
    }
}

/// Takes out what can be moved to an escape.
#[inline]
fn refute<C>(
    ground: &Ground<'_>,
    unmover: &Unmover<'_>,
    escape: &[u64],
    block: &mut Block<'_, C>,
    scratch: &mut Scratch,
) {
    if !ground.is_word() {
        unmover.refute(escape, block.number, block.found, block.live, scratch);
    } else if block.found[0] != 0 {
        block.found[0] &= !unmover.unmove_word(escape, block.number);
    }
}
