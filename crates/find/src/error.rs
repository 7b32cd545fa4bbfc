//! Reports why a search cannot go on.

use probe::ProbeError;

/// Why a search cannot go on.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FindError {
    /// A table that a move leads to is not there or cannot be read.
    #[error("a condition on moves needs the tables that they lead to: {0}")]
    Probe(#[from] ProbeError),
}
