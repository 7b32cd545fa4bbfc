//! Names a table that is needed and not there, or a file of positions with rights to castle.

use rights::{EXTENSION, TooLarge};
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
    /// Of positions with rights to castle: why nobody can make the file.
    pub too_large: Option<TooLarge>,
    /// Why it is not solved in memory, if somebody has looked whether it can be.
    pub unsolved: Option<String>,
}

impl MissingTable {
    /// A table, or a file of positions with rights to castle, that can be made.
    #[must_use]
    pub fn new(material: String, metric: Metric, file: PathBuf) -> Self {
        MissingTable { material, metric, file, too_large: None, unsolved: None }
    }

    /// Whether it is a file of positions with rights to castle.
    #[must_use]
    pub fn is_of_rights(&self) -> bool {
        self.file.extension().is_some_and(|extension| extension == EXTENSION)
    }

    /// What mends it, in the words of the command that does.
    pub(crate) fn remedy(&self) -> String {
        match (&self.too_large, self.is_of_rights()) {
            (Some(_), _) => String::new(),
            (None, true) => format!("; run solve with --table {} --rights", self.material),
            (None, false) => format!("; run solve with --table {}", self.material),
        }
    }
}

impl fmt::Display for MissingTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(too_large) = &self.too_large {
            return write!(f, "{too_large}");
        }
        let name = self.file.file_name().unwrap_or(self.file.as_os_str());
        write!(f, "not here: {}", name.display())?;
        self.unsolved.as_ref().map_or(Ok(()), |why| write!(f, ", and {why}"))
    }
}
