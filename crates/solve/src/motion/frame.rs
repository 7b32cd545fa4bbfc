//! Compiles the moves of a frame man: the blocks to which they lead from each block.

use super::between::Between;
use super::man::landings;
use geometry::Square;
use index::{BlockId, Layout};
use kernel::{Neighbour, Word};
use piece::Ray;
use variant::{Man, Variant};

/// One move of a frame man that depends on where the free men stand, and the block that it leads to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FrameMove<W> {
    pub(crate) neighbour: Neighbour,
    /// The square it goes to.
    pub(crate) target: u8,
    /// What must be in between.
    pub(crate) between: Between<W>,
    pub(crate) quiet: bool,
    pub(crate) capture: bool,
}

/// Where one frame man may go.
#[derive(Debug)]
pub(super) struct FrameMoves<W> {
    /// Steps of one square that any target suits: they ask nothing of the free men.
    pub(super) neighbours: ByBlock<Neighbour>,
    pub(super) others: ByBlock<FrameMove<W>>,
    /// By block: the blocks from which a move leads there.
    pub(super) origins: ByBlock<BlockId>,
    /// All blocks, those between which the man moves after each other.
    pub(super) order: Vec<BlockId>,
}

impl<W: Word> FrameMoves<W> {
    pub(super) fn new(variant: &Variant, layout: &Layout, man: Man, place: usize) -> Self {
        let movement = variant.movement(man);
        let of_ray = |ray, from| landings(layout.board(), ray, from).into_iter().map(move |to| (ray, to));
        let rays = movement.rays().iter();
        // There are many times as many blocks as squares.
        let landings: Vec<Vec<Landing<'_, W>>> = (0..layout.n_squares())
            .map(|from| rays.clone().flat_map(|ray| of_ray(ray, Square::from_index(from))).collect())
            .collect();
        let (mut neighbours, mut others) = (ByBlock::new(), ByBlock::new());
        let mut origins = vec![Vec::new(); layout.n_blocks()];
        for block in layout.blocks() {
            let moves = frame_moves(layout, &landings, place, block);
            for one in &moves {
                let origins: &mut Vec<BlockId> = &mut origins[one.neighbour.block as usize];
                if origins.last() != Some(&block) {
                    origins.push(block);
                }
            }
            let is_plain = |one: &FrameMove<W>| one.between.is_nothing() && one.quiet && one.capture;
            neighbours.push_block(moves.iter().filter(|one| is_plain(one)).map(|one| one.neighbour));
            others.push_block(moves.iter().filter(|one| !is_plain(one)).copied());
        }
        let mut origins_by_block = ByBlock::new();
        origins.into_iter().for_each(|origins| origins_by_block.push_block(origins));
        let mut order: Vec<BlockId> = layout.blocks().collect();
        order.sort_by_key(|&block| {
            let squares = layout.frame_squares(block);
            (squares[1 - place], squares[place])
        });
        FrameMoves { neighbours, others, origins: origins_by_block, order }
    }
}

/// A square to which a ray leads, and what must be in between.
type Landing<'r, W> = (&'r Ray, (Square, Between<W>));

/// The moves of the frame man at a place in a block; `landings` has by square where his rays lead.
fn frame_moves<W: Word>(
    layout: &Layout,
    landings: &[Vec<Landing<'_, W>>],
    place: usize,
    block: BlockId,
) -> Vec<FrameMove<W>> {
    let squares = layout.frame_squares(block);
    let other = (layout.frame().len() > 1).then(|| squares[1 - place]);
    let others = other.map_or(W::ZERO, |square| W::bit(square.index()));
    let mut moves = Vec::new();
    for &(ray, (target, between)) in &landings[squares[place].index()] {
        // The other frame man is royal or of the same side: he may be in the way or jumped over, and is never
        // captured.
        let Some(between) = between.given(others).filter(|_| Some(target) != other) else { continue };
        let mut moved = squares;
        moved[place] = target;
        if let Some(neighbour) = layout.neighbour(moved) {
            moves.push(FrameMove {
                neighbour: Neighbour {
                    block: neighbour.block.into(),
                    image: neighbour.symmetry.index() as u8,
                },
                target: target.index() as u8,
                between,
                quiet: ray.quiet,
                capture: ray.capture,
            });
        }
    }
    moves
}

/// Lists, one for each block.
#[derive(Debug)]
pub(super) struct ByBlock<T> {
    entries: Vec<T>,
    starts: Vec<u32>,
}

impl<T: Copy> ByBlock<T> {
    fn new() -> Self {
        ByBlock { entries: Vec::new(), starts: vec![0] }
    }

    fn push_block(&mut self, entries: impl IntoIterator<Item = T>) {
        self.entries.extend(entries);
        self.starts.push(self.entries.len() as u32);
    }

    #[inline]
    pub(super) fn of(&self, block: BlockId) -> &[T] {
        let block = block.index();
        &self.entries[self.starts[block] as usize..self.starts[block + 1] as usize]
    }
}
