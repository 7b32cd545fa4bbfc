//! Keeps planes apart from a log in memory, byte by byte: what was not written cannot be read.

use solve::{LogEntry, LogStep, LogStore, MemoryLog, PlaneFile};
use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

/// How often a pass asks for room: for two planes, for captures, and for four frontiers.
const N_OPENED: u64 = 7;

/// A log in memory, with planes that are read and written as on a disk: as many bytes as it has room for.
#[derive(Default)]
pub(crate) struct LogWithPlanes {
    log: MemoryLog,
    most_bytes: Option<u64>,
    n_slots: Option<usize>,
    n_opened: AtomicU64,
    is_written: Arc<AtomicBool>,
}

/// Such a plane. What was not written cannot be read.
#[derive(Default, Debug)]
struct WrittenPlane {
    bytes: Mutex<Vec<u8>>,
    /// For each byte 1 if it was written.
    marks: Mutex<Vec<u8>>,
    most_bytes: u64,
    is_written: Arc<AtomicBool>,
}

impl PlaneFile for WrittenPlane {
    fn read(&self, place: u64, bytes: &mut [u8]) -> io::Result<()> {
        let range = place as usize..place as usize + bytes.len();
        let (written, marks) = (self.bytes.lock().expect("no panic"), self.marks.lock().expect("no panic"));
        let marks = marks.get(range.clone()).filter(|marks| !marks.contains(&0));
        marks.ok_or(io::ErrorKind::UnexpectedEof)?;
        bytes.copy_from_slice(&written[range]);
        Ok(())
    }

    fn write(&self, place: u64, bytes: &[u8]) -> io::Result<()> {
        let range = place as usize..place as usize + bytes.len();
        if range.end as u64 > self.most_bytes {
            return Err(io::ErrorKind::StorageFull.into());
        }
        self.is_written.store(true, Ordering::Relaxed);
        let mut written = self.bytes.lock().expect("no panic");
        let mut marks = self.marks.lock().expect("no panic");
        let n_bytes = written.len().max(range.end);
        written.resize(n_bytes, 0);
        marks.resize(n_bytes, 0);
        written[range.clone()].copy_from_slice(bytes);
        marks[range].fill(1);
        Ok(())
    }
}

impl LogWithPlanes {
    /// Returns a log whose planes have room for `most_bytes` bytes.
    pub(crate) fn of_bytes(most_bytes: u64) -> Self {
        LogWithPlanes { most_bytes: Some(most_bytes), ..LogWithPlanes::default() }
    }

    /// Returns a log of which a thread keeps `n_slots` blocks of each plane; nothing else is apart.
    pub(crate) fn of_slots(n_slots: usize) -> Self {
        LogWithPlanes { n_slots: Some(n_slots), ..LogWithPlanes::default() }
    }

    /// Whether anything was written to a plane of a pass.
    pub(crate) fn is_written(&self) -> bool {
        self.is_written.load(Ordering::Relaxed)
    }
}

impl LogStore for LogWithPlanes {
    fn append(&self, entry: LogEntry, set: &[u8]) -> io::Result<u64> {
        self.log.append(entry, set)
    }

    fn commit(&self, step: LogStep) -> io::Result<()> {
        self.log.commit(step)
    }

    fn read(&self, place: u64, set: &mut [u8]) -> io::Result<()> {
        self.log.read(place, set)
    }

    fn n_slots(&self) -> Option<usize> {
        self.n_slots
    }

    fn open_plane(&self) -> io::Result<Option<Box<dyn PlaneFile>>> {
        // The first two of each pass are for planes, the others for packed sets.
        let is_plane = self.n_opened.fetch_add(1, Ordering::Relaxed) % N_OPENED < 2;
        let is_written = if is_plane { self.is_written.clone() } else { Arc::default() };
        let most_bytes = self.most_bytes.unwrap_or(u64::MAX);
        Ok(Some(Box::new(WrittenPlane { most_bytes, is_written, ..WrittenPlane::default() })))
    }
}
