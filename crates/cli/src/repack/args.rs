//! Declares the arguments of `repack`.

use std::path::PathBuf;
use variant::Metric;

/// Pack the files of finished tables in another way, without solving the tables again
#[derive(clap::Args, Debug)]
#[command(group = clap::ArgGroup::new("way").required(true).args(["small", "quick"]))]
pub(crate) struct RepackArgs {
    /// The folder of the tables
    pub(crate) tables: PathBuf,
    /// Small files: two fifths smaller, and slower to write and of dtm to read
    #[arg(long)]
    pub(crate) small: bool,
    /// Quick files, as solve makes them
    #[arg(long)]
    pub(crate) quick: bool,
    /// Only tables of up to so many men, kings included; together with --table that one too
    #[arg(long, value_name = "N")]
    pub(crate) men: Option<usize>,
    /// Only this table, such as KQvKR
    #[arg(long, value_name = "MATERIAL")]
    pub(crate) table: Option<String>,
    /// Only files of these metrics, such as wdl,dtz50 [default: all]
    #[arg(long, value_name = "METRICS", value_delimiter = ',')]
    pub(crate) metric: Vec<Metric>,
    /// The rules of the game [default: variants/<variant of the tables>.toml, or chess as built in]
    #[arg(long, value_name = "FILE")]
    pub(crate) variant: Option<PathBuf>,
    /// How many threads compute [default: as many as there are cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,
    /// How much memory a table may take, such as 4G or 800M [default: what the machine has left]
    #[arg(long, value_name = "SIZE", value_parser = crate::size::parse_size)]
    pub(crate) memory: Option<u64>,
}
