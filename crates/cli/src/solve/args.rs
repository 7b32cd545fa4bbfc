//! Declares the arguments of `solve`.

use crate::Telling;
use crate::args::{Wanted, WriteFormat};
use crate::structure::StructureArgs;
use build::Strategy;
use std::path::PathBuf;
use std::time::Duration;
use variant::{Metric, Side};

const WHAT: &str = "What is solved";
const HOW: &str = "How";
const FILES: &str = "Files";
const JOB: &str = "One job of a set on many machines";
const PRINT: &str = "What is printed";

/// Solve tables, write them, and print what is in them
#[derive(clap::Args, Debug)]
pub(crate) struct SolveArgs {
    /// The rules of the game: a file, or the name of a game that is built in, such as atomic [default:
    /// chess; with --structure: those that the file names]
    pub(crate) variant: Option<PathBuf>,
    #[command(flatten, next_help_heading = WHAT)]
    pub(crate) wanted: Wanted,
    #[command(flatten, next_help_heading = WHAT)]
    pub(crate) structure: StructureArgs,
    #[command(flatten, next_help_heading = PRINT)]
    pub(crate) telling: Telling,
    /// Where the tables go [default: tables/<game> in a source tree or where there is a folder tables, else
    /// in $TABLESMITH_TABLES or the user's folder for data]
    #[arg(long, value_name = "DIR", help_heading = FILES)]
    pub(crate) out: Option<PathBuf>,
    /// Use the tables of this folder where the run's own has none: .tsm, Syzygy and flat files; may be given
    /// several times. For wdl it suffices who wins, distances must be those of the metric. With
    /// --position and --structure the slices of structures there serve, too. Nothing is written there
    #[arg(long, value_name = "DIR", help_heading = HOW)]
    pub(crate) using: Vec<PathBuf>,
    /// Of --position and --structure: stop after this time, such as 90s or 5m, and say what is known by
    /// then; what is solved is kept, and the next run goes on from it
    #[arg(long, value_name = "TIME", requires = "asked", value_parser = crate::args::parse_time,
        help_heading = HOW, hide_short_help = true)]
    pub(crate) time: Option<Duration>,
    /// How many threads compute [default: as many as there are cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024),
        help_heading = HOW)]
    pub(crate) threads: Option<u16>,
    /// How much memory the run may take, such as 4G or 800M [default: what the machine has left]
    #[arg(long, value_name = "SIZE", value_parser = crate::args::parse_size, help_heading = HOW)]
    pub(crate) memory: Option<u64>,
    /// How tables are solved: in memory, or by a log on the disk, those with pawns slice by slice, with a
    /// sixth of the memory and half as much work again, and with planes on the disk with less still
    /// [default: the first of these that fits]
    #[arg(long, value_enum, help_heading = HOW, hide_short_help = true)]
    pub(crate) strategy: Option<StrategyArg>,
    /// Where the log and the slices of a table go that is too large for memory, until its file is there
    /// [default: beside the tables]
    #[arg(long, value_name = "DIR", help_heading = HOW, hide_short_help = true)]
    pub(crate) scratch: Option<PathBuf>,
    /// A folder of the machine's own, into which the tables that the job reads are copied first; they stay
    /// for the next job
    #[arg(long, value_name = "DIR", requires = "job", help_heading = JOB, hide_short_help = true)]
    pub(crate) stage: Option<PathBuf>,
    /// How many seconds of such a table's work may be lost if the machine loses its power
    #[arg(long, value_name = "SECONDS", default_value_t = 60, help_heading = HOW, hide_short_help = true)]
    pub(crate) checkpoint: u64,
    /// What the tables hold: wdl (who wins), dtc (plies to mate, capture or promotion), dtz (plies to mate,
    /// capture or pawn move), dtz50 (the same under the n-move rule) or dtm (plies to mate), several with
    /// commas between them; or help (plies to mate if both sides help) [default: the metric of the rules]
    #[arg(long, value_name = "METRIC", value_delimiter = ',', help_heading = WHAT)]
    pub(crate) metric: Vec<Metric>,
    /// Look for the wins of this side alone, of the one table that --table names, and save what those of the
    /// other side take: into columns of their own. The tables below it have the wins of both
    #[arg(long, value_name = "SIDE", value_parser = crate::args::side(), requires = "table",
        conflicts_with_all = ["position", "structure", "rights", "job", "write"],
        help_heading = WHAT, hide_short_help = true)]
    pub(crate) wins: Option<Side>,
    /// Which files are written: tsm (our own), syzygy, tbl, tbc, as `export` writes them; several with
    /// commas between them. Tables that none of these are wait in the folder .interim until all is written
    #[arg(long, value_name = "FORMAT", value_enum, value_delimiter = ',', default_value = "tsm",
        help_heading = FILES, hide_short_help = true)]
    pub(crate) write: Vec<WriteFormat>,
    /// Round distances to moves where the fifty-move rule allows it: smaller files (syzygy)
    #[arg(long, help_heading = FILES, hide_short_help = true)]
    pub(crate) rounded: bool,
    /// One file a table for all squares of its pawns (wKP-bK.tbl), not one for each of their placements
    /// (tbl, tbc)
    #[arg(long, help_heading = FILES, hide_short_help = true)]
    pub(crate) one_file: bool,
    /// Solve also what is done already
    #[arg(long, help_heading = HOW, hide_short_help = true)]
    pub(crate) force: bool,
    /// Keep both sides to move, of tables of five men and more and of those of other metrics too: twice as
    /// large, faster to probe [default: the side that takes less room; the other is found by looking one
    /// move ahead]
    #[arg(long, help_heading = FILES, hide_short_help = true)]
    pub(crate) both_sides: bool,
    /// Pack files smaller, to about three fifths: making a set takes three to thirteen times as long, and of
    /// plies to mate each new block of a probe up to a millisecond. Tables that are there already stay as
    /// they are
    #[arg(long, help_heading = FILES)]
    pub(crate) small: bool,
    /// Check every value of each new table against its successors, too
    #[arg(long, help_heading = HOW)]
    pub(crate) verify: bool,
    /// Solve the positions in which a side may castle too, from the tables: a column in the file of each
    /// that has such positions, of up to six men on 8 × 8
    #[arg(long, conflicts_with_all = ["position", "structure", "job", "write", "json"], help_heading = WHAT)]
    pub(crate) rights: bool,
    /// Report how many placements each ply decides as soon as it is found, of tables with pawns for each of
    /// their slices
    #[arg(long, help_heading = PRINT, hide_short_help = true)]
    pub(crate) plies: bool,
    /// Make this table as one job of many that build a set (see `cluster`): what it needs has to be there,
    /// both sides to move stay for the others, and a record of the run is left beside the tables
    #[arg(long, requires = "table", conflicts_with_all = ["force", "write"],
        help_heading = JOB, hide_short_help = true)]
    pub(crate) job: bool,
    /// Solve nothing: drop the side to move that takes more room of the tables that jobs have made, where
    /// all tables of the set that read them are there
    #[arg(long, conflicts_with_all = ["job", "force", "write", "recorded", "rights", "wins", "position",
        "structure", "json"], help_heading = JOB, hide_short_help = true)]
    pub(crate) trim: bool,
    /// Believe what jobs have recorded of files instead of reading them whole: for the end of a set
    #[arg(long, conflicts_with_all = ["job", "force", "write"], help_heading = JOB, hide_short_help = true)]
    pub(crate) recorded: bool,
    /// A command that brings a file which the job needs, such as 'rsync host:/tables/{file} {path}'; run for
    /// each file that is not here
    #[arg(long, value_name = "COMMAND", requires = "job", help_heading = JOB, hide_short_help = true)]
    pub(crate) fetch: Option<String>,
    /// A command that takes a file of the job elsewhere, such as 'rsync {path} host:/delivered/{file}'
    #[arg(long, value_name = "COMMAND", requires = "job", help_heading = JOB, hide_short_help = true)]
    pub(crate) store: Option<String>,
    /// Print JSON
    #[arg(long, help_heading = PRINT)]
    pub(crate) json: bool,
}

/// How tables are solved.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub(crate) enum StrategyArg {
    /// Codes in memory: the quickest
    Memory,
    /// A log on the disk, of which the codes are made
    Log,
    /// A log, with the planes on the disk, too
    Disk,
    /// A log and planes on the disk, with the tables below read block by block: the least memory
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
