//! Declares the arguments of `export`.

use ::export::flat::Form;
use std::path::PathBuf;
use variant::Metric;

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

/// Write tables in the formats of other programs
#[derive(clap::Args, Debug)]
pub(crate) struct ExportArgs {
    /// The folder of the tables, for syzygy with the columns wdl and dtz50; or a structure (.tss), whose
    /// slices go into flat files (tbl, tbc)
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
    /// Only tables of up to N men, kings included
    #[arg(long, value_name = "N", conflicts_with = "table")]
    pub(crate) men: Option<usize>,
    /// Round distances to moves where the fifty-move rule allows it: smaller files (syzygy)
    #[arg(long)]
    pub(crate) rounded: bool,
    /// The question that one-bit files answer: "white wins", "black wins within 99" or "draw" (bits)
    #[arg(long, value_name = "QUESTION")]
    pub(crate) question: Option<::export::bits::Question>,
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
    /// One file a table for all squares of its pawns (wKP-bK.tbl), not one for each of their placements
    /// (tbl, tbc)
    #[arg(long)]
    pub(crate) one_file: bool,
    /// Write each position as FEN, too (parquet)
    #[arg(long)]
    pub(crate) fen: bool,
    /// The rules of the game [default: those of the game of the tables, from variants/, beside the tables,
    /// or built in]
    #[arg(long, value_name = "FILE")]
    pub(crate) variant: Option<PathBuf>,
    /// How many threads compute [default: as many as there are cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,
}

impl ExportArgs {
    /// What flat files hold: what is asked for, else `own` distances, or who wins.
    pub(super) fn held(&self, form: Form, own: Metric) -> Metric {
        self.metric.unwrap_or(if form == Form::Distances { own } else { Metric::Wdl })
    }
}
