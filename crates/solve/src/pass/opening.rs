//! Fills the open and escape sets with which a pass begins.

use super::facts::Facts;
use crate::plane::{OpenBlocks, PassPlanes};
use crate::rule::Premises;
use crate::scratch::Scratch;
use crate::word::SolverWord;
use index::BlockId;
use rayon::prelude::*;
use std::mem;
use variant::Side;

/// Everything legal is open for the defender, but where the game is over or a pawn move is not known to lose.
/// Everything legal with the attacker to move is an escape, and so are the ghosts of the defender's captures.
pub(super) fn fill_open_sets<W: SolverWord>(
    facts: &Facts<'_, W>,
    attacker: Side,
    planes: &mut PassPlanes<W>,
) {
    let Premises { ground, attacked, captures, exits, scratches } = facts.premises;
    let defender = !attacker;
    let terminals = facts.ruling.terminals[defender.index()].as_ref();
    let pending = exits[defender.index()].as_ref().map(|exits| &exits.any);
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
            (0..ground.n_blocks())
                .into_par_iter()
                .map(BlockId::from_index)
                .for_each_init(|| scratches.lend(), |scratch, at| block(scratch, at));
        }
        (open, escape) => {
            let (open, escape) = (open.words(), escape.words());
            if ground.is_large() {
                let blocks = open.par_chunks_mut(n).zip(escape.par_chunks_mut(n)).enumerate();
                let blocks = blocks.map(|(block, words)| (BlockId::from_index(block), words));
                blocks.for_each_init(|| scratches.lend(), |scratch, block| one(scratch, block));
            } else {
                let mut scratch = scratches.lend();
                let blocks = ground.blocks().zip(open.chunks_mut(n).zip(escape.chunks_mut(n)));
                blocks.for_each(|block| one(&mut scratch, block));
            }
        }
    }
    let mut ghosts = escape.ghosts.as_mut().unwrap_or(&mut escape.places).change();
    captures[defender.index()].legal.for_each(|word, bits| *ghosts.word(word) |= bits);
    if facts.packs {
        captures[defender.index()].legal.forget_packed();
    }
}
