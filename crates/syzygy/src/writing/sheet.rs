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
use crate::numbering::leading_group::file_of_leader;
use crate::writing::finder::Numbering;
use crate::writing::input::{Input, find};
use crate::writing::slots::ROW;
use geometry::Square;
use index::{Layout, SliceId};
use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;
use table::{Codes, Coding, Lookup, Ply, SlicePart, SliceSource, Table};
use variant::{Material, Metric, Side};

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
    pub(crate) table: Arc<Table>,
    /// The numbers of the table's placements.
    pub(crate) numbering: Numbering,
    /// The files of the leading pawn that are in it; one that means nothing without pawns.
    pub(crate) files: Vec<usize>,
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
                let numbering = Numbering::new(table.layout().clone(), &input.codes);
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
        let numbering = Numbering::new(layout, &input.codes);
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
    let (layout, leading) = (&input.layout, leading_pawn(&input.codes));
    let pawns = layout.pawns().iter().zip(layout.pawn_squares(slice));
    let leaders = pawns.filter(|(man, _)| Some(input.codes[**man]) == leading);
    file_of_leader(leaders.map(|(_, square)| square.index() as u8))
}

impl Sheet {
    /// The slice of a row in the whole table, and which of the rows of that slice it is.
    pub(crate) fn row(&self, number: usize) -> (SliceId, usize) {
        let n_rows = self.table.layout().slice_len() / ROW;
        let slice = number / n_rows;
        let own = self.slices.get(slice).copied().unwrap_or(SliceId::from_index(slice));
        (own, number % n_rows)
    }
}

/// The codes gathered so far.
///
/// Codes of one byte mean the same in every slice as long as the longest win and the longest loss of all
/// slices together have room. If they have not, what was gathered is widened.
pub(crate) struct Gathering {
    codes: Codes,
    n_gathered: usize,
    /// The longest win and the longest loss.
    longest: [Ply; 2],
}

impl Gathering {
    /// Room for this many codes.
    pub(crate) fn new(n_codes: usize) -> Self {
        let longest = [Ply(0); 2];
        Gathering { codes: Codes::new(narrowest(longest), n_codes), n_gathered: 0, longest }
    }

    /// Adds the codes of a slice.
    ///
    /// # Errors
    /// A value has no code.
    pub(crate) fn add(&mut self, codes: &Codes) -> io::Result<()> {
        let [win, loss] = codes.as_ref().longest();
        self.longest = [self.longest[0].max(win), self.longest[1].max(loss)];
        let (coding, n_codes) = (narrowest(self.longest), self.codes.len());
        let no_code = || io::Error::other("a value is longer than any value can be");
        if coding.is_wide() != self.codes.is_wide() {
            self.codes = self.codes.as_ref().recoded(coding).ok_or_else(no_code)?;
        }
        let (_, rest) = self.codes.reset(coding, n_codes).split_at(self.n_gathered);
        let (room, _) = rest.split_at(codes.len());
        self.n_gathered += codes.len();
        if codes.as_ref().copy_to(room) { Ok(()) } else { Err(no_code()) }
    }

    /// All of them.
    pub(crate) fn codes(mut self) -> Codes {
        self.codes.reset(narrowest(self.longest), self.n_gathered);
        self.codes
    }
}

/// The narrowest codes of distances with these longest values.
fn narrowest([longest_win, longest_loss]: [Ply; 2]) -> Coding {
    Coding::of(Metric::Dtz, longest_win, longest_loss)
}

#[cfg(test)]
mod tests {
    use crate::writing::sheet::Gathering;
    use table::{Code, Codes, Ply, Value};
    use variant::Metric;

    fn split(values: &[Value], longest_win: u16) -> Codes {
        let code = |&value| u8::from_value_under(Metric::Dtz, value).expect("a code");
        u8::owned(values.iter().map(code).collect()).under(Metric::Dtz, Ply(longest_win))
    }

    fn wide(values: &[Value]) -> Codes {
        u16::owned(values.iter().map(|&value| u16::from_value(value).expect("a code")).collect())
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
