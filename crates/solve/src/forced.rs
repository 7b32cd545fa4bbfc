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
    let ghosts = frontier(ground, captures.legal.iter().map(|&(word, bits)| (word as usize, bits)));
    origins(ground, &Mover::new(ground, side, None, Passing::Never), &ghosts, None)
}

/// A set of these bits of words.
pub(crate) fn frontier<W: SolverWord>(
    ground: &Ground<'_, W>,
    words: impl Iterator<Item = (usize, W)>,
) -> Frontier<W> {
    let mut set = Frontier::default();
    set.reset(ground.n_blocks(), ground.n_rows(), ground.row_len());
    words.filter(|(_, bits)| *bits != W::ZERO).for_each(|(word, bits)| set.add(word, bits));
    set
}

/// A plane: from where a move leads into a set, and a capture into a set of ghosts where these are kept apart.
pub(crate) fn origins<W: SolverWord>(
    ground: &Ground<'_, W>,
    mover: &Mover<'_, W>,
    targets: &Frontier<W>,
    ghosts: Option<&Frontier<W>>,
) -> Vec<W> {
    let mut found = Frontier::default();
    found.reset(ground.n_blocks(), ground.n_rows(), ground.row_len());
    let mut touched = vec![false; ground.n_blocks()];
    for targets in [Some(targets), ghosts].into_iter().flatten() {
        mover.mark_origins(&targets.live_blocks, &mut touched);
    }
    let mut unused = vec![W::ZERO; ground.n_words()];
    let (source, ghosts) = (targets.source(), ghosts.map(Frontier::source));
    let _ = for_each_block::<u8, W>(
        ground,
        &touched,
        &mut found,
        &mut unused,
        None,
        mover.order(),
        |block: &mut Block<'_, u8, W>, scratch| mover.unmove(source, ghosts, block, scratch),
    );
    found.words.to_vec()
}
