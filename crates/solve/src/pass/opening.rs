//! Opens a pass: lists what it reads of its slice, fills its open and escape sets, and finds what is decided
//! at ply 0.
//!
//! [`Record`] tracks the longest values that a pass has written, from ply 0 on, and detects values that have
//! no code.

use crate::plane::{Block, Change, OpenBlocks, PassPlanes};
use crate::pool::Scratch;
use crate::rule::{Premises, Ruling};
use crate::sweep::{Sink, Sweep};
use crate::unmove::Mover;
use crate::word::SolverWord;
use index::BlockId;
use std::mem;
use table::{Code, CodesRef, Ply, Value, threads};
use variant::{Metric, Side, Verdict};

/// What a pass reads of its slice; the same for both attackers.
pub(crate) struct Facts<'a, W> {
    pub(crate) premises: Premises<'a, W>,
    pub(crate) ruling: &'a Ruling<W>,
    pub(crate) metric: Metric,
    /// Whether frontiers are packed, to save memory.
    pub(crate) packs: bool,
}

impl<W: SolverWord> Facts<'_, W> {
    /// Adds to what is found in a block the packed positions in which all pawn moves of `defender` are
    /// known to lose: they are open from now on.
    pub(crate) fn join_lost(&self, defender: Side, block: &mut Block<'_, W>, set: &[u8]) {
        let Premises { ground, attacked, .. } = self.premises;
        let first = block.id.span(ground.words_per_block()).start;
        self.ruling.with_illegal(defender, attacked, block.id, |illegal| {
            block.join(ground, set, |word, bits, open| {
                let bits = bits & !(illegal[word] | self.ruling.terminal_at(defender, first + word));
                // A side that wants to lose has lost where it was open, and nowhere else.
                if !ground.law.helped {
                    *open |= bits;
                }
                bits
            });
        });
    }

    /// Opens the positions in which all pawn moves of `defender` are known to lose by a ply.
    pub(crate) fn open_lost(&self, defender: Side, by: usize, open: &mut Change<'_, W>) {
        let Premises { ground, attacked, exits, .. } = self.premises;
        if ground.law.helped {
            return;
        }
        let Some(exits) = &exits[defender.index()] else { return };
        let n = ground.words_per_block();
        // Events are in the order of their blocks, at each ply.
        for ply in 0..=by {
            let mut illegal: (Option<BlockId>, Vec<W>) = (None, Vec::new());
            exits.lost.for_each_due(ply, |word, bits| {
                let (block, place) = (BlockId::from_index(word / n), word % n);
                if illegal.0 != Some(block) {
                    self.ruling.with_illegal(defender, attacked, block, |words| illegal.1 = words.to_vec());
                    illegal.0 = Some(block);
                }
                *open.word(word) |= bits & !(illegal.1[place] | self.ruling.terminal_at(defender, word));
            });
        }
    }
}

/// Everything legal is open for the defender, but where the game is over or a pawn move is not known to lose.
/// To a defender who wants to lose every pawn move is open.
/// Everything legal with the attacker to move is an escape, and so are the ghosts of the defender's captures.
pub(super) fn fill_open_sets<W: SolverWord>(
    facts: &Facts<'_, W>,
    attacker: Side,
    planes: &mut PassPlanes<W>,
) {
    let Premises { ground, attacked, captures, exits, scratches } = facts.premises;
    let defender = !attacker;
    let terminals = facts.ruling.terminals[defender.index()].as_ref();
    let pending = exits[defender.index()].as_ref().map(|exits| &exits.any).filter(|_| !ground.law.helped);
    let n = ground.words_per_block();
    let one = |scratch: &mut Scratch<W>, (block, (open, escape)): (BlockId, (&mut [W], &mut [W]))| {
        ground.prepare(block, scratch);
        ground.fill_placements(block, scratch, open);
        facts.ruling.with_illegal(attacker, attacked, block, |illegal| {
            escape.iter_mut().zip(&*open).zip(illegal).for_each(|((e, &o), &i)| *e = o & !i);
        });
        facts.ruling.with_illegal(defender, attacked, block, |illegal| {
            open.iter_mut().zip(illegal).for_each(|(o, &i)| *o &= !i);
        });
        if let Some(terminals) = terminals.and_then(|terminals| terminals.of(block)) {
            open.iter_mut().zip(terminals.any).for_each(|(o, &over)| *o &= !over);
        }
        if let Some(pending) = pending {
            open.iter_mut().zip(&pending[block.span(n)]).for_each(|(o, &p)| *o &= !p);
        }
    };
    let PassPlanes { open, escape, .. } = planes;
    match (open.blocks(), escape.places.blocks()) {
        (OpenBlocks::Disk(open), OpenBlocks::Disk(escape)) => {
            let block = |scratch: &mut Scratch<W>, block: BlockId| {
                let mut words = [mem::take(&mut scratch.open), mem::take(&mut scratch.found)];
                words.iter_mut().for_each(|words| words.resize(n, W::ZERO));
                let [of_open, of_escape] = &mut words;
                one(scratch, (block, (of_open, of_escape)));
                open.store(block, of_open);
                escape.store(block, of_escape);
                of_escape.fill(W::ZERO);
                [scratch.open, scratch.found] = words;
            };
            threads::fold(ground.blocks(), || scratches.lend(), |scratch, at| block(scratch, at));
        }
        (open, escape) => {
            let (open, escape) = (open.words(), escape.words());
            let blocks = ground.blocks().zip(open.chunks_mut(n).zip(escape.chunks_mut(n)));
            if ground.is_large() {
                threads::fold(blocks, || scratches.lend(), |scratch, block| one(scratch, block));
            } else {
                let mut scratch = scratches.lend();
                blocks.for_each(|block| one(&mut scratch, block));
            }
        }
    }
    if let Some(entries) = &mut escape.entries {
        // Every legal position may be entered, by a check or without one.
        entries.blocks().words().copy_from_slice(escape.places.words());
    }
    let mut ghosts = escape.with_ghosts().change();
    captures[defender.index()].legal.for_each(|word, bits| *ghosts.word(word) |= bits);
    if facts.packs {
        captures[defender.index()].legal.forget_packed();
    }
}

/// Finds where the defender has no move: he has lost in 0 plies, or it is a draw, which is over for ever.
/// Adds where he has lost whatever he could do.
pub(super) fn find_ends<C: Code, W: SolverWord>(
    facts: &Facts<'_, W>,
    defender: Side,
    mover: &Mover<'_, W>,
    planes: &mut PassPlanes<W>,
    losses: &mut Option<Record<'_, C, W>>,
) {
    let Premises { ground, attacked, exits, scratches, .. } = facts.premises;
    let law = ground.law;
    let pending = exits[defender.index()].as_ref().map(|exits| &exits.any).filter(|_| law.helped);
    // A side that has won without a move is closed, and not found here.
    let loses = [law.stuck[defender.index()] == Some(Verdict::Loss), law.mated == Verdict::Loss];
    let is_lost = |found: W, attacked: W| {
        let lost = |loses: bool, bits: W| if loses { bits } else { W::ZERO };
        lost(loses[0], found & !attacked) | lost(loses[1], found & attacked)
    };
    let terminals = facts.ruling.terminals[defender.index()].as_ref();
    let n = ground.words_per_block();
    let has_lost = |block: BlockId| {
        terminals.and_then(|terminals| terminals.of(block)).is_some_and(|terminals| terminals.has_lost())
    };
    for (block, touched) in ground.blocks().zip(&mut planes.touched) {
        *touched = !planes.open.is_empty(block, n) || has_lost(block);
    }
    let code = |value| C::from_value_under(facts.metric, value);
    // Under `help` what never ends is one value.
    let draw = if law.helped { Value::Draw } else { Value::Stalemate };
    let (lost_code, draw_code) = (code(Value::Loss(Ply(0))), code(draw));
    let PassPlanes { open, escape, lost_next, touched, .. } = planes;
    let sweep = Sweep {
        ground,
        scratches,
        touched,
        order: mover.order(),
        frontier: lost_next,
        open: open.blocks(),
        sink: losses.as_mut().map(|losses| &mut losses.sink),
        code: lost_code,
    };
    lost_next.any = sweep.run(&|block, sink, scratch| {
        block.live.fill(true);
        block.found.copy_from_slice(block.open);
        if let Some(pending) = pending {
            block.found.iter_mut().zip(&pending[block.id.span(n)]).for_each(|(found, &p)| *found &= !p);
        }
        mover.refute(escape, block, scratch);
        block.close_found(ground);
        // Of all that is found only losses go on into the frontier; the rest is drawn and over.
        let mut drawn = std::mem::take(&mut scratch.targets);
        drawn.clear();
        drawn.extend_from_slice(block.found);
        attacked.with_block(defender, block.id, |attacked| {
            for ((found, drawn), &attacked) in block.found.iter_mut().zip(&mut drawn).zip(attacked) {
                *found = is_lost(*found, attacked);
                *drawn &= !*found;
            }
        });
        let has_any = |words: &[W]| words.iter().any(|&word| word != W::ZERO);
        if let Some((sink, code)) = sink.zip(draw_code).filter(|_| has_any(&drawn)) {
            sink.store(ground, &drawn, block.live, code);
        }
        scratch.targets = drawn;
        if let Some(over) = terminals.and_then(|terminals| terminals.of(block.id)) {
            block.found.iter_mut().zip(over.lost).for_each(|(found, &lost)| *found |= lost);
        }
        let rows = block.found.chunks_exact(ground.row_len());
        block.live.iter_mut().zip(rows).for_each(|(live, row)| *live = has_any(row));
    });
}

/// A pass has not come to its end: a value did not fit into the codes or could not be logged, or the watcher
/// has stopped it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Halt;

/// The longest values of a side to move.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Longest {
    pub(crate) win: u16,
    pub(crate) loss: u16,
}

impl Longest {
    /// The longest of a row of codes.
    pub(crate) fn of(codes: CodesRef<'_>) -> Longest {
        let [win, loss] = codes.longest();
        Longest { win: win.0, loss: loss.0 }
    }

    /// The longest of these and a value of the same side to move.
    pub(crate) fn with(self, value: Value) -> Longest {
        match value {
            Value::Win(ply) => Longest { win: self.win.max(ply.0), ..self },
            Value::Loss(ply) => Longest { loss: self.loss.max(ply.0), ..self },
            Value::Illegal | Value::Draw | Value::Stalemate => self,
        }
    }

    /// Whether codes of this width have room for both under a metric.
    pub(crate) fn fit<C: Code>(self, metric: Metric) -> bool {
        C::most_plies(metric).is_none_or(|most| self.win + self.loss <= most)
    }

    /// The longest of both.
    pub(crate) fn max(self, other: Longest) -> Longest {
        Longest { win: self.win.max(other.win), loss: self.loss.max(other.loss) }
    }
}

/// Codes that a pass writes, and what may be written.
pub(crate) struct Record<'a, C, W> {
    pub(crate) sink: Sink<'a, C, W>,
    pub(crate) metric: Metric,
    /// The longest of these values that still has a code beside the others of the same side to move.
    pub(crate) most_plies: u16,
    /// The longest that has been written.
    pub(crate) longest: u16,
}

impl<C: Code, W> Record<'_, C, W> {
    /// The code of a value; none if there is none beside those of the other values.
    pub(crate) fn code(&self, value: Value) -> Option<C> {
        let fits = value.ply().is_none_or(|ply| ply.0 <= self.most_plies);
        if fits { C::from_value_under(self.metric, value) } else { None }
    }

    pub(crate) fn note(&mut self, value: Value) {
        self.longest = self.longest.max(value.ply().map_or(0, |ply| ply.0));
    }
}
