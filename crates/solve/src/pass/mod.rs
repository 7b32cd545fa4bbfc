//! Finds all wins of one side (the attacker) in one slice, ply by ply.
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
//! are what the attacker has not won yet. Ghosts (see `successor/capture.rs`) enter with the ply of the
//! position after the capture, so that captures are moves like any other.
//!
//! Under `help` the defender wants to lose. Then no escape refutes a loss, and one pawn move that loses is
//! enough, so the first arrival counts for both sides:
//!
//! ```text
//!   L_new(n) = ( unmove_D(W_new(n−1)) ∪ defender's exits due ) ∩ open
//! ```
//!
//! A half-step goes through the blocks once: moves are taken back into a block, it is cut down to what is
//! open, codes are written, and what was found is taken out of the open set while the block is still at hand.
//!
//! A pass whose log was kept begins where the log ends. The open sets of a ply are those at the beginning
//! less all that has been found since, and what is looked back from is what the last ply has found. So the
//! entries of the log are all that it needs.

mod opening;

pub(crate) use opening::{Facts, Halt, Longest};

use crate::log::{LogEntry, LogStore, StoredEntry};
use crate::packed::{self, FirstError, StoredSet};
use crate::plane::{Block, OpenPlane, PassPlanes};
use crate::pool::Scratch;
use crate::rule::{BlockTerminals, Premises};
use crate::sweep::{Sink, Sweep};
use crate::unmove::Mover;
use crate::word::SolverWord;
use index::BlockRange;
use kernel::{Word, cut, cut_placements};
use opening::{Record, fill_open_sets, find_ends};
use std::collections::HashMap;
use std::io;
use table::{Code, Ply, Value, threads};
use variant::{Metric, Side};

/// A side that has won without a move claims its win: that counts a ply.
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
    planes: &'a mut PassPlanes<W>,
    /// Called when all that a ply has found is written; the answer is whether to go on.
    watch: &'a WatchPly<'a, W>,
}

/// Watches a pass: gets the ply that is found, and the planes that hold what was found.
type WatchPly<'a, W> = dyn Fn(usize, &PassPlanes<W>) -> bool + 'a;

impl<'a, W: SolverWord> Pass<'a, W> {
    /// A pass for the wins of a side. `watch` is called when all that a ply has found is written, and says
    /// whether to go on.
    pub(crate) fn new(
        facts: &'a Facts<'a, W>,
        attacker: Side,
        planes: &'a mut PassPlanes<W>,
        watch: &'a WatchPly<'a, W>,
    ) -> Self {
        let ground = facts.premises.ground;
        planes.reset(ground, facts.ruling.must_capture(), facts.packs);
        fill_open_sets(facts, attacker, planes);
        Pass {
            facts,
            attacker,
            ply: 0,
            unwritten: None,
            attacker_moves: facts.ruling.mover(ground, attacker),
            defender_moves: facts.ruling.mover(ground, !attacker),
            planes,
            watch,
        }
    }

    /// Runs to the end; the attacker's wins and the defender's losses, in this order, go where the sinks are
    /// as they are found. `longest` has the longest win and loss of each side to move that there are, and
    /// gets longer ones.
    ///
    /// # Errors
    /// A value has no code of this width. Everything found before it is written, and the pass can be run on
    /// from there with wider codes.
    pub(crate) fn run<C: Code>(
        &mut self,
        [wins, losses]: [Option<Sink<'_, C, W>>; 2],
        longest: &mut [Longest; 2],
    ) -> Result<(), Halt> {
        let (ground, metric) = (self.facts.premises.ground, self.facts.metric);
        let (winner, loser) = (self.attacker.index(), (!self.attacker).index());
        let most = |beside: u16| C::most_plies(metric).map_or(u16::MAX, |most| most - beside);
        let record = |sink, longest, most_plies| Record { sink, metric, most_plies, longest };
        let mut wins = wins.map(|sink| record(sink, longest[winner].win, most(longest[winner].loss)));
        let mut losses = losses.map(|sink| record(sink, longest[loser].loss, most(longest[loser].win)));
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

    fn run_on<C: Code>(
        &mut self,
        wins: &mut Option<Record<'_, C, W>>,
        losses: &mut Option<Record<'_, C, W>>,
    ) -> Result<(), Halt> {
        let end = self.end_of_events();
        if self.ply == 0 {
            find_ends(self.facts, !self.attacker, &self.defender_moves, self.planes, losses);
            self.finish_ply()?;
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
            self.finish_ply()?;
        }
        Ok(())
    }

    /// Writes what has been found in a half and had no code.
    fn write<C: Code>(&mut self, half: Half, record: &mut Option<Record<'_, C, W>>) -> Result<(), Halt> {
        let (frontier, value) = match half {
            Half::Losses => (&self.planes.lost_next, self.loss()),
            Half::Wins => (&self.planes.won_next, self.win()),
        };
        let Some(record) = record.as_mut() else { return Ok(()) };
        match record.code(value) {
            Some(code) => record.sink.write(self.facts.premises.ground, frontier, code),
            None => {
                self.unwritten = Some(half);
                return Err(Halt);
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

    /// The ply is done, and the next one begins, unless the watcher says no.
    fn finish_ply(&mut self) -> Result<(), Halt> {
        let has_failed = self.planes.failure().is_some_and(FirstError::is_some);
        if has_failed || !(self.watch)(self.ply, self.planes) {
            return Err(Halt);
        }
        self.begin_next_ply();
        Ok(())
    }

    /// The captures due at this ply join what has been found, and the next ply begins.
    fn begin_next_ply(&mut self) {
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
        let exits = &self.facts.premises.exits;
        let of_exits = exits[attacker].as_ref().map_or(0, |e| e.won.end());
        let of_defender = exits[defender].as_ref().map_or(0, |e| e.lost.end());
        let captures = &self.facts.premises.captures;
        let claims = if self.facts.ruling.terminals[attacker].is_some() { CLAIM_PLY } else { 0 };
        let of_captures = captures[attacker].lost.end().max(captures[defender].won.end());
        of_captures.max(of_exits).max(of_defender).max(claims)
    }

    /// The captures that lead to positions decided at this ply enter the frontiers; those that lose are no
    /// escape.
    fn add_ghosts(&mut self, ply: usize) {
        let (attacker, defender) = (self.attacker.index(), (!self.attacker).index());
        self.leave_out_checks();
        let PassPlanes { escape, won_next, lost_next, won_ghosts, lost_ghosts, .. } = &mut *self.planes;
        let (won, lost) = match &escape.ghosts {
            Some(_) => (won_ghosts, lost_ghosts),
            None => (won_next, lost_next),
        };
        let escape = escape.with_ghosts();
        let captures = self.facts.premises.captures;
        if won.packed.is_some() {
            // They are not asked for again: each pass gathers its own.
            let mut escape = escape.change();
            captures[defender].won.for_each_due(ply, |word, bits| *escape.word(word) &= !bits);
            for (block, set) in captures[defender].won.take_packed_due(ply) {
                won.join(block, set);
            }
            for (block, set) in captures[attacker].lost.take_packed_due(ply) {
                lost.join(block, set);
            }
            return;
        }
        let ground = self.facts.premises.ground;
        let escape = escape.blocks().words();
        captures[attacker].lost.enter_due(ply, ground, lost, escape, |_, bits, _| bits);
        captures[defender].won.enter_due(ply, ground, won, escape, |_, bits, escape| {
            *escape &= !bits;
            bits
        });
    }

    /// Where checks are counted, no move inside the table leads to a position in which the side to move is
    /// attacked: that is one of another table, and enters with the captures.
    fn leave_out_checks(&mut self) {
        let PassPlanes { escape, won_next, lost_next, .. } = &mut *self.planes;
        let Some(entries) = &mut escape.entries else { return };
        let attacked = self.facts.premises.attacked.planes();
        let (attacker, defender) = (self.attacker.index(), (!self.attacker).index());
        for (found, attacked) in
            [(&mut *won_next, &attacked[attacker]), (&mut *lost_next, &attacked[defender])]
        {
            found.words.iter_mut().zip(attacked).for_each(|(found, &attacked)| *found &= !attacked);
        }
        let entries = entries.blocks().words().iter_mut().zip(won_next.words.iter());
        entries.for_each(|(entry, &won)| *entry &= !won);
    }

    fn find_wins<C: Code>(&mut self, wins: &mut Option<Record<'_, C, W>>) -> Result<(), Halt> {
        let (ply, value) = (self.ply, self.win());
        let (facts, mover) = (self.facts, &self.attacker_moves);
        let Premises { ground, exits, scratches, .. } = facts.premises;
        let terminals = facts.ruling.terminals[self.attacker.index()].as_ref();
        let claims = ply == CLAIM_PLY && terminals.is_some();
        let PassPlanes { escape, lost, lost_ghosts, won_next, touched, .. } = &mut *self.planes;
        let mut due = HashMap::new();
        match &exits[self.attacker.index()] {
            Some(exits) if facts.packs => due.extend(exits.won.take_packed_due(ply)),
            Some(exits) => {
                let escape = escape.places.blocks().words();
                exits.won.enter_due(ply, ground, won_next, escape, |_, bits, _| bits);
            }
            None => {}
        }
        if !lost.any && !lost_ghosts.any && !won_next.any && !claims && due.is_empty() {
            return Ok(());
        }
        touched.copy_from_slice(&won_next.live_blocks);
        due.keys().for_each(|&block| touched[block.index()] = true);
        mover.mark_origins(&lost.live_blocks, touched);
        let ghosts = escape.ghosts.is_some().then(|| {
            mover.mark_origins(&lost_ghosts.live_blocks, touched);
            &*lost_ghosts
        });
        if let Some(terminals) = terminals.filter(|_| claims) {
            for (block, touched) in ground.blocks().zip(&mut *touched) {
                *touched |= terminals.of(block).is_some_and(|terminals| terminals.has_won());
            }
        }
        skip_shut(touched, &won_next.live_blocks, &escape.places, ground.words_per_block());
        let code = wins.as_ref().and_then(|wins| wins.code(value));
        let sweep = Sweep {
            ground,
            scratches,
            touched,
            order: mover.order(),
            frontier: won_next,
            open: escape.places.blocks(),
            sink: wins.as_mut().map(|wins| &mut wins.sink),
            code,
        };
        let lost = &*lost;
        let any = sweep.run(&|block, _, scratch| {
            mover.unmove(lost, ghosts, block, scratch);
            if let Some(set) = due.get(&block.id).and_then(StoredSet::get) {
                block.join(ground, &set, |_, bits, _| bits);
            }
            if let Some(terminals) = terminals.and_then(|terminals| terminals.of(block.id)) {
                end_wins(terminals, claims, block);
            }
            if ground.is_word() {
                block.found[0] &= block.open[0] & ground.word_placements(block.id);
            } else {
                let Scratch { taken, shared, .. } = &*scratch;
                cut_placements(block.found, block.live, block.open, taken, shared, ground.row_len());
            }
            block.close_found(ground);
        });
        won_next.any = any;
        if !any {
            return Ok(());
        }
        self.noted(Half::Wins, wins, value, code.is_some())
    }

    fn find_losses<C: Code>(&mut self, losses: &mut Option<Record<'_, C, W>>) -> Result<(), Halt> {
        let (ply, value) = (self.ply, self.loss());
        let (facts, mover) = (self.facts, &self.defender_moves);
        let Premises { ground, attacked, exits, scratches, .. } = facts.premises;
        let defender = !self.attacker;
        let PassPlanes { open, escape, won, won_ghosts, lost_next, touched, .. } = &mut *self.planes;
        // Nothing keeps these from being lost any more but other men's moves.
        let mut due = HashMap::new();
        match &exits[defender.index()] {
            Some(exits) if facts.packs => due.extend(exits.lost.take_packed_due(ply)),
            Some(exits) => {
                let illegal = facts.ruling.illegal(defender, attacked.planes());
                let open = open.blocks().words();
                exits.lost.enter_due(ply, ground, lost_next, open, |word, bits, open| {
                    let bits = bits & !(illegal[word] | facts.ruling.terminal_at(defender, word));
                    if !ground.law.helped {
                        *open |= bits;
                    }
                    bits
                });
            }
            None => {}
        }
        if !won.any && !won_ghosts.any && !lost_next.any && due.is_empty() {
            return Ok(());
        }
        touched.copy_from_slice(&lost_next.live_blocks);
        mover.mark_origins(&won.live_blocks, touched);
        let ghosts = escape.ghosts.is_some().then(|| {
            mover.mark_origins(&won_ghosts.live_blocks, touched);
            &*won_ghosts
        });
        skip_shut(touched, &lost_next.live_blocks, open, ground.words_per_block());
        due.keys().for_each(|&block| touched[block.index()] = true);
        let code = losses.as_ref().and_then(|losses| losses.code(value));
        let sweep = Sweep {
            ground,
            scratches,
            touched,
            order: mover.order(),
            frontier: lost_next,
            open: open.blocks(),
            sink: losses.as_mut().map(|losses| &mut losses.sink),
            code,
        };
        let won = &*won;
        let any = sweep.run(&|block, _, scratch| {
            mover.unmove(won, ghosts, block, scratch);
            if let Some(set) = due.get(&block.id).and_then(StoredSet::get) {
                facts.join_lost(defender, block, &set);
            }
            if ground.is_word() {
                block.found[0] &= block.open[0];
            } else {
                cut(block.found, block.live, block.open, ground.row_len());
            }
            if !ground.law.helped {
                mover.refute(escape, block, scratch);
            }
            block.close_found(ground);
        });
        lost_next.any = any;
        if !any {
            return Ok(());
        }
        self.noted(Half::Losses, losses, value, code.is_some())
    }

    /// Takes note of a value that has been found, and written if there was a code.
    fn noted<C: Code>(
        &mut self,
        half: Half,
        record: &mut Option<Record<'_, C, W>>,
        value: Value,
        is_written: bool,
    ) -> Result<(), Halt> {
        let Some(record) = record else { return Ok(()) };
        if !is_written {
            self.unwritten = Some(half);
            return Err(Halt);
        }
        record.note(value);
        if record.sink.has_failed() { Err(Halt) } else { Ok(()) }
    }
}

/// Leaves out blocks of which nothing is open any more, unless they hold something to be cut down.
fn skip_shut<W: Word>(touched: &mut [bool], live_blocks: &[bool], open: &OpenPlane<W>, n_words: usize) {
    let blocks = BlockRange::new(0..touched.len());
    for (block, touched) in blocks.zip(touched).filter(|(_, touched)| **touched) {
        *touched = live_blocks[block.index()] || !open.is_empty(block, n_words);
    }
}

/// A ply as values have it; those that no code can say are all the same.
fn ply_of(ply: usize) -> u16 {
    u16::try_from(ply).unwrap_or(u16::MAX)
}

/// Where the game is over the attacker wins only what he claims, at the ply at which he claims it.
fn end_wins<W: Word>(terminals: BlockTerminals<'_, W>, claims: bool, block: &mut Block<'_, W>) {
    block.found.iter_mut().zip(terminals.any).for_each(|(found, &over)| *found &= !over);
    if claims {
        block.found.iter_mut().zip(terminals.won).for_each(|(found, &claim)| *found |= claim);
        block.live.fill(true);
    }
}

impl<W: SolverWord> Pass<'_, W> {
    /// Goes on behind a ply, of a pass that has just begun; `entries` are all that it had logged by then.
    /// Returns how many placements they have.
    ///
    /// # Errors
    /// An entry cannot be read, or is no set of this slice.
    pub(crate) fn resume<'e>(
        &mut self,
        ply: u32,
        entries: impl Iterator<Item = &'e StoredEntry>,
        store: &dyn LogStore,
    ) -> io::Result<u64> {
        let ground = self.facts.premises.ground;
        let (n, lane_len) = (ground.words_per_block(), ground.lane_len());
        let PassPlanes { open, escape, won_next, lost_next, .. } = &mut *self.planes;
        self.facts.open_lost(!self.attacker, ply as usize, &mut open.change());
        let mut by_block: Vec<Vec<&StoredEntry>> = vec![Vec::new(); ground.n_blocks()];
        for stored in entries {
            by_block.get_mut(stored.entry.block.index()).ok_or_else(damaged)?.push(stored);
        }
        let blocks = open.blocks().each(n).into_iter().zip(escape.places.blocks().each(n));
        let attacker = self.attacker;
        let taken = threads::try_map(blocks.zip(&by_block), |((mut open, mut escapes), entries)| {
            let (mut set, mut n_placements) = (Vec::new(), 0);
            for StoredEntry { entry, place, n_bytes, .. } in entries {
                set.resize(*n_bytes as usize, 0);
                store.read(*place, &mut set)?;
                n_placements += packed::n_packed(&set).unwrap_or(0) as u64;
                let words = if entry.stm == attacker { escapes.words() } else { open.words() };
                let is_set = packed::unpack_words(&set, n, lane_len, |word, bits: W| words[word] &= !bits);
                if !is_set {
                    return Err(damaged());
                }
            }
            Ok(n_placements)
        });
        let n_placements = taken?.into_iter().sum::<u64>();
        // What is drawn without a move is closed, and nothing is looked back from it.
        let is_decided = |entry: &LogEntry| matches!(entry.code.value(), Value::Win(_) | Value::Loss(_));
        let is_last = |stored: &&&StoredEntry| stored.step.ply == Some(ply) && is_decided(&stored.entry);
        for StoredEntry { entry, place, n_bytes, .. } in by_block.iter().flatten().filter(is_last) {
            let frontier = if entry.stm == attacker { &mut *won_next } else { &mut *lost_next };
            let mut set = vec![0; *n_bytes as usize];
            store.read(*place, &mut set)?;
            if let Some(packed) = &frontier.packed {
                let set = packed.room().keep(set);
                frontier.join(entry.block, set);
                continue;
            }
            let first = entry.block.span(n).start;
            let is_set =
                packed::unpack_words(&set, n, lane_len, |word, bits| frontier.add(first + word, bits));
            if !is_set {
                return Err(damaged());
            }
        }
        // Captures that lose are no escape any more.
        let mut ghosts = escape.with_ghosts().change();
        let captures = &self.facts.premises.captures[(!self.attacker).index()];
        for due in 0..ply as usize {
            captures.won.for_each_due(due, |word, bits| *ghosts.word(word) &= !bits);
        }
        drop(ghosts);
        self.ply = ply as usize;
        self.begin_next_ply();
        // What could not be written is nothing to look back from.
        self.planes.failure().and_then(FirstError::take).map_or(Ok(n_placements), Err)
    }
}

fn damaged() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "the log of the table is damaged")
}
