//! Names the ways in which a table can be solved.

/// How a table is solved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Strategy {
    /// Its codes are in memory.
    InMemory,
    /// What is found goes into a log on the disk, and codes are made of it block by block.
    LogOnDisk,
}
