//! Says what is wrong with a table file, and what to do about it.

use crate::Column;
use std::io;
use std::path::{Path, PathBuf};
use variant::{MaterialError, Side};

/// Why a table file cannot be read or written; each message names the file and the remedy.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FormatError {
    /// The file does not begin as table files do.
    #[error(
        "{path} is not a table file: it does not begin with the bytes of one; move it away, and run solve again if it \
         should be a table",
        path = .path.display()
    )]
    NotATable {
        /// The file.
        path: PathBuf,
    },
    /// The file is of another format version.
    #[error(
        "{path} has format version {got}, this program reads versions up to {expected}; delete it and run solve again, or \
         use the program that wrote it",
        path = .path.display()
    )]
    Version {
        /// The file.
        path: PathBuf,
        /// Its version.
        got: u32,
        /// The latest version that is read.
        expected: u32,
    },
    /// The file does not end as whole ones do.
    #[error(
        "{path} is cut short, or something stands behind its end; run solve again",
        path = .path.display()
    )]
    CutShort {
        /// The file.
        path: PathBuf,
    },
    /// A part of the file that is no block does not have its checksum.
    #[error("{path} is damaged in its {section}; run solve again", path = .path.display())]
    SectionDamaged {
        /// The file.
        path: PathBuf,
        /// Which part of it.
        section: &'static str,
    },
    /// A block does not have its checksum, or cannot be decompressed.
    #[error(
        "{path} is damaged in block {block} of {n_blocks}; run solve again",
        path = .path.display()
    )]
    BlockDamaged {
        /// The file.
        path: PathBuf,
        /// The number of the block, from 0.
        block: usize,
        /// How many there are.
        n_blocks: usize,
    },
    /// Positions with rights to castle cannot be read, or are not those that there are.
    #[error(
        "{path} is damaged in its castling rights `{choice}`; run solve --rights again",
        path = .path.display()
    )]
    RightsDamaged {
        /// The file.
        path: PathBuf,
        /// The choice of men and rights.
        choice: String,
    },
    /// Every block is whole, but together they are not what the index says.
    #[error(
        "{path} does not hold what its index says (content checksum {got}, expected {expected}); run \
         solve again",
        path = .path.display()
    )]
    ContentDamaged {
        /// The file.
        path: PathBuf,
        /// The checksum of what is there.
        got: crate::Checksum,
        /// The checksum in the index.
        expected: crate::Checksum,
    },
    /// The file that was written just now reads otherwise.
    #[error(
        "{path} does not read as it was written (checksum {got}, expected {expected}): the disk or the memory fails; \
         delete it, and run solve again when that is mended",
        path = .path.display()
    )]
    NotAsWritten {
        /// The file.
        path: PathBuf,
        /// The checksum of what is read.
        got: crate::Checksum,
        /// The checksum of what was written.
        expected: crate::Checksum,
    },
    /// The file holds another material than its name says.
    #[error(
        "{path} holds {got}, expected {expected} as in its name; give it its own name or delete it and run solve again",
        path = .path.display()
    )]
    OtherMaterial {
        /// The file.
        path: PathBuf,
        /// The material it holds.
        got: String,
        /// The material of its name.
        expected: String,
    },
    /// The variant does not have the men of the file.
    #[error("{path} does not belong to the variant {variant}: {source}", path = .path.display())]
    UnknownMaterial {
        /// The file.
        path: PathBuf,
        /// The variant's name.
        variant: String,
        /// What is wrong with the material.
        source: Box<MaterialError>,
    },
    /// The file was computed under other rules.
    #[error(
        "{path} holds {material} under other rules than the variant {variant} has now (rules hash {got}, expected \
         {expected}); run solve again (for castling rights with --rights), or use the variant file it was \
         made with",
        path = .path.display()
    )]
    OtherRules {
        /// The file.
        path: PathBuf,
        /// Its material.
        material: String,
        /// The variant's name.
        variant: String,
        /// The hash in the file.
        got: Box<crate::Checksum>,
        /// The hash of the variant's rules for this material.
        expected: Box<crate::Checksum>,
    },
    /// A column is to be copied into a file that is damaged, or of another table or other rules.
    #[error(
        "{path} is damaged, or no table of {material} under these rules; move it away, or \
         choose another folder",
        path = .path.display()
    )]
    NotTheSame {
        /// The file.
        path: PathBuf,
        /// The table of the column.
        material: String,
    },
    /// The file has other columns.
    #[error(
        "{path} has no {column}, it has {has}; run solve for {column} to add it",
        path = .path.display(),
        has = .has.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
    )]
    NoColumn {
        /// The file.
        path: PathBuf,
        /// The column asked for.
        column: Column,
        /// The columns it has.
        has: Vec<Column>,
    },
    /// The column has one side to move where both are needed.
    #[error(
        "{path} keeps the positions with {kept} to move only, and both sides are needed; solve the table again with \
         --both-sides",
        path = .path.display(),
    )]
    OneSided {
        /// The file.
        path: PathBuf,
        /// The side that it keeps.
        kept: Side,
    },
    /// A column of distances where values are needed.
    #[error(
        "{path} holds distances and not who wins; it is to be read beside the column wdl",
        path = .path.display()
    )]
    OnlyDistances {
        /// The file.
        path: PathBuf,
    },
    /// Two columns that are not one of distances and `wdl` of the same material.
    #[error(
        "{path} cannot be read beside {wdl}: a column of distances and one that tells who wins are needed, of one \
         material",
        path = .path.display(),
        wdl = .wdl.display()
    )]
    NotAPair {
        /// The file whose column should hold distances.
        path: PathBuf,
        /// The file whose column should hold `wdl`.
        wdl: PathBuf,
    },
    /// The index has its checksum, but a number in it cannot be.
    #[error(
        "{path} cannot be read: {what} is {got}, expected {expected}; run solve again",
        path = .path.display()
    )]
    Inconsistent {
        /// The file.
        path: PathBuf,
        /// Which number.
        what: &'static str,
        /// As the file has it.
        got: u64,
        /// As it should be.
        expected: u64,
    },
    /// A table that no file can hold.
    #[error("{path} cannot be written: {what}", path = .path.display())]
    Unwritable {
        /// The file.
        path: PathBuf,
        /// What there is no room for.
        what: String,
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

impl FormatError {
    /// The error of an action on a path.
    pub fn io(path: &Path, action: &'static str) -> impl FnOnce(io::Error) -> FormatError {
        let path = path.to_path_buf();
        move |source| FormatError::Io { path, action, source }
    }

    /// A file whose index is not as it was written, or says what cannot be.
    pub(crate) fn index_damaged(path: &Path) -> FormatError {
        FormatError::SectionDamaged { path: path.into(), section: "index" }
    }

    /// Fails with the number that should be, unless the one that the file has is right.
    pub(crate) fn check(
        path: &Path,
        what: &'static str,
        is_right: bool,
        got: u64,
        expected: u64,
    ) -> Result<(), FormatError> {
        let wrong = || FormatError::Inconsistent { path: path.to_path_buf(), what, got, expected };
        if is_right { Ok(()) } else { Err(wrong()) }
    }

    /// The error of a page that cannot be read: `damaged`, if that is what is wrong with it.
    pub(crate) fn of_page(
        path: &Path,
        damaged: impl FnOnce() -> FormatError,
    ) -> impl FnOnce(io::Error) -> FormatError {
        move |error| match error.kind() {
            io::ErrorKind::UnexpectedEof | io::ErrorKind::InvalidData => damaged(),
            _ => FormatError::io(path, "read")(error),
        }
    }

    /// Whether the file is at fault and has to be made again. Otherwise it may be as good as ever: of other
    /// rules, of another version or name, or kept from this program by the system.
    #[must_use]
    pub fn is_damage(&self) -> bool {
        matches!(
            self,
            FormatError::NotATable { .. }
                | FormatError::CutShort { .. }
                | FormatError::SectionDamaged { .. }
                | FormatError::BlockDamaged { .. }
                | FormatError::RightsDamaged { .. }
                | FormatError::ContentDamaged { .. }
                | FormatError::NotAsWritten { .. }
                | FormatError::Inconsistent { .. }
        )
    }

    /// Whether the file, or the column of it, is simply not there.
    #[must_use]
    pub fn is_not_found(&self) -> bool {
        match self {
            FormatError::Io { source, .. } => source.kind() == io::ErrorKind::NotFound,
            FormatError::NoColumn { .. } => true,
            _ => false,
        }
    }
}
