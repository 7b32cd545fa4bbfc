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

use crate::capture::Captures;
use crate::code::{Log, Storable};
use crate::exit::Exits;
use crate::frontier::Frontier;
use crate::ground::Ground;
use crate::unmove::{Scratch, Source, Unmover};
use kernel::{cut, cut_placements, take};
use rayon::prelude::*;
use std::cell::Cell;
use table::{Ply, Value};
use variant::{Side, Stalemate};

/// A slice of so many words or more is solved by several threads.
pub(crate) const PARALLEL_WORDS: usize = 1 << 16;

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

/// One block as a half-step sees it.
struct Block<'a, C> {
    number: usize,
    found: &'a mut [u64],
    live: &'a mut [bool],
    /// What is taken out of when something is found.
    open: &'a mut [u64],
    codes: Option<(&'a mut [C], Option<&'a mut Log<C>>)>,
}

/// Where a half-step's codes go.
struct Sink<'a, C> {
    codes: &'a mut [C],
    /// By block; none if blocks are small.
    logs: Vec<Log<C>>,
}

impl<'a, C: Storable> Sink<'a, C> {
    fn new(ground: &Ground<'_>, codes: &'a mut [C]) -> Self {
        let n_logs = if ground.n_rows() > 1 { ground.layout.n_blocks() } else { 0 };
        let logs = std::iter::repeat_with(Log::default).take(n_logs).collect();
        Sink { codes, logs }
    }

    /// Writes what is not written yet.
    fn close(self, ground: &Ground<'_>) {
        let block_len = ground.layout.block_len();
        let mut logs = self.logs;
        let blocks = logs.par_iter_mut().zip(self.codes.par_chunks_mut(block_len));
        blocks.for_each(|(log, codes)| log.write(codes, ground.lane_len()));
    }
}

impl<'a> Pass<'a> {
    pub(crate) fn new(facts: &'a Facts<'a>, attacker: Side, planes: &'a mut Planes) -> Self {
        let ground = facts.ground;
        let (n_blocks, n_rows, row_len) = (ground.layout.n_blocks(), ground.n_rows(), ground.row_len());
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
        let n = ground.layout.words_per_block();
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
                refute(facts.ground, unmover, escape, block.number, block.found, block.live, scratch);
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
                unmove(facts.ground, unmover, source, block.number, block.found, block.live, scratch);
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
                unmove(facts.ground, unmover, source, block.number, block.found, block.live, scratch);
                if facts.ground.is_word() {
                    block.found[0] &= block.open[0];
                } else {
                    cut(block.found, block.live, block.open, facts.ground.row_len());
                }
                refute(facts.ground, unmover, escape, block.number, block.found, block.live, scratch);
                take_all(facts.ground, block);
                store(facts.ground, block, code);
            },
        );
        if planes.lost_next.any && losses.is_some() && code.is_none() { Err(Overflow) } else { Ok(()) }
    }
}

/// Takes back the moves into `source`, into one block.
#[inline]
fn unmove(
    ground: &Ground<'_>,
    unmover: &Unmover<'_>,
    source: Source<'_>,
    block: usize,
    found: &mut [u64],
    live: &mut [bool],
    scratch: &mut Scratch,
) {
    if ground.is_word() {
        found[0] |= unmover.unmove_word(source.words, block);
    } else {
        ground.prepare(block, scratch);
        unmover.unmove(source, block, found, live, scratch);
    }
}

/// Takes out what can be moved to an escape.
#[inline]
fn refute(
    ground: &Ground<'_>,
    unmover: &Unmover<'_>,
    escape: &[u64],
    block: usize,
    found: &mut [u64],
    live: &mut [bool],
    scratch: &mut Scratch,
) {
    if !ground.is_word() {
        ground.prepare(block, scratch);
        unmover.refute(escape, block, found, live, scratch);
    } else if found[0] != 0 {
        found[0] &= !unmover.unmove_word(escape, block);
    }
}

/// What is found in a block is open no more.
#[inline]
fn take_all<C>(ground: &Ground<'_>, block: &mut Block<'_, C>) {
    if ground.is_word() {
        block.open[0] &= !block.found[0];
        block.live[0] = block.found[0] != 0;
    } else {
        take(block.open, block.found, block.live, ground.row_len());
    }
}

/// Writes a code wherever something is found.
#[inline]
fn store<C: Storable>(ground: &Ground<'_>, block: &mut Block<'_, C>, code: Option<C>) {
    let (Some((codes, log)), Some(code)) = (&mut block.codes, code) else { return };
    let (row_len, lane_len) = (ground.row_len(), ground.lane_len());
    match log {
        Some(log) => log.push(block.found, block.live, row_len, code, (codes, lane_len)),
        None if ground.is_word() => store_word(ground, codes, 0, block.found[0], Some(code)),
        None => C::store(codes, block.found, block.live, row_len, lane_len, code),
    }
}

#[inline]
fn store_word<C: Storable>(ground: &Ground<'_>, codes: &mut [C], place: usize, word: u64, code: Option<C>) {
    let Some(code) = code else { return };
    let mut rest = word;
    while rest != 0 {
        codes[place * ground.lane_len() + rest.trailing_zeros() as usize] = code;
        rest &= rest - 1;
    }
}

/// Calls `step` with every touched block, in parallel where the slice is large; notes which blocks are live
/// afterwards, and says whether any is. `order` is that of all blocks, which keeps neighbours near.
fn for_each_block<C: Storable>(
    ground: &Ground<'_>,
    touched: &[bool],
    frontier: &mut Frontier,
    open: &mut [u64],
    sink: Option<&mut Sink<'_, C>>,
    order: &[u32],
    step: impl Fn(&mut Block<'_, C>, &mut Scratch) + Sync,
) -> bool {
    let (n_words, n_rows) = (ground.layout.words_per_block(), ground.n_rows());
    let block_len = n_words * ground.lane_len();
    let Frontier { words, live, live_blocks, .. } = frontier;
    let one = |mut block: Block<'_, C>, live_block: &mut bool| -> bool {
        SCRATCH.with_scratch(|scratch| step(&mut block, scratch));
        *live_block = block.live.contains(&true);
        *live_block
    };
    if words.len() < PARALLEL_WORDS {
        let mut sink = sink;
        let mut any = false;
        for number in (0..touched.len()).filter(|&block| touched[block]) {
            let block = Block {
                number,
                found: &mut words[number * n_words..(number + 1) * n_words],
                live: &mut live[number * n_rows..(number + 1) * n_rows],
                open: &mut open[number * n_words..(number + 1) * n_words],
                codes: sink.as_deref_mut().map(|Sink { codes, logs }| {
                    (&mut codes[number * block_len..(number + 1) * block_len], logs.get_mut(number))
                }),
            };
            any |= one(block, &mut live_blocks[number]);
        }
        return any;
    }
    let mut codes = sink.map(|Sink { codes, logs }| (codes.chunks_exact_mut(block_len), logs.iter_mut()));
    let blocks = words.chunks_exact_mut(n_words).zip(live.chunks_exact_mut(n_rows));
    let blocks = blocks.zip(open.chunks_exact_mut(n_words)).zip(live_blocks).enumerate();
    let mut blocks: Vec<Option<(Block<'_, C>, &mut bool)>> = blocks
        .map(|(number, (((found, live), open), live_block))| {
            let codes = codes
                .as_mut()
                .map(|(codes, logs)| (codes.next().expect("as many blocks of codes"), logs.next()));
            touched[number].then_some((Block { number, found, live, open, codes }, live_block))
        })
        .collect();
    let mut ordered: Vec<_> = order.iter().filter_map(|&block| blocks[block as usize].take()).collect();
    let ordered = ordered.par_drain(..);
    ordered.map(|(block, live_block)| one(block, live_block)).reduce(|| false, |a, b| a | b)
}

/// A thread's scratch: taken while it is used, so that a thread that is given other work meanwhile makes another.
struct ScratchCell(Cell<Option<Box<Scratch>>>);

thread_local! {
    static SCRATCH: ScratchCell = const { ScratchCell(Cell::new(None)) };
}

/// What a thread's scratch is asked for.
trait WithScratch {
    fn with_scratch<R>(&'static self, use_it: impl FnOnce(&mut Scratch) -> R) -> R;
}

impl WithScratch for std::thread::LocalKey<ScratchCell> {
    fn with_scratch<R>(&'static self, use_it: impl FnOnce(&mut Scratch) -> R) -> R {
        self.with(|cell| {
            let mut scratch = cell.0.take().unwrap_or_default();
            let result = use_it(&mut scratch);
            cell.0.set(Some(scratch));
            result
        })
    }
}
