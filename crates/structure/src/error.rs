//! Lists why a structure cannot be solved, read or asked.

use crate::Limit;
use probe::ProbeError;
use std::io;
use std::path::{Path, PathBuf};

/// Why a structure cannot be solved, read or asked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StructureError {
    /// A position has more men than squares are kept for.
    #[error("the position has {got} men, and structures have at most {most}")]
    TooManyMen {
        /// How many it has.
        got: usize,
        /// How many there may be.
        most: usize,
    },
    /// Too many ways for the pawns to stand.
    #[error(
        "{limit} the position leads to more than {most} slices (ways for the pawns to stand, with the men beside \
         them); block or take away pawns, or begin after more of them are gone"
    )]
    TooManySlices {
        /// The limit.
        limit: Box<Limit>,
        /// How many were followed.
        most: usize,
    },
    /// Too many values.
    #[error(
        "{limit} there are too many values: --limit allows {most}; allow more, or begin after pawns are exchanged \
         or blocked"
    )]
    TooManyValues {
        /// The limit.
        limit: Box<Limit>,
        /// How many were followed.
        most: u64,
    },
    /// A game whose tables are more than men and their squares.
    #[error(
        "checks are counted in {variant}, and positions are not solved by their pawns there; solve the table: \
         --table {material}"
    )]
    ChecksCounted {
        /// The game.
        variant: String,
        /// The material of the first position.
        material: String,
    },
    /// A slice has too many mobile men.
    #[error("{material} has {got} men that are no pawns, and a slice can be solved with at most {most}")]
    TooManyMobile {
        /// The material.
        material: String,
        /// How many it has.
        got: usize,
        /// How many there may be.
        most: usize,
    },
    /// A limit of promotions, or something given away, where no move may give check.
    #[error(
        "no move of {variant} may give check, and {limit} some moves lie outside, of which nobody looks \
         whether they do; ask without that limit"
    )]
    ChecksForbidden {
        /// The game.
        variant: String,
        /// The limit.
        limit: Box<Limit>,
    },
    /// It would take more than is allowed.
    #[error("{}", too_dear(limit, *n_values, *most_values, *memory_bytes, *most_memory_bytes, dearest))]
    TooDear {
        /// The limit that takes least.
        limit: Box<Limit>,
        /// How many values there would be.
        n_values: u64,
        /// How many there may be.
        most_values: u64,
        /// The memory that it would take.
        memory_bytes: u64,
        /// The memory that it may take.
        most_memory_bytes: u64,
        /// What takes most: the mobile men, their slices and values.
        dearest: Vec<(String, u64, u64)>,
    },
    /// A material cannot be solved.
    #[error(transparent)]
    Solve(#[from] solve::SolveError),
    /// The caller has stopped the run.
    #[error("{}", interrupted(path.as_deref()))]
    Interrupted {
        /// The file of what is solved; none if nothing was begun.
        path: Option<PathBuf>,
    },
    /// The system refuses something.
    #[error("cannot {what} {}: {source}", path.display())]
    Io {
        /// What was to be done.
        what: &'static str,
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// A file that is no structure, or a damaged one.
    #[error("{}: {what}; solve the structure again", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        what: String,
    },
    /// A table that the structure was solved with is not at hand.
    #[error(
        "{} was solved with tables at hand, and one of them is {missing}; name their folder with --using DIR",
        path.display()
    )]
    NotAtHand {
        /// The structure's file.
        path: PathBuf,
        /// Which table is not there.
        missing: String,
    },
    /// A file that was made under other rules.
    #[error(
        "{} was made under other rules of `{variant}` than these; name those with --variant FILE, or solve \
         the structure again",
        path.display()
    )]
    OtherRules {
        /// The file.
        path: PathBuf,
        /// The game that the file names.
        variant: String,
    },
}

impl StructureError {
    /// The system refuses something.
    pub(crate) fn io(what: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_path_buf();
        move |source| StructureError::Io { what, path, source }
    }

    /// Whether the caller has stopped the run.
    pub(crate) fn is_interrupt(&self) -> bool {
        matches!(self, StructureError::Interrupted { .. })
    }

    /// A value cannot be had.
    pub(crate) fn unread(path: &Path, error: &ProbeError) -> Self {
        match error {
            ProbeError::Missing(missing) => {
                StructureError::NotAtHand { path: path.to_path_buf(), missing: missing.to_string() }
            }
            error => StructureError::damaged(path, format!("a value cannot be read ({error})")),
        }
    }

    /// A file is damaged.
    pub(crate) fn damaged(path: &Path, what: impl Into<String>) -> Self {
        StructureError::Damaged { path: path.to_path_buf(), what: what.into() }
    }
}

fn interrupted(path: Option<&Path>) -> String {
    match path {
        Some(path) => {
            format!("interrupted; what is solved is kept in {}: run again to go on", path.display())
        }
        None => "interrupted before anything was kept: run again to begin anew".into(),
    }
}

/// Says what takes too much, and what to restrict.
fn too_dear(
    limit: &Limit,
    n_values: u64,
    most_values: u64,
    memory_bytes: u64,
    most_memory_bytes: u64,
    dearest: &[(String, u64, u64)],
) -> String {
    let mut text = match n_values > most_values {
        true => format!("{limit} there are {n_values} values, and --limit allows {most_values}"),
        false => {
            format!("{limit} it takes {memory_bytes} bytes of memory, and there are {most_memory_bytes}")
        }
    };
    for (name, n_slices, n_values) in dearest {
        text += &format!("\n  {name}: {n_slices} slices, {n_values} values");
    }
    text + "\nrestrict it: allow fewer promoted men (--promoted 0 or 1), begin after pawns are exchanged or \
            blocked, or allow more with --limit and --memory"
}
