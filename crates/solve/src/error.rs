//! Lists the reasons why a material cannot be solved.

/// The reasons why a material cannot be solved.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SolveError {
    /// A capture or promotion leads to a table that is not there.
    #[error("{material} needs the table {needed}, which is not there; solve {needed} first")]
    Missing {
        /// The material being solved.
        material: String,
        /// The material that is needed.
        needed: String,
    },
    /// The log of a table cannot be written.
    #[error("{material} was not solved to the end, because its log cannot be written: {what}")]
    Log {
        /// The material being solved.
        material: String,
        /// What the system says.
        what: String,
    },
    /// A table that captures and promotions lead to, or a slice that is done, cannot be read.
    #[error("{material} was not solved to the end, because what it needs cannot be read: {what}")]
    Unreadable {
        /// The material being solved.
        material: String,
        /// What the system or the reader says.
        what: String,
    },
    /// Somebody has stopped the solve; its log, if it has one, is there to go on with.
    #[error("{material} was interrupted")]
    Interrupted {
        /// The material being solved.
        material: String,
    },
    /// A win takes longer than two bytes can hold.
    #[error("{material} has a win of more than {limit} plies, more than a table can hold")]
    TooDeep {
        /// The material being solved.
        material: String,
        /// The most plies that a table can hold.
        limit: u32,
    },
}

impl SolveError {
    /// A material has a win that has no code of two bytes.
    pub(crate) fn too_deep(material: String) -> Self {
        SolveError::TooDeep { material, limit: u32::from(u16::MAX / 2 - 1) }
    }
}
