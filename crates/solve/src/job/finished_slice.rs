//! Stores the finished slices of a table that is larger than memory, and hands out their codes: whole slices
//! to later ones, and runs of blocks of all of them to the caller that writes and counts the table.
//!
//! The caller decides where slices are kept. The codes of a slice come in *pages*: runs of blocks, the last
//! of which may be shorter. A slice counts when it is finished, which is when all its pages are there.

use super::slice::{narrow_room, wide_room};
use crate::log::{LogStore, MemoryLog};
use index::{Layout, SliceId};
use rayon::prelude::*;
use std::collections::HashMap;
use std::io;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use table::{Code, CodeSource, Codes, CodesRef, Coding, SlicePart, SliceSource};
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
        assert!(matches!(part, SlicePart::Whole), "nobody is promoted into a table of his own");
        let first = page(self.store, slice, stm, 0)?;
        let (coding, n) = (first.coding(), self.layout.slice_len());
        if first.len() == n {
            return Ok(first);
        }
        let pages = |mut codes: CodesOfSlice<'_>| {
            let pages = codes.pages(&self.paging);
            let read =
                |(number, room): (usize, CodesOfPage<'_>)| room.fill(page(self.store, slice, stm, number)?);
            match shares {
                true => pages.into_par_iter().enumerate().try_for_each(read),
                false => pages.into_iter().enumerate().try_for_each(read),
            }
        };
        Ok(match coding {
            Coding::Narrow(()) => {
                let mut codes = vec![0; n];
                pages(CodesOfSlice::Narrow(&mut codes))?;
                Codes::Narrow(codes)
            }
            Coding::Split((), split) => {
                let mut codes = vec![0; n];
                pages(CodesOfSlice::Narrow(&mut codes))?;
                Codes::Split(codes, split)
            }
            Coding::Wide(()) => {
                let mut codes = vec![0; n];
                pages(CodesOfSlice::Wide(&mut codes))?;
                Codes::Wide(codes)
            }
        })
    }
}

fn page(store: &dyn SliceStore, slice: SliceId, stm: Side, page: usize) -> io::Result<Codes> {
    store.read(SlicePage { slice, stm, page: page as u32 })
}

/// Room for the codes of a slice, of either width.
enum CodesOfSlice<'c> {
    Narrow(&'c mut [u8]),
    Wide(&'c mut [u16]),
}

/// Room for the codes of a page.
enum CodesOfPage<'c> {
    Narrow(&'c mut [u8]),
    Wide(&'c mut [u16]),
}

impl CodesOfSlice<'_> {
    fn pages(&mut self, paging: &Paging) -> Vec<CodesOfPage<'_>> {
        let page_len = paging.range(0).len();
        match self {
            CodesOfSlice::Narrow(codes) => codes.chunks_mut(page_len).map(CodesOfPage::Narrow).collect(),
            CodesOfSlice::Wide(codes) => codes.chunks_mut(page_len).map(CodesOfPage::Wide).collect(),
        }
    }
}

impl CodesOfPage<'_> {
    /// Takes over a page of the same width and length.
    fn fill(self, page: Codes) -> io::Result<()> {
        match (self, page) {
            (CodesOfPage::Narrow(room), Codes::Narrow(codes) | Codes::Split(codes, _))
                if room.len() == codes.len() =>
            {
                room.copy_from_slice(&codes);
            }
            (CodesOfPage::Wide(room), Codes::Wide(codes)) if room.len() == codes.len() => {
                room.copy_from_slice(&codes);
            }
            _ => return Err(io::Error::new(io::ErrorKind::InvalidData, "a page of a slice has other codes")),
        }
        Ok(())
    }
}

/// A table whose slices are in a store.
pub(super) struct SlicedTable<'s> {
    pub(super) layout: Arc<Layout>,
    pub(super) paging: Paging,
    pub(super) store: &'s dyn SliceStore,
    /// By side to move.
    pub(super) codings: [Coding; 2],
}

/// About the codes that are handed out at once.
const CODES_AT_ONCE: usize = 1 << 24;

/// The memory that the codes of a run of blocks take that are handed out at once, and what they are made
/// of, of a table with slices.
///
/// Units: bytes.
pub(crate) const SLICES_RUN_BYTES: u64 = 2 * size_of::<u16>() as u64 * CODES_AT_ONCE as u64;

impl SlicedTable<'_> {
    /// The codes with these numbers in the whole table.
    fn fill<C: Code>(&self, stm: Side, codes: Range<usize>, room: &mut [C]) -> io::Result<()> {
        let slice_len = self.layout.slice_len();
        // Each page that has some of them, with the room for those.
        let mut parts = Vec::new();
        let mut rest = room;
        let mut at = codes.start;
        while at < codes.end {
            let (slice, first) = (SliceId::from_index(at / slice_len), at % slice_len);
            let number = self.paging.pages_of(&(first..first + 1)).start;
            let page = self.paging.range(number);
            let n = (page.end - first).min(codes.end - at);
            let (part, others) = rest.split_at_mut(n);
            parts.push((slice, number, first - page.start, part));
            rest = others;
            at += n;
        }
        parts.into_par_iter().try_for_each(|(slice, number, first, part)| {
            let page = page(self.store, slice, stm, number)?;
            if page.len() < first + part.len() {
                return Err(io::Error::new(io::ErrorKind::InvalidData, "a page of a slice is too short"));
            }
            // Codes of one byte are the same for all slices, wherever wins end and losses begin.
            match page.as_ref().range(first..first + part.len()) {
                CodesRef::Narrow(codes) => copy(codes, part, Code::value),
                CodesRef::Split(codes, split) => copy(codes, part, |code| split.value(code)),
                CodesRef::Wide(codes) => copy(codes, part, Code::value),
            }
            Ok(())
        })
    }
}

/// Copies codes of a page to those of the table, which may be wider.
fn copy<A: Code, B: Code>(from: &[A], to: &mut [B], value: impl Fn(A) -> table::Value) {
    match (A::borrowed(from), B::borrowed_mut(to)) {
        (CodesRef::Narrow(from), table::CodesMut::Narrow(to)) => to.copy_from_slice(from),
        _ => to.iter_mut().zip(from).for_each(|(to, &from)| {
            // A table is as wide as its widest slice.
            *to = B::from_value(value(from)).expect("two bytes hold what one does");
        }),
    }
}

impl CodeSource for SlicedTable<'_> {
    fn layout(&self) -> &Arc<Layout> {
        &self.layout
    }

    fn coding(&self, stm: Side) -> Option<Coding> {
        self.layout.sides().contains(&stm).then_some(self.codings[stm.index()])
    }

    fn units_at_once(&self) -> usize {
        (CODES_AT_ONCE / self.layout.block_len()).clamp(1, self.layout.n_units())
    }

    fn codes<'a>(&'a self, stm: Side, units: Range<usize>, room: &'a mut Codes) -> io::Result<CodesRef<'a>> {
        let len = self.layout.block_len();
        let codes = units.start * len..units.end * len;
        match self.coding(stm).expect("a side to move that the table keeps") {
            Coding::Wide(()) => {
                let room = wide_room(room, codes.len());
                self.fill(stm, codes, room)?;
                Ok(CodesRef::Wide(room))
            }
            coding => {
                let room = narrow_room(room, codes.len());
                self.fill(stm, codes, room)?;
                Ok(match coding {
                    Coding::Split((), split) => CodesRef::Split(room, split),
                    _ => CodesRef::Narrow(room),
                })
            }
        }
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

impl MemorySlices {
    fn pages(&self) -> MutexGuard<'_, HashMap<SlicePage, Arc<Codes>>> {
        self.pages.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl SliceStore for MemorySlices {
    fn finished(&self) -> Vec<FinishedSlice> {
        self.finished.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn log(&self, _: SliceId) -> io::Result<Box<dyn LogStore + '_>> {
        Ok(Box::new(MemoryLog::default()))
    }

    fn put(&self, page: SlicePage, codes: CodesRef<'_>) -> io::Result<()> {
        self.pages().insert(page, Arc::new(codes.into()));
        Ok(())
    }

    fn finish(&self, slice: FinishedSlice) -> io::Result<()> {
        self.finished.lock().unwrap_or_else(PoisonError::into_inner).push(slice);
        Ok(())
    }

    fn read(&self, page: SlicePage) -> io::Result<Codes> {
        let kept = self.pages().get(&page).cloned();
        kept.map(|codes| (*codes).clone()).ok_or_else(|| io::ErrorKind::NotFound.into())
    }
}
