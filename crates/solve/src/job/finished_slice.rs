//! Stores the finished slices of a table that is larger than memory, and hands out their codes: whole slices
//! to later ones, and runs of blocks of all of them to the caller that writes and counts the table.
//!
//! The caller decides where slices are kept. The codes of a slice come in *pages*: runs of blocks, the last
//! of which may be shorter. A slice counts when it is finished, which is when all its pages are there.

use crate::log::{LogStore, MemoryLog};
use index::{Layout, SliceId};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::io;
use std::ops::Range;
use std::sync::Arc;
use table::{CodeSource, Codes, CodesMut, CodesRef, Coding, SlicePart, SliceSource, threads};
use variant::Side;

/// The finished slices of the table that is being solved.
pub(super) struct OwnSlices<'s> {
    pub(super) layout: Arc<Layout>,
    pub(super) paging: Paging,
    pub(super) store: &'s dyn SliceStore,
}

impl SliceSource for OwnSlices<'_> {
    fn layout(&self) -> &Arc<Layout> {
        &self.layout
    }

    fn keeps(&self, stm: Side) -> bool {
        self.layout.sides().contains(&stm)
    }

    fn read(&self, stm: Side, slice: SliceId, part: SlicePart<'_>, shares: bool) -> io::Result<Codes> {
        assert!(matches!(part, SlicePart::Whole), "no man is promoted into a table of his own");
        let numbers = slice.span(self.layout.slice_len());
        let first = page(self.store, slice, stm, 0)?;
        if first.len() == numbers.len() {
            return Ok(first);
        }
        let mut codes = Codes::new(first.coding(), numbers.len());
        self.fill(stm, numbers, codes.as_mut(), shares)?;
        Ok(codes)
    }
}

impl OwnSlices<'_> {
    /// Reads the codes with these numbers in the whole table.
    fn fill(&self, stm: Side, numbers: Range<usize>, room: CodesMut<'_>, shares: bool) -> io::Result<()> {
        let slice_len = self.layout.slice_len();
        // Each page that has some of them, with the room for those.
        let mut parts = Vec::new();
        let mut rest = room;
        let mut at = numbers.start;
        while at < numbers.end {
            let (slice, first) = (SliceId::from_index(at / slice_len), at % slice_len);
            let number = self.paging.pages_of(&(first..first + 1)).start;
            let page = self.paging.range(number);
            let n = (page.end - first).min(numbers.end - at);
            let (part, others) = rest.split_at(n);
            parts.push((slice, number, first - page.start, part));
            rest = others;
            at += n;
        }
        let read = |(slice, number, first, part): (SliceId, usize, usize, CodesMut<'_>)| {
            let page = page(self.store, slice, stm, number)?;
            let damaged =
                |what| io::Error::new(io::ErrorKind::InvalidData, format!("a page of a slice {what}"));
            if page.len() < first + part.len() {
                return Err(damaged("is too short"));
            }
            let codes = page.as_ref().range(first..first + part.len());
            if codes.copy_to(part) { Ok(()) } else { Err(damaged("has other codes")) }
        };
        match shares {
            true => threads::try_for_each(parts, read),
            false => parts.into_iter().try_for_each(read),
        }
    }
}

fn page(store: &dyn SliceStore, slice: SliceId, stm: Side, page: usize) -> io::Result<Codes> {
    store.read(SlicePage { slice, stm, page: page as u32 })
}

/// About the codes that are handed out at once.
const CODES_AT_ONCE: usize = 1 << 24;

/// The memory that the codes of a run of blocks take that are handed out at once, and what they are made
/// of, of a table with slices.
///
/// Units: bytes.
pub const SLICED_RUN_BYTES: u64 = 2 * size_of::<u16>() as u64 * CODES_AT_ONCE as u64;

/// A table whose slices are in a store.
pub(super) struct SlicedTable<'s> {
    pub(super) slices: Arc<OwnSlices<'s>>,
    /// By side to move. The table is as wide as its widest slice.
    pub(super) codings: [Coding; 2],
}

impl CodeSource for SlicedTable<'_> {
    fn layout(&self) -> &Arc<Layout> {
        &self.slices.layout
    }

    fn coding(&self, stm: Side) -> Option<Coding> {
        self.layout().sides().contains(&stm).then_some(self.codings[stm.index()])
    }

    fn units_at_once(&self) -> usize {
        (CODES_AT_ONCE / self.layout().block_len()).clamp(1, self.layout().n_units())
    }

    fn codes<'a>(&'a self, stm: Side, units: Range<usize>, room: &'a mut Codes) -> io::Result<CodesRef<'a>> {
        let len = self.layout().block_len();
        let coding = self.coding(stm).expect("a side to move that the table keeps");
        let numbers = units.start * len..units.end * len;
        self.slices.fill(stm, numbers.clone(), room.reset(coding, numbers.len()), true)?;
        Ok(room.as_ref())
    }
}

/// A page of a slice.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SlicePage {
    /// The slice.
    pub slice: SliceId,
    /// The side to move, whose values these are.
    pub stm: Side,
    /// The number of the page in the slice.
    pub page: u32,
}

/// A slice that is finished.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FinishedSlice {
    /// The slice.
    pub slice: SliceId,
    /// The longest win and the longest loss of either side to move, 0 if there is none.
    ///
    /// Units: plies.
    pub longest: [[u16; 2]; 2],
}

/// Keeps the slices of a table that is being solved. Pages are put by several threads.
pub trait SliceStore: Sync {
    /// The slices that were finished when the store was opened.
    fn finished(&self) -> Vec<FinishedSlice>;

    /// The log for what is found in a slice that is solved next, with what an earlier run has logged of it.
    ///
    /// # Errors
    /// There is no room for one.
    fn log(&self, slice: SliceId) -> io::Result<Box<dyn LogStore + '_>>;

    /// Keeps a page.
    ///
    /// # Errors
    /// There is no room for it.
    fn put(&self, page: SlicePage, codes: CodesRef<'_>) -> io::Result<()>;

    /// Notes that all pages of a slice are there; its log is not needed any more.
    ///
    /// # Errors
    /// There is no room for the note.
    fn finish(&self, slice: FinishedSlice) -> io::Result<()>;

    /// Reads a page of a slice that is finished.
    ///
    /// # Errors
    /// It cannot be read.
    fn read(&self, page: SlicePage) -> io::Result<Codes>;
}

/// About the codes of a page.
const PAGE_CODES: usize = 1 << 20;

/// How the slices of a layout are cut into pages.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Paging {
    /// Codes of a page but the last.
    page_len: usize,
    slice_len: usize,
}

impl Paging {
    pub(crate) fn new(layout: &Layout) -> Self {
        let blocks = (PAGE_CODES / layout.block_len()).clamp(1, layout.n_blocks());
        Paging { page_len: blocks * layout.block_len(), slice_len: layout.slice_len() }
    }

    /// The codes of the slice that a page has.
    pub(crate) fn range(&self, page: usize) -> Range<usize> {
        page * self.page_len..((page + 1) * self.page_len).min(self.slice_len)
    }

    /// The pages that have some of these codes of the slice.
    pub(crate) fn pages_of(&self, codes: &Range<usize>) -> Range<usize> {
        codes.start / self.page_len..codes.end.div_ceil(self.page_len)
    }
}

/// Slices in memory.
#[derive(Default, Debug)]
pub struct MemorySlices {
    pages: Mutex<HashMap<SlicePage, Arc<Codes>>>,
    finished: Mutex<Vec<FinishedSlice>>,
}

impl SliceStore for MemorySlices {
    fn finished(&self) -> Vec<FinishedSlice> {
        self.finished.lock().clone()
    }

    fn log(&self, _: SliceId) -> io::Result<Box<dyn LogStore + '_>> {
        Ok(Box::new(MemoryLog::default()))
    }

    fn put(&self, page: SlicePage, codes: CodesRef<'_>) -> io::Result<()> {
        self.pages.lock().insert(page, Arc::new(codes.into()));
        Ok(())
    }

    fn finish(&self, slice: FinishedSlice) -> io::Result<()> {
        self.finished.lock().push(slice);
        Ok(())
    }

    fn read(&self, page: SlicePage) -> io::Result<Codes> {
        let kept = self.pages.lock().get(&page).cloned();
        kept.map(|codes| (*codes).clone()).ok_or_else(|| io::ErrorKind::NotFound.into())
    }
}
