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
    let (mut ghosts, mut found) = (Frontier::default(), Frontier::default());
    for set in [&mut ghosts, &mut found] {
        set.reset(ground.n_blocks(), ground.n_rows(), ground.row_len());
    }
    captures.legal.iter().for_each(|&(word, bits)| ghosts.add_any(word as usize, bits));
    let (mut unused, mut touched) = (vec![W::ZERO; ground.n_words()], vec![false; ground.n_blocks()]);
    let mover = Mover::new(ground, side, None, Passing::Never);
    find_origins(ground, &mover, &ghosts, None, (&mut found, &mut unused, &mut touched));
    found.words.to_vec()
}

/// From where a move leads into a set, and a capture into a set of ghosts where these are kept apart: into an
/// empty set. The planes and flags beside it are room to work in.
pub(crate) fn find_origins<W: SolverWord>(
    ground: &Ground<'_, W>,
    mover: &Mover<'_, W>,
    targets: &Frontier<W>,
    ghosts: Option<&Frontier<W>>,
    (found, unused, touched): (&mut Frontier<W>, &mut [W], &mut [bool]),
) {
    touched.fill(false);
    for targets in [Some(targets), ghosts].into_iter().flatten() {
        mover.mark_origins(&targets.live_blocks, touched);
    }
    let (source, ghosts) = (targets.source(), ghosts.map(Frontier::source));
    found.any = for_each_block::<u8, W>(
        ground,
        touched,
        found,
        unused,
        None,
        mover.order(),
        |block: &mut Block<'_, u8, W>, scratch| {
            mover.unmove(source, ghosts, block, scratch);
            if ground.is_word() {
                block.live[0] = block.found[0] != W::ZERO;
            }
        },
    );
}
