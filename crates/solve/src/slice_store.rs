//! Keeps the finished slices of a table that is larger than memory, wherever the caller has room for them.
//!
//! The codes of a slice come in *pages*: runs of blocks, the last of which may be shorter. A slice counts
//! when it is finished, which is when all its pages are there.

use crate::log::{LogStore, MemoryLog};
use index::{Layout, SliceId};
use std::collections::HashMap;
use std::io;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use table::{Codes, CodesRef};
use variant::Side;

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

/// About so many codes are in a page.
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
