//! Says what is wrong with flat files, and with what they are made of.

use std::io;
use std::path::{Path, PathBuf};
use variant::Metric;

/// Why a flat file cannot be written or read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FlatError {
    /// The format has no room for what the metric says.
    #[error("a .{form} cannot hold {metric}: {what}")]
    Metric {
        /// The ending of the files.
        form: &'static str,
        /// The metric.
        metric: Metric,
        /// Why not.
        what: &'static str,
    },
    /// A distance has no room in two bytes.
    #[error(
        "{name} has a distance of {plies} plies, and two bytes have room for {most}; write four bytes a value"
    )]
    TooDeep {
        /// The file's name.
        name: String,
        /// The distance.
        plies: u32,
        /// The most that there is room for.
        most: u32,
    },
    /// A name does not fit into the header.
    #[error("{name} is too long for the header of a flat file, which has room for {most} bytes")]
    TooLong {
        /// The name.
        name: String,
        /// How many bytes there are.
        most: usize,
    },
    /// No file has the placement.
    #[error("{file} is not there; export it, or name the folder that has it", file = .file.display())]
    NotThere {
        /// The file.
        file: PathBuf,
    },
    /// The file's name is that of no placement of pawns.
    #[error("{path} has the name of no flat file of {variant}, such as {example}", path = .path.display())]
    Name {
        /// The file.
        path: PathBuf,
        /// The variant's name.
        variant: String,
        /// A name that would do.
        example: String,
    },
    /// The file is of another version.
    #[error(
        "{path} has version {got} of its format, this program reads versions up to {newest}; export it again",
        path = .path.display()
    )]
    Version {
        /// The file.
        path: PathBuf,
        /// Its version.
        got: u8,
        /// The newest version that is read.
        newest: u8,
    },
    /// The file was computed under other rules.
    #[error(
        "{path} holds a table under other rules than the variant {variant} has now; export it again, or use the variant \
         file it was made with",
        path = .path.display()
    )]
    OtherRules {
        /// The file.
        path: PathBuf,
        /// The variant's name.
        variant: String,
    },
    /// The file holds another metric.
    #[error("{path} holds the metric {got}, expected {expected}", path = .path.display())]
    OtherMetric {
        /// The file.
        path: PathBuf,
        /// What it holds.
        got: String,
        /// What it should hold.
        expected: Metric,
    },
    /// The file is shorter or longer than its header says.
    #[error(
        "{path} is {kind}: it has {got} bytes, expected {expected}; export it again",
        path = .path.display(),
        kind = if .got < .expected { "cut short" } else { "too long" }
    )]
    Length {
        /// The file.
        path: PathBuf,
        /// How many bytes it has, unpacked.
        got: u64,
        /// How many it should have.
        expected: u64,
    },
    /// The file is damaged.
    #[error("{path} cannot be read: {what}; export it again", path = .path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        what: &'static str,
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

impl FlatError {
    /// A file that is not as it should be.
    pub(super) fn damaged(path: &Path, what: &'static str) -> Self {
        FlatError::Damaged { path: path.to_path_buf(), what }
    }

    /// The error of an action on a path.
    pub(super) fn io(path: &Path, action: &'static str) -> impl FnOnce(io::Error) -> FlatError {
        let path = path.to_path_buf();
        move |source| FlatError::Io { path, action, source }
    }

    /// The error of a file that could not be opened.
    pub(super) fn opening(path: &Path) -> impl FnOnce(io::Error) -> FlatError {
        let path = path.to_path_buf();
        move |source| match source.kind() {
            io::ErrorKind::NotFound => FlatError::NotThere { file: path },
            _ => FlatError::Io { path, action: "open", source },
        }
    }
}
