//! One pass: all wins of one side (the attacker) in one slice, ply by ply.
//!
//! Two sets grow: `W`, attacker to move and won, and `L`, defender to move and lost. At every ply
//!
//! ```text
//!   L_new(n) = ( unmove_D(W_new(n−1)) ∪ defender's exits due ) ∩ open − unmove_D(escape)
//!   W_new(n) = ( unmove_A(L_new(n−1)) ∪ attacker's exits due ) ∩ escape ∩ placements
//! ```
//!
//! `open` holds the positions, defender to move, that may still become lost: not decided, and without a pawn
//! move that is not known to lose. `escape` holds the placements, attacker to move, that the defender may
//! move to without being lost: at first every legal one, then less and less. Those of them that are no ghosts
//! are what the attacker has not won yet. Ghosts (see `capture`) enter with the ply of the position after the
//! capture, so that captures are moves like any other.
//!
//! A half-step goes through the blocks once: moves are taken back into a block, it is cut down to what is
//! open, codes are written, and what was found is taken out of the open set while the block is still at hand.

use crate::block::{Block, PARALLEL_WORDS, Sink, for_each_block, store, store_word, take_all, with_scratch};
use crate::capture::Captures;
use crate::code::Storable;
use crate::exit::Exits;
use crate::ground::Ground;
use crate::lane::SolverWord;
use crate::mover::Mover;
use crate::over::OverIn;
use crate::planes::Planes;
use crate::record::{Longest, Overflow, Record};
use crate::ruling::Ruling;
use crate::unmove::Scratch;
use kernel::{Word, cut, cut_placements};
use rayon::prelude::*;
use table::{Ply, Value};
use variant::{Metric, Side, Verdict};

/// What a pass needs to know of its slice; the same for both attackers.
pub(crate) struct Facts<'a, W> {
    pub(crate) ground: &'a Ground<'a, W>,
    /// By side: the placements in which its royal man is attacked.
    pub(crate) attacked: &'a [Vec<W>; 2],
    pub(crate) ruling: &'a Ruling<W>,
    /// By the side that captures.
    pub(crate) captures: &'a [Captures<W>; 2],
    /// By the side that has the pawns.
    pub(crate) exits: &'a [Option<Exits<W>>; 2],
    pub(crate) metric: Metric,
}

/// Who has won without a move claims it: that counts a ply.
const CLAIM_PLY: usize = 1;

/// One half of a ply.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Half {
    Losses,
    Wins,
}

/// One pass over a slice.
pub(crate) struct Pass<'a, W> {
    facts: &'a Facts<'a, W>,
    attacker: Side,
    /// The ply that is looked for.
    ply: usize,
    /// What has been found at this ply and could not be written.
    unwritten: Option<Half>,
    attacker_moves: Mover<'a, W>,
    defender_moves: Mover<'a, W>,
    planes: &'a mut Planes<W>,
}

impl<'a, W: SolverWord> Pass<'a, W> {
    pub(crate) fn new(facts: &'a Facts<'a, W>, attacker: Side, planes: &'a mut Planes<W>) -> Self {
        let ground = facts.ground;
        planes.reset(ground, facts.ruling.must_capture());
        let pass = Pass {
            facts,
            attacker,
            ply: 0,
            unwritten: None,
            attacker_moves: facts.ruling.mover(ground, attacker),
            defender_moves: facts.ruling.mover(ground, !attacker),
            planes,
        };
        pass.with_open_sets()
    }

    /// Everything legal is open, and an escape.
    fn with_open_sets(self) -> Self {
        let facts = self.facts;
        let ground = facts.ground;
        let lost_side = (!self.attacker).index();
        let illegal = facts.ruling.illegal(self.attacker, facts.attacked);
        let illegal_after = facts.ruling.illegal(!self.attacker, facts.attacked);
        let over = facts.ruling.over[lost_side].as_ref();
        let pending = facts.exits[lost_side].as_ref().map(|exits| &exits.any);
        let n = ground.words_per_block();
        let planes = &mut *self.planes;
        let one = |(block, (open, escape)): (usize, (&mut [W], &mut [W]))| {
            with_scratch(|scratch| {
                ground.prepare(block, scratch);
                ground.fill_placements(block, scratch, open);
            });
            let words = block * n..(block + 1) * n;
            let illegal = illegal[words.clone()].iter();
            escape.iter_mut().zip(&*open).zip(illegal).for_each(|((e, &o), &i)| *e = o & !i);
            let illegal = illegal_after[words.clone()].iter();
            open.iter_mut().zip(illegal).for_each(|(o, &i)| *o &= !i);
            if let Some(over) = over.and_then(|over| over.of(block)) {
                open.iter_mut().zip(over.any).for_each(|(o, &over)| *o &= !over);
            }
            if let Some(pending) = pending {
                open.iter_mut().zip(&pending[words]).for_each(|(o, &p)| *o &= !p);
            }
        };
        if planes.open.len() >= PARALLEL_WORDS {
            let blocks = planes.open.par_chunks_mut(n).zip(planes.escape.places.par_chunks_mut(n));
            blocks.enumerate().for_each(one);
        } else {
            planes.open.chunks_mut(n).zip(planes.escape.places.chunks_mut(n)).enumerate().for_each(one);
        }
        let ghosts = planes.escape.ghosts.as_mut().unwrap_or(&mut planes.escape.places);
        for &(word, bits) in &facts.captures[lost_side].legal {
            ghosts[word as usize] |= bits;
        }
        self
    }

    /// Runs to the end; the codes of the attacker's wins and of the defender's losses are written as they are
    /// found. `longest` has the longest win and loss of each side to move that there are, and is told of
    /// longer ones.
    ///
    /// # Errors
    /// A value has no code of this width. Everything found before it is written, and the pass can be run on
    /// from there with wider codes.
    pub(crate) fn run<C: Storable>(
        &mut self,
        wins: Option<&mut [C]>,
        losses: Option<&mut [C]>,
        longest: &mut [Longest; 2],
    ) -> Result<(), Overflow> {
        let (ground, metric) = (self.facts.ground, self.facts.metric);
        let (winner, loser) = (self.attacker.index(), (!self.attacker).index());
        let most = |beside: u16| C::most_plies(metric).map_or(u16::MAX, |most| most - beside);
        let record = |codes, longest, most_plies| Record {
            sink: Sink::new(ground, codes),
            metric,
            most_plies,
            longest,
        };
        let mut wins = wins.map(|codes| record(codes, longest[winner].win, most(longest[winner].loss)));
        let mut losses = losses.map(|codes| record(codes, longest[loser].loss, most(longest[loser].win)));
        let ended = self.run_on(&mut wins, &mut losses);
        if let Some(wins) = wins {
            longest[winner].win = wins.longest;
            wins.sink.close(ground);
        }
        if let Some(losses) = losses {
            longest[loser].loss = losses.longest;
            losses.sink.close(ground);
        }
        ended
    }

    fn run_on<C: Storable>(
        &mut self,
        wins: &mut Option<Record<'_, C, W>>,
        losses: &mut Option<Record<'_, C, W>>,
    ) -> Result<(), Overflow> {
        let end = self.end_of_events();
        if self.ply == 0 {
            self.find_ends(losses);
            self.finish_ply();
        }
        while self.planes.any() || self.ply <= end {
            // After an overflow that half of a ply is written which was not, and what comes before it is
            // done.
            let unwritten = self.unwritten.take();
            match unwritten {
                None => self.find_losses(losses)?,
                Some(Half::Losses) => self.write(Half::Losses, losses)?,
                Some(Half::Wins) => {}
            }
            match unwritten {
                Some(Half::Wins) => self.write(Half::Wins, wins)?,
                _ => self.find_wins(wins)?,
            }
            self.finish_ply();
        }
        Ok(())
    }

    /// Writes what has been found in a half and had no code.
    fn write<C: Storable>(
        &mut self,
        half: Half,
        record: &mut Option<Record<'_, C, W>>,
    ) -> Result<(), Overflow> {
        let (frontier, value) = match half {
            Half::Losses => (&self.planes.lost_next, self.loss()),
            Half::Wins => (&self.planes.won_next, self.win()),
        };
        let Some(record) = record.as_mut() else { return Ok(()) };
        match record.code(value) {
            Some(code) => record.sink.write(self.facts.ground, frontier, code),
            None => {
                self.unwritten = Some(half);
                return Err(Overflow);
            }
        }
        record.note(value);
        Ok(())
    }

    /// The value of what the attacker wins at this ply.
    fn win(&self) -> Value {
        Value::Win(Ply(if self.facts.metric == Metric::Wdl { 1 } else { ply_of(self.ply) }))
    }

    /// The value of what the defender loses at this ply.
    fn loss(&self) -> Value {
        Value::Loss(Ply(if self.facts.metric == Metric::Wdl { 0 } else { ply_of(self.ply) }))
    }

    /// The captures due at this ply join what has been found, and the next ply begins.
    fn finish_ply(&mut self) {
        self.planes.won_ghosts.clear();
        self.planes.lost_ghosts.clear();
        self.add_ghosts(self.ply);
        self.next_ply();
        self.ply += 1;
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
        let claims = if self.facts.ruling.over[attacker].is_some() { CLAIM_PLY } else { 0 };
        let of_captures = captures[attacker].lost.end().max(captures[defender].won.end());
        of_captures.max(of_exits).max(of_defender).max(claims)
    }

    /// Where the defender has no move: lost in 0 plies, or a draw, which is over for ever; and where it has
    /// lost whatever it could do.
    fn find_ends<C: Storable>(&mut self, losses: &mut Option<Record<'_, C, W>>) {
        let (facts, mover) = (self.facts, &self.defender_moves);
        let defender = (!self.attacker).index();
        let attacked = &facts.attacked[defender];
        let law = &facts.ground.motion.law;
        // Who is won without a move is closed, and not found here.
        let loses = [law.stuck[defender] == Some(Verdict::Loss), law.mated == Verdict::Loss];
        let is_lost = |found: W, attacked: W| {
            let lost = |loses: bool, bits: W| if loses { bits } else { W::ZERO };
            lost(loses[0], found & !attacked) | lost(loses[1], found & attacked)
        };
        let over = facts.ruling.over[defender].as_ref();
        let planes = &mut *self.planes;
        let escape = &planes.escape;
        let n = facts.ground.words_per_block();
        let has_lost =
            |block: usize| over.and_then(|over| over.of(block)).is_some_and(|over| over.has_lost());
        for (block, (touched, open)) in planes.touched.iter_mut().zip(planes.open.chunks_exact(n)).enumerate()
        {
            *touched = open.iter().any(|&word| word != W::ZERO) || has_lost(block);
        }
        let code = |value| C::encode(value, facts.metric);
        let (lost_code, draw_code) = (code(Value::Loss(Ply(0))), code(Value::Stalemate));
        let mut stuck = std::mem::take(&mut planes.won_next);
        // Draws are found beside the losses: the frontier of the wins is not needed yet.
        stuck.any = for_each_block(
            facts.ground,
            &planes.touched,
            &mut stuck,
            &mut planes.open,
            losses.as_mut().map(|losses| &mut losses.sink),
            mover.order(),
            |block, scratch| {
                block.live.fill(true);
                block.found.copy_from_slice(block.open);
                mover.refute(escape, block, scratch);
                take_all(facts.ground, block);
                let words = block.number * n..(block.number + 1) * n;
                let over = over.and_then(|over| over.of(block.number)).map(|over| over.lost);
                let Some((codes, _)) = &mut block.codes else { return };
                for (place, (&word, &attacked)) in block.found.iter().zip(&attacked[words]).enumerate() {
                    let lost = is_lost(word, attacked);
                    store_word(facts.ground, codes, place, word & !lost, draw_code);
                    let lost = over.map_or(lost, |over| lost | over[place]);
                    store_word(facts.ground, codes, place, lost, lost_code);
                }
            },
        );
        // What is left in the frontier of the losses are those who have lost.
        for block in (0..planes.touched.len()).filter(|&block| planes.touched[block]) {
            let over = over.and_then(|over| over.of(block)).map(|over| over.lost);
            for (place, word) in (block * n..(block + 1) * n).enumerate() {
                let bits = stuck.words[word];
                let lost = if bits == W::ZERO { bits } else { is_lost(bits, attacked[word]) };
                planes.lost_next.add_any(word, over.map_or(lost, |over| lost | over[place]));
            }
        }
        stuck.clear();
        planes.won_next = stuck;
    }

    /// The captures that lead to positions decided at this ply enter the frontiers; those that lose are no
    /// escape.
    fn add_ghosts(&mut self, ply: usize) {
        let (attacker, defender) = (self.attacker.index(), (!self.attacker).index());
        let Planes { escape, won_next, lost_next, won_ghosts, lost_ghosts, .. } = &mut *self.planes;
        let (won, lost, escape) = match &mut escape.ghosts {
            Some(ghosts) => (won_ghosts, lost_ghosts, ghosts),
            None => (won_next, lost_next, &mut escape.places),
        };
        for (word, bits) in self.facts.captures[attacker].lost.due(ply) {
            lost.add(word, bits);
        }
        for (word, bits) in self.facts.captures[defender].won.due(ply) {
            won.add(word, bits);
            escape[word] &= !bits;
        }
    }

    fn find_wins<C: Storable>(&mut self, wins: &mut Option<Record<'_, C, W>>) -> Result<(), Overflow> {
        let (ply, value) = (self.ply, self.win());
        let (facts, mover) = (self.facts, &self.attacker_moves);
        let over = facts.ruling.over[self.attacker.index()].as_ref();
        let claims = ply == CLAIM_PLY && over.is_some();
        let planes = &mut *self.planes;
        if let Some(exits) = &facts.exits[self.attacker.index()] {
            exits.won.due(ply).for_each(|(word, bits)| planes.won_next.add(word, bits));
        }
        if !planes.lost.any && !planes.lost_ghosts.any && !planes.won_next.any && !claims {
            return Ok(());
        }
        planes.touched.copy_from_slice(&planes.won_next.live_blocks);
        mover.mark_origins(&planes.lost.live_blocks, &mut planes.touched);
        let (source, ghosts) = (planes.lost.source(), planes.lost_ghosts.source());
        let ghosts = planes.escape.ghosts.is_some().then(|| {
            mover.mark_origins(&planes.lost_ghosts.live_blocks, &mut planes.touched);
            ghosts
        });
        if let Some(over) = over.filter(|_| claims) {
            for (block, touched) in planes.touched.iter_mut().enumerate() {
                *touched |= over.of(block).is_some_and(|over| over.has_won());
            }
        }
        skip_shut(&mut planes.touched, &planes.won_next.live_blocks, &planes.escape.places);
        let code = wins.as_ref().and_then(|wins| wins.code(value));
        planes.won_next.any = for_each_block(
            facts.ground,
            &planes.touched,
            &mut planes.won_next,
            &mut planes.escape.places,
            wins.as_mut().map(|wins| &mut wins.sink),
            mover.order(),
            |block, scratch| {
                mover.unmove(source, ghosts, block, scratch);
                if let Some(over) = over.and_then(|over| over.of(block.number)) {
                    end_wins(over, claims, block);
                }
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
        if !planes.won_next.any {
            return Ok(());
        }
        self.noted(Half::Wins, wins, value, code.is_some())
    }

    fn find_losses<C: Storable>(&mut self, losses: &mut Option<Record<'_, C, W>>) -> Result<(), Overflow> {
        let (ply, value) = (self.ply, self.loss());
        let (facts, mover) = (self.facts, &self.defender_moves);
        let planes = &mut *self.planes;
        if let Some(exits) = &facts.exits[(!self.attacker).index()] {
            // Nothing keeps these from being lost any more but other men's moves.
            let illegal = facts.ruling.illegal(!self.attacker, facts.attacked);
            for (word, bits) in exits.lost.due(ply) {
                let bits = bits & !(illegal[word] | facts.ruling.over_at(!self.attacker, word));
                if bits != W::ZERO {
                    planes.open[word] |= bits;
                    planes.lost_next.add(word, bits);
                }
            }
        }
        if !planes.won.any && !planes.won_ghosts.any && !planes.lost_next.any {
            return Ok(());
        }
        planes.touched.copy_from_slice(&planes.lost_next.live_blocks);
        mover.mark_origins(&planes.won.live_blocks, &mut planes.touched);
        let (source, ghosts, escape) = (planes.won.source(), planes.won_ghosts.source(), &planes.escape);
        let ghosts = escape.ghosts.is_some().then(|| {
            mover.mark_origins(&planes.won_ghosts.live_blocks, &mut planes.touched);
            ghosts
        });
        skip_shut(&mut planes.touched, &planes.lost_next.live_blocks, &planes.open);
        let code = losses.as_ref().and_then(|losses| losses.code(value));
        planes.lost_next.any = for_each_block(
            facts.ground,
            &planes.touched,
            &mut planes.lost_next,
            &mut planes.open,
            losses.as_mut().map(|losses| &mut losses.sink),
            mover.order(),
            |block, scratch| {
                mover.unmove(source, ghosts, block, scratch);
                if facts.ground.is_word() {
                    block.found[0] &= block.open[0];
                } else {
                    cut(block.found, block.live, block.open, facts.ground.row_len());
                }
                mover.refute(escape, block, scratch);
                take_all(facts.ground, block);
                store(facts.ground, block, code);
            },
        );
        if !planes.lost_next.any {
            return Ok(());
        }
        self.noted(Half::Losses, losses, value, code.is_some())
    }

    /// Takes note of a value that has been found, and written if there was a code.
    fn noted<C: Storable>(
        &mut self,
        half: Half,
        record: &mut Option<Record<'_, C, W>>,
        value: Value,
        is_written: bool,
    ) -> Result<(), Overflow> {
        let Some(record) = record else { return Ok(()) };
        if !is_written {
            self.unwritten = Some(half);
            return Err(Overflow);
        }
        record.note(value);
        Ok(())
    }
}

/// Leaves out blocks of which nothing is open any more, unless they hold something to be cut down.
fn skip_shut<W: Word>(touched: &mut [bool], live_blocks: &[bool], open: &[W]) {
    let n_words = open.len() / touched.len().max(1);
    for (block, touched) in touched.iter_mut().enumerate().filter(|(_, touched)| **touched) {
        let open = &open[block * n_words..(block + 1) * n_words];
        *touched = live_blocks[block] || open.iter().any(|&word| word != W::ZERO);
    }
}

/// A ply as values have it; those that no code can say are all the same.
fn ply_of(ply: usize) -> u16 {
    u16::try_from(ply).unwrap_or(u16::MAX)
}

/// Where the game is over the attacker wins only what it claims, when it claims it.
fn end_wins<C, W: Word>(over: OverIn<'_, W>, claims: bool, block: &mut Block<'_, C, W>) {
    block.found.iter_mut().zip(over.any).for_each(|(found, &over)| *found &= !over);
    if claims {
        block.found.iter_mut().zip(over.won).for_each(|(found, &claim)| *found |= claim);
        block.live.fill(true);
    }
}
