//! Reads the codes of a side to move from their source: runs of tiles, and tiles far from each other.
//!
//! A table in memory lends its codes; any other source is asked for no more units than it hands out at once.

use super::profile::Profile;
use super::selection::Selection;
use crate::tile::tiling::{TileId, Tiling};
use index::Layout;
use std::borrow::Cow;
use std::io;
use std::ops::Range;
use table::{Code, CodeSource, Codes, CodesRef, Coding};
use variant::Side;

/// The number of a tile, and its codes.
pub(crate) type SampleTile<'a, C> = (TileId, Cow<'a, [C]>);

/// The most codes that are packed before what they became leaves the memory: so many that threads hardly
/// wait for each other.
pub(crate) const RUN_CODES: usize = 1 << 28;

/// A side to move of a source, and how its codes become those of a file.
#[derive(Clone, Copy)]
pub(crate) struct SideCodes<'a> {
    pub(crate) source: &'a dyn CodeSource,
    pub(crate) side: Side,
    pub(crate) coding: Coding,
    pub(crate) selection: &'a Selection<'a>,
    pub(crate) profile: &'a Profile,
}

/// The codes of a tile, as they are numbered.
#[derive(Clone, Copy)]
pub(crate) struct TileCodes<'a, C> {
    pub(crate) tile: TileId,
    pub(crate) codes: &'a [C],
}

/// The codes of some tiles in a row.
pub(crate) struct CodeRun<'a, C> {
    /// The number of the first placement.
    start: usize,
    codes: &'a [C],
}

impl<'a, C> CodeRun<'a, C> {
    /// One of its tiles.
    pub(crate) fn tile(&self, tiling: &Tiling, tile: TileId) -> TileCodes<'a, C> {
        let Range { start, end } = tiling.range(tile);
        TileCodes { tile, codes: &self.codes[start - self.start..end - self.start] }
    }
}

impl SideCodes<'_> {
    /// The numbering of the placements.
    pub(crate) fn layout(&self) -> &Layout {
        self.selection.layout()
    }

    /// Bytes of a block of this width before compression, the last of a tile excepted.
    pub(crate) fn block_bytes<C>(&self) -> usize {
        self.profile.payload.n_bytes(self.profile.block_codes, size_of::<C>())
    }

    /// The numbers of the tiles from this one on whose codes are had at once, at least one.
    pub(crate) fn run(&self, tiling: &Tiling, first: TileId) -> Range<usize> {
        let (layout, block_len) = (self.layout(), self.layout().block_len());
        let n_units = self.source.units_at_once().min((RUN_CODES / block_len).max(1));
        let end = (tiling.range(first).start / block_len).saturating_add(n_units).saturating_mul(block_len);
        let end_tile = if end >= layout.len() { tiling.len() } else { tiling.tile_of(end).index() };
        first.index()..end_tile.max(first.index() + 1)
    }

    /// The codes of tiles in a row, those with these numbers.
    pub(crate) fn read<'r, C: Code>(
        &'r self,
        tiling: &Tiling,
        tiles: Range<usize>,
        room: &'r mut Codes,
    ) -> io::Result<CodeRun<'r, C>> {
        let block_len = self.layout().block_len();
        let [first, last] = [tiles.start, tiles.end - 1].map(TileId::from_index);
        let numbers = tiling.range(first).start..tiling.range(last).end;
        let units = numbers.start / block_len..numbers.end.div_ceil(block_len);
        let codes = self.source.codes(self.side, units.clone(), room)?;
        Ok(CodeRun { start: units.start * block_len, codes: self.of_width(codes) })
    }

    /// The codes of tiles that may be far from each other, in this order; `rooms` are for them.
    pub(crate) fn sample<'r, C: Code>(
        &'r self,
        tiling: &Tiling,
        tiles: impl ExactSizeIterator<Item = TileId>,
        rooms: &'r mut Vec<Codes>,
    ) -> io::Result<Vec<SampleTile<'r, C>>> {
        let block_len = self.layout().block_len();
        rooms.resize(tiles.len(), Codes::Narrow(Vec::new()));
        let mut shared = Codes::Narrow(Vec::new());
        let one = |(tile, room): (TileId, &'r mut Codes)| {
            let Range { start, end } = tiling.range(tile);
            let is_of_units = start.is_multiple_of(block_len) && end.is_multiple_of(block_len);
            Ok(if is_of_units {
                (tile, Cow::Borrowed(self.read::<C>(tiling, tile.alone(), room)?.codes))
            } else {
                let run = self.read::<C>(tiling, tile.alone(), &mut shared)?;
                (tile, Cow::Owned(run.tile(tiling, tile).codes.to_vec()))
            })
        };
        tiles.zip(rooms).map(one).collect()
    }

    /// Codes of the width that the side has.
    fn of_width<'c, C: Code>(&self, codes: CodesRef<'c>) -> &'c [C] {
        assert_eq!(codes.coding(), self.coding, "codes of {} in one coding", self.layout().name());
        C::slice_of(codes).expect("the width was looked up")
    }
}
