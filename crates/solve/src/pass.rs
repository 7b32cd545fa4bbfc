//! One pass: all wins of one side (the attacker) in one slice, ply by ply.
//!
//! Two sets grow: `W`, attacker to move and won, and `L`, defender to move and lost. At every ply
//!
//! ```text
//!   W_new(n) = ( unmove_A(L_new(n−1)) ∪ attacker's exits due ) ∩ open_A
//!   L_new(n) = ( unmove_D(W_new(n−1)) ∪ defender's exits due ) ∩ open_D
//!                 − unmove_D(escape) − pending
//! ```
//!
//! `open_A` and `open_D` hold what is a position and not yet decided. `escape` holds the placements, attacker to move,
//! that the defender may move to without being lost: at first every legal one, then less and less. `pending` holds the
//! placements in which the defender has a pawn move that is not known to lose. Ghosts (see `capture`) enter with the
//! ply of the position after the capture, so that captures are moves like any other.

use crate::capture::Captures;
use crate::exit::Exits;
use crate::ground::Ground;
use crate::unmove::{Scratch, Source, Unmover};
use rayon::prelude::*;
use std::cell::RefCell;
use std::ops::Range;
use table::{Code, Ply, Value};
use variant::{Side, Stalemate};

/// A slice of so many words or more is solved by several threads.
const PARALLEL_WORDS: usize = 1 << 16;
/// Blocks are taken together until they have so many words.
const CHUNK_WORDS: usize = 64;

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

/// Placements found at one ply.
struct Frontier {
    words: Vec<u64>,
    live: Vec<bool>,
    any: bool,
}

impl Frontier {
    fn new(n_words: usize, n_blocks: usize) -> Self {
        Frontier { words: vec![0; n_words], live: vec![false; n_blocks], any: false }
    }

    fn source(&self) -> Source<'_> {
        Source { words: &self.words, live: Some(&self.live) }
    }

    fn clear(&mut self, words_per_block: usize) {
        if self.any {
            for (block, live) in self.live.iter_mut().enumerate().filter(|(_, live)| **live) {
                self.words[block * words_per_block..(block + 1) * words_per_block].fill(0);
                *live = false;
            }
            self.any = false;
        }
    }

    fn add(&mut self, word: usize, bits: u64, words_per_block: usize) {
        self.words[word] |= bits;
        self.live[word / words_per_block] = true;
        self.any = true;
    }
}

/// The sets of a pass.
pub(crate) struct Pass<'a> {
    facts: &'a Facts<'a>,
    attacker: Side,
    unmove_attacker: Unmover<'a>,
    unmove_defender: Unmover<'a>,
    words_per_block: usize,
    chunk_blocks: usize,
    open_attacker: Vec<u64>,
    open_defender: Vec<u64>,
    escape: Vec<u64>,
    pending: Option<Vec<u64>>,
}

impl<'a> Pass<'a> {
    pub(crate) fn new(facts: &'a Facts<'a>, attacker: Side) -> Self {
        let ground = facts.ground;
        let words_per_block = ground.layout.words_per_block();
        let (won_side, lost_side) = (attacker.index(), (!attacker).index());
        let mut open = [vec![0; ground.n_words()], vec![0; ground.n_words()]];
        ground.for_each_word(0..ground.layout.n_blocks(), |_, index, word| {
            let placements = ground.placements(&word);
            // With one side to move, the other side's royal man must not be attacked.
            open[0][index] = placements & !facts.attacked[lost_side][index];
            open[1][index] = placements & !facts.attacked[won_side][index];
        });
        let [open_attacker, open_defender] = open;
        let mut escape = open_attacker.clone();
        for &(word, bits) in &facts.captures[lost_side].legal {
            escape[word as usize] |= bits;
        }
        Pass {
            facts,
            attacker,
            unmove_attacker: Unmover::new(ground, attacker),
            unmove_defender: Unmover::new(ground, !attacker),
            words_per_block,
            chunk_blocks: (CHUNK_WORDS / words_per_block).max(1),
            open_attacker,
            open_defender,
            escape,
            pending: facts.exits[lost_side].as_ref().map(|exits| exits.any.clone()),
        }
    }

    /// Runs to the end; the codes of the attacker's wins and of the defender's losses are written as they are found.
    pub(crate) fn run<C: Code>(
        mut self,
        mut wins: Option<&mut [C]>,
        mut losses: Option<&mut [C]>,
    ) -> Result<(), Overflow> {
        let (n_words, n_blocks) = (self.facts.ground.n_words(), self.facts.ground.layout.n_blocks());
        let frontier = || Frontier::new(n_words, n_blocks);
        let (mut won, mut won_next, mut lost, mut lost_next) =
            (frontier(), frontier(), frontier(), frontier());
        let end = self.end_of_events();
        self.find_ends(&mut lost, &mut losses)?;
        self.add_ghosts(0, &mut won, &mut lost);
        let mut ply = 1;
        while won.any || lost.any || ply <= end {
            won_next.clear(self.words_per_block);
            lost_next.clear(self.words_per_block);
            self.find_wins(ply, &lost, &mut won_next);
            self.find_losses(ply, &won, &mut lost_next);
            self.close(&won_next, &lost_next);
            write(self.facts.ground, &won_next, Value::Win(Ply(ply as u16)), &mut wins)?;
            write(self.facts.ground, &lost_next, Value::Loss(Ply(ply as u16)), &mut losses)?;
            self.add_ghosts(ply, &mut won_next, &mut lost_next);
            (won, won_next) = (won_next, won);
            (lost, lost_next) = (lost_next, lost);
            ply += 1;
        }
        Ok(())
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

    /// Ply 0: the defender has no legal move. Mate is lost; stalemate is what the rules say, and closed.
    fn find_ends<C: Code>(
        &mut self,
        lost: &mut Frontier,
        losses: &mut Option<&mut [C]>,
    ) -> Result<(), Overflow> {
        let attacked = &self.facts.attacked[(!self.attacker).index()];
        let mut stalemates = Frontier::new(self.facts.ground.n_words(), self.facts.ground.layout.n_blocks());
        let mut immobile = self.open_defender.clone();
        let escape = Source { words: &self.escape, live: None };
        let pending = self.pending.as_deref();
        self.for_each_chunk(&mut immobile, None, |blocks, words, chunk, scratch| {
            let mut moves = vec![0; chunk.len()];
            self.unmove_defender.unmove(escape, blocks, &mut moves, scratch);
            chunk.iter_mut().zip(&moves).for_each(|(c, m)| *c &= !m);
            if let Some(pending) = pending {
                chunk.iter_mut().zip(&pending[words]).for_each(|(c, p)| *c &= !p);
            }
        });
        for (word, &bits) in immobile.iter().enumerate().filter(|(_, bits)| **bits != 0) {
            let mates = match self.facts.stalemate {
                Stalemate::Draw => bits & attacked[word],
                Stalemate::Loss => bits,
            };
            if mates != 0 {
                lost.add(word, mates, self.words_per_block);
            }
            if bits & !mates != 0 {
                stalemates.add(word, bits & !mates, self.words_per_block);
            }
            self.open_defender[word] &= !bits;
        }
        write(self.facts.ground, &stalemates, Value::Stalemate, losses)?;
        write(self.facts.ground, lost, Value::Loss(Ply(0)), losses)
    }

    /// The captures that lead to positions decided at this ply enter the frontiers; those that lose are no escape.
    fn add_ghosts(&mut self, ply: usize, won: &mut Frontier, lost: &mut Frontier) {
        let (attacker, defender) = (self.attacker.index(), (!self.attacker).index());
        for (word, bits) in self.facts.captures[attacker].lost.due(ply) {
            lost.add(word, bits, self.words_per_block);
        }
        for (word, bits) in self.facts.captures[defender].won.due(ply) {
            won.add(word, bits, self.words_per_block);
            self.escape[word] &= !bits;
        }
    }

    fn find_wins(&self, ply: usize, lost: &Frontier, won_next: &mut Frontier) {
        if let Some(exits) = &self.facts.exits[self.attacker.index()] {
            exits.won.due(ply).for_each(|(word, bits)| won_next.add(word, bits, self.words_per_block));
        }
        if !lost.any && !won_next.any {
            return;
        }
        let Frontier { words, live, any } = won_next;
        let source = lost.source();
        *any = self.for_each_chunk(words, Some(live), |blocks, range, chunk, scratch| {
            if lost.any {
                self.unmove_attacker.unmove(source, blocks, chunk, scratch);
            }
            chunk.iter_mut().zip(&self.open_attacker[range]).for_each(|(c, open)| *c &= open);
        });
    }

    fn find_losses(&mut self, ply: usize, won: &Frontier, lost_next: &mut Frontier) {
        if let (Some(exits), Some(pending)) = (&self.facts.exits[(!self.attacker).index()], &mut self.pending)
        {
            for (word, bits) in exits.lost.due(ply) {
                pending[word] &= !bits;
                lost_next.add(word, bits, self.words_per_block);
            }
        }
        if !won.any && !lost_next.any {
            return;
        }
        let Frontier { words, live, any } = lost_next;
        let source = won.source();
        let escape = Source { words: &self.escape, live: None };
        let pending = self.pending.as_deref();
        *any = self.for_each_chunk(words, Some(live), |blocks, range, chunk, scratch| {
            if won.any {
                self.unmove_defender.unmove(source, blocks.clone(), chunk, scratch);
            }
            let mut candidates = 0;
            for (place, word) in range.clone().enumerate() {
                chunk[place] &= self.open_defender[word] & !pending.map_or(0, |p| p[word]);
                candidates |= chunk[place];
            }
            if candidates == 0 {
                return;
            }
            let mut moves = std::mem::take(&mut scratch.moves);
            moves.clear();
            moves.resize(chunk.len(), 0);
            self.unmove_defender.unmove(escape, blocks, &mut moves, scratch);
            chunk.iter_mut().zip(&moves).for_each(|(c, m)| *c &= !m);
            scratch.moves = moves;
        });
    }

    /// What was found is decided: not open any more, and what the attacker wins is no escape.
    fn close(&mut self, won: &Frontier, lost: &Frontier) {
        let n = self.words_per_block;
        let blocks = |frontier: &Frontier| -> Vec<usize> {
            if !frontier.any {
                return Vec::new();
            }
            (0..frontier.live.len()).filter(|&block| frontier.live[block]).collect()
        };
        for block in blocks(won) {
            for word in block * n..(block + 1) * n {
                self.open_attacker[word] &= !won.words[word];
                self.escape[word] &= !won.words[word];
            }
        }
        for block in blocks(lost) {
            for word in block * n..(block + 1) * n {
                self.open_defender[word] &= !lost.words[word];
            }
        }
    }

    /// Calls `step` with every chunk of a plane, in parallel where the plane is large; notes which blocks have bits
    /// afterwards, and says whether any has.
    fn for_each_chunk(
        &self,
        words: &mut [u64],
        live: Option<&mut Vec<bool>>,
        step: impl Fn(Range<usize>, Range<usize>, &mut [u64], &mut Scratch) + Sync,
    ) -> bool {
        let n = self.words_per_block;
        let n_blocks = self.facts.ground.layout.n_blocks();
        let mut all_live = Vec::new();
        let live = live.unwrap_or_else(|| {
            all_live.resize(n_blocks, true);
            &mut all_live
        });
        let one = |(index, (chunk, live)): (usize, (&mut [u64], &mut [bool]))| -> bool {
            let blocks = index * self.chunk_blocks..index * self.chunk_blocks + live.len();
            let range = blocks.start * n..blocks.end * n;
            SCRATCH.with_borrow_mut(|scratch| step(blocks, range, chunk, scratch));
            let mut any = false;
            for (flag, block) in live.iter_mut().zip(chunk.chunks_exact(n)) {
                *flag = block.iter().any(|&w| w != 0);
                any |= *flag;
            }
            any
        };
        let (chunk_words, chunk_blocks) = (self.chunk_blocks * n, self.chunk_blocks);
        if words.len() >= PARALLEL_WORDS {
            let chunks = words.par_chunks_mut(chunk_words).zip(live.par_chunks_mut(chunk_blocks));
            chunks.enumerate().map(one).reduce(|| false, |a, b| a | b)
        } else {
            let chunks = words.chunks_mut(chunk_words).zip(live.chunks_mut(chunk_blocks));
            chunks.enumerate().map(one).fold(false, |a, b| a | b)
        }
    }
}

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::new(Scratch::default());
}

/// Writes the code of a value wherever the frontier has a bit.
fn write<C: Code>(
    ground: &Ground<'_>,
    frontier: &Frontier,
    value: Value,
    codes: &mut Option<&mut [C]>,
) -> Result<(), Overflow> {
    let Some(codes) = codes else { return Ok(()) };
    if !frontier.any {
        return Ok(());
    }
    let code = C::from_value(value).ok_or(Overflow)?;
    let (n, lane_len) = (ground.layout.words_per_block(), ground.lane_len());
    let block_len = n * lane_len;
    let one = |(block, codes): (usize, &mut [C])| {
        if !frontier.live[block] {
            return;
        }
        for (place, &word) in frontier.words[block * n..(block + 1) * n].iter().enumerate() {
            let row = &mut codes[place * lane_len..(place + 1) * lane_len];
            let mut rest = word;
            while rest != 0 {
                row[rest.trailing_zeros() as usize] = code;
                rest &= rest - 1;
            }
        }
    };
    if frontier.words.len() >= PARALLEL_WORDS {
        codes.par_chunks_mut(block_len).enumerate().for_each(one);
    } else {
        codes.chunks_mut(block_len).enumerate().for_each(one);
    }
    Ok(())
}
