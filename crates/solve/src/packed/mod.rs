//! Stores sets of placements in few bits each: for the log, for captures, and for what a ply has found.
//!
//! A packed set stays in memory or goes to the disk, from where it is read when it is asked for.
//! [`PlaneFile`] reads and writes all that is kept on the disk while a slice is solved. Work of several
//! threads cannot end at once when the disk fails, so [`FirstError`] remembers why it did.

mod set;
mod window;

pub(crate) use set::{n_packed, pack, unpack, unpack_words};
pub(crate) use window::{BlockSource, PackedFrontier, Window, WindowView, new_id};

use parking_lot::Mutex;
use std::fmt::Debug;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Blocks that a window keeps where the caller gives no number: a king that goes along the ranks finds those
/// of two ranks.
pub(crate) const N_SLOTS: usize = 24;

/// Blocks that a king leads into at once, that in which he stands among them. A window of fewer is asked for
/// one block after the other.
pub(crate) const N_NEAR: usize = 9;

/// Room on the disk for packed sets.
#[derive(Debug)]
pub(crate) struct Spill {
    file: Box<dyn PlaneFile>,
    end: AtomicU64,
    /// What could not be written or read.
    failure: Arc<FirstError>,
}

/// A packed set.
#[derive(Clone, Debug)]
pub(crate) enum StoredSet {
    Memory(Arc<[u8]>),
    /// In a spill, at this place.
    Disk {
        spill: Arc<Spill>,
        place: u64,
        n_bytes: u32,
        n_placements: u32,
    },
    /// It was taken.
    Gone,
}

impl Spill {
    pub(crate) fn new(file: Box<dyn PlaneFile>, failure: Arc<FirstError>) -> Self {
        Spill { file, end: AtomicU64::new(0), failure }
    }

    /// Writes a set. That it cannot be written is remembered.
    fn put(self: &Arc<Self>, set: &[u8]) -> StoredSet {
        let place = self.end.fetch_add(set.len() as u64, Ordering::Relaxed);
        if let Err(error) = self.file.write(place, set) {
            self.failure.note(error);
        }
        let n_placements = n_packed(set).unwrap_or(0) as u32;
        StoredSet::Disk { spill: self.clone(), place, n_bytes: set.len() as u32, n_placements }
    }

    /// Forgets all sets: they are not asked for any more, and others take their room.
    fn clear(&self) {
        self.end.store(0, Ordering::Relaxed);
    }
}

impl StoredSet {
    /// Keeps a set in the spill, or in memory if there is none.
    pub(crate) fn new(set: Vec<u8>, spill: Option<&Arc<Spill>>) -> Self {
        match spill {
            Some(spill) => spill.put(&set),
            None => StoredSet::Memory(set.into()),
        }
    }

    /// The set; none if it was taken, or if it cannot be read, which is remembered.
    pub(crate) fn get(&self) -> Option<Arc<[u8]>> {
        match self {
            StoredSet::Memory(set) => Some(set.clone()),
            StoredSet::Disk { spill, place, n_bytes, .. } => {
                let mut set = vec![0; *n_bytes as usize];
                let read = spill.file.read(*place, &mut set);
                read.map_err(|error| spill.failure.note(error)).is_ok().then(|| set.into())
            }
            StoredSet::Gone => None,
        }
    }

    /// How many placements it has.
    pub(crate) fn n_placements(&self) -> usize {
        match self {
            StoredSet::Memory(set) => n_packed(set).unwrap_or(0),
            StoredSet::Disk { n_placements, .. } => *n_placements as usize,
            StoredSet::Gone => 0,
        }
    }
}

/// Room for the sets of a frontier: in memory up to some bytes, and then in a spill if there is one.
#[derive(Default, Debug)]
pub(crate) struct SetRoom {
    spill: Option<Arc<Spill>>,
    most_bytes: u64,
    bytes: AtomicU64,
    n_slots: Option<usize>,
}

impl SetRoom {
    /// Room of which `most_bytes` may be in memory, if there is a spill for the rest; of the sets a window
    /// keeps this number of blocks.
    pub(crate) fn new(spill: Option<Arc<Spill>>, most_bytes: u64, n_slots: Option<usize>) -> Self {
        SetRoom { spill, most_bytes, bytes: AtomicU64::new(0), n_slots }
    }

    /// How many blocks a window keeps.
    pub(crate) fn n_slots(&self) -> usize {
        self.n_slots.unwrap_or(N_SLOTS)
    }

    /// Keeps a set.
    pub(crate) fn keep(&self, set: Vec<u8>) -> StoredSet {
        let n_bytes = set.len() as u64;
        let is_over = self.bytes.fetch_add(n_bytes, Ordering::Relaxed) + n_bytes > self.most_bytes;
        StoredSet::new(set, self.spill.as_ref().filter(|_| is_over))
    }

    /// Forgets all sets.
    pub(crate) fn clear(&self) {
        self.bytes.store(0, Ordering::Relaxed);
        self.spill.iter().for_each(|spill| spill.clear());
    }
}

/// Room on the disk for one plane or for packed sets, which has no other user. What was not written yet need
/// not be readable.
pub trait PlaneFile: Send + Sync + Debug {
    /// Reads the bytes that were written at a place.
    ///
    /// # Errors
    /// They cannot be read.
    fn read(&self, place: u64, bytes: &mut [u8]) -> io::Result<()>;

    /// Writes bytes at a place.
    ///
    /// # Errors
    /// There is no room for them.
    fn write(&self, place: u64, bytes: &[u8]) -> io::Result<()>;
}

/// The first error, if there was one.
#[derive(Default, Debug)]
pub(crate) struct FirstError(Mutex<Option<io::Error>>);

impl FirstError {
    /// Remembers an error, unless there was one before it.
    pub(crate) fn note(&self, error: io::Error) {
        self.0.lock().get_or_insert(error);
    }

    /// Whether there was one that was not taken.
    pub(crate) fn is_some(&self) -> bool {
        self.0.lock().is_some()
    }

    pub(crate) fn take(&self) -> Option<io::Error> {
        self.0.lock().take()
    }
}
