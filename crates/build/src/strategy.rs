//! Names the ways in which a table can be solved.

/// How a table is solved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Strategy {
    /// Its codes are in memory.
    InMemory,
    /// What is found goes into a log on the disk, and codes are made of it block by block.
    LogOnDisk,
    /// The same, and the planes of what is open are on the disk, too.
    PlanesOnDisk,
    /// The same with nothing in memory but the blocks that are worked on: the tables below are read block by
    /// block, and fewer threads solve the table if all of them would take too much.
    BlockByBlock,
}

impl Strategy {
    /// Whether codes are made of a log.
    #[must_use]
    pub fn is_logged(self) -> bool {
        self != Strategy::InMemory
    }
}
