//! Lists what a pass reads of its slice.

use crate::plane::{Block, Change};
use crate::rule::{Premises, Ruling};
use crate::word::SolverWord;
use index::BlockId;
use variant::{Metric, Side};

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
                *open |= bits;
                bits
            });
        });
    }

    /// Opens the positions in which all pawn moves of `defender` are known to lose by a ply.
    pub(crate) fn open_lost(&self, defender: Side, by: usize, open: &mut Change<'_, W>) {
        let Premises { ground, attacked, exits, .. } = self.premises;
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
