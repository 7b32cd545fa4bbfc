//! Reports why a position has no answer.

use export::flat::FlatError;
use format::{Column, FormatError};
use rights::TooLarge;
use std::fmt;
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

/// A table that is needed and not there; as text `not here: KQvK.tsm`, or `not here: dtz50 in KQvK.tsm` where
/// the file has other columns.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MissingTable {
    /// The canonical name of the material.
    pub material: String,
    /// The column of its file that would hold it.
    pub column: Column,
    /// The file that would hold it.
    pub file: PathBuf,
    /// Whether the file is there, with other columns.
    pub has_others: bool,
    /// Of positions with rights to castle: why they cannot be solved.
    pub too_large: Option<TooLarge>,
    /// Why it is not solved in memory, if that was looked at whether it can be.
    pub unsolved: Option<Box<str>>,
    /// The FEN of the position that was asked for, if solving that alone is the way to its value, and not
    /// the table.
    pub position: Option<Box<str>>,
}

impl MissingTable {
    /// A table, or the positions with rights to castle, that can be made.
    #[must_use]
    pub fn new(material: String, column: impl Into<Column>, file: PathBuf) -> Self {
        let (column, has_others) = (column.into(), file.exists());
        MissingTable { material, column, file, has_others, too_large: None, unsolved: None, position: None }
    }

    /// What mends it, in the words of the command that does.
    #[must_use]
    pub fn remedy(&self) -> String {
        if let Some(fen) = &self.position {
            return format!(
                "; run solve with --position \"{fen}\", which may take long: plan with --position says how long"
            );
        }
        match (&self.too_large, self.column.has_rights) {
            (Some(_), _) => String::new(),
            (None, true) => format!("; run solve with --table {} --rights", self.material),
            (None, false) => format!("; run solve with --table {}", self.material),
        }
    }
}

impl fmt::Display for MissingTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(too_large) = &self.too_large {
            return write!(f, "{too_large}");
        }
        let name = self.file.file_name().unwrap_or(self.file.as_os_str());
        let column = if self.has_others { format!("{} in ", self.column) } else { String::new() };
        write!(f, "not here: {column}{}", name.display())?;
        self.unsolved.as_ref().map_or(Ok(()), |why| write!(f, ", and {why}"))
    }
}
