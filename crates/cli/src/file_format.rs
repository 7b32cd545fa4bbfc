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

/// The formats of others.
#[derive(clap::ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ExportFormat {
    /// .rtbw and .rtbz, which chess programs read; of other games .atbw, .gtbw, .stbw, or .tsbw, which only
    /// we read
    Syzygy,
    /// .tbl, flat files of distances, two bytes a position, to be mapped into memory
    Tbl,
    /// .tbc, the same with two bits a position: who wins
    Tbc,
    /// .tsq, one bit a position: the answer to a question, which only we read
    Bits,
    /// .parquet, a row a position, for data frames; a feature of the program
    Parquet,
    /// .npz, arrays for numpy; a feature of the program
    Npz,
    /// longest_mates.csv, a line for each side to move and result of each table
    Longest,
}
