//! Declares the arguments of the engine.

use std::path::PathBuf;

/// Play as a chess engine, from tables
#[derive(clap::Args, Debug)]
pub(crate) struct PlayArgs {
    /// The folder of tables, of one game or with a folder for each [default: tables, if it is there]
    #[arg(long, value_name = "DIR")]
    pub(crate) tables: Option<PathBuf>,
    /// The rules of a game without tables; the first one given is played unless another is asked for
    #[arg(long, value_name = "FILE")]
    pub(crate) variant: Vec<PathBuf>,
    /// Do not solve small tables that are missing
    #[arg(long)]
    pub(crate) no_solve: bool,
    /// How much memory decompressed blocks may take, such as 1G [default: a quarter of what the machine has
    /// left, at most 4G]
    #[arg(long, value_name = "SIZE", value_parser = crate::size::parse_size)]
    pub(crate) cache: Option<u64>,
}
