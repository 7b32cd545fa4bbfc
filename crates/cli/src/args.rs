//! Declares the arguments of every command.

use crate::asking::Asking;
use crate::chart::ChartArgs;
use crate::check::CheckArgs;
use crate::clean::CleanArgs;
use crate::cluster::ClusterArgs;
use crate::export::ExportArgs;
pub(crate) use crate::file_format::{PlanFormat, WriteFormat};
use crate::find::FindArgs;
use crate::new_variant::NewVariantArgs;
use crate::piece::PieceArgs;
use crate::repack::RepackArgs;
use crate::side::SideArg;
use crate::stats::StatsArgs;
use crate::strategy::StrategyArg;
use crate::structure::StructureArgs;
use crate::survey::SurveyArgs;
use crate::verify::VerifyArgs;
use clap::{Parser, Subcommand};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use variant::Metric;

/// Endgame tables of any board game like chess: rules in, exact tables out.
#[derive(Parser, Debug)]
#[command(version, arg_required_else_help = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    Solve(SolveArgs),
    Plan(PlanArgs),
    Probe(ProbeArgs),
    Find(FindArgs),
    Stats(StatsArgs),
    Chart(ChartArgs),
    Survey(SurveyArgs),
    Verify(VerifyArgs),
    Check(CheckArgs),
    Piece(PieceArgs),
    NewVariant(NewVariantArgs),
    Export(ExportArgs),
    Cluster(ClusterArgs),
    Repack(RepackArgs),
    Clean(CleanArgs),
    #[cfg(feature = "serve")]
    Serve(crate::serve::ServeArgs),
    #[cfg(feature = "serve")]
    Explore(crate::serve::ExploreArgs),
    /// Play as a chess engine, by the protocol UCI
    #[cfg(feature = "play")]
    Uci(crate::play::PlayArgs),
    /// Play as a chess engine, by the protocol of XBoard
    #[cfg(feature = "play")]
    Xboard(crate::play::PlayArgs),
}

/// Which tables are wanted.
#[derive(clap::Args, Clone, PartialEq, Default, Debug, Serialize, Deserialize)]
pub(crate) struct Wanted {
    /// All tables of up to so many men, kings included [default: the limit of the variant]; with a pattern,
    /// those that fit it
    #[arg(long, value_name = "N")]
    pub(crate) men: Option<usize>,
    /// A table, such as KQvKR, with what it needs, or all that fit a pattern, such as 'KR*vK*'; may be given
    /// several times
    #[arg(long, value_name = "MATERIAL")]
    #[serde(default)]
    pub(crate) table: Vec<String>,
}

/// Solve tables, write them, and print what is in them
#[derive(clap::Args, Debug)]
pub(crate) struct SolveArgs {
    /// The rules of the game, such as variants/fide.toml [with --position: chess; with --structure:
    /// those that the file names, or chess]
    #[arg(required_unless_present_any = ["position", "structure"])]
    pub(crate) variant: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) wanted: Wanted,
    #[command(flatten)]
    pub(crate) structure: StructureArgs,
    /// Where the tables go [default: tables/<variant>]
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Use the tables of this folder where the run's own has none: .tsm, Syzygy and flat files; may be given
    /// several times. For wdl it suffices who wins, distances must be those of the metric. Nothing is
    /// written there
    #[arg(long, value_name = "DIR")]
    pub(crate) using: Vec<PathBuf>,
    /// How many threads compute [default: as many as there are cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,
    /// How much memory the run may take, such as 4G or 800M [default: what the machine has left]
    #[arg(long, value_name = "SIZE", value_parser = crate::size::parse_size)]
    pub(crate) memory: Option<u64>,
    /// How tables are solved: in memory, or by a log on the disk, those with pawns slice by slice, with a
    /// sixth of the memory and half as much work again, and with planes on the disk with less still
    /// [default: the first of these that fits]
    #[arg(long, value_enum)]
    pub(crate) strategy: Option<StrategyArg>,
    /// Where the log and the slices of a table go that is too large for memory, until its file is there
    /// [default: beside the tables]
    #[arg(long, value_name = "DIR")]
    pub(crate) scratch: Option<PathBuf>,
    /// A folder of the machine's own, into which the tables that the job reads are copied first; they stay
    /// for the next job
    #[arg(long, value_name = "DIR", requires = "job")]
    pub(crate) stage: Option<PathBuf>,
    /// How many seconds of such a table's work may be lost if the machine loses its power
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    pub(crate) checkpoint: u64,
    /// What the tables hold: wdl (who wins), dtc (plies to mate, capture or promotion), dtz (plies to mate,
    /// capture or pawn move), dtz50 (the same under the n-move rule) or dtm (plies to mate); several with
    /// commas between them [default: the metric of the rules]
    #[arg(long, value_name = "METRIC", value_delimiter = ',')]
    pub(crate) metric: Vec<Metric>,
    /// Look for the wins of this side alone, of the one table that --table names, and save what those of the
    /// other side take: into files of their own (.tsw). The tables below it have the wins of both
    #[arg(long, value_name = "SIDE", value_enum, requires = "table",
        conflicts_with_all = ["position", "structure", "rights", "job", "write"])]
    pub(crate) wins: Option<SideArg>,
    /// Which files are written: tsm (our own), syzygy, tbl, tbc, as `export` writes them; several with
    /// commas between them. Tables that none of these are wait in the folder .interim until all is written
    #[arg(long, value_name = "FORMAT", value_enum, value_delimiter = ',', default_value = "tsm")]
    pub(crate) write: Vec<WriteFormat>,
    /// Round distances to moves where the fifty-move rule allows it: smaller files (syzygy)
    #[arg(long)]
    pub(crate) rounded: bool,
    /// One file a table for all squares of its pawns (wKP-bK.tbl), not one for each of their placements (tbl,
    /// tbc)
    #[arg(long)]
    pub(crate) one_file: bool,
    /// Solve also what is done already
    #[arg(long)]
    pub(crate) force: bool,
    /// Keep both sides to move, of tables of five men and more and of those of other metrics too: twice as
    /// large, faster to probe [default: the side that takes less room; the other is found by looking one move
    /// ahead]
    #[arg(long)]
    pub(crate) both_sides: bool,
    /// Pack files smaller, to about three fifths: making a set takes three to thirteen times as long, and of
    /// plies to mate each new block of a probe up to a millisecond. Tables that are there already stay as
    /// they are
    #[arg(long)]
    pub(crate) small: bool,
    /// Check every value of each new table against its successors, too
    #[arg(long)]
    pub(crate) verify: bool,
    /// Solve the positions in which somebody may castle too, from the tables: a file .tsr beside each that
    /// has such positions, of up to five men on 8 × 8
    #[arg(long, conflicts_with_all = ["position", "structure", "job", "write", "json"])]
    pub(crate) rights: bool,
    /// Report how many placements each ply decides as soon as it is found, of tables with pawns for each of
    /// their slices
    #[arg(long)]
    pub(crate) plies: bool,
    /// Make this table as one job of many that build a set (see `cluster`): what it needs has to be there,
    /// both sides to move stay for the others, and a record of the run is left beside the tables
    #[arg(long, requires = "table", conflicts_with_all = ["force", "write"])]
    pub(crate) job: bool,
    /// The set of the job, N men or tables with commas: a side to move that none of it reads is left out
    #[arg(long, value_name = "SET", requires = "job", value_delimiter = ',')]
    pub(crate) of: Vec<String>,
    /// Believe what jobs have recorded of files instead of reading them whole: for the end of a set
    #[arg(long, conflicts_with_all = ["job", "force", "write"])]
    pub(crate) recorded: bool,
    /// A command that brings a file which the job needs, such as 'rsync host:/tables/{file} {path}'; run for
    /// each file that is not here
    #[arg(long, value_name = "COMMAND", requires = "job")]
    pub(crate) fetch: Option<String>,
    /// A command that takes a file of the job elsewhere, such as 'rsync {path} host:/delivered/{file}'
    #[arg(long, value_name = "COMMAND", requires = "job")]
    pub(crate) store: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Show which tables would be solved, in which order, why, and what they cost
#[derive(clap::Args, Debug)]
pub(crate) struct PlanArgs {
    /// The rules of the game, such as variants/fide.toml [with --position: chess; with --structure:
    /// those that the file names, or chess]
    #[arg(required_unless_present_any = ["position", "structure"])]
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
    #[arg(long, value_name = "SIZE", value_parser = crate::size::parse_size)]
    pub(crate) memory: Option<u64>,
    /// What the tables are to hold: wdl, dtc, dtz, dtz50 or dtm; several with commas between them [default:
    /// the metric of the rules]
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

/// Look positions up: value, moves, main line
#[derive(clap::Args, Debug)]
pub(crate) struct ProbeArgs {
    /// The position in FEN
    #[arg(required_unless_present = "stdin", conflicts_with = "stdin")]
    pub(crate) fen: Option<String>,
    /// The rules of the game [default: variants/fide.toml, or chess as built in]
    #[arg(long, value_name = "FILE")]
    pub(crate) variant: Option<PathBuf>,
    /// Where the tables are [default: tables/<variant>]
    #[arg(long, value_name = "DIR")]
    pub(crate) tables: Option<PathBuf>,
    /// Where the tables are that a structure was solved with [default: where the structure is]
    #[arg(long, value_name = "DIR")]
    pub(crate) using: Vec<PathBuf>,
    /// Ask this one-bit file, KQvKR.white-wins.tsq for example, and no table
    #[arg(long, value_name = "FILE", conflicts_with_all = ["tables", "metric", "line"])]
    pub(crate) bits: Option<PathBuf>,
    /// What to tell: wdl, dtc, dtz, dtz50 or dtm [default: the metric of the rules]
    #[arg(long, value_name = "METRIC")]
    pub(crate) metric: Option<Metric>,
    /// Play on to the end of the game, over captures and pawn moves; these are marked with a star
    #[arg(long, conflicts_with_all = ["stdin", "value_only"])]
    pub(crate) line: bool,
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
