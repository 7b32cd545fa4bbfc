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
use crate::ground::{AttackRoom, Attacked, Ground};
use crate::law::Law;
use crate::motion::Motion;
use crate::pool::Pool;
use crate::rule::illegal_plane;
use crate::word::has_small_words;
use image::{LikeMen, restore_block_images};
use index::{BlockId, BlockRange, Extent, Layout, Scope, Size, SliceBlock, SliceId};
use kernel::Word;
use std::ops::Range;
use std::sync::Arc;
use table::{Code, Codes, CodesMut, Coding, LeftOut, SlicePart, Table, threads};
use variant::{Side, Variant};

/// Makes every code of a table exact whose codes of canonical positions are.
pub(crate) fn restore_table(variant: &Variant, table: &mut Table) {
    assert!(table.scope().is_none(), "a part of {} is to be restored", table.layout().name());
    if has_small_words(table.layout().n_squares()) {
        restore_in_words::<u64>(variant, table);
    } else {
        restore_in_words::<u128>(variant, table);
    }
}

fn restore_in_words<W: Word>(variant: &Variant, table: &mut Table) {
    let layout = table.layout().clone();
    let (motion, law) = (Motion::<W>::new(variant, &layout), Law::new(variant, &layout, &LeftOut::default()));
    let sides: Vec<Side> = table.sides().collect();
    for stm in sides {
        let restorer = Restorer::new(&layout, &motion, &law, stm);
        let codes = table.codes_mut(stm).expect("a side to move that the table keeps");
        codes.as_mut().either(|codes| restorer.restore_all(codes), |codes| restorer.restore_all(codes));
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
    if has_small_words(layout.n_squares()) {
        read_part_in_words::<u64>(variant, layout, scope, coding, read)
    } else {
        read_part_in_words::<u128>(variant, layout, scope, coding, read)
    }
}

fn read_part_in_words<W: Word>(
    variant: &Variant,
    layout: Arc<Layout>,
    scope: Scope,
    coding: Coding,
    read: &ReadCodes<'_, ReadFailed>,
) -> Result<Table, ReadFailed> {
    let (motion, law) = (Motion::<W>::new(variant, &layout), Law::new(variant, &layout, &LeftOut::default()));
    let restorer = Restorer::new(&layout, &motion, &law, Table::side_of_part(&layout, &scope));
    let codes = match coding {
        Coding::OneByte((), palette) => Codes::OneByte(restorer.read_part(&scope, read)?, palette),
        Coding::TwoBytes(()) => Codes::TwoBytes(restorer.read_part(&scope, read)?),
    };
    Ok(Table::new_part(layout, scope, codes))
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
    if has_small_words(layout.n_squares()) {
        read_slice_in_words::<u64>(variant, layout, (slice, part), (stm, coding), (read, shares))
    } else {
        read_slice_in_words::<u128>(variant, layout, (slice, part), (stm, coding), (read, shares))
    }
}

fn read_slice_in_words<W: Word>(
    variant: &Variant,
    layout: &Layout,
    (slice, part): (SliceId, SlicePart<'_>),
    (stm, coding): (Side, Coding),
    (read, shares): (&ReadCodes<'_, ReadFailed>, bool),
) -> Result<Codes, ReadFailed> {
    let (motion, law) = (Motion::<W>::new(variant, layout), Law::new(variant, layout, &LeftOut::default()));
    let ground = Ground::new(layout, &motion, &law, slice);
    let restorer = SliceRestorer { ground, stm, like: like_men(layout), rooms: Pool::default() };
    Ok(match coding {
        Coding::OneByte((), palette) => Codes::OneByte(restorer.read(part, read, shares)?, palette),
        Coding::TwoBytes(()) => Codes::TwoBytes(restorer.read(part, read, shares)?),
    })
}

/// About the codes of a slice that are read at once: some tiles of a file.
const RUN_CODES: usize = 1 << 21;

/// The memory that reading a slice takes beside what is kept of it: a run of codes for each thread, or the
/// whole slice where its placements are images of each other, and where rules ask for it, which placements
/// are illegal.
///
/// Units: bytes.
pub(crate) fn slice_reading_bytes<W: Word>(size: &Size, asks_for_plane: bool, n_threads: u64) -> u64 {
    let plane = if asks_for_plane { size_of::<W>() as u64 * size.n_words() } else { 0 };
    let run = size.block_len.max(RUN_CODES as u64).min(size.slice_len);
    // Where there are several pawns a slice may be its own image.
    if size.n_pawns > 1 { plane + size.slice_len } else { plane + n_threads * run }
}

/// Whether reading asks for a plane of what is illegal; elsewhere it is computed block by block.
pub(crate) fn asks_for_plane(variant: &Variant) -> bool {
    variant.rules.goal.is_some() || !variant.rules.checking
}

/// What restoring the codes of one slice needs.
struct SliceRestorer<'a, W: Word> {
    ground: Ground<'a, W>,
    stm: Side,
    like: Vec<LikeMen>,
    rooms: Pool<AttackRoom<W>>,
}

impl<W: Word> SliceRestorer<'_, W> {
    fn read<C: Code>(
        &self,
        part: SlicePart<'_>,
        read: &ReadCodes<'_, ReadFailed>,
        shares: bool,
    ) -> Result<Vec<C>, ReadFailed> {
        let (ground, layout) = (&self.ground, self.ground.layout);
        let scope = match part {
            SlicePart::Whole => None,
            SlicePart::Scope(scope) => Some(scope),
            SlicePart::Block(block) => return self.read_block(block, read),
        };
        let extent = Extent::of_slice(layout, scope);
        // Without pawns blocks are images of nothing but themselves.
        let place = SliceBlock { slice: ground.slice, block: BlockId::FIRST };
        let is_apart = layout.pawns().is_empty() || !layout.has_residual(place);
        let n_blocks = match is_apart && ground.n_blocks() == layout.n_blocks() {
            true => (RUN_CODES / layout.block_len()).clamp(1, layout.n_blocks()),
            false => layout.n_blocks(),
        };
        let illegal = self.asks_for_plane().then(|| illegal_plane(ground, self.stm));
        let mut kept = vec![C::ILLEGAL; extent.len()];
        let one = |codes: &mut Vec<C>, (run, kept): (usize, &mut [C])| {
            let blocks = BlockRange::new(run * n_blocks..((run + 1) * n_blocks).min(layout.n_blocks()));
            codes.resize(blocks.len() * layout.block_len(), C::ILLEGAL);
            let first = ground.slice.span(layout.slice_len()).start + blocks.span(layout.block_len()).start;
            read(self.stm, first..first + codes.len(), C::borrowed_mut(codes))?;
            self.restore(illegal.as_deref(), blocks, codes);
            match scope {
                Some(scope) => scope.keep(layout, codes, kept),
                None => kept.copy_from_slice(codes),
            }
            Ok(())
        };
        let mut runs = kept.chunks_mut(n_blocks * extent.block_len()).enumerate();
        if shares {
            threads::try_map_in(runs, Vec::new, one)?;
        } else {
            let mut codes = Vec::new();
            runs.try_for_each(|run| one(&mut codes, run))?;
        }
        Ok(kept)
    }

    /// Reads a block of a table without pawns.
    fn read_block<C: Code>(
        &self,
        block: BlockId,
        read: &ReadCodes<'_, ReadFailed>,
    ) -> Result<Vec<C>, ReadFailed> {
        let (ground, block_len) = (&self.ground, self.ground.layout.block_len());
        assert!(ground.layout.pawns().is_empty(), "{} has pawns", ground.layout.name());
        let mut codes = vec![C::ILLEGAL; block_len];
        read(self.stm, block.span(block_len), C::borrowed_mut(&mut codes))?;
        let illegal = self.asks_for_plane().then(|| illegal_plane(ground, self.stm));
        self.restore(illegal.as_deref(), block.alone(), &mut codes);
        Ok(codes)
    }

    /// Whether what is illegal is found for all blocks at once.
    fn asks_for_plane(&self) -> bool {
        self.ground.law.goal.is_some() || !self.ground.law.checking
    }

    /// Restores blocks that hold all images of their placements.
    fn restore<C: Code>(&self, illegal: Option<&[W]>, blocks: BlockRange, codes: &mut [C]) {
        let (ground, layout) = (&self.ground, self.ground.layout);
        let attacked = Attacked::new(ground, None, &self.rooms);
        // Blocks of one word each may be one block of the ground.
        let marked = if ground.n_blocks() == layout.n_blocks() { blocks.clone() } else { ground.blocks() };
        let (n, block_len) = (ground.words_per_block(), ground.words_per_block() * ground.lane_len());
        for (block, codes) in marked.zip(codes.chunks_exact_mut(block_len)) {
            let mut mark = |words: &[W]| mark_where(ground, words, block.alone(), codes, (C::ILLEGAL, false));
            match illegal {
                Some(plane) => mark(&plane[block.span(n)]),
                None => attacked.with_block(!self.stm, block, mark),
            }
        }
        restore_placements(layout, ground.slice, blocks, &self.like, codes);
    }
}

fn like_men(layout: &Layout) -> Vec<LikeMen> {
    layout.like_free().iter().map(|run| LikeMen::new(layout, run)).collect()
}

/// Restores the images and the like men of blocks in which what is illegal is marked already.
fn restore_placements<C: Code>(
    layout: &Layout,
    slice: SliceId,
    blocks: BlockRange,
    like: &[LikeMen],
    codes: &mut [C],
) {
    if layout.free().is_empty() {
        return;
    }
    let places = blocks.clone().map(|block| SliceBlock { slice, block });
    for place in places.filter(|&place| layout.has_residual(place)) {
        restore_block_images(layout, place, &blocks, codes);
    }
    like.iter().for_each(|like| like.restore(codes));
}

/// The memory that [`read_part`] takes beside the part: for each thread a unit, and which placements are
/// illegal, of as many slices as are being read.
///
/// Units: bytes.
pub(crate) fn part_reading_bytes<W: Word>(size: &Size, n_threads: u64) -> u64 {
    let plane = size_of::<W>() as u64 * size.n_words();
    match size.n_pawns {
        0 => plane + n_threads * size.block_len,
        _ => n_threads.min(size.n_slices) * (size.slice_len + plane),
    }
}

/// What restoring the units of one side to move needs.
struct Restorer<'a, W> {
    layout: &'a Layout,
    motion: &'a Motion<W>,
    law: &'a Law<W>,
    stm: Side,
    /// Without pawns: the only slice, and where it cannot be the side's move.
    slice: Option<(Ground<'a, W>, Vec<W>)>,
    blocks_per_unit: usize,
    like: Vec<LikeMen>,
}

impl<'a, W: Word> Restorer<'a, W> {
    fn new(layout: &'a Layout, motion: &'a Motion<W>, law: &'a Law<W>, stm: Side) -> Self {
        let slice = layout.pawns().is_empty().then(|| {
            let ground = Ground::new(layout, motion, law, SliceId::FIRST);
            let illegal = illegal_plane(&ground, stm);
            (ground, illegal)
        });
        let blocks_per_unit = if slice.is_some() { 1 } else { layout.n_blocks() };
        let like = like_men(layout);
        Restorer { layout, motion, law, stm, slice, blocks_per_unit, like }
    }

    fn restore_all<C: Code>(&self, codes: &mut [C]) {
        let unit_len = self.blocks_per_unit * self.layout.block_len();
        threads::for_each(codes.chunks_mut(unit_len).enumerate(), |(unit, codes)| self.restore(unit, codes));
    }

    fn read_part<C: Code>(
        &self,
        scope: &Scope,
        read: &ReadCodes<'_, ReadFailed>,
    ) -> Result<Vec<C>, ReadFailed> {
        let extent = Extent::new(self.layout, Some(scope));
        let unit_len = self.blocks_per_unit * self.layout.block_len();
        let mut part = vec![C::ILLEGAL; extent.len()];
        threads::try_map_in(
            part.chunks_mut(self.blocks_per_unit * extent.block_len()).enumerate(),
            || vec![C::ILLEGAL; unit_len],
            |codes, (unit, part)| {
                read(self.stm, unit * unit_len..(unit + 1) * unit_len, C::borrowed_mut(codes))?;
                self.restore(unit, codes);
                scope.keep(self.layout, codes, part);
                Ok(())
            },
        )?;
        Ok(part)
    }

    /// Restores one unit.
    fn restore<C: Code>(&self, unit: usize, codes: &mut [C]) {
        match &self.slice {
            Some((ground, illegal)) => {
                self.restore_blocks(ground, illegal, BlockId::from_index(unit).alone(), codes);
            }
            None => {
                let ground = Ground::new(self.layout, self.motion, self.law, SliceId::from_index(unit));
                let illegal = illegal_plane(&ground, self.stm);
                self.restore_blocks(&ground, &illegal, self.layout.blocks(), codes);
            }
        }
    }

    fn restore_blocks<C: Code>(
        &self,
        ground: &Ground<'_, W>,
        illegal: &[W],
        blocks: BlockRange,
        codes: &mut [C],
    ) {
        let layout = self.layout;
        // What the positions that are not canonical hold is still meaningless.
        let marked = if layout.pawns().is_empty() { blocks.clone() } else { ground.blocks() };
        let illegal = &illegal[marked.span(ground.words_per_block())];
        mark_where(ground, illegal, marked, codes, (C::ILLEGAL, false));
        restore_placements(layout, ground.slice, blocks, &self.like, codes);
    }
}

#[cfg(test)]
mod tests;
