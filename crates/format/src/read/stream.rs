//! Reads a whole column into a table, or a part of it into what a caller has room for.

use crate::read::TableFile;
use crate::tile::TileId;
use crate::{Checksum, FormatError};
use std::ops::Range;
use table::{
    Clocked, Code, Codes, CodesMut, CodesRef, Coding, Palette, Ply, Table, Value, step_pages_per_slice,
    threads,
};
use variant::{Metric, Side};

/// The hash of a block before compression.
type Hash = [u8; 32];

/// Memory that is used again from tile to tile.
pub(crate) struct Scratch<C> {
    bytes: Vec<u8>,
    placed: Vec<C>,
}

impl<C> Scratch<C> {
    pub(crate) const fn new() -> Self {
        Scratch { bytes: Vec::new(), placed: Vec::new() }
    }
}

impl TableFile {
    /// Reads everything and compares every checksum.
    ///
    /// # Errors
    /// As [`TableFile::read_table`].
    pub fn verify_checksums(&self) -> Result<(), FormatError> {
        let mut hashes = Vec::with_capacity(self.pages().len());
        for side in self.sides() {
            let tiles = (0..self.tiling(side).len()).map(TileId::from_index);
            let read: Vec<Vec<Hash>> =
                threads::try_map_in(tiles, Vec::new, |bytes, tile| self.read_blocks(side, tile, bytes))?;
            hashes.extend(read.into_iter().flatten());
        }
        self.check_content_of(&Side::BOTH, &hashes)
    }

    /// The whole table, with whatever stands in the places that files do not keep; every checksum is
    /// compared.
    ///
    /// # Errors
    /// A block is damaged or cannot be read, or the values are not those that the file names; or a side to
    /// move that the table has is not kept.
    pub fn read_table(&self) -> Result<Table, FormatError> {
        self.read_sides(&Side::BOTH)
    }

    /// Reads some sides to move; of a symmetric material with White to move. That all blocks
    /// together hold what the file names is compared if all sides kept are read.
    ///
    /// # Errors
    /// As [`TableFile::read_table`].
    pub fn read_sides(&self, sides: &[Side]) -> Result<Table, FormatError> {
        self.check_values()?;
        self.check_sides(sides)?;
        let mut hashes = Vec::with_capacity(self.pages().len());
        let mut codes = [None, None];
        for side in self.layout().sides().iter().copied().filter(|side| sides.contains(side)) {
            codes[side.index()] = Some(self.read_side(side, &mut hashes)?);
        }
        self.check_content_of(sides, &hashes)?;
        Ok(Table::with_sides(self.layout().clone(), codes))
    }

    /// Adds to a table that was read of this file what changes with the clock, of the sides to move that it
    /// has. What is said of placements that no file keeps is left out.
    ///
    /// # Errors
    /// A page is damaged or cannot be read, or the steps are not those that the file names.
    pub fn read_steps(&self, table: Table) -> Result<Table, FormatError> {
        let mut clocked = [None, None];
        for side in table.sides().filter(|side| self.header().steps[side.index()].is_some()) {
            clocked[side.index()] = Some(self.read_side_steps(side)?);
        }
        Ok(table.with_clocked(clocked))
    }

    fn read_side_steps(&self, side: Side) -> Result<Clocked, FormatError> {
        let layout = self.layout();
        let page = |page: usize| self.with_step_page(side, page, |steps| Some(steps.bytes().into()));
        let n_pages = layout.n_slices() * step_pages_per_slice(layout);
        let pages: Vec<Box<[u8]>> = threads::try_map(0..n_pages, page)?;
        let mut hasher = blake3::Hasher::new();
        pages.iter().for_each(|page| {
            hasher.update(blake3::hash(page).as_bytes());
        });
        let got = Checksum(*hasher.finalize().as_bytes());
        match self.header().steps[side.index()] {
            Some(expected) if expected != got => {
                Err(FormatError::ContentDamaged { path: self.path().to_path_buf(), got, expected })
            }
            _ => Ok(Clocked { rule_plies: self.header().rule_plies.unwrap_or(0), pages }),
        }
    }

    /// The sides that the file keeps.
    pub(crate) fn sides(&self) -> Vec<Side> {
        self.header().sides().collect()
    }

    /// Refuses columns that hold distances alone.
    pub(crate) fn check_values(&self) -> Result<(), FormatError> {
        match self.holds_distances() {
            true => Err(FormatError::OnlyDistances { path: self.path().to_path_buf() }),
            false => Ok(()),
        }
    }

    /// Refuses columns that have left out one of these sides to move.
    pub(crate) fn check_sides(&self, sides: &[Side]) -> Result<(), FormatError> {
        match self.left_out().filter(|left_out| sides.contains(left_out)) {
            Some(left_out) => Err(FormatError::OneSided { path: self.path().to_path_buf(), kept: !left_out }),
            None => Ok(()),
        }
    }

    /// Compares the hashes of the blocks of some sides with what the file names, if all that are kept are
    /// among them.
    pub(crate) fn check_content_of(&self, sides: &[Side], hashes: &[Hash]) -> Result<(), FormatError> {
        if self.sides().iter().any(|side| !sides.contains(side)) {
            return Ok(());
        }
        let (got, expected) = (self.header().content_of(self.rules(), hashes), self.content());
        if got == expected {
            return Ok(());
        }
        Err(FormatError::ContentDamaged { path: self.path().to_path_buf(), got, expected })
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
        let tiles = codes.chunks_mut(self.tiling(side).tile_codes()).enumerate();
        let read = threads::try_map_in(tiles, Scratch::new, |scratch, (tile, codes)| {
            self.read_tile(side, TileId::from_index(tile), scratch, codes)
        })?;
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
        let Scratch { bytes, placed } = scratch;
        let hashes = self.read_blocks(side, tile, bytes)?;
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

    /// The bytes of the blocks of a tile before compression; their hashes.
    fn read_blocks(&self, side: Side, tile: TileId, bytes: &mut Vec<u8>) -> Result<Vec<Hash>, FormatError> {
        let width = self.header().widths[side.index()].into();
        bytes.resize(self.payload().n_bytes(self.tiling(side).range(tile).len(), width), 0);
        let blocks = self.blocks(side, tile);
        let mut hashes = Vec::with_capacity(blocks.len());
        let mut rest = &mut bytes[..];
        for block in blocks {
            let (bytes, others) = rest.split_at_mut(self.block_bytes(side, tile, block));
            self.read_block(block, bytes)?;
            hashes.push(*blake3::hash(bytes).as_bytes());
            rest = others;
        }
        Ok(hashes)
    }
}

/// A caller who needs a part of a table asks for the numbers that he has room for, instead of being shown
/// everything.
impl TableFile {
    /// Which codes this side to move has in the file, which may be distances.
    #[must_use]
    pub fn coding(&self, stm: Side) -> Coding {
        if self.header().widths[stm.index()] == 2 { u16::CODING } else { u8::CODING }
    }

    /// Reads the codes of the placements with these numbers, as they are numbered, into `codes`.
    ///
    /// The checksum of each block that is read is compared; that all blocks together hold what the file
    /// names is not. Places that are no legal canonical position hold anything.
    ///
    /// Complexity: each tile that has one of the numbers is decompressed whole, and nothing is kept from
    /// call to call. No more is in memory beside `codes` than a tile.
    ///
    /// # Errors
    /// A block is damaged or cannot be read.
    ///
    /// # Panics
    /// If the file holds distances alone, does not keep this side to move or has no such numbers, or if
    /// `codes` are not as many as these or not as wide as [`TableFile::coding`] says.
    pub fn read_range(&self, stm: Side, range: Range<usize>, codes: CodesMut<'_>) -> Result<(), FormatError> {
        assert!(!self.holds_distances(), "{} does not say who wins", self.path().display());
        self.read_codes_range(stm, range, codes)
    }

    /// Reads codes as the file has them, which may be distances.
    fn read_codes_range(
        &self,
        stm: Side,
        range: Range<usize>,
        codes: CodesMut<'_>,
    ) -> Result<(), FormatError> {
        assert!(self.keeps(stm), "{} does not keep {stm} to move", self.path().display());
        assert!(range.end <= self.layout().len(), "placements {range:?} of {}", self.layout().len());
        assert_eq!(codes.is_wide(), self.coding(stm).is_wide(), "the codes of {}", self.path().display());
        codes.either(
            |codes| self.read_into(stm, range.clone(), codes),
            |codes| self.read_into(stm, range.clone(), codes),
        )
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

impl TableFile {
    /// Reads some sides to move of a column of distances, given the column `wdl` of the same material; of a
    /// symmetric material with White to move. That all blocks together hold what the columns name is compared
    /// if all sides kept are read. Places that are no legal canonical position hold anything.
    ///
    /// The codes take one byte as long as the longest win and the longest loss of a side together allow it.
    ///
    /// # Errors
    /// As [`TableFile::read_table`], for either column; or they are not two such columns of one material.
    pub fn read_sides_with(&self, wdl: &TableFile, sides: &[Side]) -> Result<Table, FormatError> {
        self.check_pair(wdl)?;
        wdl.check_values()?;
        wdl.check_sides(sides)?;
        self.check_sides(sides)?;
        let (mut hashes, mut wdl_hashes) = (Vec::new(), Vec::new());
        let mut codes = [None, None];
        // One side after the other, so that only one of them is in memory twice.
        for side in self.layout().sides().iter().copied().filter(|side| sides.contains(side)) {
            let results = wdl.read_side(side, &mut wdl_hashes)?;
            let distances = self.read_side(side, &mut hashes)?;
            codes[side.index()] = Some(joined(distances, results.as_ref()));
        }
        wdl.check_content_of(sides, &wdl_hashes)?;
        self.check_content_of(sides, &hashes)?;
        Ok(Table::with_sides(self.layout().clone(), codes))
    }
}

impl TableFile {
    /// Reads the values of the placements with these numbers from a column of distances, given the column
    /// `wdl` of the same material, into `codes`: bytes are those of a split palette. Returns the longest win
    /// and the longest loss, 0 if there is none, as far as they were read: what is no position may hold
    /// others. None if a value has no code of this width. Otherwise as [`TableFile::read_range`].
    ///
    /// # Errors
    /// As [`TableFile::read_range`], for either column; or they are not two such columns of one material.
    ///
    /// # Panics
    /// As [`TableFile::read_range`].
    pub fn read_range_with(
        &self,
        wdl: &TableFile,
        stm: Side,
        range: Range<usize>,
        mut codes: CodesMut<'_>,
    ) -> Result<Option<[Ply; 2]>, FormatError> {
        self.check_pair(wdl)?;
        let mut results = Codes::new(wdl.coding(stm), range.len());
        wdl.read_range(stm, range.clone(), results.as_mut())?;
        let mut distances = Codes::new(self.coding(stm), range.len());
        self.read_codes_range(stm, range, distances.as_mut())?;
        let coding = codes.coding().under(Metric::Dtz, Ply(0));
        let mut longest = [Ply(0); 2];
        for index in 0..codes.len() {
            let value = joined_value(distances.at(index), results.value(index));
            longest = longer(longest, value);
            let Some(code) = coding.code_of(value) else { return Ok(None) };
            codes.set(index, code);
        }
        Ok(Some(longest))
    }

    /// Refuses what is not a column of distances with the column `wdl` of the same material.
    fn check_pair(&self, wdl: &TableFile) -> Result<(), FormatError> {
        if self.holds_distances() && !wdl.holds_distances() && self.layout().name() == wdl.layout().name() {
            return Ok(());
        }
        Err(FormatError::NotAPair { path: self.path().to_path_buf(), wdl: wdl.path().to_path_buf() })
    }
}

/// The value of a distance as a column has it, given the value under `wdl`. No position is won in no plies,
/// so what says so is none.
fn joined_value(distance: u16, wdl: Value) -> Value {
    match crate::Distance(Ply(distance.saturating_sub(1))).of(wdl) {
        Value::Win(Ply(0)) => Value::Illegal,
        value => value,
    }
}

/// The longest win and the longest loss, one more value taken into account.
fn longer([win, loss]: [Ply; 2], value: Value) -> [Ply; 2] {
    match value {
        Value::Win(ply) => [win.max(ply), loss],
        Value::Loss(ply) => [win, loss.max(ply)],
        _ => [win, loss],
    }
}

/// Values from what the two columns have of a side, in the place of the distances where both are bytes.
fn joined(distances: Codes, wdl: CodesRef<'_>) -> Codes {
    let value = |index: usize| joined_value(distances.at(index), wdl.value(index));
    let longest = threads::map(threads::stretches(0..distances.len(), JOINED), |places| {
        places.fold([Ply(0); 2], |longest, index| longer(longest, value(index)))
    });
    let [win, loss] = longest.into_iter().fold([Ply(0); 2], |a, b| [a[0].max(b[0]), a[1].max(b[1])]);
    // A place that is no position may hold a distance that no win has.
    let Some(palette) = Palette::split(win, loss) else {
        let mut codes = vec![u16::ILLEGAL; distances.len()];
        threads::for_each_element(&mut codes, |index, code| {
            *code = u16::from_value(value(index)).unwrap_or(u16::ILLEGAL);
        });
        return u16::owned(codes);
    };
    let byte = |value| Coding::OneByte((), palette).code_of(value).unwrap_or(u16::ILLEGAL) as u8;
    let bytes = match distances {
        Codes::OneByte(mut bytes, _) => {
            threads::for_each_element(&mut bytes, |index, own| {
                *own = byte(joined_value((*own).into(), wdl.value(index)));
            });
            bytes
        }
        Codes::TwoBytes(_) => {
            let mut bytes = vec![0; distances.len()];
            threads::for_each_element(&mut bytes, |index, own| *own = byte(value(index)));
            bytes
        }
    };
    Codes::OneByte(bytes, palette)
}

/// This many codes are gone through by one thread at a time.
const JOINED: usize = 1 << 16;
