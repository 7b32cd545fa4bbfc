//! Names a table that is needed and not there.

use std::fmt;
use std::path::PathBuf;
use variant::Metric;

/// A table that is needed and not there; as text `not here: KQvK.tsm`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MissingTable {
    /// The canonical name of the material.
    pub material: String,
    /// What the table would hold.
    pub metric: Metric,
    /// The file that would hold it.
    pub file: PathBuf,
}

impl fmt::Display for MissingTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.file.file_name().unwrap_or(self.file.as_os_str());
        write!(f, "not here: {}", name.display())
    }
}
