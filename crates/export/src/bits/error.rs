//! Says what is wrong with a one-bit file, and what to do about it.

use format::FormatError;
use std::path::{Path, PathBuf};

/// Why a one-bit file cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BitsError {
    /// It is damaged, or no such file at all.
    #[error("{path} is damaged: {what}; export it again", path = .path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        what: String,
    },
    /// It is of another format version.
    #[error(
        "{path} has version {got}, and this program reads version {expected}; export it again",
        path = .path.display()
    )]
    Version {
        /// The file.
        path: PathBuf,
        /// Its version.
        got: u32,
        /// The version that is read.
        expected: u32,
    },
    /// It was made under other rules.
    #[error(
        "{path} holds {material} under other rules than {variant} has now; export it again, or give the rules that it \
         was made with",
        path = .path.display()
    )]
    OtherRules {
        /// The file.
        path: PathBuf,
        /// What it says it holds.
        material: String,
        /// The variant's name.
        variant: String,
    },
    /// It cannot be read or written, whatever it holds.
    #[error(transparent)]
    File(#[from] FormatError),
}

impl BitsError {
    pub(super) fn damaged(path: &Path, what: impl Into<String>) -> Self {
        BitsError::Damaged { path: path.into(), what: what.into() }
    }
}
