//! Joins files of distances with those of `wdl` into tables of values.

use crate::FormatError;
use crate::read::file::TableFile;
use table::{Code, Codes, CodesRef, Ply, Split, Table, Value};
use variant::Side;

impl TableFile {
    /// The whole table of a file of distances, given the file of `wdl` of the same material; every checksum
    /// of both is compared. Places that are no legal canonical position hold anything.
    ///
    /// The codes take one byte as long as the longest win and the longest loss of a side together allow it.
    ///
    /// # Errors
    /// As [`TableFile::read_table`], for either file; or they are not two such files of one material.
    pub fn read_table_with(&self, wdl: &TableFile) -> Result<Table, FormatError> {
        self.read_sides_with(wdl, &Side::BOTH)
    }

    /// The same with some sides to move; of a symmetric material with White to move. That all blocks
    /// together hold what the headers name is compared if all sides kept are read.
    ///
    /// # Errors
    /// As [`TableFile::read_table_with`].
    pub fn read_sides_with(&self, wdl: &TableFile, sides: &[Side]) -> Result<Table, FormatError> {
        if !self.holds_distances() || wdl.holds_distances() || self.layout().name() != wdl.layout().name() {
            return Err(FormatError::NotAPair {
                path: self.path().to_path_buf(),
                wdl: wdl.path().to_path_buf(),
            });
        }
        let wdl = wdl.read_sides(sides)?;
        self.check_sides(sides)?;
        let mut hashes = Vec::with_capacity(self.header().n_blocks as usize);
        let mut codes = [None, None];
        for (side, wdl) in wdl.codes_by_side() {
            codes[side.index()] = Some(match self.is_wide(side) {
                false => joined(self.read_codes::<u8>(side, &mut hashes)?, wdl),
                true => joined(self.read_codes::<u16>(side, &mut hashes)?, wdl),
            });
        }
        self.check_content_of(sides, &hashes)?;
        Ok(Table::with_sides(self.layout().clone(), codes))
    }
}

/// Values from what the two files have of a side.
fn joined<C: Code>(distances: Vec<C>, wdl: CodesRef<'_>) -> Codes {
    let ply = |code: C| Ply(code.into().saturating_sub(1));
    let value = |index: usize| crate::Distance(ply(distances[index])).of(wdl.value(index));
    let (mut longest_win, mut longest_loss) = (Ply(0), Ply(0));
    for index in 0..distances.len() {
        match value(index) {
            Value::Win(ply) => longest_win = longest_win.max(ply),
            Value::Loss(ply) => longest_loss = longest_loss.max(ply),
            _ => {}
        }
    }
    let values = (0..distances.len()).map(value);
    // A place that is no position may hold a distance that no win has.
    if longest_win.0.saturating_add(longest_loss.0) <= Split::MOST_PLIES {
        let code = |value| Split::code(value).unwrap_or(u8::ILLEGAL);
        return Codes::Split(values.map(code).collect(), Split::new(longest_win));
    }
    let code = |value| u16::from_value(value).unwrap_or(u16::ILLEGAL);
    Codes::Wide(values.map(code).collect())
}
