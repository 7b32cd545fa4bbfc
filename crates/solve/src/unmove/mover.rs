//! Takes back everything that a side may do: its men's moves, under compulsory capture or not, and passing.
//!
//! Under compulsory capture a quiet move is possible only where there is no capture. Ghosts hold what
//! captures lead to and placements what quiet moves lead to, so they are kept apart there, and with `C`,
//! where the side has a capture:
//!
//! ```text
//!   into S   =  unmove(ghosts of S)  ∪  ( unmove(placements of S) − C )
//! ```
//!
//! Passing leads to the same placement with the other side to move.

use super::Unmover;
use crate::ground::Ground;
use crate::plane::{Block, Escape, Frontier, OpenPlane};
use crate::pool::Scratch;
use index::BlockId;
use kernel::{Word, cut};
use variant::Side;

/// Where a side may pass, if the position is then still legal.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Passing<'a, W> {
    Never,
    Everywhere,
    /// In the placements of a plane.
    At(&'a [W]),
}

/// Takes back what one side may do.
#[derive(Debug)]
pub(crate) struct Mover<'a, W> {
    ground: &'a Ground<'a, W>,
    unmover: Unmover<'a, W>,
    /// A plane: where the side must capture.
    forced: Option<&'a [W]>,
    passing: Passing<'a, W>,
}

impl<'a, W: Word> Mover<'a, W> {
    pub(crate) fn new(
        ground: &'a Ground<'a, W>,
        side: Side,
        forced: Option<&'a [W]>,
        passing: Passing<'a, W>,
    ) -> Self {
        Mover { ground, unmover: Unmover::new(ground, side), forced, passing }
    }

    /// See [`Unmover::order`].
    pub(crate) fn order(&self) -> &'a [BlockId] {
        self.unmover.order()
    }

    /// See [`Unmover::mark_origins`].
    pub(crate) fn mark_origins(&self, live_blocks: &[bool], touched: &mut [bool]) {
        self.unmover.mark_origins(live_blocks, touched);
    }

    /// Takes back what leads into `source`, and captures that lead into `ghosts` where these are kept apart,
    /// into one block.
    #[inline]
    pub(crate) fn unmove(
        &self,
        source: &Frontier<W>,
        ghosts: Option<&Frontier<W>>,
        block: &mut Block<'_, W>,
        scratch: &mut Scratch<W>,
    ) {
        let Some((forced, ghosts)) = self.forced.zip(ghosts) else {
            self.take_back(source, block.id, block.found, block.live, scratch);
            return self.pass_back(source, block.id, block.found, block.live);
        };
        let mut quiet = std::mem::take(&mut scratch.quiet);
        quiet.clear();
        quiet.resize(block.found.len(), W::ZERO);
        self.take_back(source, block.id, &mut quiet, block.live, scratch);
        self.pass_back(source, block.id, &mut quiet, block.live);
        let forced = block_of(forced, block.id, quiet.len());
        let found = block.found.iter_mut().zip(quiet.iter().zip(forced));
        found.for_each(|(found, (&quiet, &forced))| *found |= quiet & !forced);
        scratch.quiet = quiet;
        self.take_back(ghosts, block.id, block.found, block.live, scratch);
    }

    /// Takes out of a block what can go to an escape.
    #[inline]
    pub(crate) fn refute(&self, escape: &Escape<W>, block: &mut Block<'_, W>, scratch: &mut Scratch<W>) {
        self.stay(&escape.places, block);
        let Some((forced, ghosts)) = self.forced.zip(escape.ghosts.as_ref()) else {
            let targets = escape.entries.as_ref().unwrap_or(&escape.places);
            return self.take_out(targets, block, scratch);
        };
        // A side that must capture has no quiet escape.
        let forced = block_of(forced, block.id, block.found.len());
        let mut kept = std::mem::take(&mut scratch.quiet);
        kept.clear();
        kept.extend(block.found.iter().zip(forced).map(|(&found, &forced)| found & forced));
        block.found.iter_mut().zip(&kept).for_each(|(found, &kept)| *found &= !kept);
        self.take_out(&escape.places, block, scratch);
        block.found.iter_mut().zip(&kept).for_each(|(found, &kept)| *found |= kept);
        scratch.quiet = kept;
        block.live.fill(true);
        self.take_out(ghosts, block, scratch);
    }

    fn take_back(
        &self,
        source: &Frontier<W>,
        id: BlockId,
        dst: &mut [W],
        live: &mut [bool],
        scratch: &mut Scratch<W>,
    ) {
        if self.ground.is_word() {
            dst[0] |= self.unmover.unmove_word(&source.words, id);
        } else {
            self.unmover.unmove(source, id, dst, live, scratch);
        }
    }

    fn take_out(&self, escape: &OpenPlane<W>, block: &mut Block<'_, W>, scratch: &mut Scratch<W>) {
        if !self.ground.is_word() {
            self.unmover.refute(escape, block.id, block.found, block.live, scratch);
        } else if block.found[0] != W::ZERO {
            block.found[0] &= !self.unmover.unmove_word(escape.words(), block.id);
        }
    }

    /// Takes back passes that lead into `source`.
    fn pass_back(&self, source: &Frontier<W>, id: BlockId, dst: &mut [W], live: &mut [bool]) {
        if matches!(self.passing, Passing::Never) || !source.live_blocks[id.index()] {
            return;
        }
        let src = block_of(&source.words, id, dst.len());
        match self.passing {
            Passing::At(may) => {
                let both = src.iter().zip(block_of(may, id, dst.len()));
                dst.iter_mut().zip(both).for_each(|(dst, (&src, &may))| *dst |= src & may);
            }
            _ => dst.iter_mut().zip(src).for_each(|(dst, &src)| *dst |= src),
        }
        let rows = block_of(&source.live, id, live.len());
        live.iter_mut().zip(rows).for_each(|(live, &src)| *live |= src);
    }

    /// Takes out of a block where the side may pass into an escape.
    fn stay(&self, escape: &OpenPlane<W>, block: &mut Block<'_, W>) {
        if matches!(self.passing, Passing::Never) {
            return;
        }
        let n = block.found.len();
        let escape = block_of(escape.words(), block.id, n);
        let must = |place: usize| self.forced.map_or(W::ZERO, |forced| block_of(forced, block.id, n)[place]);
        let mut stayed: Vec<W> = Vec::new();
        match self.passing {
            Passing::Never => {}
            Passing::Everywhere => stayed.extend((0..n).map(|i| escape[i] & !must(i))),
            Passing::At(may) => {
                let may = block_of(may, block.id, n);
                stayed.extend((0..n).map(|i| escape[i] & may[i] & !must(i)));
            }
        }
        block.found.iter_mut().zip(&stayed).for_each(|(found, &stayed)| *found &= !stayed);
        if !self.ground.is_word() {
            // The rows in which nothing is left are live no more.
            let all: Vec<W> = vec![W::ONES; n];
            cut(block.found, block.live, &all, self.ground.row_len());
        }
    }
}

/// The words or rows of a block, `n` of them, among those of all blocks.
fn block_of<T>(plane: &[T], block: BlockId, n: usize) -> &[T] {
    &plane[block.span(n)]
}
