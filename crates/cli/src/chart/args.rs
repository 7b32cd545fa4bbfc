//! Declares the arguments of `chart`.

use std::path::PathBuf;

/// Draw how many positions of tables are decided at each ply, or a heat map of the board, as SVG
#[derive(clap::Args, Debug)]
pub(crate) struct ChartArgs {
    /// The tables, such as tables/fide/KBNvK.tsm; several go into one picture
    #[arg(required = true)]
    pub(crate) file: Vec<PathBuf>,
    /// Where the picture goes [default: standard output]; with the feature `png` a name that ends in .png
    /// makes pixels of it
    #[arg(short, long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// A heat map instead: how many plies it takes on average with this man, by its letter in a FEN, there
    #[arg(long, value_name = "MAN")]
    pub(crate) square_of: Option<char>,
    /// Only positions with this side to move [default: both; of a heat map Black]
    #[arg(long, value_enum)]
    pub(crate) to_move: Option<SideArg>,
    /// Only wins, or only losses, of the side to move [default: both]
    #[arg(long, value_enum, conflicts_with = "square_of")]
    pub(crate) result: Option<ResultArg>,
    /// A linear axis of positions [default: logarithmic]
    #[arg(long, conflicts_with = "square_of")]
    pub(crate) linear: bool,
    /// The rules of the game [default: variants/<variant of the table>.toml, or chess as built in]
    #[arg(long, value_name = "FILE")]
    pub(crate) variant: Option<PathBuf>,
}

/// A side as people type it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub(crate) enum SideArg {
    White,
    Black,
}

/// A result as people type it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub(crate) enum ResultArg {
    Win,
    Loss,
}
