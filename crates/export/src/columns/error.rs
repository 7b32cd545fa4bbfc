//! Reports why columns cannot be written.

use std::path::{Path, PathBuf};

/// Why columns cannot be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ColumnsError {
    /// The system or the format refuses.
    #[error("cannot write {path}: {message}", path = .path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        message: String,
    },
}

impl ColumnsError {
    /// Turns an error about a file into one of ours.
    pub(crate) fn of<E: std::fmt::Display>(path: &Path) -> impl Fn(E) -> ColumnsError + '_ {
        move |error| ColumnsError::Write { path: path.to_path_buf(), message: error.to_string() }
    }
}
