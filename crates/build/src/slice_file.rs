//! Keeps the finished slices of a table that is being solved in a file, from which a run goes on after
//! whatever has ended it.
//!
//! It is a container in the making, of one table, whose units are slices; its identity is of the rules, the
//! metric, the solver and the tables it is made from. Each slice that is too large to be solved in memory
//! has a log beside the file (`file_log.rs`) while it is solved.

use crate::file_log::{FileLog, Opened};
use format::{Contents, Head, PageKey, PageStore};
use index::SliceId;
use library::LibraryError;
use solve::{FinishedSlice, LogStore, Planes, SlicePage, SliceStore};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use table::{Codes, CodesRef};

/// What the container is of.
const KIND: [u8; 4] = *b"TSLC";

/// The only table of the file.
const TABLE: u32 = 0;

/// How the files of slices end.
pub(crate) const SLICES_EXTENSION: &str = "tsslices";

/// Describes the log of a slice that was opened: its file, and how it was found.
pub(crate) type OnLog<'a> = dyn Fn(&Path, &Opened) + Sync + 'a;

/// Slices in a file.
pub(crate) struct SliceFile<'a> {
    log_path: PathBuf,
    planes: Planes,
    identity: [u8; 32],
    sync_interval: Duration,
    on_log: &'a OnLog<'a>,
    pages: PageStore,
    /// Whether a log was opened since the last slice was finished.
    has_log: AtomicBool,
}

/// What a file of slices was when it was opened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SlicesOpened {
    /// There was none.
    New,
    /// There was one of other rules, another version or other tables, or none that can be read.
    Replaced,
    /// There was one with this many finished slices.
    Resumed(usize),
}

impl<'a> SliceFile<'a> {
    /// Opens the slices of a table in this file, and makes the file if need be. `identity` names all that
    /// the table depends on: slices of another one are thrown away. `log_path` is for the log of a slice.
    ///
    /// # Errors
    /// The file cannot be made, read or written.
    pub(crate) fn open(
        (path, log_path): (&Path, &Path),
        identity: &[u8; 32],
        sync_interval: Duration,
        on_log: &'a OnLog<'a>,
    ) -> Result<(Self, SlicesOpened), LibraryError> {
        let open = || -> io::Result<(Self, SlicesOpened)> {
            let pages = PageStore::open(path, Head { kind: KIND, identity: *identity }, sync_interval)?;
            let opened = match (pages.units(TABLE).len(), pages.contents()) {
                (0, Contents::Nothing | Contents::Records) => SlicesOpened::New,
                (0, Contents::Foreign) => SlicesOpened::Replaced,
                (n_finished, _) => SlicesOpened::Resumed(n_finished),
            };
            let slices = SliceFile {
                log_path: log_path.into(),
                planes: Planes::InMemory,
                identity: *identity,
                sync_interval,
                on_log,
                pages,
                has_log: AtomicBool::new(false),
            };
            Ok((slices, opened))
        };
        open().map_err(LibraryError::io("open the slices", path))
    }

    /// This file with the planes of slices that are solved by a log kept there.
    pub(crate) fn with_planes(self, planes: Planes) -> Self {
        SliceFile { planes, ..self }
    }
}

impl SliceStore for SliceFile<'_> {
    fn finished(&self) -> Vec<FinishedSlice> {
        let finished =
            |&(slice, longest): &(u32, [[u16; 2]; 2])| FinishedSlice { slice: slice.into(), longest };
        self.pages.units(TABLE).iter().map(finished).collect()
    }

    fn log(&self, slice: SliceId) -> io::Result<Box<dyn LogStore + '_>> {
        let identity =
            blake3::Hasher::new().update(&self.identity).update(&u32::from(slice).to_le_bytes()).finalize();
        let (log, opened) = FileLog::open(&self.log_path, identity.as_bytes(), self.sync_interval)
            .map_err(io::Error::other)?;
        let log = log.with_planes(self.planes);
        // The log of another slice, which is finished, or of no slice at all, is none to speak of.
        (self.on_log)(&self.log_path, &opened);
        self.has_log.store(true, Ordering::Relaxed);
        Ok(Box::new(log))
    }

    fn put(&self, page: SlicePage, codes: CodesRef<'_>) -> io::Result<()> {
        self.pages.put(key_of(page), codes)
    }

    fn finish(&self, slice: FinishedSlice) -> io::Result<()> {
        self.pages.finish_unit(TABLE, slice.slice.into(), slice.longest)?;
        // A log is overwritten by that of the next slice, so a slice that had one must be safe by then.
        if self.has_log.swap(false, Ordering::Relaxed) { self.pages.sync() } else { Ok(()) }
    }

    fn read(&self, page: SlicePage) -> io::Result<Codes> {
        self.pages.read(key_of(page))
    }
}

/// The name of a page in the file.
fn key_of(SlicePage { slice, stm, page }: SlicePage) -> PageKey {
    PageKey { table: TABLE, stm, unit: slice.into(), page }
}
