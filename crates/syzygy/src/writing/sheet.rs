//! Holds the part of a material's table that is written at a time: the whole, or the pawns' slices of a file.
//!
//! Files of the format have a sub-table for each file, a to d, of the leading pawn, and no move without
//! capture or promotion leads from one to another: pawns stay on their files. So where a table can be read
//! slice by slice, a quarter of it with what moves leave of it is in memory at a time:
//!
//! ```text
//!   slices of the table    a a b d c b …    by the file of the leading pawn
//!   sheets                 b: b b …    a: a a …    c: c …    d: d …
//! ```
//!
//! The sheet of file b comes first, because its arrangements are tried for all.

use crate::error::SyzygyError;
use crate::material::{Family, leading_pawn};
use crate::numbering::leading_group::front;
use crate::writing::finder::Numbering;
use crate::writing::input::{Input, find};
use crate::writing::slots::ROW;
use geometry::Square;
use index::{Layout, SliceId};
use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;
use table::{Code, Codes, Lookup, Ply, SlicePart, SliceSource, Split, Table, Value};
use variant::{Material, Side};

/// How many files the leading pawn may stand on.
const N_FILES: usize = 4;

/// The file whose arrangements are tried for all.
pub(crate) const TRIED_FILE: usize = 1;

/// Where a table comes from, sheet by sheet.
pub(crate) enum SheetSource {
    /// It is there as a whole.
    Table(Arc<Table>),
    /// It is read slice by slice, the slices of these files together.
    Slices(Arc<dyn SliceSource>, Vec<Vec<usize>>),
}

/// A part of a table.
pub(crate) struct Sheet {
    table: Arc<Table>,
    numbering: Numbering,
    files: Vec<usize>,
    /// By the table's slices: those of the whole table. Empty if it is the whole.
    slices: Vec<SliceId>,
}

impl SheetSource {
    /// The source of a canonical material's table that `lookup` has, or of `own`, which is that table whole.
    pub(crate) fn new(
        input: &Input,
        material: &Material,
        lookup: &dyn Lookup,
        own: Option<Arc<Table>>,
    ) -> Result<Self, SyzygyError> {
        // In other games moves are made that lead anywhere.
        let slices = lookup.slices(material).filter(|_| input.family == Family::Chess);
        let slices = slices.filter(|slices| input.layout.sides().iter().all(|&stm| slices.keeps(stm)));
        let Some(slices) = slices else {
            let found = || find(input.book.variant(), lookup, material, None);
            return Ok(SheetSource::Table(own.map_or_else(found, Ok)?));
        };
        // The other side's moves in a symmetric material are those of a table with the colours exchanged, in
        // which another pawn leads.
        let sheets = match input.n_files() == N_FILES && !input.layout.is_one_sided() {
            true => {
                let others = (0..N_FILES).filter(|&file| file != TRIED_FILE);
                std::iter::once(TRIED_FILE).chain(others).map(|file| vec![file]).collect()
            }
            false => vec![(0..input.n_files()).collect()],
        };
        Ok(SheetSource::Slices(slices, sheets))
    }

    /// How many sheets there are.
    pub(crate) fn n_sheets(&self) -> usize {
        match self {
            SheetSource::Table(_) => 1,
            SheetSource::Slices(_, sheets) => sheets.len(),
        }
    }

    /// Whether it is read slice by slice.
    pub(crate) fn is_read(&self) -> bool {
        matches!(self, SheetSource::Slices(..))
    }

    /// A sheet; the first has the file whose arrangements are tried.
    pub(crate) fn sheet(&self, input: &Input, number: usize) -> Result<Sheet, SyzygyError> {
        let (source, sheets) = match self {
            SheetSource::Slices(source, sheets) => (source, sheets),
            SheetSource::Table(table) => {
                let numbering = Numbering::new(table.layout().clone(), input.codes());
                let files = (0..input.n_files()).collect();
                return Ok(Sheet { table: table.clone(), numbering, files, slices: Vec::new() });
            }
        };
        let (whole, files) = (&input.layout, &sheets[number]);
        let is_own = |slice: &SliceId| files.contains(&file_of(input, *slice));
        let (layout, slices) = match sheets.len() {
            1 => (whole.clone(), whole.slices().collect::<Vec<SliceId>>()),
            _ => {
                let own = whole.slices().filter(is_own);
                let own: BTreeMap<Vec<Square>, SliceId> =
                    own.map(|slice| (whole.pawn_squares(slice).to_vec(), slice)).collect();
                let pawns: Vec<Vec<Square>> = own.keys().cloned().collect();
                let layout = Layout::of_slices(input.book.variant(), whole.material(), &pawns);
                let slices = layout.slices().map(|slice| own[layout.pawn_squares(slice)]).collect();
                (Arc::new(layout), slices)
            }
        };
        let read = |stm: Side| {
            read(source.as_ref(), stm, &slices)
                .map_err(|source| SyzygyError::Table { material: whole.name().to_owned(), source })
        };
        let mut codes = [None, None];
        for &stm in whole.sides() {
            codes[stm.index()] = Some(read(stm)?);
        }
        let table = Arc::new(Table::with_sides(layout.clone(), codes));
        let numbering = Numbering::new(layout, input.codes());
        Ok(Sheet { table, numbering, files: files.clone(), slices })
    }
}

/// The codes of some slices, one behind the other.
fn read(source: &dyn SliceSource, stm: Side, slices: &[SliceId]) -> std::io::Result<Codes> {
    if let &[slice] = slices {
        return source.read(stm, slice, SlicePart::Whole, true);
    }
    let mut gathering = Gathering::new(slices.len() * source.layout().slice_len());
    for &slice in slices {
        gathering.add(&source.read(stm, slice, SlicePart::Whole, true)?)?;
    }
    Ok(gathering.codes())
}

/// The file of the leading pawn of a slice.
fn file_of(input: &Input, slice: SliceId) -> usize {
    let (layout, leading) = (&input.layout, leading_pawn(input.codes()));
    let pawns = layout.pawns().iter().zip(layout.pawn_squares(slice));
    let leaders = pawns.filter(|(man, _)| Some(input.codes()[**man]) == leading);
    let squares = leaders.map(|(_, square)| square.index() as u8);
    squares
        .max_by_key(|&square| front(square))
        .map_or(0, |square| usize::from((square & 7).min(7 - (square & 7))))
}

impl Sheet {
    pub(crate) fn table(&self) -> &Table {
        &self.table
    }

    pub(crate) fn layout(&self) -> &Arc<Layout> {
        self.table.layout()
    }

    /// The files of the leading pawn that are in it; one that means nothing without pawns.
    pub(crate) fn files(&self) -> &[usize] {
        &self.files
    }

    /// The slice of a row in the whole table, and which of the rows of that slice it is.
    pub(crate) fn row(&self, number: usize) -> (SliceId, usize) {
        let n_rows = self.layout().slice_len() / ROW;
        let slice = number / n_rows;
        let own = self.slices.get(slice).copied().unwrap_or(SliceId::from_index(slice));
        (own, number % n_rows)
    }

    /// The table alone, and the numbers of its placements.
    pub(crate) fn into_parts(self) -> (Arc<Table>, Numbering) {
        (self.table, self.numbering)
    }
}

/// The codes gathered so far.
///
/// Codes of one byte mean the same in every slice as long as the longest win and the longest loss of all
/// slices together have room. If they have not, what was gathered is widened.
pub(crate) struct Gathering {
    n_codes: usize,
    narrow: Vec<u8>,
    wide: Vec<u16>,
    is_wide: bool,
    longest_win: u16,
    longest_loss: u16,
}

impl Gathering {
    /// Room for this many codes.
    pub(crate) fn new(n_codes: usize) -> Self {
        Gathering {
            n_codes,
            narrow: Vec::with_capacity(n_codes),
            wide: Vec::new(),
            is_wide: false,
            longest_win: 0,
            longest_loss: 0,
        }
    }

    /// Adds the codes of a slice.
    ///
    /// # Errors
    /// A value has no code.
    pub(crate) fn add(&mut self, codes: &Codes) -> io::Result<()> {
        let (win, loss) = longest(codes);
        let last = self.split();
        (self.longest_win, self.longest_loss) = (self.longest_win.max(win), self.longest_loss.max(loss));
        if !self.is_wide && self.longest_win.saturating_add(self.longest_loss) > Split::MOST_PLIES {
            self.is_wide = true;
            self.wide.reserve_exact(self.n_codes);
            let narrow = std::mem::take(&mut self.narrow);
            narrow.iter().try_for_each(|&code| self.push_wide(last.value(code)))?;
        }
        match codes {
            Codes::Split(codes, _) if !self.is_wide => self.narrow.extend(codes),
            codes => (0..codes.len()).try_for_each(|number| match (codes.value(number), self.is_wide) {
                (value, true) => self.push_wide(value),
                (value, false) => {
                    self.narrow.push(Split::code(value).ok_or_else(|| no_code(value))?);
                    Ok(())
                }
            })?,
        }
        Ok(())
    }

    fn push_wide(&mut self, value: Value) -> io::Result<()> {
        self.wide.push(u16::from_value(value).ok_or_else(|| no_code(value))?);
        Ok(())
    }

    fn split(&self) -> Split {
        Split::new(Ply(self.longest_win.min(Split::MOST_PLIES)))
    }

    /// All of them.
    pub(crate) fn codes(self) -> Codes {
        match self.is_wide {
            true => Codes::Wide(self.wide),
            false => {
                let split = self.split();
                Codes::Split(self.narrow, split)
            }
        }
    }
}

fn no_code(value: Value) -> io::Error {
    io::Error::other(format!("{value:?} is longer than any value can be"))
}

/// The longest win and the longest loss, 0 if there is none.
fn longest(codes: &Codes) -> (u16, u16) {
    match codes {
        Codes::Split(codes, split) => {
            let last = split.last_win_code();
            let win = codes.iter().map(|&code| if code <= last { code } else { 0 }).max().unwrap_or(0);
            let loss = codes.iter().map(|&code| if code > last { code } else { u8::MAX }).min();
            (u16::from(win.saturating_sub(2)), u16::from(u8::MAX - loss.unwrap_or(u8::MAX)))
        }
        codes => (0..codes.len()).fold((0, 0), |(win, loss), number| match codes.value(number) {
            Value::Win(ply) => (win.max(ply.0), loss),
            Value::Loss(ply) => (win, loss.max(ply.0)),
            _ => (win, loss),
        }),
    }
}

#[cfg(test)]
mod tests {
    use crate::writing::sheet::Gathering;
    use table::{Code, Codes, Ply, Split, Value};

    fn split(values: &[Value], longest_win: u16) -> Codes {
        let codes = values.iter().map(|&value| Split::code(value).expect("a code")).collect();
        Codes::Split(codes, Split::new(Ply(longest_win)))
    }

    fn wide(values: &[Value]) -> Codes {
        Codes::Wide(values.iter().map(|&value| u16::from_value(value).expect("a code")).collect())
    }

    /// The values of all slices, in codes that are wide or not.
    #[track_caller]
    fn check(slices: &[Codes], is_wide: bool) {
        let mut gathering = Gathering::new(slices.iter().map(Codes::len).sum());
        slices.iter().for_each(|codes| gathering.add(codes).expect("values with codes"));
        let gathered = gathering.codes();
        assert_eq!(gathered.is_wide(), is_wide);
        let values = |codes: &Codes| (0..codes.len()).map(|at| codes.value(at)).collect::<Vec<_>>();
        assert_eq!(values(&gathered), slices.iter().flat_map(values).collect::<Vec<_>>());
    }

    #[test]
    fn slices_are_as_wide_as_the_widest_together() {
        let (draw, illegal) = (Value::Draw, Value::Illegal);
        let (win, loss) = (|ply| Value::Win(Ply(ply)), |ply| Value::Loss(Ply(ply)));
        let short = split(&[draw, win(3), illegal, loss(0), loss(20)], 3);
        // A loss in this slice has a code that would be a win in the other.
        let lost = split(&[loss(150), win(1), Value::Stalemate], 1);
        let won = split(&[win(140), draw, loss(2)], 140);
        check(&[short.clone(), split(&[win(100), loss(4)], 100)], false);
        check(&[short.clone(), lost.clone(), won.clone(), short.clone()], true);
        check(&[won, lost, wide(&[win(2), illegal])], true);
        check(&[wide(&[win(9), loss(8), illegal, draw]), short.clone()], false);
        check(&[short, wide(&[win(900), loss(8)])], true);
    }
}
