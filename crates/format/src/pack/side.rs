//! Packs a side to move of a table: chooses an arrangement, then packs tile after tile on all threads.

use super::arrangement::{Arrangement, learned_bytes};
use super::block::{BlockEntry, PackedBlock};
use super::choice;
use super::codes::SideCodes;
use super::packer::Packers;
use super::profile::Profile;
use super::selection::Selection;
use super::spool::Spool;
use crate::FormatError;
use crate::tile::tiling::TileId;
use rayon::prelude::*;
use std::io;
use table::{Code, CodeSource, Codes};
use variant::{Side, Variant};

/// A side to move, packed; the bytes of its blocks are in a spool or in a file.
pub(crate) struct PackedSide {
    pub(crate) side: Side,
    /// Bytes of a code.
    pub(crate) width: u8,
    pub(crate) order: u16,
    /// What the side's models begin with, as it stands in the file.
    pub(crate) learned: Box<[u8]>,
    /// Its blocks in order. Of a side that is left out no more than the hashes are known.
    pub(crate) blocks: Vec<BlockEntry>,
}

impl PackedSide {
    pub(crate) fn size_bytes(&self) -> u64 {
        self.blocks.iter().map(|block| u64::from(block.n_bytes)).sum()
    }
}

/// What is made of a side to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Output {
    /// Blocks that stay.
    Final,
    /// Blocks that are kept for a while, and not worth much work.
    Interim,
    /// Hashes of blocks before compression: the side is left out.
    HashOnly,
}

/// A side to move, and how its codes are to stand.
pub(crate) struct ArrangedSide<'a> {
    pub(crate) codes: SideCodes<'a>,
    pub(crate) arrangement: Arrangement,
}

impl ArrangedSide<'_> {
    /// Which side to move it is.
    pub(crate) fn side(&self) -> Side {
        self.codes.side
    }
}

/// The work of packing a tile to see how small it becomes.
const WORK_A_TRIAL: u64 = 4;

/// Packs the sides of a table.
#[derive(Clone, Copy)]
pub(crate) struct SidePacker<'a> {
    pub(crate) variant: &'a Variant,
    pub(crate) source: &'a dyn CodeSource,
    pub(crate) selection: &'a Selection<'a>,
    pub(crate) profile: &'a Profile,
}

impl<'a> SidePacker<'a> {
    /// Chooses how the codes of each side stand; `tell` gets the work of each trial that is done.
    pub(crate) fn arrange(&self, tell: &(dyn Fn(u64) + Sync)) -> io::Result<Vec<ArrangedSide<'a>>> {
        let tell = || tell(WORK_A_TRIAL);
        let one = |codes: SideCodes<'a>| {
            let arrangement = match codes.coding.is_wide() {
                false => choice::choose::<u8>(self.variant, codes, &tell),
                true => choice::choose::<u16>(self.variant, codes, &tell),
            };
            arrangement.map(|arrangement| ArrangedSide { codes, arrangement })
        };
        self.sides().map(one).collect()
    }

    /// The sides that the table keeps.
    fn sides(&self) -> impl Iterator<Item = SideCodes<'a>> {
        let SidePacker { source, selection, profile, .. } = *self;
        let one =
            move |side| Some(SideCodes { source, side, coding: source.coding(side)?, selection, profile });
        Side::BOTH.into_iter().filter_map(one)
    }

    /// How much work it is to arrange the sides, in the units of [`SidePacker::work`].
    pub(crate) fn arranging_work(&self) -> u64 {
        self.sides().map(|codes| choice::n_trials(self.variant, codes) * WORK_A_TRIAL).sum()
    }

    /// How much work it is at most to pack the sides, however they are arranged.
    pub(crate) fn most_work(&self) -> u64 {
        let tiles = |codes| choice::natural(codes).tiling.len() as u64 * self.work_a_tile(Output::Final);
        self.sides().map(|codes| tiles(codes) + self.small_work(codes, Output::Final)).sum()
    }

    /// Leaves the codes of a side as they are numbered; none if the table does not keep the side.
    pub(crate) fn arrange_plainly(&self, side: Side) -> Option<ArrangedSide<'a>> {
        let SidePacker { source, selection, profile, .. } = *self;
        let codes = SideCodes { source, side, coding: source.coding(side)?, selection, profile };
        Some(ArrangedSide { codes, arrangement: choice::natural(codes) })
    }

    /// How much work packing a side is, roughly, in units of its own.
    pub(crate) fn work(&self, arranged: &ArrangedSide<'_>, output: Output) -> u64 {
        let tiles = arranged.arrangement.tiling.len() as u64 * self.work_a_tile(output);
        tiles + self.small_work(arranged.codes, output)
    }

    /// How much of that goes into what a model learns beforehand.
    fn small_work(&self, codes: SideCodes<'_>, output: Output) -> u64 {
        if output != Output::Final || !self.profile.has_methods() {
            return 0;
        }
        let (n_tiles, n_blocks) = choice::n_small_trials(self.variant, codes);
        n_tiles * self.work_a_tile(output) + n_blocks * self.work_a_block(output)
    }

    fn work_a_block(&self, output: Output) -> u64 {
        let per_tile = self.profile.tile_codes.div_ceil(self.profile.block_codes).max(1);
        (self.work_a_tile(output) / per_tile as u64).max(1)
    }

    fn work_a_tile(&self, output: Output) -> u64 {
        match output {
            Output::HashOnly => 1,
            Output::Interim => 3,
            Output::Final if self.profile.has_methods() => 60,
            Output::Final => 4,
        }
    }

    /// Packs a side, whose blocks go to the spool; `tell` gets the work of each tile that is done.
    pub(crate) fn pack(
        &self,
        arranged: &ArrangedSide<'_>,
        output: Output,
        tell: &(dyn Fn(u64) + Sync),
        spool: &mut Spool,
    ) -> Result<PackedSide, FormatError> {
        let (tile, block) = (self.work_a_tile(output), self.work_a_block(output));
        let (tell, tell_block) = (|| tell(tile), || tell(block));
        let (variant, codes) = (self.variant, arranged.codes);
        let is_wide = codes.coding.is_wide();
        let tells: [&(dyn Fn() + Sync); 2] = [&tell, &tell_block];
        let small = match (output == Output::Final && self.profile.has_methods(), is_wide) {
            (false, _) => None,
            (true, false) => Some(choice::choose_small::<u8>(variant, codes, tells)),
            (true, true) => Some(choice::choose_small::<u16>(variant, codes, tells)),
        };
        let small = small.transpose().map_err(spool.failure())?;
        let arrangement = small.as_ref().unwrap_or(&arranged.arrangement);
        let blocks = match is_wide {
            false => pack_tiles::<u8>(codes, arrangement, output, &tell, spool)?,
            true => pack_tiles::<u16>(codes, arrangement, output, &tell, spool)?,
        };
        let learned = match (self.profile.has_methods(), small.is_some()) {
            (false, _) => Box::default(),
            (true, false) => learned_bytes(None, None),
            (true, true) => arrangement.learned_bytes().map_err(spool.failure())?,
        };
        let (side, width, order) = (codes.side, if is_wide { 2 } else { 1 }, arrangement.order.encode());
        Ok(PackedSide { side, width, order, learned, blocks })
    }
}

/// Packs all tiles of a side, a run of codes at a time; only their hashes are computed if it is left out.
fn pack_tiles<C: Code>(
    side: SideCodes<'_>,
    arrangement: &Arrangement,
    output: Output,
    tell: &(dyn Fn() + Sync),
    spool: &mut Spool,
) -> Result<Vec<BlockEntry>, FormatError> {
    let effort = if output == Output::Interim { side.profile.passing } else { side.profile.writing };
    let packers = Packers::<C>::new(effort);
    let (tiling, mut room) = (&arrangement.tiling, Codes::Narrow(Vec::new()));
    let (mut blocks, mut next) = (Vec::new(), TileId::FIRST);
    while next.index() < tiling.len() {
        let tiles = side.run(tiling, next);
        let run = side.read::<C>(tiling, tiles.clone(), &mut room).map_err(spool.failure())?;
        let pack = |tile| {
            let tile = run.tile(tiling, TileId::from_index(tile));
            let blocks = packers.with(|packer| match output {
                Output::Final if side.profile.has_methods() => packer.pack_small(side, arrangement, tile),
                Output::HashOnly => {
                    Ok(packer.hash(side, arrangement, tile).into_iter().map(PackedBlock::of_hash).collect())
                }
                Output::Final | Output::Interim => packer.pack(side, arrangement, tile),
            });
            tell();
            blocks
        };
        let packed = tiles.clone().into_par_iter().map(pack).collect::<io::Result<Vec<Vec<PackedBlock>>>>();
        for block in packed.map_err(spool.failure())?.into_iter().flatten() {
            blocks.push(block.entry);
            if block.entry.n_bytes > 0 {
                spool.push(block.bytes)?;
            }
        }
        next = TileId::from_index(tiles.end);
    }
    Ok(blocks)
}
