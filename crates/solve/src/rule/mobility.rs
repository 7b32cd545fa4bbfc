//! Computes where a side has a capture, where it has no move, and from where it can reach a set.

use crate::ground::Ground;
use crate::plane::{Escape, Frontier, OpenBlocks};
use crate::pool::Pool;
use crate::scratch::Scratch;
use crate::successor::Captures;
use crate::sweep::Sweep;
use crate::unmove::{Mover, Passing};
use crate::word::SolverWord;
use variant::Side;

/// A plane: the placements in which a mobile man of `side` has a legal capture.
pub(super) fn mobile_captures<W: SolverWord>(
    ground: &Ground<'_, W>,
    side: Side,
    captures: &Captures<W>,
    scratches: &Pool<Scratch<W>>,
) -> Vec<W> {
    let (mut ghosts, mut found) = (Frontier::default(), Frontier::default());
    for set in [&mut ghosts, &mut found] {
        set.reset(ground.n_blocks(), ground.n_rows(), ground.row_len());
    }
    captures.legal.for_each(|word, bits| ghosts.add_any(word, bits));
    let (mut unused, mut touched) = (vec![W::ZERO; ground.n_words()], vec![false; ground.n_blocks()]);
    let mover = Mover::new(ground, side, None, Passing::Never);
    find_origins(ground, &mover, &ghosts, None, (&mut found, &mut unused, &mut touched), scratches);
    found.words.to_vec()
}

/// A plane: those positions of `open` from which no move leads to a target.
pub(super) fn standstills<W: SolverWord>(
    ground: &Ground<'_, W>,
    mover: &Mover<'_, W>,
    targets: &Escape<W>,
    mut open: Vec<W>,
    scratches: &Pool<Scratch<W>>,
) -> Vec<W> {
    let mut found = Frontier::default();
    found.reset(ground.n_blocks(), ground.n_rows(), ground.row_len());
    let sweep = Sweep::<u8, W> {
        ground,
        scratches,
        touched: &vec![true; ground.n_blocks()],
        order: mover.order(),
        frontier: &mut found,
        open: OpenBlocks::Memory(&mut open),
        sink: None,
        code: None,
    };
    let _ = sweep.run(&|block, _, scratch| {
        block.live.fill(true);
        block.found.copy_from_slice(block.open);
        mover.refute(targets, block, scratch);
    });
    found.words.to_vec()
}

/// Fills an empty set with the placements from which a move leads into `targets`, and a capture into `ghosts`
/// where these are kept apart. The planes and flags beside the set are room to work in.
pub(super) fn find_origins<W: SolverWord>(
    ground: &Ground<'_, W>,
    mover: &Mover<'_, W>,
    targets: &Frontier<W>,
    ghosts: Option<&Frontier<W>>,
    (found, unused, touched): (&mut Frontier<W>, &mut [W], &mut [bool]),
    scratches: &Pool<Scratch<W>>,
) {
    touched.fill(false);
    for targets in [Some(targets), ghosts].into_iter().flatten() {
        mover.mark_origins(&targets.live_blocks, touched);
    }
    let (targets, ghosts) = (targets.as_set(), ghosts.map(Frontier::as_set));
    let sweep = Sweep::<u8, W> {
        ground,
        scratches,
        touched,
        order: mover.order(),
        frontier: found,
        open: OpenBlocks::Memory(unused),
        sink: None,
        code: None,
    };
    let any = sweep.run(&|block, _, scratch| {
        mover.unmove(targets, ghosts, block, scratch);
        if ground.is_word() {
            block.live[0] = block.found[0] != W::ZERO;
        }
    });
    found.any = any;
}
