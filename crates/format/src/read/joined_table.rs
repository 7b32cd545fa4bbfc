//! Joins files of distances with those of `wdl` into tables of values.

use crate::FormatError;
use crate::read::file::TableFile;
use rayon::prelude::*;
use std::ops::Range;
use table::{Code, Codes, CodesMut, CodesRef, Ply, Split, Table, Value};
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

/// The longest values of a range of placements, as far as they were read: what is no position may hold
/// others.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LongestRead {
    /// The longest win, 0 if there is none.
    pub win: Ply,
    /// The longest loss, 0 if there is none.
    pub loss: Ply,
}

impl TableFile {
    /// Reads the values of the placements with these numbers from a file of distances, given the file of
    /// `wdl` of the same material, into `codes`: split codes or wide ones. None if a value has no code
    /// among them. Otherwise as [`TableFile::read_range`].
    ///
    /// # Errors
    /// As [`TableFile::read_range`], for either file; or they are not two such files of one material.
    ///
    /// # Panics
    /// As [`TableFile::read_range`], or if `codes` are narrow.
    pub fn read_range_with(
        &self,
        wdl: &TableFile,
        stm: Side,
        range: Range<usize>,
        codes: CodesMut<'_>,
    ) -> Result<Option<LongestRead>, FormatError> {
        if !self.holds_distances() || wdl.holds_distances() || self.layout().name() != wdl.layout().name() {
            return Err(FormatError::NotAPair {
                path: self.path().to_path_buf(),
                wdl: wdl.path().to_path_buf(),
            });
        }
        let mut results = vec![u8::ILLEGAL; range.len()];
        wdl.read_range(stm, range.clone(), CodesMut::Narrow(&mut results))?;
        match self.is_wide(stm) {
            false => self.join_range::<u8>(&results, stm, range, codes),
            true => self.join_range::<u16>(&results, stm, range, codes),
        }
    }

    fn join_range<D: Code>(
        &self,
        results: &[u8],
        stm: Side,
        range: Range<usize>,
        codes: CodesMut<'_>,
    ) -> Result<Option<LongestRead>, FormatError> {
        let mut distances = vec![D::ILLEGAL; range.len()];
        self.read_codes_range(stm, range, &mut distances)?;
        let ply = |code: D| Ply(code.into().saturating_sub(1));
        let values = distances.iter().zip(results).map(|(&d, &wdl)| crate::Distance(ply(d)).of(wdl.value()));
        let mut longest = LongestRead { win: Ply(0), loss: Ply(0) };
        let values = values.inspect(|value| match *value {
            Value::Win(ply) => longest.win = longest.win.max(ply),
            Value::Loss(ply) => longest.loss = longest.loss.max(ply),
            _ => {}
        });
        let has_all = match codes {
            // No position is won in no plies, so whatever says so is none.
            CodesMut::Split(codes, _) => encode(values, codes, |value| match value {
                Value::Win(Ply(0)) => Some(u8::ILLEGAL),
                value => Split::code(value),
            }),
            CodesMut::Wide(codes) => encode(values, codes, u16::from_value),
            CodesMut::Narrow(_) => panic!("narrow codes of {}", self.path().display()),
        };
        Ok(has_all.then_some(longest))
    }
}

/// Writes the codes of values; whether each has one.
fn encode<C: Code>(
    values: impl Iterator<Item = Value>,
    codes: &mut [C],
    code_of: impl Fn(Value) -> Option<C>,
) -> bool {
    let mut has_all = true;
    for (code, value) in codes.iter_mut().zip(values) {
        let found = code_of(value);
        has_all &= found.is_some();
        *code = found.unwrap_or(C::ILLEGAL);
    }
    has_all
}

/// Values from what the two files have of a side, in the place of the distances where these are as wide.
fn joined(distances: Codes, wdl: CodesRef<'_>) -> Codes {
    match distances {
        Codes::Narrow(distances) | Codes::Split(distances, _) => joined_codes(distances, wdl),
        Codes::Wide(distances) => joined_codes(distances, wdl),
    }
}

fn joined_codes<C: Code>(mut distances: Vec<C>, wdl: CodesRef<'_>) -> Codes {
    let value = |distance: C, index: usize| {
        crate::Distance(Ply(distance.into().saturating_sub(1))).of(wdl.value(index))
    };
    let longest_of = |begin: usize, distances: &[C]| {
        let (mut win, mut loss) = (Ply(0), Ply(0));
        for (&distance, index) in distances.iter().zip(begin..) {
            match value(distance, index) {
                Value::Win(ply) => win = win.max(ply),
                Value::Loss(ply) => loss = loss.max(ply),
                _ => {}
            }
        }
        (win, loss)
    };
    let stretches = distances.par_chunks(JOINED).enumerate();
    let longest = stretches.map(|(stretch, own)| longest_of(stretch * JOINED, own));
    let (win, loss) = longest.reduce(|| (Ply(0), Ply(0)), |a, b| (a.0.max(b.0), a.1.max(b.1)));
    // A place that is no position may hold a distance that no win has.
    if win.0.saturating_add(loss.0) > Split::MOST_PLIES {
        let code = |(index, &distance)| u16::from_value(value(distance, index)).unwrap_or(u16::ILLEGAL);
        return Codes::Wide(distances.par_iter().enumerate().map(code).collect());
    }
    let code = |value| Split::code(value).unwrap_or(u8::ILLEGAL);
    distances.par_chunks_mut(JOINED).enumerate().for_each(|(stretch, own)| {
        for (distance, index) in own.iter_mut().zip(stretch * JOINED..) {
            *distance = C::from(code(value(*distance, index)));
        }
    });
    match C::owned(distances) {
        Codes::Narrow(codes) | Codes::Split(codes, _) => Codes::Split(codes, Split::new(win)),
        // Every code fits into a byte.
        Codes::Wide(codes) => {
            Codes::Split(codes.into_par_iter().map(|code| code as u8).collect(), Split::new(win))
        }
    }
}

/// So many codes are joined by one thread at a time.
const JOINED: usize = 1 << 16;
