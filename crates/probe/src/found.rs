//! What is found, or which file would have been needed.

use std::fmt;
use std::path::PathBuf;
use variant::Metric;

/// An answer, or the table without which there is none.
///
/// That a table was never built, or is on another disk, is nothing to be alarmed at: a program goes on
/// without it. So it is an answer; a [`crate::ProbeError`] is a file that is there and cannot be read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Found<T> {
    /// This is it.
    Here(T),
    /// A table is not there.
    NotHere(Missing),
}

impl<T> Found<T> {
    /// What was found, if it was.
    #[must_use]
    pub fn here(self) -> Option<T> {
        match self {
            Found::Here(found) => Some(found),
            Found::NotHere(_) => None,
        }
    }

    /// The table that is not there, if that is so.
    #[must_use]
    pub fn missing(&self) -> Option<&Missing> {
        match self {
            Found::Here(_) => None,
            Found::NotHere(missing) => Some(missing),
        }
    }
}

/// A table that is needed and not there; as text `not here: KQvK.tsm`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Missing {
    /// The canonical name of the material.
    pub material: String,
    /// What the table would hold.
    pub metric: Metric,
    /// The file that would hold it.
    pub file: PathBuf,
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.file.file_name().unwrap_or(self.file.as_os_str());
        write!(f, "not here: {}", name.display())
    }
}
