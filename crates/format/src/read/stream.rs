//! Reads a whole file: tile by tile for a caller who keeps a part, or into a table.

use crate::FormatError;
use crate::read::file::TableFile;
use crate::tile::tiling::TileId;
use rayon::prelude::*;
use table::{Code, Codes, CodesRef, Table};
use variant::Side;

/// The hash of a block before compression.
type Hash = [u8; 32];

/// Memory that is used again from tile to tile.
pub(crate) struct Scratch<C> {
    bytes: Vec<u8>,
    placed: Vec<C>,
    numbered: Vec<C>,
}

impl<C> Scratch<C> {
    pub(crate) const fn new() -> Self {
        Scratch { bytes: Vec::new(), placed: Vec::new(), numbered: Vec::new() }
    }
}

impl TableFile {
    /// Reads everything and compares every checksum.
    ///
    /// # Errors
    /// As [`TableFile::read_table`].
    pub fn verify_checksums(&self) -> Result<(), FormatError> {
        self.show_tiles(&self.sides(), |_, _, _| ())
    }

    /// Shows the codes of some sides to move to `visit`, a tile at a time: the side, the number of the first
    /// placement, and the codes of this and the following ones, as they are numbered.
    ///
    /// The threads of the current pool do so at once, each with a tile of its own, in no certain order;
    /// together the tiles are each number once. No more is in memory than a tile for each thread. Sides that
    /// the file does not keep are passed over. Places that are no legal canonical position hold anything.
    ///
    /// The checksum of a tile's blocks is compared before it is shown. Whether all values are those that the
    /// header names is known at the end, if all sides kept were asked for: on an error, what was shown is to
    /// be forgotten.
    ///
    /// # Errors
    /// As [`TableFile::read_table`].
    pub fn for_each_tile(
        &self,
        sides: &[Side],
        visit: impl Fn(Side, usize, CodesRef<'_>) + Sync,
    ) -> Result<(), FormatError> {
        self.check_values()?;
        self.show_tiles(sides, visit)
    }

    /// The same with codes as the file has them, which may be distances.
    fn show_tiles(
        &self,
        sides: &[Side],
        visit: impl Fn(Side, usize, CodesRef<'_>) + Sync,
    ) -> Result<(), FormatError> {
        let mut hashes = Vec::with_capacity(self.header().n_blocks as usize);
        for side in self.sides().into_iter().filter(|side| sides.contains(side)) {
            let read = match self.header().widths[side.index()] {
                1 => self.visit_side::<u8>(side, &visit)?,
                _ => self.visit_side::<u16>(side, &visit)?,
            };
            hashes.extend(read);
        }
        self.check_content_of(sides, &hashes)
    }

    /// The whole table, with whatever stands in the places that files do not keep; every checksum is
    /// compared.
    ///
    /// # Errors
    /// A block is damaged or cannot be read, or the values are not those that the header names; or a side to
    /// move that the table has is not kept.
    pub fn read_table(&self) -> Result<Table, FormatError> {
        self.read_sides(&Side::BOTH)
    }

    /// The same with some sides to move; of a symmetric material with White to move. That all blocks
    /// together hold what the header names is compared if all sides kept are read.
    ///
    /// # Errors
    /// As [`TableFile::read_table`].
    pub fn read_sides(&self, sides: &[Side]) -> Result<Table, FormatError> {
        self.check_values()?;
        self.check_sides(sides)?;
        let mut hashes = Vec::with_capacity(self.header().n_blocks as usize);
        let mut codes = [None, None];
        for side in self.layout().sides().iter().copied().filter(|side| sides.contains(side)) {
            codes[side.index()] = Some(self.read_side(side, &mut hashes)?);
        }
        self.check_content_of(sides, &hashes)?;
        Ok(Table::with_sides(self.layout().clone(), codes))
    }

    /// The sides that the file keeps.
    pub(crate) fn sides(&self) -> Vec<Side> {
        Side::BOTH.into_iter().filter(|&side| self.keeps(side)).collect()
    }

    /// Refuses files that hold distances alone.
    pub(crate) fn check_values(&self) -> Result<(), FormatError> {
        match self.holds_distances() {
            true => Err(FormatError::OnlyDistances { path: self.path().to_path_buf() }),
            false => Ok(()),
        }
    }

    /// Refuses files that have left out one of these sides to move.
    pub(crate) fn check_sides(&self, sides: &[Side]) -> Result<(), FormatError> {
        match self.left_out().filter(|left_out| sides.contains(left_out)) {
            Some(left_out) => Err(FormatError::OneSided { path: self.path().to_path_buf(), kept: !left_out }),
            None => Ok(()),
        }
    }

    /// Compares the hashes of the blocks of some sides with what the header names, if all that are kept are
    /// among them.
    pub(crate) fn check_content_of(&self, sides: &[Side], hashes: &[Hash]) -> Result<(), FormatError> {
        if self.sides().iter().any(|side| !sides.contains(side)) {
            return Ok(());
        }
        let (got, expected) = (self.header().content_of(hashes), self.content());
        if got == expected {
            return Ok(());
        }
        Err(FormatError::ContentDamaged { path: self.path().to_path_buf(), got, expected })
    }

    /// Shows all tiles of a side; the hashes of its blocks.
    fn visit_side<C: Code>(
        &self,
        side: Side,
        visit: &(impl Fn(Side, usize, CodesRef<'_>) + Sync),
    ) -> Result<Vec<Hash>, FormatError> {
        let tiling = self.tiling(side);
        let show = |scratch: &mut Scratch<C>, tile: TileId| {
            let range = tiling.range(tile);
            let mut codes = std::mem::take(&mut scratch.numbered);
            codes.resize(range.len(), C::ILLEGAL);
            let hashes = self.read_tile(side, tile, scratch, &mut codes)?;
            visit(side, range.start, C::borrowed(&codes));
            scratch.numbered = codes;
            Ok(hashes)
        };
        let read: Vec<Vec<Hash>> = (0..tiling.len())
            .into_par_iter()
            .map(TileId::from_index)
            .map_init(Scratch::new, show)
            .collect::<Result<_, FormatError>>()?;
        Ok(read.into_iter().flatten().collect())
    }

    /// All codes of a side; the hash of each block goes to `hashes`.
    pub(crate) fn read_side(&self, side: Side, hashes: &mut Vec<Hash>) -> Result<Codes, FormatError> {
        match self.header().widths[side.index()] {
            1 => self.read_codes(side, hashes).map(u8::owned),
            _ => self.read_codes(side, hashes).map(u16::owned),
        }
    }

    fn read_codes<C: Code>(&self, side: Side, hashes: &mut Vec<Hash>) -> Result<Vec<C>, FormatError> {
        let mut codes = vec![C::ILLEGAL; self.layout().len()];
        let read: Vec<Vec<Hash>> = codes
            .par_chunks_mut(self.tiling(side).tile_codes())
            .enumerate()
            .map_init(Scratch::new, |scratch, (tile, codes)| {
                self.read_tile(side, TileId::from_index(tile), scratch, codes)
            })
            .collect::<Result<_, FormatError>>()?;
        hashes.extend(read.into_iter().flatten());
        Ok(codes)
    }

    /// The codes of a tile, as they are numbered; the hashes of its blocks.
    pub(crate) fn read_tile<C: Code>(
        &self,
        side: Side,
        tile: TileId,
        scratch: &mut Scratch<C>,
        codes: &mut [C],
    ) -> Result<Vec<Hash>, FormatError> {
        let Scratch { bytes, placed, .. } = scratch;
        bytes.resize(self.payload().n_bytes(codes.len(), size_of::<C>()), 0);
        let blocks = self.blocks(side, tile);
        let mut hashes = Vec::with_capacity(blocks.len());
        let mut rest = &mut bytes[..];
        for block in blocks {
            let (bytes, others) = rest.split_at_mut(self.block_bytes(side, tile, block));
            self.read_block(block, bytes)?;
            hashes.push(*blake3::hash(bytes).as_bytes());
            rest = others;
        }
        match self.tiling(side).to_numbers(tile) {
            Some(walk) => {
                placed.resize(codes.len(), C::ILLEGAL);
                self.payload().read(bytes, placed);
                walk.gather(placed, codes);
            }
            None => self.payload().read(bytes, codes),
        }
        Ok(hashes)
    }
}
