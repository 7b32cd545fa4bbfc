//! Marks the placements of a slice before its passes: positions as draws, the rest as illegal.

use crate::code::{mark_where, store_word};
use crate::ground::Ground;
use crate::pass::Facts;
use crate::rule::{BlockTerminals, Premises, Terminals};
use crate::word::SolverWord;
use index::BlockId;
use kernel::Word;
use rayon::prelude::*;
use table::Code;
use variant::Side;

/// Marks every position of a slice as a draw for now, by side to move; codes that are not written stay
/// illegal.
pub(super) fn mark_sides<C: Code, W: SolverWord>(facts: &Facts<'_, W>, codes: [Option<&mut [C]>; 2]) {
    let ground = facts.premises.ground;
    for (stm, codes) in Side::BOTH.into_iter().zip(codes) {
        if let Some(codes) = codes {
            mark_positions(facts, stm, codes);
            if let Some(terminals) = &facts.ruling.terminals[stm.index()] {
                mark_drawn(ground, terminals, codes);
            }
        }
    }
}

/// Marks every position as a draw, in fresh memory that is not to be gone through twice.
fn mark_positions<C: Code, W: SolverWord>(facts: &Facts<'_, W>, stm: Side, codes: &mut [C]) {
    let Premises { ground, attacked, .. } = facts.premises;
    if !ground.is_large() {
        let illegal = facts.ruling.illegal(stm, attacked.planes());
        return mark_where(ground, illegal, ground.blocks(), codes, (C::DRAW, true));
    }
    codes.par_chunks_mut(ground.words_per_block() * ground.lane_len()).enumerate().for_each(
        |(block, codes)| {
            let block = BlockId::from_index(block);
            facts.ruling.with_illegal(stm, attacked, block, |illegal| {
                mark_where(ground, illegal, block.alone(), codes, (C::DRAW, true));
            });
        },
    );
}

/// Marks where the game is over and drawn.
fn mark_drawn<C: Code, W: Word>(ground: &Ground<'_, W>, terminals: &Terminals<W>, codes: &mut [C]) {
    let block_len = ground.words_per_block() * ground.lane_len();
    for (block, codes) in ground.blocks().zip(codes.chunks_exact_mut(block_len)) {
        mark_drawn_in(ground, terminals, block, codes);
    }
}

/// The same in the codes of one block.
pub(super) fn mark_drawn_in<C: Code, W: Word>(
    ground: &Ground<'_, W>,
    terminals: &Terminals<W>,
    block: BlockId,
    codes: &mut [C],
) {
    let Some(BlockTerminals { any, lost, won }) = terminals.of(block) else { return };
    for (place, ((&any, &lost), &won)) in any.iter().zip(lost).zip(won).enumerate() {
        store_word(codes, place, any & !lost & !won, ground.lane_len(), C::STALEMATE);
    }
}
