//! Reads the codes of one side to move with certain numbers.
//!
//! Whoever needs a part of a table asks for the numbers that he has room for, instead of being shown
//! everything.

use crate::FormatError;
use crate::read::file::TableFile;
use crate::read::stream::Scratch;
use std::ops::Range;
use table::{Code, CodesMut};
use variant::Side;

impl TableFile {
    /// Whether the codes with this side to move take two bytes each.
    #[must_use]
    pub fn is_wide(&self, stm: Side) -> bool {
        self.header().widths[stm.index()] == 2
    }

    /// Reads the codes of the placements with these numbers, as they are numbered, into `codes`.
    ///
    /// The checksum of each block that is read is compared; that all blocks together hold what the header
    /// names is not. Places that are no legal canonical position hold anything.
    ///
    /// Complexity: each tile that has one of the numbers is decompressed whole, and nothing is kept from call
    /// to call. No more is in memory beside `codes` than a tile.
    ///
    /// # Errors
    /// A block is damaged or cannot be read.
    ///
    /// # Panics
    /// If the file holds distances alone, does not keep this side to move or has no such numbers, or if
    /// `codes` are not as many as these or not as wide as [`TableFile::is_wide`] says.
    pub fn read_range(&self, stm: Side, range: Range<usize>, codes: CodesMut<'_>) -> Result<(), FormatError> {
        assert!(!self.holds_distances(), "{} does not say who wins", self.path().display());
        self.check_range(stm, &range);
        match (codes, self.is_wide(stm)) {
            (CodesMut::Narrow(codes) | CodesMut::Split(codes, _), false) => self.read_into(stm, range, codes),
            (CodesMut::Wide(codes), true) => self.read_into(stm, range, codes),
            _ => panic!("codes of another width than those of {}", self.path().display()),
        }
    }

    /// Reads codes as the file has them, which may be distances.
    pub(crate) fn read_codes_range<C: Code>(
        &self,
        stm: Side,
        range: Range<usize>,
        codes: &mut [C],
    ) -> Result<(), FormatError> {
        self.check_range(stm, &range);
        self.read_into(stm, range, codes)
    }

    fn check_range(&self, stm: Side, range: &Range<usize>) {
        assert!(self.keeps(stm), "{} does not keep {stm} to move", self.path().display());
        assert!(range.end <= self.layout().len(), "placements {range:?} of {}", self.layout().len());
    }

    fn read_into<C: Code>(&self, stm: Side, range: Range<usize>, codes: &mut [C]) -> Result<(), FormatError> {
        assert_eq!(codes.len(), range.len(), "room for the codes of {range:?}");
        let tiling = self.tiling(stm);
        let mut scratch = Scratch::new();
        let mut cut = Vec::new();
        let mut next = range.start;
        while next < range.end {
            let tile = tiling.tile_of(next);
            let whole = tiling.range(tile);
            let end = whole.end.min(range.end);
            let wanted = &mut codes[next - range.start..end - range.start];
            if (next..end) == whole {
                self.read_tile(stm, tile, &mut scratch, wanted)?;
            } else {
                cut.resize(whole.len(), C::ILLEGAL);
                self.read_tile(stm, tile, &mut scratch, &mut cut)?;
                wanted.copy_from_slice(&cut[next - whole.start..end - whole.start]);
            }
            next = end;
        }
        Ok(())
    }
}
