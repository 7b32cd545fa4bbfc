//! Names a place in the source tree that breaks a rule, with what to do about it.

use std::fmt;
use std::path::PathBuf;

/// One thing to put right.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Complaint {
    /// The file, from the root of the source tree.
    pub path: PathBuf,
    /// The line, from 1; 0 for the whole file.
    pub line: usize,
    /// What is wrong and what to do.
    pub message: String,
}

impl fmt::Display for Complaint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.path.display())?;
        if self.line > 0 {
            write!(f, ":{}", self.line)?;
        }
        write!(f, ": {}", self.message)
    }
}

/// Takes the complaints about one file: the line and the message.
pub(super) type Complain<'a> = dyn FnMut(usize, String) + 'a;
