//! Declares the arguments of the engine.

use crate::asking::Asking;
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
    #[command(flatten)]
    pub(crate) asking: Asking,
}
