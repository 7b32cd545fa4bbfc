//! Reports why a position has no answer.

use crate::MissingTable;
use export::flat::FlatError;
use format::FormatError;
use rights::RightsError;
use std::path::PathBuf;
use std::sync::Arc;
use syzygy::SyzygyError;

/// Why a position has no answer.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProbeError {
    /// The table that holds the position, or one that its moves lead to, is not there. It was never built, or
    /// lies elsewhere; a program may well go on without it. Of positions with rights to castle: no file has
    /// them, and they have too many men to be solved, or are not to be.
    #[error("{0}{remedy}", remedy = .0.remedy())]
    Missing(MissingTable),
    /// The folder of tables is not there.
    #[error("there is no folder of tables {folder}; run solve, or name the folder of its tables", folder = .folder.display())]
    NoFolder {
        /// The folder.
        folder: PathBuf,
    },
    /// A `.tsm` is there and cannot be read.
    #[error(transparent)]
    Format(Arc<FormatError>),
    /// A `.tbl` or `.tbc` is there and cannot be read.
    #[error(transparent)]
    Flat(Arc<FlatError>),
    /// A `.rtbw` or `.rtbz` is there and cannot be read.
    #[error(transparent)]
    Syzygy(Arc<SyzygyError>),
    /// A file of positions with rights to castle is there and cannot be read.
    #[error(transparent)]
    Rights(Arc<RightsError>),
    /// A file of other values is there and cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Values {
        /// The file.
        path: PathBuf,
        /// What the system, or its reader, says.
        source: Arc<std::io::Error>,
    },
}

impl ProbeError {
    /// Whether a file is at fault and has to be made again; see [`FormatError::is_damage`].
    #[must_use]
    pub fn is_damage(&self) -> bool {
        match self {
            ProbeError::Format(error) => error.is_damage(),
            ProbeError::Flat(error) => {
                matches!(**error, FlatError::Length { .. } | FlatError::Damaged { .. })
            }
            ProbeError::Syzygy(error) => matches!(**error, SyzygyError::Damaged { .. }),
            ProbeError::Rights(error) => match &**error {
                RightsError::Format(error) => error.is_damage(),
                error => matches!(error, RightsError::Damaged { .. }),
            },
            _ => false,
        }
    }
}

impl From<FormatError> for ProbeError {
    fn from(error: FormatError) -> Self {
        ProbeError::Format(Arc::new(error))
    }
}

impl From<FlatError> for ProbeError {
    fn from(error: FlatError) -> Self {
        ProbeError::Flat(Arc::new(error))
    }
}

impl From<SyzygyError> for ProbeError {
    fn from(error: SyzygyError) -> Self {
        ProbeError::Syzygy(Arc::new(error))
    }
}
