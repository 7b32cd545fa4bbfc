//! Declares the arguments of `probe`.

use crate::Telling;
use crate::args::Asking;
use std::path::PathBuf;
use variant::Metric;

/// Look positions up: value, moves, main line
#[derive(clap::Args, Debug)]
pub(crate) struct ProbeArgs {
    /// The position in FEN
    #[arg(required_unless_present = "stdin", conflicts_with = "stdin")]
    pub(crate) fen: Option<String>,
    /// The rules of the game: a file or a name [default: those of the tables, or chess]
    #[arg(long, value_name = "FILE")]
    pub(crate) variant: Option<PathBuf>,
    /// Where the tables are; given several times, from each folder what those before have not [default:
    /// where solve writes]
    #[arg(long, value_name = "DIR")]
    pub(crate) tables: Vec<PathBuf>,
    /// Where the tables are that a structure was solved with [default: where the structure is]
    #[arg(long, value_name = "DIR")]
    pub(crate) using: Vec<PathBuf>,
    /// Ask this one-bit file, KQvKR.white-wins.tsq for example, and no table
    #[arg(long, value_name = "FILE", conflicts_with_all = ["tables", "metric", "line"])]
    pub(crate) bits: Option<PathBuf>,
    /// What to tell: wdl, dtc, dtz, dtz50, dtm or help [default: the metric of the rules]
    #[arg(long, value_name = "METRIC")]
    pub(crate) metric: Option<Metric>,
    /// Play on to the end of the game, over captures and pawn moves; these are marked with a star
    #[arg(long, conflicts_with_all = ["stdin", "value_only"])]
    pub(crate) line: bool,
    #[command(flatten)]
    pub(crate) telling: Telling,
    /// Read one FEN a line and print one line each: fen, result, plies, best moves, with tabs between them
    #[arg(long)]
    pub(crate) stdin: bool,
    /// With --stdin: how many threads answer [default: as many as there are cores]
    #[arg(long, value_name = "N", requires = "stdin", conflicts_with = "bits",
          value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,
    /// No moves, only the value
    #[arg(long)]
    pub(crate) value_only: bool,
    #[command(flatten)]
    pub(crate) asking: Asking,
    /// Print JSON; with --stdin one object a line, without the main line
    #[arg(long)]
    pub(crate) json: bool,
}
