//! Declares the arguments of `survey`.

use geometry::Board;
use variant::Metric;

/// Solve king and piece against king for a list of pieces, and print a line each: can they mate, how long
#[derive(clap::Args, Debug)]
pub(crate) struct SurveyArgs {
    /// The pieces: Betza notation or names, with commas between them, such as "N,NN,grasshopper"; `all` is
    /// every piece that has a name
    #[arg(long, value_name = "PIECES", value_delimiter = ',', required = true)]
    pub(crate) pieces: Vec<String>,
    /// Every two of the pieces together, two of the same too
    #[arg(long)]
    pub(crate) pairs: bool,
    /// What Black has beside the king: a piece, or several to be tried, with commas between them; an empty
    /// one is a bare king
    #[arg(long, value_name = "PIECES", value_delimiter = ',', default_value = "")]
    pub(crate) against: Vec<String>,
    /// Files and ranks, such as 10x8
    #[arg(long, value_name = "SIZE", default_value = "8x8", value_parser = crate::size::parse_board)]
    pub(crate) board: Board,
    /// What the tables hold: dtm, or dtc, dtz, dtz50
    #[arg(long, value_name = "METRIC", default_value = "dtm")]
    pub(crate) metric: Metric,
    /// Print the table in Markdown
    #[arg(long, conflicts_with_all = ["json", "csv"])]
    pub(crate) markdown: bool,
    /// Print values with commas between them
    #[arg(long, conflicts_with = "json")]
    pub(crate) csv: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// How many threads compute [default: as many as there are cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,
}
