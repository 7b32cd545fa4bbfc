//! Finds the positions that are decided at ply 0: the defender has no move, or has lost whatever he could do.

use super::facts::Facts;
use super::record::Record;
use crate::plane::PassPlanes;
use crate::rule::Premises;
use crate::sweep::Sweep;
use crate::unmove::Mover;
use crate::word::SolverWord;
use index::BlockId;
use table::{Code, Ply, Value};
use variant::{Side, Verdict};

/// Finds where the defender has no move: he has lost in 0 plies, or it is a draw, which is over for ever.
/// Adds where he has lost whatever he could do.
pub(super) fn find_ends<C: Code, W: SolverWord>(
    facts: &Facts<'_, W>,
    defender: Side,
    mover: &Mover<'_, W>,
    planes: &mut PassPlanes<W>,
    losses: &mut Option<Record<'_, C, W>>,
) {
    let Premises { ground, attacked, scratches, .. } = facts.premises;
    let law = ground.law;
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
    let (lost_code, draw_code) = (code(Value::Loss(Ply(0))), code(Value::Stalemate));
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
            sink.store(ground, (&drawn, block.live), code);
        }
        scratch.targets = drawn;
        if let Some(over) = terminals.and_then(|terminals| terminals.of(block.id)) {
            block.found.iter_mut().zip(over.lost).for_each(|(found, &lost)| *found |= lost);
        }
        let rows = block.found.chunks_exact(ground.row_len());
        block.live.iter_mut().zip(rows).for_each(|(live, row)| *live = has_any(row));
    });
}
