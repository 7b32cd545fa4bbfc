//! Declares the arguments of `find`.

use ::find::Form;
use std::path::PathBuf;
use variant::Metric;

/// Find the positions of tables that satisfy conditions (docs/find.md explains the language)
#[derive(clap::Args, Debug)]
pub(crate) struct FindArgs {
    /// The tables, such as KPvKP or 'KR*vK*' [default: all of the folder]
    #[arg(value_name = "MATERIAL")]
    pub(crate) material: Vec<String>,
    /// The condition, such as "wtm win and moves.winning == 1"
    #[arg(long = "where", value_name = "CONDITION", required_unless_present = "words")]
    pub(crate) condition: Option<String>,
    /// Where the tables are [default: tables/<variant>]
    #[arg(long, value_name = "DIR")]
    pub(crate) tables: Option<PathBuf>,
    /// The rules of the game [default: those of the tables, or variants/fide.toml, or chess as built in]
    #[arg(long, value_name = "FILE")]
    pub(crate) variant: Option<PathBuf>,
    /// The metric that words without a metric are about [default: the metric of the rules]
    #[arg(long, value_name = "METRIC")]
    pub(crate) metric: Option<Metric>,
    /// Only tables of up to so many men, kings included
    #[arg(long, value_name = "N")]
    pub(crate) men: Option<usize>,
    /// How the positions are written: epd, fen, jsonl, csv, or pgn (the main line, only moves marked)
    #[arg(long, value_name = "FORM", default_value = "epd")]
    pub(crate) form: Form,
    /// Write at most so many positions, the first ones [default: 1000 on a terminal, all elsewhere]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), conflicts_with = "sample")]
    pub(crate) limit: Option<u64>,
    /// Write a random choice of so many
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) sample: Option<u32>,
    /// Where random numbers begin: the same seed draws the same positions
    #[arg(long, value_name = "SEED", default_value_t = 1, requires = "sample")]
    pub(crate) seed: u64,
    /// Write how many positions there are, and none of them
    #[arg(long, conflicts_with_all = ["limit", "sample"])]
    pub(crate) count: bool,
    /// Write the words of the language as a table, in Markdown
    #[arg(long)]
    pub(crate) words: bool,
    /// Write the positions into this Parquet file instead; a feature of the program
    #[arg(long, value_name = "FILE", conflicts_with = "count")]
    pub(crate) parquet: Option<PathBuf>,
    /// How many threads compute [default: as many as there are cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,
}
