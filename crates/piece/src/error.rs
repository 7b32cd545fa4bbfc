//! Describes the faults of a Betza string, with what to write instead.

use std::fmt;
use std::ops::Range;

/// One fault of a Betza string.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BetzaFault {
    /// The bytes of the string that are at fault; never empty.
    pub span: Range<usize>,
    /// The first character at fault, counted from 1.
    pub column: usize,
    /// What is wrong.
    pub message: String,
    /// What to write instead.
    pub help: String,
}

/// A Betza string that cannot be read: all its faults, from the left; never none.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("movement `{text}`: {}", list(faults))]
#[non_exhaustive]
pub struct BetzaError {
    /// The string.
    pub text: String,
    /// Its faults.
    pub faults: Vec<BetzaFault>,
}

impl fmt::Display for BetzaFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "column {}: {} ({})", self.column, self.message, self.help)
    }
}

fn list(faults: &[BetzaFault]) -> String {
    faults.iter().map(BetzaFault::to_string).collect::<Vec<_>>().join("; ")
}
