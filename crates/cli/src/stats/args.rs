//! Declares the arguments of `stats`.

use crate::Console;
use std::path::PathBuf;
use variant::Metric;

/// The most positions of a kind on a terminal, unless the user says. A file or a program gets all of them.
const MAX_ON_TERMINAL: u64 = 1000;

/// Show the statistics of a table, or of all tables of a folder
#[derive(clap::Args, Debug)]
pub(crate) struct StatsArgs {
    /// The table, such as tables/fide/KQvKR.tsm; a folder of tables; or a flat or Syzygy file, with those
    /// that it needs beside it
    pub(crate) file: PathBuf,
    /// The rules of the game [default: those of the game of the tables, from variants/, beside the tables,
    /// or built in]
    #[arg(long, value_name = "FILE")]
    pub(crate) variant: Option<PathBuf>,
    /// Which column of a table's file [default: the metric of the rules, or the only one that counts plies]
    #[arg(long, value_name = "METRIC")]
    pub(crate) metric: Option<Metric>,
    /// Print what a file or the files of a folder have: a line a column, with its size, sides to move and
    /// hash
    #[arg(long, conflicts_with_all = ["epd", "csv", "markdown", "report", "against", "squares", "hash",
        "metric"])]
    pub(crate) columns: bool,
    /// Count the positions with castling rights of a table that `solve --rights` has made; with --epd:
    /// print those in which only castling will do
    #[arg(long, conflicts_with_all = ["columns", "csv", "markdown", "report", "against", "squares", "hash"])]
    pub(crate) rights: bool,
    /// Print the longest wins and losses and the mutual zugzwangs as EPD
    #[arg(long, conflicts_with = "json")]
    pub(crate) epd: bool,
    /// Print at most N positions of a kind [default: 1000 on a terminal, all elsewhere]
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
    /// Print a hash of all values, which does not depend on codes, packing or file; a line a column of
    /// each file
    #[arg(long, conflicts_with_all = ["json", "epd", "csv", "markdown", "report", "against", "squares"])]
    pub(crate) hash: bool,
    /// Where the tables are that a structure was solved with [default: where the structure is]
    #[arg(long, value_name = "DIR")]
    pub(crate) using: Vec<PathBuf>,
    /// Print JSON; of a folder a list
    #[arg(long)]
    pub(crate) json: bool,
}

impl StatsArgs {
    /// How many positions of a kind are printed.
    pub(crate) fn limit(&self, console: &Console<'_>) -> usize {
        let limit = self.limit.or(console.out_width.map(|_| MAX_ON_TERMINAL)).unwrap_or(u64::MAX);
        usize::try_from(limit).unwrap_or(usize::MAX)
    }
}
