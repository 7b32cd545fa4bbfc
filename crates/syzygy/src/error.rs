//! Reports what is wrong with Syzygy files, or with the tables that they are made of.

use format::FormatError;
use std::io;
use std::path::{Path, PathBuf};

/// Why a Syzygy file cannot be written or read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SyzygyError {
    /// A file has the rules of another game.
    #[error("{path} has other rules than {variant}; export it again", path = .path.display())]
    OtherRules {
        /// The file.
        path: PathBuf,
        /// The variant's name.
        variant: String,
    },
    /// A table that the values come from is not there.
    #[error("the table {material} is needed and not there; solve it under the metric dtz50")]
    Missing {
        /// The material.
        material: String,
    },
    /// A table cannot be read.
    #[error("the table {material} cannot be read: {source}")]
    Table {
        /// The material.
        material: String,
        /// Why not.
        source: io::Error,
    },
    /// The men have no numbers in files of the game.
    #[error("{variant} has men that Syzygy files have no numbers for")]
    Unknown {
        /// The variant's name.
        variant: String,
    },
    /// Readers know no files of this many men.
    #[error("{material} has {n_men} men; Syzygy files of {game} have {least} to {most}")]
    Men {
        /// The material.
        material: String,
        /// How many men it has.
        n_men: usize,
        /// The game.
        game: &'static str,
        /// The fewest men of its files.
        least: usize,
        /// The most.
        most: usize,
    },
    /// A file has no numbers for this many like men.
    #[error(
        "{material} has more men of one kind than Syzygy files can number: 5 pawns, or 5 that are all alike"
    )]
    Like {
        /// The material.
        material: String,
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
        /// The name of the material.
        material: String,
    },
    /// No file can have the material.
    #[error("no Syzygy file can have {material}: {reason}")]
    Impossible {
        /// The name of the material.
        material: String,
        /// Why not.
        reason: String,
    },
    /// A file cannot be read, whatever it holds.
    #[error(transparent)]
    File(#[from] FormatError),
}

impl SyzygyError {
    /// A file that is not as it should be.
    pub(crate) fn damaged(path: &Path, what: &'static str) -> Self {
        SyzygyError::Damaged { path: path.to_path_buf(), what }
    }
}
