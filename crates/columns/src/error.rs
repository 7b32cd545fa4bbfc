//! Reports why columns cannot be written.

#[cfg(any(feature = "parquet", feature = "npz"))]
use std::path::Path;
use std::path::PathBuf;

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
    #[cfg(any(feature = "parquet", feature = "npz"))]
    pub(crate) fn of<E: std::fmt::Display>(path: &Path) -> impl Fn(E) -> ColumnsError + '_ {
        move |error| ColumnsError::Write { path: path.to_path_buf(), message: error.to_string() }
    }
}
