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
    /// A win takes longer than two bytes can hold.
    #[error("{material} has a win of more than {limit} plies, more than a table can hold")]
    TooDeep {
        /// The material being solved.
        material: String,
        /// The most plies that a table can hold.
        limit: u32,
    },
}
