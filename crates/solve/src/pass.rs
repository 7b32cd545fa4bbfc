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

use crate::block::{Block, PARALLEL_WORDS, Sink, for_each_block, store, store_word, take_all, with_scratch};
use crate::capture::Captures;
use crate::code::Storable;
use crate::exit::Exits;
use crate::frontier::Frontier;
use crate::ground::Ground;
use crate::lane::SolverWord;
use crate::record::{Longest, Overflow, Record};
use crate::unmove::{Scratch, Source, Unmover};
use kernel::{Word, cut, cut_placements};
use rayon::prelude::*;
use table::{Ply, Value};
use variant::{Metric, Side, Stalemate};

/// What a pass needs to know of its slice; the same for both attackers.
pub(crate) struct Facts<'a, W> {
    pub(crate) ground: &'a Ground<'a, W>,
    /// By side: the placements in which its royal man is attacked.
    pub(crate) attacked: &'a [Vec<W>; 2],
    /// By the side that captures.
    pub(crate) captures: &'a [Captures<W>; 2],
    /// By the side that has the pawns.
    pub(crate) exits: &'a [Option<Exits<W>>; 2],
    pub(crate) stalemate: Stalemate,
    pub(crate) metric: Metric,
}

/// The planes of a pass, used again from slice to slice.
#[derive(Debug)]
pub(crate) struct Planes<W> {
    open: Vec<W>,
    escape: Vec<W>,
    won: Frontier<W>,
    won_next: Frontier<W>,
    lost: Frontier<W>,
    lost_next: Frontier<W>,
    touched: Vec<bool>,
}

impl<W> Default for Planes<W> {
    fn default() -> Self {
        Planes {
            open: Vec::new(),
            escape: Vec::new(),
            won: Frontier::default(),
            won_next: Frontier::default(),
            lost: Frontier::default(),
            lost_next: Frontier::default(),
            touched: Vec::new(),
        }
    }
}

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
    unmove_attacker: Unmover<'a, W>,
    unmove_defender: Unmover<'a, W>,
    planes: &'a mut Planes<W>,
}

impl<'a, W: SolverWord> Pass<'a, W> {
    pub(crate) fn new(facts: &'a Facts<'a, W>, attacker: Side, planes: &'a mut Planes<W>) -> Self {
        let ground = facts.ground;
        let (n_blocks, n_rows, row_len) = (ground.n_blocks(), ground.n_rows(), ground.row_len());
        for frontier in [&mut planes.won, &mut planes.won_next, &mut planes.lost, &mut planes.lost_next] {
            frontier.reset(n_blocks, n_rows, row_len);
        }
        planes.open.resize(ground.n_words(), W::ZERO);
        planes.escape.resize(ground.n_words(), W::ZERO);
        planes.touched.resize(n_blocks, false);
        let pass = Pass {
            facts,
            attacker,
            ply: 0,
            unwritten: None,
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
        let one = |(block, (open, escape)): (usize, (&mut [W], &mut [W]))| {
            with_scratch(|scratch| {
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
    /// `longest` has the longest win and loss of each side to move that there are, and is told of longer ones.
    ///
    /// # Errors
    /// A value has no code of this width. Everything found before it is written, and the pass can be run on from there
    /// with wider codes.
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
        while self.planes.won.any || self.planes.lost.any || self.ply <= end {
            // After an overflow that half of a ply is written which was not, and what comes before it is done.
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
        captures[attacker].lost.end().max(captures[defender].won.end()).max(of_exits).max(of_defender)
    }

    /// Where the defender has no move: lost in 0 plies, or a stalemate, which is over for ever.
    fn find_ends<C: Storable>(&mut self, losses: &mut Option<Record<'_, C, W>>) {
        let (facts, unmover) = (self.facts, &self.unmove_defender);
        let attacked = &facts.attacked[(!self.attacker).index()];
        let planes = &mut *self.planes;
        let escape = &planes.escape;
        planes.touched.fill(true);
        let loses = facts.stalemate == Stalemate::Loss;
        let code = |value| C::encode(value, facts.metric);
        let (mate_code, stalemate_code) = (code(Value::Loss(Ply(0))), code(Value::Stalemate));
        let mut stalemates = std::mem::take(&mut planes.won_next);
        // Stalemates are found beside the mates: the frontier of the wins is not needed yet.
        stalemates.any = for_each_block(
            facts.ground,
            &planes.touched,
            &mut stalemates,
            &mut planes.open,
            losses.as_mut().map(|losses| &mut losses.sink),
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
        for (word, &bits) in stalemates.words.iter().enumerate().filter(|(_, bits)| **bits != W::ZERO) {
            let mates = if loses { bits } else { bits & attacked[word] };
            if mates != W::ZERO {
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

    fn find_wins<C: Storable>(&mut self, wins: &mut Option<Record<'_, C, W>>) -> Result<(), Overflow> {
        let (ply, value) = (self.ply, self.win());
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
        let code = wins.as_ref().and_then(|wins| wins.code(value));
        planes.won_next.any = for_each_block(
            facts.ground,
            &planes.touched,
            &mut planes.won_next,
            &mut planes.escape,
            wins.as_mut().map(|wins| &mut wins.sink),
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
        if !planes.won_next.any {
            return Ok(());
        }
        self.noted(Half::Wins, wins, value, code.is_some())
    }

    fn find_losses<C: Storable>(&mut self, losses: &mut Option<Record<'_, C, W>>) -> Result<(), Overflow> {
        let (ply, value) = (self.ply, self.loss());
        let (facts, unmover) = (self.facts, &self.unmove_defender);
        let planes = &mut *self.planes;
        if let Some(exits) = &facts.exits[(!self.attacker).index()] {
            // Nothing keeps these from being lost any more but other men's moves.
            let attacked = &facts.attacked[self.attacker.index()];
            for (word, bits) in exits.lost.due(ply) {
                let bits = bits & !attacked[word];
                if bits != W::ZERO {
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
        let code = losses.as_ref().and_then(|losses| losses.code(value));
        planes.lost_next.any = for_each_block(
            facts.ground,
            &planes.touched,
            &mut planes.lost_next,
            &mut planes.open,
            losses.as_mut().map(|losses| &mut losses.sink),
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

/// A ply as values have it; those that no code can say are all the same.
fn ply_of(ply: usize) -> u16 {
    u16::try_from(ply).unwrap_or(u16::MAX)
}

/// Takes back the moves into `source`, into one block.
#[inline]
fn unmove<C, W: Word>(
    ground: &Ground<'_, W>,
    unmover: &Unmover<'_, W>,
    source: Source<'_, W>,
    block: &mut Block<'_, C, W>,
    scratch: &mut Scratch<W>,
) {
    if ground.is_word() {
        block.found[0] |= unmover.unmove_word(source.words, block.number);
    } else {
        unmover.unmove(source, block.number, block.found, block.live, scratch);
    }
}

/// Takes out what can be moved to an escape.
#[inline]
fn refute<C, W: Word>(
    ground: &Ground<'_, W>,
    unmover: &Unmover<'_, W>,
    escape: &[W],
    block: &mut Block<'_, C, W>,
    scratch: &mut Scratch<W>,
) {
    if !ground.is_word() {
        unmover.refute(escape, block.number, block.found, block.live, scratch);
    } else if block.found[0] != W::ZERO {
        block.found[0] &= !unmover.unmove_word(escape, block.number);
    }
}
