//! Names the ways in which a table can be solved.

use solve::Planes;

/// How a table is solved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Strategy {
    /// Its codes are in memory.
    InMemory,
    /// What is found goes into a log on the disk, and codes are made of it block by block.
    LogOnDisk,
    /// The same, and the planes of what is open are on the disk, too.
    PlanesOnDisk,
}

impl Strategy {
    /// Whether codes are made of a log.
    #[must_use]
    pub fn is_logged(self) -> bool {
        self != Strategy::InMemory
    }

    /// Where the planes of a logged table are.
    pub(crate) fn planes(self) -> Planes {
        if self == Strategy::PlanesOnDisk { Planes::OnDisk } else { Planes::InMemory }
    }
}
