//! Remembers the first error of work that several threads do and that cannot end at once.

use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The first error, if there was one.
#[derive(Default, Debug)]
pub(crate) struct FirstError(Mutex<Option<io::Error>>);

impl FirstError {
    /// Remembers an error, unless there was one before it.
    pub(crate) fn note(&self, error: io::Error) {
        self.locked().get_or_insert(error);
    }

    /// Whether there was one that nobody has taken.
    pub(crate) fn is_some(&self) -> bool {
        self.locked().is_some()
    }

    pub(crate) fn take(&self) -> Option<io::Error> {
        self.locked().take()
    }

    fn locked(&self) -> MutexGuard<'_, Option<io::Error>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
