//! Compulsory capture: where a side has a capture, and so no quiet move.

use crate::block::{Block, for_each_block};
use crate::capture::Captures;
use crate::frontier::Frontier;
use crate::ground::Ground;
use crate::lane::SolverWord;
use crate::mover::{Mover, Passing};
use variant::Side;

/// A plane: the placements in which a mobile man of `side` has a legal capture.
pub(crate) fn mobile_captures<W: SolverWord>(
    ground: &Ground<'_, W>,
    side: Side,
    captures: &Captures<W>,
) -> Vec<W> {
    let mut ghosts = Frontier::default();
    ghosts.reset(ground.n_blocks(), ground.n_rows(), ground.row_len());
    for &(word, bits) in &captures.legal {
        ghosts.add(word as usize, bits);
    }
    origins(ground, side, &ghosts)
}

/// A plane: from where a move of `side`'s mobile men leads into a set.
pub(crate) fn origins<W: SolverWord>(ground: &Ground<'_, W>, side: Side, targets: &Frontier<W>) -> Vec<W> {
    let mover = Mover::new(ground, side, None, Passing::Never);
    let mut found = Frontier::default();
    found.reset(ground.n_blocks(), ground.n_rows(), ground.row_len());
    let mut touched = vec![false; ground.n_blocks()];
    mover.mark_origins(&targets.live_blocks, &mut touched);
    let mut unused = vec![W::ZERO; ground.n_words()];
    let source = targets.source();
    let _ = for_each_block::<u8, W>(
        ground,
        &touched,
        &mut found,
        &mut unused,
        None,
        mover.order(),
        |block: &mut Block<'_, u8, W>, scratch| mover.unmove(source, None, block, scratch),
    );
    found.words
}
