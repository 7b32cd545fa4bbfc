//! Where a side has no move.

use crate::block::for_each_block;
use crate::frontier::Frontier;
use crate::ground::Ground;
use crate::lane::SolverWord;
use crate::mover::{Escape, Mover};

/// A plane: those positions of `open` from which no move leads to a target.
pub(crate) fn stuck<W: SolverWord>(
    ground: &Ground<'_, W>,
    mover: &Mover<'_, W>,
    targets: &Escape<W>,
    mut open: Vec<W>,
) -> Vec<W> {
    let mut found = Frontier::default();
    found.reset(ground.n_blocks(), ground.n_rows(), ground.row_len());
    let touched = vec![true; ground.n_blocks()];
    let _ = for_each_block::<u8, W>(
        ground,
        &touched,
        &mut found,
        &mut open,
        None,
        mover.order(),
        |block, scratch| {
            block.live.fill(true);
            block.found.copy_from_slice(block.open);
            mover.refute(targets, block, scratch);
        },
    );
    found.words.to_vec()
}
