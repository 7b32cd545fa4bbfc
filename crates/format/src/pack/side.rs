//! Packs a side to move of a table: chooses an arrangement, then packs tile after tile on all threads.

use super::arrangement::{Arrangement, SideCodes};
use super::block::PackedBlock;
use super::choice;
use super::packer::{Packer, of_thread};
use super::profile::Profile;
use super::selection::Selection;
use index::Layout;
use rayon::prelude::*;
use std::io;
use table::{Code, CodesRef, Coding};
use variant::{Side, Variant};

/// The blocks of a side to move, compressed, in order.
pub(crate) struct PackedSide {
    pub(crate) side: Side,
    /// Bytes of a code.
    pub(crate) width: u8,
    pub(crate) order: u16,
    /// The prior of the side's model as it stands in the file; empty if there is none.
    pub(crate) prior: Box<[u8]>,
    /// Of a side that is left out no more than the hashes are known.
    pub(crate) blocks: Vec<PackedBlock>,
}

impl PackedSide {
    pub(crate) fn size_bytes(&self) -> u64 {
        self.blocks.iter().map(|block| block.bytes.len() as u64).sum()
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
    pub(crate) side: Side,
    codes: CodesRef<'a>,
    pub(crate) arrangement: Arrangement,
}

/// Packs the sides of a table.
pub(crate) struct SidePacker<'a> {
    pub(crate) variant: &'a Variant,
    pub(crate) layout: &'a Layout,
    pub(crate) selection: &'a Selection<'a>,
    pub(crate) profile: &'a Profile,
}

impl SidePacker<'_> {
    /// Chooses how the codes of a side stand.
    pub(crate) fn arrange<'c>(&self, side: Side, codes: CodesRef<'c>) -> io::Result<ArrangedSide<'c>> {
        let (variant, layout, coding) = (self.variant, self.layout, codes.coding());
        let arrangement = match codes {
            CodesRef::Narrow(codes) | CodesRef::Split(codes, _) => {
                choice::choose(variant, layout, self.codes(codes, coding))?
            }
            CodesRef::Wide(codes) => choice::choose(variant, layout, self.codes(codes, coding))?,
        };
        Ok(ArrangedSide { side, codes, arrangement })
    }

    /// Leaves the codes of a side as they are numbered.
    pub(crate) fn arrange_plainly<'c>(&self, side: Side, codes: CodesRef<'c>) -> ArrangedSide<'c> {
        ArrangedSide { side, codes, arrangement: choice::natural(self.layout, self.profile) }
    }

    /// How the codes of a side stand where a model packs them.
    fn arrange_small(&self, codes: CodesRef<'_>) -> io::Result<Arrangement> {
        let (variant, layout, coding) = (self.variant, self.layout, codes.coding());
        match codes {
            CodesRef::Narrow(codes) | CodesRef::Split(codes, _) => {
                choice::choose_small(variant, layout, self.codes(codes, coding))
            }
            CodesRef::Wide(codes) => choice::choose_small(variant, layout, self.codes(codes, coding)),
        }
    }

    fn codes<'c, C>(&'c self, codes: &'c [C], coding: Coding) -> SideCodes<'c, C> {
        SideCodes { selection: self.selection, codes, coding, profile: self.profile }
    }

    /// How much work packing a side is, roughly, in units of its own.
    pub(crate) fn work(&self, arranged: &ArrangedSide<'_>, output: Output) -> u64 {
        arranged.arrangement.tiling.len() as u64 * self.work_a_tile(output)
    }

    fn work_a_tile(&self, output: Output) -> u64 {
        match output {
            Output::HashOnly => 1,
            Output::Interim => 3,
            Output::Final if self.profile.has_methods() => 60,
            Output::Final => 4,
        }
    }

    /// Packs a side; `tell` gets the work of each tile that is done.
    pub(crate) fn pack(
        &self,
        arranged: &ArrangedSide<'_>,
        output: Output,
        tell: &(dyn Fn(u64) + Sync),
    ) -> io::Result<PackedSide> {
        let tell = || tell(self.work_a_tile(output));
        let coding = arranged.codes.coding();
        let small = match output == Output::Final && self.profile.has_methods() {
            true => Some(self.arrange_small(arranged.codes)?),
            false => None,
        };
        let arrangement = small.as_ref().unwrap_or(&arranged.arrangement);
        let blocks = match arranged.codes {
            CodesRef::Narrow(codes) | CodesRef::Split(codes, _) => {
                pack_tiles(self.codes(codes, coding), arrangement, output, &tell)?
            }
            CodesRef::Wide(codes) => pack_tiles(self.codes(codes, coding), arrangement, output, &tell)?,
        };
        let (side, width) = (arranged.side, if arranged.codes.is_wide() { 2 } else { 1 });
        let prior = arrangement.prior.as_ref().map(|prior| prior.frame().into()).unwrap_or_default();
        Ok(PackedSide { side, width, order: arrangement.order.encode(), prior, blocks })
    }
}

/// All blocks of a side; only their hashes if it is left out.
fn pack_tiles<C: Code>(
    side: SideCodes<'_, C>,
    arrangement: &Arrangement,
    output: Output,
    tell: &(dyn Fn() + Sync),
) -> io::Result<Vec<PackedBlock>> {
    let effort = if output == Output::Interim { side.profile.passing } else { side.profile.writing };
    let pack = |packer: &mut io::Result<Packer<C>>, tile| {
        let packer = of_thread(packer)?;
        let blocks = match output {
            Output::Final if side.profile.has_methods() => packer.pack_small(side, arrangement, tile),
            Output::HashOnly => {
                Ok(packer.hash(side, arrangement, tile).into_iter().map(PackedBlock::of_hash).collect())
            }
            Output::Final | Output::Interim => packer.pack(side, arrangement, tile),
        };
        tell();
        blocks
    };
    let packed = (0..arrangement.tiling.len())
        .into_par_iter()
        .map_init(|| Packer::new(effort), pack)
        .collect::<io::Result<Vec<Vec<PackedBlock>>>>()?;
    Ok(packed.into_iter().flatten().collect())
}
