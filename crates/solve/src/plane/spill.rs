//! Keeps packed sets of placements: in memory, or on the disk, from where they are read once or twice.

use super::disk::PlaneFile;
use crate::failure::FirstError;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Room on the disk for packed sets.
#[derive(Debug)]
pub(crate) struct Spill {
    file: Box<dyn PlaneFile>,
    end: AtomicU64,
    failure: FirstError,
}

/// A packed set.
#[derive(Clone, Debug)]
pub(crate) enum StoredSet {
    Memory(Arc<[u8]>),
    /// At this place of the spill, so many bytes.
    Disk(u64, u32),
    /// It was taken.
    Gone,
}

impl Spill {
    pub(crate) fn new(file: Box<dyn PlaneFile>) -> Self {
        Spill { file, end: AtomicU64::new(0), failure: FirstError::default() }
    }

    /// Writes a set. That it cannot be written is remembered.
    fn put(&self, set: &[u8]) -> StoredSet {
        let place = self.end.fetch_add(set.len() as u64, Ordering::Relaxed);
        if let Err(error) = self.file.write(place, set) {
            self.failure.note(error);
        }
        StoredSet::Disk(place, set.len() as u32)
    }

    /// Reads a set. One that cannot be read is none, and that is remembered.
    fn get(&self, place: u64, n_bytes: u32) -> Option<Arc<[u8]>> {
        let mut set = vec![0; n_bytes as usize];
        let read = self.file.read(place, &mut set);
        read.map_err(|error| self.failure.note(error)).is_ok().then(|| set.into())
    }

    /// What could not be written or read.
    pub(crate) fn failure(&self) -> &FirstError {
        &self.failure
    }
}

impl StoredSet {
    /// Keeps a set in the spill, or in memory if there is none.
    pub(crate) fn new(set: Vec<u8>, spill: Option<&Spill>) -> Self {
        match spill {
            Some(spill) => spill.put(&set),
            None => StoredSet::Memory(set.into()),
        }
    }

    /// The set; none if it was taken.
    pub(crate) fn get(&self, spill: Option<&Spill>) -> Option<Arc<[u8]>> {
        match self {
            StoredSet::Memory(set) => Some(set.clone()),
            StoredSet::Disk(place, n_bytes) => {
                spill.expect("the spill that the set was written to").get(*place, *n_bytes)
            }
            StoredSet::Gone => None,
        }
    }
}
