//! Names the formats of files as arguments.

/// The files that a run writes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, clap::ValueEnum)]
pub(crate) enum WriteFormat {
    /// Our own: small, checked, of any metric
    Tsm,
    /// .rtbw and .rtbz for chess programs, or those of the game
    Syzygy,
    /// Flat files of distances
    Tbl,
    /// Flat files of who wins
    Tbc,
}

/// The forms of a plan that other programs read.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub(crate) enum PlanFormat {
    /// A script of the shell: `bash FILE` submits a job for each table to Slurm
    Slurm,
    /// A makefile: `make -j 8 -f FILE` makes what is missing
    Make,
    /// A Snakefile, with memory, disk and time of each table
    Snakemake,
    /// JSON, as with --json
    Json,
    /// The DOT language, as with --dot
    Dot,
}
