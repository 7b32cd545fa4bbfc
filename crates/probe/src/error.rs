//! Why a position has no answer.

use format::FormatError;
use std::path::PathBuf;
use std::sync::Arc;
use variant::Metric;

/// Why a position has no answer.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProbeError {
    /// The table that holds the position, or one that its moves lead to, is not there.
    #[error("{material} is not built: there is no {file}; run solve with --table {material}", file = .file.display())]
    NotBuilt {
        /// The canonical name of the material.
        material: String,
        /// What the table would hold.
        metric: Metric,
        /// The file that would hold it.
        file: PathBuf,
    },
    /// The folder of tables is not there.
    #[error("there is no folder of tables {folder}; run solve, or name the folder of its tables", folder = .folder.display())]
    NoFolder {
        /// The folder.
        folder: PathBuf,
    },
    /// A table is there and cannot be read.
    #[error(transparent)]
    Format(Arc<FormatError>),
}

impl From<FormatError> for ProbeError {
    fn from(error: FormatError) -> Self {
        ProbeError::Format(Arc::new(error))
    }
}
