//! Declares the arguments of `plan`.

use crate::args::{PlanFormat, Wanted};
use crate::structure::StructureArgs;
use std::path::PathBuf;
use variant::Metric;

/// Show which tables would be solved, in which order, why, and what they cost
#[derive(clap::Args, Debug)]
pub(crate) struct PlanArgs {
    /// The rules of the game: a file, or the name of a game that is built in, such as atomic [default:
    /// chess; with --structure: those that the file names]
    pub(crate) variant: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) wanted: Wanted,
    #[command(flatten)]
    pub(crate) structure: StructureArgs,
    /// Where the tables are to go: says too which of them are there, and which would be solved again and why
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// With --position and --structure: read the tables of this folder instead of solving them; may be given
    /// several times
    #[arg(long, value_name = "DIR", requires = "asked")]
    pub(crate) using: Vec<PathBuf>,
    /// How many threads are to compute [default: as many as there are cores; with --format slurm, make
    /// and snakemake 2 of each job]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,
    /// How much memory a run may take, such as 4G or 800M: shows what fits and what does not [default: any]
    #[arg(long, value_name = "SIZE", value_parser = crate::args::parse_size)]
    pub(crate) memory: Option<u64>,
    /// What the tables are to hold: wdl, dtc, dtz, dtz50 or dtm, several with commas between them; or help
    /// [default: the metric of the rules]
    #[arg(long, value_name = "METRIC", value_delimiter = ',')]
    pub(crate) metric: Vec<Metric>,
    /// Measure for some seconds how fast this machine is, to say how long a run takes [default: once, on a
    /// terminal; what was measured is kept]
    #[arg(long, conflicts_with = "dot")]
    pub(crate) time: bool,
    /// Files are to keep both sides to move of tables of five men and more, too
    #[arg(long)]
    pub(crate) both_sides: bool,
    /// Files are to be packed smaller
    #[arg(long)]
    pub(crate) small: bool,
    /// Print the graph of the tables in another form
    #[arg(long, value_enum, conflicts_with_all = ["dot", "json"])]
    pub(crate) format: Option<PlanFormat>,
    /// Print the graph of the tables in the DOT language
    #[arg(long, conflicts_with = "json")]
    pub(crate) dot: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}
