//! Puts back what a file leaves out of a table: illegal placements, and placements that are not canonical.
//!
//! A table is restored unit by unit. A *unit* holds every placement that stands for another one of it: a
//! block without pawns, since the symmetries that are left keep its frame in place, and a slice with pawns.
//! So a part of a table can be had from a file with one unit in memory at a time.
//!
//! In a unit, three things are done in turn, none of them place by place:
//!
//! 1. illegal placements, a word of them at once;
//! 2. images under a symmetry, a row (a word's placements) at once: of the images of a row the first is
//!    canonical, and all others are that one with its squares permuted;
//! 3. like men in another order: whole rows are copied from where the same men stand in ascending order.

mod image;

use crate::code::mark_where;
use crate::ground::{Ground, fill_attacked_in};
use crate::law::Law;
use crate::motion::Motion;
use crate::rule::illegal_plane;
use crate::word::has_small_words;
use image::{LikeMen, restore_block_images};
use index::{BlockId, BlockRange, Extent, Layout, Scope, SliceBlock, SliceId};
use kernel::Word;
use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;
use table::{Code, Codes, CodesMut, Coding, LeftOut, SlicePart, Table, threads};
use variant::{Side, Variant};

/// Puts back what files leave out: which placements are illegal, and the codes of placements that are not
/// canonical.
///
/// # Panics
/// If it is a part of a table that is to be restored; a part is made of exact codes.
pub fn restore(variant: &Variant, table: &mut Table) {
    assert!(table.scope().is_none(), "a part of {} is to be restored", table.layout().name());
    if has_small_words(table.layout().n_squares()) {
        restore_in_words::<u64>(variant, table);
    } else {
        restore_in_words::<u128>(variant, table);
    }
}

fn restore_in_words<W: Word>(variant: &Variant, table: &mut Table) {
    let layout = table.layout().clone();
    let restorer = Restorer::<W>::new(variant, &layout);
    let sides: Vec<Side> = table.sides().collect();
    for stm in sides {
        let codes = table.codes_mut(stm).expect("a side to move that the table keeps").as_mut();
        codes.either(|codes| restorer.restore(stm, codes), |codes| restorer.restore(stm, codes));
    }
}

/// Reads the codes of a side to move that have these numbers into a row as long and as wide as they are.
pub type ReadCodes<'r, E> = dyn Fn(Side, Range<usize>, CodesMut<'_>) -> Result<(), E> + Sync + 'r;

/// Says that codes could not be read; why is known to who reads them.
#[derive(Debug)]
pub(crate) struct ReadFailed;

/// The part of a table whose codes `read` has, as a file has them.
pub(crate) fn read_part(
    variant: &Variant,
    layout: Arc<Layout>,
    scope: Scope,
    coding: Coding,
    read: &ReadCodes<'_, ReadFailed>,
) -> Result<Table, ReadFailed> {
    let mut codes = Codes::new(coding, scope.n_codes(&layout));
    if has_small_words(layout.n_squares()) {
        read_part_in_words::<u64>(variant, &layout, &scope, codes.as_mut(), read)?;
    } else {
        read_part_in_words::<u128>(variant, &layout, &scope, codes.as_mut(), read)?;
    }
    Ok(Table::new_part(layout, scope, codes))
}

fn read_part_in_words<W: Word>(
    variant: &Variant,
    layout: &Layout,
    scope: &Scope,
    codes: CodesMut<'_>,
    read: &ReadCodes<'_, ReadFailed>,
) -> Result<(), ReadFailed> {
    let restorer = Restorer::<W>::new(variant, layout);
    let stm = Table::side_of_part(layout, scope);
    codes.either(
        |codes| restorer.read_part(stm, scope, codes, read),
        |codes| restorer.read_part(stm, scope, codes, read),
    )
}

/// The codes of a part of a slice, from those that `read` has, as a file has them. With `shares` by all
/// threads.
pub(crate) fn read_slice(
    variant: &Variant,
    layout: &Layout,
    (slice, part): (SliceId, SlicePart<'_>),
    (stm, coding): (Side, Coding),
    (read, shares): (&ReadCodes<'_, ReadFailed>, bool),
) -> Result<Codes, ReadFailed> {
    let n_codes = match part {
        SlicePart::Whole => layout.slice_len(),
        SlicePart::Scope(scope) => Extent::of_slice(layout, Some(scope)).len(),
        SlicePart::Block(_) => layout.block_len(),
    };
    let mut codes = Codes::new(coding, n_codes);
    if has_small_words(layout.n_squares()) {
        read_slice_in_words::<u64>(variant, layout, (slice, part), stm, codes.as_mut(), (read, shares))?;
    } else {
        read_slice_in_words::<u128>(variant, layout, (slice, part), stm, codes.as_mut(), (read, shares))?;
    }
    Ok(codes)
}

fn read_slice_in_words<W: Word>(
    variant: &Variant,
    layout: &Layout,
    (slice, part): (SliceId, SlicePart<'_>),
    stm: Side,
    codes: CodesMut<'_>,
    (read, shares): (&ReadCodes<'_, ReadFailed>, bool),
) -> Result<(), ReadFailed> {
    let restorer = Restorer::<W>::new(variant, layout);
    let slice = restorer.slice(slice, stm);
    codes.either(|codes| slice.read(part, codes, read, shares), |codes| slice.read(part, codes, read, shares))
}

/// About the codes of a slice that are read at once: some tiles of a file.
pub(crate) const RUN_CODES: usize = 1 << 21;

/// About the codes of a table in memory that are restored at once, where a block has fewer.
const RESTORED_CODES: usize = 1 << 14;

/// Whether reading asks for a plane of what is illegal; elsewhere it is computed block by block.
pub(crate) fn asks_for_plane(variant: &Variant) -> bool {
    variant.rules.goal.is_some() || !variant.rules.checking
}

/// What restoring the slices of a table needs.
struct Restorer<'a, W> {
    layout: &'a Layout,
    motion: Motion<W>,
    law: Law<W>,
    like: Vec<LikeMen>,
    asks_for_plane: bool,
}

impl<'a, W: Word> Restorer<'a, W> {
    fn new(variant: &Variant, layout: &'a Layout) -> Self {
        Restorer {
            layout,
            motion: Motion::new(variant, layout),
            law: Law::new(variant, layout, &LeftOut::default()),
            like: layout.like_free().iter().map(|run| LikeMen::new(layout, run)).collect(),
            asks_for_plane: asks_for_plane(variant),
        }
    }

    fn slice(&self, slice: SliceId, stm: Side) -> SliceRestorer<'_, W> {
        let ground = Ground::new(self.layout, &self.motion, &self.law, slice);
        let illegal = self.asks_for_plane.then(|| illegal_plane(&ground, stm));
        SliceRestorer { ground, stm, like: &self.like, illegal }
    }

    /// Restores the codes of a whole table.
    fn restore<C: Code>(&self, stm: Side, codes: &mut [C]) {
        let layout = self.layout;
        if !layout.pawns().is_empty() {
            let slices = layout.slices().zip(codes.chunks_mut(layout.slice_len()));
            return threads::for_each(slices, |(slice, codes)| {
                self.slice(slice, stm).restore(layout.blocks(), codes);
            });
        }
        let slice = self.slice(SliceId::FIRST, stm);
        let n_blocks = (RESTORED_CODES / layout.block_len()).clamp(1, layout.n_blocks());
        let runs = codes.chunks_mut(n_blocks * layout.block_len()).enumerate();
        threads::for_each(runs, |(run, codes)| {
            slice.restore(run_of_blocks(layout, run, n_blocks), codes);
        });
    }

    /// Reads the part of a table.
    fn read_part<C: Code>(
        &self,
        stm: Side,
        scope: &Scope,
        part: &mut [C],
        read: &ReadCodes<'_, ReadFailed>,
    ) -> Result<(), ReadFailed> {
        // A slice is shared among threads where it is the only one.
        let shares = self.layout.pawns().is_empty();
        let slices = self.layout.slices();
        let slices = part.chunks_mut(part.len() / slices.len()).zip(slices);
        threads::try_for_each(slices, |(part, slice)| {
            self.slice(slice, stm).read(SlicePart::Scope(scope), part, read, shares)
        })
    }
}

/// The blocks of a run of this number, `n_blocks` being those of every run but the last.
fn run_of_blocks(layout: &Layout, run: usize, n_blocks: usize) -> BlockRange {
    BlockRange::new(run * n_blocks..((run + 1) * n_blocks).min(layout.n_blocks()))
}

/// What restoring the codes of one side to move of one slice needs.
struct SliceRestorer<'a, W> {
    ground: Ground<'a, W>,
    stm: Side,
    like: &'a [LikeMen],
    /// What is illegal, where that is found for all blocks at once.
    illegal: Option<Vec<W>>,
}

impl<W: Word> SliceRestorer<'_, W> {
    /// Reads a part of the slice.
    fn read<C: Code>(
        &self,
        part: SlicePart<'_>,
        kept: &mut [C],
        read: &ReadCodes<'_, ReadFailed>,
        shares: bool,
    ) -> Result<(), ReadFailed> {
        let (ground, layout) = (&self.ground, self.ground.layout);
        let read_run = |blocks: BlockRange, codes: &mut [C]| {
            let first = ground.slice.span(layout.slice_len()).start + blocks.span(layout.block_len()).start;
            read(self.stm, first..first + codes.len(), C::borrowed_mut(codes))?;
            self.restore(blocks, codes);
            Ok(())
        };
        let scope = match part {
            SlicePart::Whole => None,
            SlicePart::Scope(scope) => Some(scope),
            SlicePart::Block(block) => {
                assert!(layout.pawns().is_empty(), "{} has pawns", layout.name());
                return read_run(block.alone(), kept);
            }
        };
        // Without pawns blocks are images of nothing but themselves.
        let place = SliceBlock { slice: ground.slice, block: BlockId::FIRST };
        let is_apart = (layout.pawns().is_empty() || !layout.has_residual(place))
            && ground.n_blocks() == layout.n_blocks();
        let n_blocks = match is_apart {
            true => (RUN_CODES / layout.block_len()).clamp(1, layout.n_blocks()),
            false => layout.n_blocks(),
        };
        // A run for each thread at least.
        let n_runs = if shares && is_apart { rayon::current_num_threads() } else { 1 };
        let n_blocks = n_blocks.min(layout.n_blocks().div_ceil(n_runs));
        let one = |codes: &mut Vec<C>, (run, kept): (usize, &mut [C])| {
            let blocks = run_of_blocks(layout, run, n_blocks);
            let Some(scope) = scope else { return read_run(blocks, kept) };
            codes.resize(blocks.len() * layout.block_len(), C::ILLEGAL);
            read_run(blocks, codes)?;
            scope.keep(layout, codes, kept);
            Ok(())
        };
        let mut runs = kept.chunks_mut(n_blocks * Extent::of_slice(layout, scope).block_len()).enumerate();
        if shares {
            return threads::try_map_in(runs, Vec::new, one).map(drop);
        }
        let mut codes = Vec::new();
        runs.try_for_each(|run| one(&mut codes, run))
    }

    /// Restores blocks that hold all images of their placements. What those of them hold that are not
    /// canonical is meaningless before.
    fn restore<C: Code>(&self, blocks: BlockRange, codes: &mut [C]) {
        let (ground, layout) = (&self.ground, self.ground.layout);
        // Blocks of one word each may be one block of the ground.
        let marked = if ground.n_blocks() == layout.n_blocks() { blocks.clone() } else { ground.blocks() };
        let words = marked.span(ground.words_per_block());
        let illegal = match &self.illegal {
            Some(plane) => Cow::Borrowed(&plane[words]),
            None => {
                let mut attacked = vec![W::ZERO; words.len()];
                fill_attacked_in(ground, !self.stm, marked.clone(), &mut attacked);
                Cow::Owned(attacked)
            }
        };
        mark_where(ground, &illegal, marked, codes, (C::ILLEGAL, false));
        if layout.free().is_empty() {
            return;
        }
        let places = blocks.clone().map(|block| SliceBlock { slice: ground.slice, block });
        for place in places.filter(|&place| layout.has_residual(place)) {
            restore_block_images(layout, place, &blocks, codes);
        }
        self.like.iter().for_each(|like| like.restore(codes));
    }
}

#[cfg(test)]
mod tests;
