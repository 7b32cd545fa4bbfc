//! Reports why positions with rights to castle have no value here, and why a file of them cannot be used.

use format::FormatError;
use std::io;
use std::path::{Path, PathBuf};

/// A value is not to be had; its source has the reason.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NoValue;

/// Why a file of positions with rights to castle cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RightsError {
    /// The system refuses something.
    #[error("cannot {what} {}: {source}", path.display())]
    Io {
        /// What was to be done.
        what: &'static str,
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The file cannot be written.
    #[error(transparent)]
    Format(#[from] FormatError),
    /// No such file, or a damaged one.
    #[error("{}: {what}; make it again with solve --rights", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        what: String,
    },
    /// A file that was made under other rules, or for another metric.
    #[error(
        "{} was made under other rules than these of `{variant}`; name those with --variant FILE, or make it \
         again with solve --rights",
        path.display()
    )]
    OtherRules {
        /// The file.
        path: PathBuf,
        /// The game whose rules it was opened with.
        variant: String,
    },
}

impl RightsError {
    /// The system refuses something.
    pub(crate) fn io(what: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_path_buf();
        move |source| RightsError::Io { what, path, source }
    }

    /// The file is damaged.
    pub(crate) fn damaged(path: &Path, what: impl Into<String>) -> Self {
        RightsError::Damaged { path: path.to_path_buf(), what: what.into() }
    }

    /// Whether there is no such file.
    #[must_use]
    pub fn is_not_found(&self) -> bool {
        matches!(self, RightsError::Io { source, .. } if source.kind() == io::ErrorKind::NotFound)
    }
}
