//! Names the ways to solve tables as arguments.

use build::Strategy;

/// How tables are solved.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub(crate) enum StrategyArg {
    /// Codes in memory: the quickest
    Memory,
    /// A log on the disk, of which the codes are made
    Log,
    /// The same, with the planes on the disk, too
    Disk,
    /// The same, with the tables below read block by block, too: the least memory
    Blocks,
}

impl StrategyArg {
    pub(crate) fn strategy(self) -> Strategy {
        match self {
            StrategyArg::Memory => Strategy::InMemory,
            StrategyArg::Log => Strategy::LogOnDisk,
            StrategyArg::Disk => Strategy::PlanesOnDisk,
            StrategyArg::Blocks => Strategy::BlockByBlock,
        }
    }
}
