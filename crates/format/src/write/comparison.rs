//! Compares the codes of a table with what a column of it keeps.

use crate::FormatError;
use crate::pack::codes::{Profile, Selection, SideCodes};
use crate::pack::side::SidePacker;
use crate::read::TableFile;
use crate::read::stream::Scratch;
use crate::tile::TileId;
use crate::write::is_to_narrow;
use table::{Code, CodeSource, Codes, WithoutDistances, threads};
use variant::Variant;

impl TableFile {
    /// Whether the column holds these values, with every side to move that it keeps; every checksum is
    /// compared. One of `wdl` is compared with a table of any metric.
    ///
    /// # Errors
    /// The file cannot be read or is damaged, or the source does not give its codes.
    pub fn holds(&self, variant: &Variant, source: &dyn CodeSource) -> Result<bool, FormatError> {
        let profile = Profile::new(self.column(), source.layout());
        let narrowed = WithoutDistances(source);
        let source: &dyn CodeSource = if is_to_narrow(source, &profile) { &narrowed } else { source };
        let selection = Selection::new(source.layout());
        let packer = SidePacker { variant, source, selection: &selection, profile: &profile };
        for side in self.sides() {
            let Some(kept) = packer.arrange_plainly(side) else { return Ok(false) };
            if !self.has_codes(kept.codes)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether the file has these codes of a side to move wherever it keeps something; every checksum of the
    /// side is compared.
    fn has_codes(&self, codes: SideCodes<'_>) -> Result<bool, FormatError> {
        match (codes.coding.is_wide(), self.coding(codes.side).is_wide()) {
            (false, false) => self.has_codes_of::<u8>(codes),
            (true, true) => self.has_codes_of::<u16>(codes),
            _ => Ok(false),
        }
    }

    fn has_codes_of<C: Code>(&self, codes: SideCodes<'_>) -> Result<bool, FormatError> {
        let (tiling, side, selection) = (self.tiling(codes.side), codes.side, codes.selection);
        let (mut room, mut next) = (Codes::default(), TileId::FIRST);
        while next.index() < tiling.len() {
            let tiles = codes.run(tiling, next);
            let run = codes.read::<C>(tiling, tiles.clone(), &mut room);
            let run = run.map_err(FormatError::io(self.path(), "compare"))?;
            let is_same = |(scratch, kept, stored): &mut (Scratch<C>, Vec<C>, Vec<C>), tile: usize| {
                let tile = TileId::from_index(tile);
                selection.select(run.tile(tiling, tile).codes, tiling.range(tile).start, kept);
                self.payload().translate(codes.coding, kept);
                stored.resize(kept.len(), C::ILLEGAL);
                self.read_tile(side, tile, scratch, stored)?;
                Ok(kept.iter().zip(&*stored).all(|(kept, stored)| *kept == C::ILLEGAL || kept == stored))
            };
            let scratch = || (Scratch::new(), Vec::new(), Vec::new());
            if threads::try_map_in(tiles.clone(), scratch, is_same)?.contains(&false) {
                return Ok(false);
            }
            next = TileId::from_index(tiles.end);
        }
        Ok(true)
    }
}
