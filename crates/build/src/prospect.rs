//! Describes what a build is going to do with each table, before it begins.

use library::Loan;
use variant::Side;

/// What a build is going to do with a table, as far as the headers of files show.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
#[non_exhaustive]
pub enum Prospect {
    /// It is there.
    #[default]
    Done,
    /// It is solved: it has no file.
    Missing,
    /// It is solved again: its file cannot be read, or is of other rules or another version of the solver.
    Outdated,
    /// It is solved again because that was asked for: by force, or to keep both sides to move.
    Asked,
    /// It is solved again for the sake of others: its files stay as they are, but have left out a side to
    /// move.
    LeftOut {
        /// The side that is missing.
        side: Side,
        /// The tables to be made that need it.
        needed_by: Vec<String>,
    },
    /// It is solved: a folder of others has it, but in a form that does not serve, for this reason.
    NotLent(String),
    /// It is taken from a folder of others.
    Lent {
        /// From where.
        loan: Loan,
        /// Whether a table that is to be made reads it.
        is_read: bool,
    },
    /// No table that is to be made needs it: those that do are taken from folders of others, or are for
    /// other builds of the set to make.
    Unneeded,
}

impl Prospect {
    /// Whether the table is to be made, or made again.
    #[must_use]
    pub fn is_to_make(&self) -> bool {
        !matches!(self, Prospect::Done | Prospect::Lent { .. } | Prospect::Unneeded)
    }

    /// Whether the table is to be in the folder in the end.
    #[must_use]
    pub fn is_own(&self) -> bool {
        !matches!(self, Prospect::Lent { .. } | Prospect::Unneeded)
    }
}
