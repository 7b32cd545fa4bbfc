//! Reports why work on a folder of tables cannot be done, and names what would mend it.

use crate::figure::{bytes, count, plural};
use crate::memory::MemoryLimit;
use export::bits::BitsError;
use export::flat::FlatError;
use format::FormatError;
use plan::PlanError;
use probe::ProbeError;
use solve::SolveError;
use std::io;
use std::path::{Path, PathBuf};
use structure::StructureError;
use syzygy::SyzygyError;
use variant::{MaterialError, Metric};

/// Why tables cannot be opened, built or checked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LibraryError {
    /// A file is damaged, of other rules, or cannot be read or written.
    #[error(transparent)]
    Format(#[from] FormatError),
    /// A table cannot be solved.
    #[error(transparent)]
    Solve(SolveError),
    /// A name is that of no material.
    #[error(transparent)]
    Material(#[from] MaterialError),
    /// There is no such plan.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// A flat file cannot be used or written.
    #[error(transparent)]
    Flat(#[from] FlatError),
    /// A one-bit file cannot be used or written.
    #[error(transparent)]
    Bits(#[from] BitsError),
    /// A Syzygy file cannot be used or written.
    #[error(transparent)]
    Syzygy(#[from] SyzygyError),
    /// A folder cannot be probed.
    #[error(transparent)]
    Probe(#[from] ProbeError),
    /// The file of a structure is at fault.
    #[error(transparent)]
    Structure(#[from] StructureError),
    /// The system has not as many threads as are to solve a table.
    #[error("cannot start {n_threads} threads: {what}")]
    Threads {
        /// How many.
        n_threads: usize,
        /// What the system said.
        what: String,
    },
    /// The system refuses to do something with a file or a folder.
    #[error("cannot {action} {path}: {error}", path = .path.display())]
    Io {
        /// What was to be done.
        action: &'static str,
        /// With which file or folder.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// A file stands where a folder is to be.
    #[error("{path} is a file, and tables need a folder", path = .path.display())]
    NotAFolder {
        /// The file.
        path: PathBuf,
    },
    /// Folders that are asked together have different rules of one game.
    #[error(
        "{} and {} have different rules of {game}, whose tables cannot be asked together; leave one of the \
         folders out, or say with --variant which rules are meant", .paths[0].display(), .paths[1].display()
    )]
    RulesDiffer {
        /// The game.
        game: String,
        /// Two files of rules.
        paths: [PathBuf; 2],
    },
    /// Another build has locked the folder.
    #[error("another run is writing to {folder}", folder = .folder.display())]
    FolderBusy {
        /// The folder.
        folder: PathBuf,
    },
    /// The disk has too little room.
    #[error(
        "the disk of {folder} has {free} free, and the tables need about {needed}",
        folder = .folder.display(), free = bytes(*.free_bytes), needed = bytes(*.needed_bytes)
    )]
    DiskFull {
        /// The folder that tables go to.
        folder: PathBuf,
        /// How much room there is.
        free_bytes: u64,
        /// How much the tables need, roughly.
        needed_bytes: u64,
    },
    /// A table takes more memory than a build may have.
    #[error(
        "{material} needs about {needed} of memory with {threads}, and the limit is {limit}",
        needed = bytes(*.needed_bytes), threads = plural(*.n_threads as u64, "thread"), limit = bytes(.limit.bytes)
    )]
    MemoryShort {
        /// The table.
        material: String,
        /// What solving it takes, roughly.
        needed_bytes: u64,
        /// What there is.
        limit: MemoryLimit,
        /// With how many threads.
        n_threads: usize,
        /// What would fit.
        fitting: Fitting,
    },
    /// A file has no statistics, or such as this version cannot read.
    #[error("{path} has no statistics that this program can read ({error}); solve it again", path = .path.display())]
    NoStatistics {
        /// The file.
        path: PathBuf,
        /// What is wrong with them.
        error: String,
    },
    /// A file has the name of a table in other letters, as some disks and programs write them.
    #[error("{path} is not read: names of tables are exact; rename it to {name}", path = .path.display())]
    Misnamed {
        /// The file.
        path: PathBuf,
        /// The name that it is to have.
        name: String,
    },
    /// Something that is no file stands where the file of a table is to go.
    #[error("{path} is no regular file, and a table is to be written there", path = .path.display())]
    NotAFile {
        /// What stands there: a folder, a pipe or a device.
        path: PathBuf,
    },
    /// One side's wins are asked for alone, and they are the wins of both.
    #[error("{material} is symmetric: White's wins are Black's with the colours exchanged")]
    Symmetric {
        /// The table.
        material: String,
    },
    /// A table, or a column of it, is not there.
    #[error(
        "{path} {what}",
        path = .path.display(),
        what = if *.has_others { "has not every column" } else { "is not there" }
    )]
    NotBuilt {
        /// The file that would hold it.
        path: PathBuf,
        /// Whether the file is there, with other columns.
        has_others: bool,
        /// The table.
        material: String,
        /// The metrics of the columns that are needed, in the order in which people name them.
        metrics: Vec<Metric>,
    },
    /// Pieces that cannot be surveyed: they are no Betza notation, or too many.
    #[error("{pieces}: {message}")]
    Survey {
        /// The pieces of the ending.
        pieces: String,
        /// What is wrong.
        message: String,
    },
    /// Tables that a table's moves lead to are not there.
    #[error("{material} needs {needed}, which are not built", needed = .needed.join(", "))]
    SuccessorsNotBuilt {
        /// The table.
        material: String,
        /// Those that it needs.
        needed: Vec<String>,
        /// The metric of all of them.
        metric: Metric,
    },
    /// A file holds other values than solving its table gives.
    #[error("{path} does not hold what solving it again gives", path = .path.display())]
    Contradicted {
        /// The file.
        path: PathBuf,
    },
    /// Values of a table contradict those that its moves lead to.
    #[error("{material} has {n} wrong values, the first at {first}", n = count(*.n_wrong))]
    Wrong {
        /// The table.
        material: String,
        /// How many values are wrong.
        n_wrong: u64,
        /// The first of them.
        first: String,
    },
    /// A table that a verification needs is not in the folder.
    #[error("{material} is not there")]
    Missing {
        /// The table.
        material: String,
    },
    /// Values cannot be read, and no file says why.
    #[error("the values of {material} cannot be read")]
    Unreadable {
        /// The table.
        material: String,
    },
    /// A table holds a value that no code stands for.
    #[error("a value of {material} is larger than any can be")]
    ValueTooLarge {
        /// The table.
        material: String,
    },
    /// The caller has stopped the build.
    #[error("interrupted")]
    Interrupted,
}

impl From<SolveError> for LibraryError {
    fn from(error: SolveError) -> Self {
        match error {
            SolveError::Interrupted { .. } => LibraryError::Interrupted,
            error => LibraryError::Solve(error),
        }
    }
}

/// What fits into the memory that a table does not fit into.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Fitting {
    /// The table with this many threads.
    pub n_threads: Option<usize>,
    /// All tables of up to this many men.
    pub n_men: Option<usize>,
    /// The table if its file is not packed smaller.
    pub is_quick: bool,
}

/// What would mend an error, for a program to offer in its own words.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Remedy {
    /// Build these tables, with what they need, under these metrics.
    Build {
        /// The tables.
        materials: Vec<String>,
        /// The metrics.
        metrics: Vec<Metric>,
    },
    /// Allow so much memory, or build what fits.
    AllowMemory {
        /// Enough of it; none if the machine has less to spare.
        bytes: Option<u64>,
        /// What fits into what there is.
        fitting: Fitting,
    },
    /// Make room on the disk, or choose another folder.
    MakeRoom,
    /// Choose another folder.
    ChooseFolder,
    /// Wait until the other build has ended, or choose another folder.
    Wait,
    /// Move this file away, or choose another folder.
    MoveAway(PathBuf),
    /// Verify this file, and build its table again.
    Rebuild(PathBuf),
    /// Run the build again: what is finished stays.
    RunAgain,
}

impl LibraryError {
    /// An error of the system while something is done with a file or a folder.
    pub fn io(action: &'static str, path: &Path) -> impl Fn(io::Error) -> Self {
        move |error| LibraryError::Io { action, path: path.into(), error }
    }

    /// Whether a file or a table is not there; otherwise something else is wrong.
    pub fn is_missing(&self) -> bool {
        let is_not_there =
            |error: &SyzygyError| matches!(error, SyzygyError::NotThere { .. } | SyzygyError::Missing { .. });
        match self {
            LibraryError::NotBuilt { .. }
            | LibraryError::SuccessorsNotBuilt { .. }
            | LibraryError::Missing { .. }
            | LibraryError::Probe(ProbeError::Missing(_))
            | LibraryError::Flat(FlatError::NotThere { .. }) => true,
            LibraryError::Format(error) => error.is_not_found(),
            LibraryError::Syzygy(error) => is_not_there(error),
            LibraryError::Probe(ProbeError::Syzygy(error)) => is_not_there(error),
            _ => false,
        }
    }

    /// What would mend it, if that is known; errors of files say so in their words.
    #[must_use]
    pub fn remedy(&self) -> Option<Remedy> {
        Some(match self {
            LibraryError::NotAFolder { .. } => Remedy::ChooseFolder,
            LibraryError::FolderBusy { .. } => Remedy::Wait,
            LibraryError::DiskFull { .. } => Remedy::MakeRoom,
            &LibraryError::MemoryShort { needed_bytes, limit, fitting, .. } => Remedy::AllowMemory {
                bytes: Some(needed_bytes).filter(|&bytes| limit.can_be_had(bytes)),
                fitting,
            },
            LibraryError::NotAFile { path } => Remedy::MoveAway(path.clone()),
            LibraryError::NotBuilt { material, metrics, .. } => {
                Remedy::Build { materials: vec![material.clone()], metrics: metrics.clone() }
            }
            LibraryError::SuccessorsNotBuilt { needed, metric, .. } => {
                Remedy::Build { materials: needed.clone(), metrics: vec![*metric] }
            }
            LibraryError::Contradicted { path } => Remedy::Rebuild(path.clone()),
            LibraryError::Interrupted => Remedy::RunAgain,
            _ => return None,
        })
    }
}
