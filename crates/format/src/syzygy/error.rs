//! What can be wrong with Syzygy files, and with what they are made of.

use std::io;
use std::path::{Path, PathBuf};

/// Why a Syzygy file cannot be written or read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SyzygyError {
    /// A table that the values come from is not there.
    #[error("the table {material} is needed and not there; solve it under the metric dtz50")]
    Missing {
        /// The material.
        material: String,
    },
    /// The rules are not those of chess.
    #[error("{variant} is not chess, and Syzygy files are about chess alone")]
    NotChess {
        /// The variant's name.
        variant: String,
    },
    /// Readers know no files of so many men.
    #[error("{material} has {n_men} men; Syzygy files have 3 to 7")]
    Men {
        /// The material.
        material: String,
        /// How many men it has.
        n_men: usize,
    },
    /// A distance has no room.
    #[error("{material} has a distance of more than {plies} plies, more than a Syzygy file is written with")]
    TooDeep {
        /// The material.
        material: String,
        /// The most plies that there is room for.
        plies: u16,
    },
    /// The file is not what its name says, or is damaged.
    #[error("{path} is no Syzygy file that can be read: {what}; get or export it again", path = .path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        what: &'static str,
    },
    /// No file has the material.
    #[error("{file} is not there; export it, or name the folder that has it", file = .file.display())]
    NotThere {
        /// The file.
        file: PathBuf,
    },
    /// The operating system refuses.
    #[error("cannot {action} {path}: {source}", path = .path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What was tried.
        action: &'static str,
        /// What the system says.
        source: io::Error,
    },
}

impl SyzygyError {
    /// A file that is not as it should be.
    pub(super) fn damaged(path: &Path, what: &'static str) -> Self {
        SyzygyError::Damaged { path: path.to_path_buf(), what }
    }

    /// The error of an action on a path.
    pub(super) fn io(path: &Path, action: &'static str) -> impl FnOnce(io::Error) -> SyzygyError {
        let path = path.to_path_buf();
        move |source| SyzygyError::Io { path, action, source }
    }
}
