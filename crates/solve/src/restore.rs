//! What a file leaves out of a table, put back: illegal placements, and those that are not canonical.
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

use crate::code::{Storable, store_where};
use crate::ground::Ground;
use crate::illegal::illegal_plane;
use crate::lane::has_small_words;
use crate::motion::Motion;
use geometry::{MAX_SQUARES, Square, Symmetry};
use index::{Extent, Layout, MAX_MEN, Scope};
use kernel::Word;
use rayon::prelude::*;
use std::ops::Range;
use std::sync::Arc;
use table::{Codes, CodesMut, Coding, Table};
use variant::{Side, Variant};

/// Makes every code of a table exact whose codes of canonical positions are.
pub(crate) fn restore_table(variant: &Variant, table: &mut Table) {
    assert!(table.scope().is_none(), "a part of {} is to be restored", table.layout().name());
    if has_small_words(table.layout()) {
        restore_in_words::<u64>(variant, table);
    } else {
        restore_in_words::<u128>(variant, table);
    }
}

fn restore_in_words<W: Word>(variant: &Variant, table: &mut Table) {
    let layout = table.layout().clone();
    let motion = Motion::<W>::new(variant, &layout);
    let sides: Vec<Side> = table.sides().collect();
    for stm in sides {
        let restorer = Restorer::new(&layout, &motion, stm);
        match table.codes_mut(stm) {
            Some(Codes::Narrow(codes) | Codes::Split(codes, _)) => restorer.restore_all(codes),
            Some(Codes::Wide(codes)) => restorer.restore_all(codes),
            None => {}
        }
    }
}

/// Reads the codes of a side to move that have these numbers into a row as long and as wide as they are.
pub type ReadCodes<'r, E> = dyn Fn(Side, Range<usize>, CodesMut<'_>) -> Result<(), E> + Sync + 'r;

/// The part of a table whose codes `read` has, as a file has them.
pub(crate) fn read_part<E: Send>(
    variant: &Variant,
    layout: Arc<Layout>,
    scope: Scope,
    coding: Coding,
    read: &ReadCodes<'_, E>,
) -> Result<Table, E> {
    if has_small_words(&layout) {
        read_part_in_words::<u64, E>(variant, layout, scope, coding, read)
    } else {
        read_part_in_words::<u128, E>(variant, layout, scope, coding, read)
    }
}

fn read_part_in_words<W: Word, E: Send>(
    variant: &Variant,
    layout: Arc<Layout>,
    scope: Scope,
    coding: Coding,
    read: &ReadCodes<'_, E>,
) -> Result<Table, E> {
    let motion = Motion::<W>::new(variant, &layout);
    let restorer = Restorer::new(&layout, &motion, Table::side_of_part(&layout, &scope));
    let codes = match coding {
        Coding::Narrow => Codes::Narrow(restorer.read_part(&scope, read)?),
        Coding::Split(split) => Codes::Split(restorer.read_part(&scope, read)?, split),
        Coding::Wide => Codes::Wide(restorer.read_part(&scope, read)?),
    };
    Ok(Table::new_part(layout, scope, codes))
}

/// What restoring the units of one side to move needs.
struct Restorer<'a, W> {
    layout: &'a Layout,
    motion: &'a Motion<W>,
    stm: Side,
    /// Without pawns: the only slice, and where it cannot be the side's move.
    slice: Option<(Ground<'a, W>, Vec<W>)>,
    blocks_per_unit: usize,
    like: Vec<LikeMen>,
}

/// A run of like men among the free men.
struct LikeMen {
    /// How many codes lie between two places of the last of them.
    inner: usize,
    /// In how many ways they can stand, shared squares too.
    n_ways: usize,
    /// Which way of standing is the same as which one in ascending order.
    copies: Vec<(u32, u32)>,
}

impl<'a, W: Word> Restorer<'a, W> {
    fn new(layout: &'a Layout, motion: &'a Motion<W>, stm: Side) -> Self {
        let slice = layout.pawns().is_empty().then(|| {
            let ground = Ground::new(layout, motion, 0);
            let illegal = illegal_plane(&ground, stm);
            (ground, illegal)
        });
        let blocks_per_unit = if slice.is_some() { 1 } else { layout.n_blocks() };
        let like = layout.like_free().iter().map(|run| LikeMen::new(layout, run)).collect();
        Restorer { layout, motion, stm, slice, blocks_per_unit, like }
    }

    fn restore_all<C: Storable>(&self, codes: &mut [C]) {
        let unit_len = self.blocks_per_unit * self.layout.block_len();
        codes.par_chunks_mut(unit_len).enumerate().for_each(|(unit, codes)| self.restore(unit, codes));
    }

    fn read_part<C: Storable, E: Send>(&self, scope: &Scope, read: &ReadCodes<'_, E>) -> Result<Vec<C>, E> {
        let extent = Extent::new(self.layout, Some(scope));
        let unit_len = self.blocks_per_unit * self.layout.block_len();
        let mut part = vec![C::ILLEGAL; extent.len()];
        let units = part.par_chunks_mut(self.blocks_per_unit * extent.block_len()).enumerate();
        units.try_for_each_init(
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
    fn restore<C: Storable>(&self, unit: usize, codes: &mut [C]) {
        let blocks = unit * self.blocks_per_unit..(unit + 1) * self.blocks_per_unit;
        match &self.slice {
            Some((ground, illegal)) => self.restore_blocks(ground, illegal, blocks, codes),
            None => {
                let ground = Ground::new(self.layout, self.motion, unit);
                let illegal = illegal_plane(&ground, self.stm);
                self.restore_blocks(&ground, &illegal, 0..self.layout.n_blocks(), codes);
            }
        }
    }

    fn restore_blocks<C: Storable>(
        &self,
        ground: &Ground<'_, W>,
        illegal: &[W],
        blocks: Range<usize>,
        codes: &mut [C],
    ) {
        let layout = self.layout;
        // What the positions that are not canonical hold is still meaningless.
        let marked = if layout.pawns().is_empty() { blocks.clone() } else { 0..ground.n_blocks() };
        store_where(ground, illegal, marked, codes, (C::ILLEGAL, false));
        if layout.free().is_empty() {
            return;
        }
        let lane = layout.free().len() - 1;
        let lane_is_like = layout.like_free().iter().any(|run| run.contains(&lane));
        for block in blocks.clone().filter(|&block| layout.has_residual(ground.slice, block)) {
            if lane_is_like {
                restore_images_singly(layout, ground.slice, &blocks, block, codes);
            } else {
                restore_images(layout, ground.slice, &blocks, block, codes);
            }
        }
        self.like.iter().for_each(|like| like.restore(codes));
    }
}

/// Restores the images in a block whose man in the lane is like no other.
///
/// The canonical number of a placement is the smallest of its images, like men in order. Numbers are first
/// compared by their rows, so the image of a row that comes first holds the canonical placements; where
/// several images are that row, the square in the lane decides.
fn restore_images<C: Storable>(
    layout: &Layout,
    slice: usize,
    unit: &Range<usize>,
    block: usize,
    codes: &mut [C],
) {
    let n = layout.n_squares();
    let n_words = layout.words_per_block();
    let n_outer = layout.free().len() - 1;
    let residual = layout.residual(slice, block);
    let image_block = |g: Symmetry| {
        let permutation = layout.permutation(g);
        let used = layout.frame().len();
        let mut frame = layout.frame_squares(block);
        frame[..used].iter_mut().for_each(|s| *s = Square::from_index(permutation[s.index()].into()));
        // Without pawns the block itself, whose frame the symmetry keeps; with pawns no frame is folded.
        if layout.pawns().is_empty() { Some(block) } else { layout.neighbour(frame).map(|found| found.block) }
    };
    let images: Vec<(&[u8; MAX_SQUARES], usize)> = residual
        .iter()
        .filter_map(|&g| Some((layout.permutation(g), image_block(g)? - unit.start)))
        .collect();
    for word in 0..n_words {
        // Like men in another order come last.
        let Some(outer) = ascending_outer(layout, word) else { continue };
        let row = (block - unit.start) * n_words + word;
        let image_row = |permutation: &[u8; MAX_SQUARES], block: usize| {
            let mut image = outer;
            image[..n_outer].iter_mut().for_each(|s| *s = permutation[*s as usize]);
            block * n_words + row_number(layout, &mut image[..n_outer])
        };
        let first = images.iter().map(|&(g, block)| image_row(g, block)).min().map_or(row, |r| r.min(row));
        let mut lane = [u8::MAX; MAX_SQUARES];
        if first == row {
            lane.iter_mut().zip(0..).for_each(|(slot, s)| *slot = s);
        }
        for &(permutation, _) in images.iter().filter(|&&(g, block)| image_row(g, block) == first) {
            lane.iter_mut().zip(permutation).for_each(|(slot, &s)| *slot = (*slot).min(s));
        }
        for (square, &canonical) in lane[..n].iter().enumerate() {
            codes[row * n + square] = codes[first * n + canonical as usize];
        }
    }
}

/// The squares of the outer free men in a word of a block; none if like men are not in order.
fn ascending_outer(layout: &Layout, word: usize) -> Option<[u8; MAX_MEN]> {
    let n_outer = layout.free().len() - 1;
    let mut outer = [0u8; MAX_MEN];
    let mut rest = word;
    for square in outer[..n_outer].iter_mut().rev() {
        *square = (rest % layout.n_squares()) as u8;
        rest /= layout.n_squares();
    }
    let mut sorted = outer;
    (row_number(layout, &mut sorted[..n_outer]) == word).then_some(outer)
}

/// The number of a block's word with the outer free men on these squares, like men brought into order.
fn row_number(layout: &Layout, outer: &mut [u8]) -> usize {
    let n_outer = outer.len();
    for run in layout.like_free() {
        // A run may end with the man in the lane, who is none of these.
        outer[run.start..run.end.min(n_outer)].sort_unstable();
    }
    outer.iter().fold(0, |number, &s| number * layout.n_squares() + s as usize)
}

/// The same where the man in the lane is like the one next to him: place by place.
fn restore_images_singly<C: Storable>(
    layout: &Layout,
    slice: usize,
    unit: &Range<usize>,
    block: usize,
    codes: &mut [C],
) {
    let (n, n_words) = (layout.n_squares(), layout.words_per_block());
    let n_outer = layout.free().len() - 1;
    let first = (slice * layout.n_blocks() + unit.start) * layout.block_len();
    for word in 0..n_words {
        let Some(outer) = ascending_outer(layout, word) else { continue };
        let row = ((block - unit.start) * n_words + word) * n;
        // In order, the man in the lane stands behind his like.
        for place in row + outer[n_outer - 1] as usize..row + n {
            if codes[place] != C::ILLEGAL
                && let Some(canonical) = layout.encode(&layout.decode(first + place))
            {
                codes[place] = codes[canonical - first];
            }
        }
    }
}

impl LikeMen {
    fn new(layout: &Layout, run: &Range<usize>) -> Self {
        let n = layout.n_squares();
        let n_ways = n.pow(run.len() as u32);
        let mut copies = Vec::new();
        for way in 0..n_ways {
            let mut squares = [0; MAX_MEN];
            let mut rest = way;
            for square in squares[..run.len()].iter_mut().rev() {
                *square = rest % n;
                rest /= n;
            }
            squares[..run.len()].sort_unstable();
            let ascending = squares[..run.len()].iter().fold(0, |number, s| number * n + s);
            if ascending != way {
                copies.push((ascending as u32, way as u32));
            }
        }
        LikeMen { inner: n.pow((layout.free().len() - run.end) as u32), n_ways, copies }
    }

    /// Copies what stands in ascending order to every other order.
    fn restore<C: Storable>(&self, codes: &mut [C]) {
        let inner = self.inner;
        for codes in codes.chunks_exact_mut(self.n_ways * inner) {
            if inner == 1 {
                self.copies.iter().for_each(|&(from, to)| codes[to as usize] = codes[from as usize]);
                continue;
            }
            for &(from, to) in &self.copies {
                let from = from as usize * inner;
                codes.copy_within(from..from + inner, to as usize * inner);
            }
        }
    }
}
