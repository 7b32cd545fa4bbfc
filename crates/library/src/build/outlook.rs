//! Describes what a build is going to do with each table, before it begins.

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
}
