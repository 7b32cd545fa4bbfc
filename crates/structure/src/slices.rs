//! Reads and writes the slices of a table in a structure's file.

use crate::file::{FileWriter, PageKey};
use crate::table_id::TableId;
use index::{Layout, SliceId};
use rayon::prelude::*;
use solve::{FinishedSlice, LogStore, SlicePage, SliceStore};
use std::io;
use std::ops::Range;
use std::sync::Arc;
use table::{Code, Codes, CodesRef, Coding, SlicePart, SliceSource, Table, part_of};
use variant::Side;

/// Codes of a page of a table that was solved in memory: a probe unpacks one in well under a millisecond.
const PAGE_LEN: usize = 1 << 18;

/// The name of a page.
pub(crate) const fn page_key(table: TableId, unit: u32, page: u32, stm: Side) -> PageKey {
    PageKey { table, unit, page, stm }
}

/// How a finished table lies in the file.
#[derive(Debug)]
pub(crate) struct Place {
    pub(crate) table: TableId,
    pub(crate) layout: Arc<Layout>,
    /// Codes of a unit: of a slice, or of the whole table.
    pub(crate) unit_len: usize,
    /// Codes of a page, but the last of a unit.
    pub(crate) page_len: usize,
}

impl Place {
    /// Of a table that is written as a whole, or slice by slice.
    pub(crate) fn new(table: TableId, layout: &Arc<Layout>, is_whole: bool) -> Self {
        let unit_len = if is_whole { layout.len() } else { layout.slice_len() };
        Place { table, layout: layout.clone(), unit_len, page_len: PAGE_LEN }
    }

    /// Of a table that stands in the file, as it was written.
    pub(crate) fn found(table: TableId, layout: &Arc<Layout>, writer: &FileWriter) -> io::Result<Self> {
        // Several units are slices; one is a slice only if there is no other.
        let is_whole = writer.n_units(table) == 1;
        let first = writer.read(page_key(table, 0, 0, Side::White))?;
        let place = Place::new(table, layout, is_whole);
        // The only page of a unit does not say how long pages may be, and then it does not matter.
        let is_only = first.len() == place.unit_len && first.len() <= place.page_len;
        let page_len = if is_only { place.page_len } else { first.len().max(1) };
        Ok(Place { page_len, ..place })
    }
}

/// A finished table of the file, to be read slice by slice.
#[derive(Debug)]
pub(crate) struct TableSlices {
    writer: Arc<FileWriter>,
    place: Arc<Place>,
}

impl TableSlices {
    pub(crate) fn new(writer: Arc<FileWriter>, place: Arc<Place>) -> Self {
        TableSlices { writer, place }
    }

    /// The whole table.
    pub(crate) fn whole(&self) -> io::Result<Table> {
        let layout = &self.place.layout;
        let read = |stm: Side| -> io::Result<Option<Codes>> {
            layout.sides().contains(&stm).then(|| self.codes(stm, 0..layout.len(), true)).transpose()
        };
        Ok(Table::with_sides(layout.clone(), [read(Side::White)?, read(Side::Black)?]))
    }

    /// The codes with these numbers.
    fn codes(&self, stm: Side, numbers: Range<usize>, shares: bool) -> io::Result<Codes> {
        let Place { table, unit_len, page_len, .. } = *self.place;
        let mut pages = Vec::new();
        let mut at = numbers.start;
        while at < numbers.end {
            let (unit, within) = (at / unit_len, at % unit_len);
            let page = within / page_len;
            let first = unit * unit_len + page * page_len;
            let end = (first + page_len).min((unit + 1) * unit_len).min(numbers.end);
            pages.push((page_key(table, unit as u32, page as u32, stm), at - first..end - first));
            at = end;
        }
        let read = |(key, range): &(PageKey, Range<usize>)| -> io::Result<Codes> {
            let codes = self.writer.read(*key)?;
            match codes.len() {
                n if *range == (0..n) => Ok(codes),
                n if n < range.end => Err(io::Error::new(io::ErrorKind::InvalidData, "a page is too short")),
                _ => Ok(codes.as_ref().range(range.clone()).into()),
            }
        };
        let parts: Vec<Codes> = match shares {
            true => pages.par_iter().map(read).collect::<io::Result<_>>()?,
            false => pages.iter().map(read).collect::<io::Result<_>>()?,
        };
        Ok(joined(parts))
    }
}

/// Codes one after the other; where they are not alike, in two bytes.
fn joined(mut parts: Vec<Codes>) -> Codes {
    if parts.len() == 1 {
        return parts.remove(0);
    }
    let coding = parts.first().map(Codes::coding);
    if parts.iter().any(|part| Some(part.coding()) != coding) {
        let value = |codes: &Codes, i| u16::from_value(codes.value(i)).expect("two bytes hold every value");
        let wide = |part: &Codes| (0..part.len()).map(|i| value(part, i)).collect::<Vec<u16>>();
        return Codes::Wide(parts.iter().flat_map(wide).collect());
    }
    match coding {
        Some(Coding::Wide(())) => Codes::Wide(
            parts.iter().filter_map(|part| u16::slice_of(part.as_ref())).flatten().copied().collect(),
        ),
        Some(Coding::Split((), split)) => Codes::Split(bytes(&parts), split),
        _ => Codes::Narrow(bytes(&parts)),
    }
}

fn bytes(parts: &[Codes]) -> Vec<u8> {
    let mut all = Vec::with_capacity(parts.iter().map(Codes::len).sum());
    for part in parts {
        if let Codes::Narrow(codes) | Codes::Split(codes, _) = part {
            all.extend_from_slice(codes);
        }
    }
    all
}

impl SliceSource for TableSlices {
    fn layout(&self) -> &Arc<Layout> {
        &self.place.layout
    }

    fn keeps(&self, stm: Side) -> bool {
        self.place.layout.sides().contains(&stm)
    }

    fn read(&self, stm: Side, slice: SliceId, part: SlicePart<'_>, shares: bool) -> io::Result<Codes> {
        let layout = &self.place.layout;
        let codes = self.codes(stm, slice.span(layout.slice_len()), shares)?;
        Ok(match part {
            SlicePart::Whole => codes,
            part => part_of(layout, codes.as_ref(), part),
        })
    }
}

/// The finished slices of a table that is being solved.
#[derive(Debug)]
pub(crate) struct TableStore<'a> {
    writer: &'a FileWriter,
    table: TableId,
}

impl<'a> TableStore<'a> {
    pub(crate) fn new(writer: &'a FileWriter, table: TableId) -> Self {
        TableStore { writer, table }
    }
}

impl SliceStore for TableStore<'_> {
    fn finished(&self) -> Vec<FinishedSlice> {
        let units = self.writer.units(self.table).iter();
        units
            .map(|&(slice, [a, b, c, d])| FinishedSlice { slice: slice.into(), longest: [[a, b], [c, d]] })
            .collect()
    }

    fn log(&self, _: SliceId) -> io::Result<Box<dyn LogStore + '_>> {
        // Nobody asks: slices are solved in memory.
        Err(io::ErrorKind::Unsupported.into())
    }

    fn put(&self, page: SlicePage, codes: CodesRef<'_>) -> io::Result<()> {
        self.writer.put(page_key(self.table, page.slice.into(), page.page, page.stm), codes)
    }

    fn finish(&self, slice: FinishedSlice) -> io::Result<()> {
        let [[a, b], [c, d]] = slice.longest;
        self.writer.finish_unit(self.table, slice.slice.into(), [a, b, c, d])
    }

    fn read(&self, page: SlicePage) -> io::Result<Codes> {
        self.writer.read(page_key(self.table, page.slice.into(), page.page, page.stm))
    }
}
