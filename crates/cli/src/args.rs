//! Declares the arguments of every command.

use crate::chart::ChartArgs;
use crate::cluster::ClusterArgs;
pub(crate) use crate::file_format::{ExportFormat, PlanFormat, WriteFormat};
use crate::find::FindArgs;
use crate::plan::PlanArgs;
use crate::probe::ProbeArgs;
use crate::repack::RepackArgs;
use crate::solve::SolveArgs;
use crate::survey::SurveyArgs;
use crate::verify::Part;
use clap::{Parser, Subcommand};
use geometry::Board;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use variant::{Material, Metric};

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

/// Which tables of those that are there.
#[derive(clap::Args, Debug)]
pub(crate) struct Chosen {
    /// Only tables of up to so many men, kings included; together with --table that one too
    #[arg(long, value_name = "N")]
    pub(crate) men: Option<usize>,
    /// Only this table, such as KQvKR
    #[arg(long, value_name = "MATERIAL")]
    pub(crate) table: Option<String>,
}

impl Chosen {
    /// Whether all tables are asked for.
    pub(crate) fn is_all(&self) -> bool {
        self.men.is_none() && self.table.is_none()
    }

    /// Whether a table is among those that are asked for; `only` is what `table` names.
    pub(crate) fn has(&self, material: &Material, only: Option<&Material>) -> bool {
        match (self.men, only) {
            (None, None) => true,
            (men, only) => men.is_some_and(|n_men| material.n_men() <= n_men) || only == Some(material),
        }
    }
}

/// Show the statistics of a table, or of all tables of a folder
#[derive(clap::Args, Debug)]
pub(crate) struct StatsArgs {
    /// The table, such as tables/fide/KQvKR.tsm; a folder of tables; or a flat or Syzygy file, with those
    /// that it needs beside it
    pub(crate) file: PathBuf,
    /// The rules of the game [default: variants/<variant of the table>.toml, or chess as built in]
    #[arg(long, value_name = "FILE")]
    pub(crate) variant: Option<PathBuf>,
    /// Print the longest wins and losses and the mutual zugzwangs as EPD
    #[arg(long, conflicts_with = "json")]
    pub(crate) epd: bool,
    /// Print at most so many positions of a kind [default: 1000 on a terminal, all elsewhere]
    #[arg(long, value_name = "N", requires = "epd", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) limit: Option<u64>,
    /// Print values with commas between them, a line a table: counts, percentages, longest, means,
    /// zugzwangs, size, hashes
    #[arg(long, conflicts_with_all = ["json", "epd", "markdown", "report", "against"])]
    pub(crate) csv: bool,
    /// With --csv: a line for each side to move, result and number of plies
    #[arg(long, requires = "csv")]
    pub(crate) by_ply: bool,
    /// Print a table in Markdown
    #[arg(long, conflicts_with_all = ["json", "epd", "report", "against"])]
    pub(crate) markdown: bool,
    /// Print in one screen what a table's pieces can do: won %, mean and longest, checks, mates, draws by a
    /// capture at once and by a fortress; needs the tables that its moves lead to
    #[arg(long, conflicts_with_all = ["json", "epd", "against"])]
    pub(crate) report: bool,
    /// Compare with this table of the same men under other rules, position by position
    #[arg(long, value_name = "FILE", conflicts_with_all = ["json", "epd"])]
    pub(crate) against: Option<PathBuf>,
    /// Of a structure (.tss): which squares of the defender's king answer which of the attacker's
    #[arg(long, conflicts_with_all = ["json", "epd", "csv", "markdown", "report", "against"])]
    pub(crate) squares: bool,
    /// Print a hash of all values, which does not depend on codes, packing or file; of a folder a line a file
    #[arg(long, conflicts_with_all = ["json", "epd", "csv", "markdown", "report", "against", "squares"])]
    pub(crate) hash: bool,
    /// Where the tables are that a structure was solved with [default: where the structure is]
    #[arg(long, value_name = "DIR")]
    pub(crate) using: Vec<PathBuf>,
    /// Print JSON; of a folder a list
    #[arg(long)]
    pub(crate) json: bool,
}

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

/// Check a variant file or a structure file: print its faults, or in words what it means and what in it is
/// likely a mistake
#[derive(clap::Args, Debug)]
pub(crate) struct CheckArgs {
    /// The file
    pub(crate) file: PathBuf,
    /// Of a structure file: the rules of its game [default: those that it names, or chess]
    #[arg(long, value_name = "FILE")]
    pub(crate) variant: Option<PathBuf>,
    /// Say only that the file is right, and what is likely a mistake
    #[arg(long, conflicts_with = "json")]
    pub(crate) brief: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Show how a piece moves: picture, words, symmetries; without one, list the pieces that have names
#[derive(clap::Args, Debug)]
pub(crate) struct PieceArgs {
    /// A name such as grasshopper, or Betza notation such as NN or mRcpR
    pub(crate) piece: Option<String>,
    /// List the pieces that have names, as without an argument
    #[arg(long, conflicts_with = "piece")]
    pub(crate) all: bool,
    /// Print the page docs/pieces.md
    #[arg(long, conflicts_with_all = ["piece", "all", "json"])]
    pub(crate) markdown: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Write a variant file to begin with: chess men, a man of your own, comments on every line
#[derive(clap::Args, Debug)]
pub(crate) struct NewVariantArgs {
    /// The name of the game, as in tables/<name>: lower-case letters, digits, `-` and `_`
    pub(crate) name: String,
    /// Files and ranks, such as 10x8
    #[arg(long, value_name = "SIZE", default_value = "8x8", value_parser = crate::size::parse_board)]
    pub(crate) board: Board,
    /// Where the file goes [default: variants/<name>.toml]
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}

/// Write tables in the formats of other programs
#[derive(clap::Args, Debug)]
pub(crate) struct ExportArgs {
    /// The folder of the tables; for syzygy with files of the metrics wdl and dtz50
    pub(crate) tables: PathBuf,
    /// The format
    #[arg(long, value_name = "FORMAT")]
    pub(crate) format: ExportFormat,
    /// Where the files go
    #[arg(long, value_name = "DIR")]
    pub(crate) out: PathBuf,
    /// Only this table, such as KQvKR; may be given several times
    #[arg(long, value_name = "MATERIAL")]
    pub(crate) table: Vec<String>,
    /// Only tables of up to so many men, kings included
    #[arg(long, value_name = "N", conflicts_with = "table")]
    pub(crate) men: Option<usize>,
    /// Round distances to moves where the fifty-move rule allows it: smaller files (syzygy)
    #[arg(long)]
    pub(crate) rounded: bool,
    /// The question that one-bit files answer: "white wins", "black wins within 99" or "draw" (bits)
    #[arg(long, value_name = "QUESTION")]
    pub(crate) question: Option<export::bits::Question>,
    /// What flat files and columns are to hold, or one-bit files are to answer by [default: the metric of
    /// the rules, in .tbc wdl]
    #[arg(long, value_name = "METRIC")]
    pub(crate) metric: Option<Metric>,
    /// Compress each flat file with gzip, for transport
    #[arg(long)]
    pub(crate) gz: bool,
    /// Four bytes a position in .tbl also where two are enough
    #[arg(long)]
    pub(crate) wide: bool,
    /// One file a table for all squares of its pawns (wKP-bK.tbl), not one for each of their placements (tbl,
    /// tbc)
    #[arg(long)]
    pub(crate) one_file: bool,
    /// Write each position as FEN, too (parquet)
    #[arg(long)]
    pub(crate) fen: bool,
    /// The rules of the game [default: variants/<variant of the tables>.toml, or chess as built in]
    #[arg(long, value_name = "FILE")]
    pub(crate) variant: Option<PathBuf>,
    /// How many threads compute [default: as many as there are cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,
}

/// Remove what interrupted runs have left behind and no run will use
#[derive(clap::Args, Debug)]
pub(crate) struct CleanArgs {
    /// The rules of the game, such as variants/fide.toml
    pub(crate) variant: PathBuf,
    /// Where the tables are [default: tables/<variant>]
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Where logs and slices are [default: beside the tables]
    #[arg(long, value_name = "DIR")]
    pub(crate) scratch: Option<PathBuf>,
    /// Also what a run would go on with
    #[arg(long)]
    pub(crate) all: bool,
}
