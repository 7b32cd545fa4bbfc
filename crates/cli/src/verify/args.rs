//! Declares the arguments of `verify`, and how much is checked without them.

use super::part::Part;
use crate::args::Chosen;
use std::path::PathBuf;

/// Up to so many men every position is checked.
pub(super) const MAX_MEN_IN_FULL: usize = 4;

/// How many placements are checked of larger tables, with each side to move.
pub(super) const N_PLACEMENTS: u64 = 1_000_000;

/// Check tables: checksums, then values against their successors: every one up to four men, a sample above
#[derive(clap::Args, Debug)]
pub(crate) struct VerifyArgs {
    /// A table, or a folder of tables; flat, Syzygy and one-bit files are checked too
    pub(crate) path: PathBuf,
    /// The rules of the game [default: variants/<variant of the tables>.toml, or chess as built in]
    #[arg(long, value_name = "FILE")]
    pub(crate) variant: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) wanted: Chosen,
    /// Check so many placements (men on squares, whoever is to move) of each table, with each side to move,
    /// spread evenly [default: all up to four men, 1000000 above]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), conflicts_with = "all")]
    pub(crate) sample: Option<u64>,
    /// Check every placement of every table
    #[arg(long)]
    pub(crate) all: bool,
    /// Check one part of the tables, such as 2/4: parts cost about alike, and together they are all
    #[arg(long, value_name = "I/N", conflicts_with = "against")]
    pub(crate) part: Option<Part>,
    /// Compare tables, position by position, with the files of this folder instead: .tbl and .tbc, or tables
    /// of dtz50 with Syzygy files (.rtbw and .rtbz, or those of the game); a one-bit file with its table
    #[arg(long, value_name = "DIR", conflicts_with = "json")]
    pub(crate) against: Option<PathBuf>,
    /// Where the tables are that a structure was solved with [default: where the structure is]
    #[arg(long, value_name = "DIR")]
    pub(crate) using: Vec<PathBuf>,
    /// How many threads compute [default: as many as there are cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}
