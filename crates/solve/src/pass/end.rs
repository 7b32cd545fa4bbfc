//! Finds the positions that are decided at ply 0: the defender has no move, or has lost whatever he could do.

use super::facts::Facts;
use super::record::Record;
use crate::code::store_word;
use crate::plane::PassPlanes;
use crate::rule::Premises;
use crate::sweep::Sweep;
use crate::unmove::Mover;
use crate::word::SolverWord;
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
    let attacked = &attacked[defender.index()];
    let law = ground.law;
    // A side that has won without a move is closed, and not found here.
    let loses = [law.stuck[defender.index()] == Some(Verdict::Loss), law.mated == Verdict::Loss];
    let is_lost = |found: W, attacked: W| {
        let lost = |loses: bool, bits: W| if loses { bits } else { W::ZERO };
        lost(loses[0], found & !attacked) | lost(loses[1], found & attacked)
    };
    let terminals = facts.ruling.terminals[defender.index()].as_ref();
    let n = ground.words_per_block();
    let has_lost = |block: usize| {
        terminals.and_then(|terminals| terminals.of(block)).is_some_and(|terminals| terminals.has_lost())
    };
    for (block, (touched, open)) in planes.touched.iter_mut().zip(planes.open.chunks_exact(n)).enumerate() {
        *touched = open.iter().any(|&word| word != W::ZERO) || has_lost(block);
    }
    let code = |value| C::from_value_under(facts.metric, value);
    let (lost_code, draw_code) = (code(Value::Loss(Ply(0))), code(Value::Stalemate));
    // Draws are found beside the losses: the frontier of the wins is not needed yet.
    let PassPlanes { open, escape, won_next: stuck, lost_next, touched, .. } = planes;
    let sweep = Sweep {
        ground,
        scratches,
        touched,
        order: mover.order(),
        frontier: stuck,
        open,
        sink: losses.as_mut().map(|losses| &mut losses.sink),
    };
    let any = sweep.run(&|block, sink, scratch| {
        block.live.fill(true);
        block.found.copy_from_slice(block.open);
        mover.refute(escape, block, scratch);
        block.close_found(ground);
        let Some(sink) = sink else { return };
        let words = block.number * n..(block.number + 1) * n;
        let over = terminals.and_then(|terminals| terminals.of(block.number)).map(|over| over.lost);
        for (place, (&word, &attacked)) in block.found.iter().zip(&attacked[words]).enumerate() {
            let lost = is_lost(word, attacked);
            if let Some(code) = draw_code {
                store_word(sink.codes, place, word & !lost, ground.lane_len(), code);
            }
            if let Some(code) = lost_code {
                let lost = over.map_or(lost, |over| lost | over[place]);
                store_word(sink.codes, place, lost, ground.lane_len(), code);
            }
        }
    });
    stuck.any = any;
    // Of all that is found only losses go on into the frontier.
    for block in (0..touched.len()).filter(|&block| touched[block]) {
        let over = terminals.and_then(|terminals| terminals.of(block)).map(|over| over.lost);
        for (place, word) in (block * n..(block + 1) * n).enumerate() {
            let bits = stuck.words[word];
            let lost = if bits == W::ZERO { bits } else { is_lost(bits, attacked[word]) };
            lost_next.add_any(word, over.map_or(lost, |over| lost | over[place]));
        }
    }
    stuck.clear();
}
