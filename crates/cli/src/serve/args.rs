//! Declares the arguments of the server and of the explorer.

use crate::asking::Asking;
use std::net::SocketAddr;
use std::path::PathBuf;

/// What is served, and within which limits.
#[derive(clap::Args, Debug)]
pub(crate) struct Limits {
    /// The rules of a game: of tables whose rules are nowhere else, or of a game without tables, whose small
    /// tables are solved when somebody asks; may be given several times
    #[arg(long, value_name = "FILE")]
    pub(crate) variant: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) asking: Asking,
    /// Print a line for each request
    #[arg(long)]
    pub(crate) log: bool,
}

/// Serve tables over HTTP: as Lichess's tablebase does, and by an interface of our own
#[derive(clap::Args, Debug)]
pub(crate) struct ServeArgs {
    /// The folder of tables, of one game or with a folder for each [default: tables]
    #[arg(long, value_name = "DIR")]
    pub(crate) tables: Option<PathBuf>,
    /// Where to listen
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:9000")]
    pub(crate) listen: SocketAddr,
    #[command(flatten)]
    pub(crate) limits: Limits,
    /// The tables do not change while they are served: let clients and proxies keep answers for a day
    #[arg(long)]
    pub(crate) read_only_cache: bool,
    /// The most connections at a time; others wait
    #[arg(long, value_name = "N", default_value_t = 4096, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) connections: u32,
    /// How many questions about positions are answered at a time, and as many about tables; others wait
    /// [default: twice the number of cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) readers: Option<u16>,
    /// How long a request may take, waiting included
    #[arg(long, value_name = "SECONDS", default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..=3600))]
    pub(crate) timeout: u32,
    /// The most positions of one request
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) max_positions: u32,
    /// The largest body of a request
    #[arg(long, value_name = "SIZE", default_value = "1M", value_parser = crate::size::parse_size)]
    pub(crate) max_body: u64,
    /// The largest answer
    #[arg(long, value_name = "SIZE", default_value = "16M", value_parser = crate::size::parse_size)]
    pub(crate) max_answer: u64,
}

/// Show tables in a browser: a board, every move with its value, statistics
#[derive(clap::Args, Debug)]
pub(crate) struct ExploreArgs {
    /// The folder of tables, of one game or with a folder for each [default: tables, if it is there]
    #[arg(long, value_name = "DIR")]
    pub(crate) tables: Option<PathBuf>,
    /// The port on this machine [default: 9010, or any that is free]
    #[arg(long, value_name = "PORT")]
    pub(crate) port: Option<u16>,
    #[command(flatten)]
    pub(crate) limits: Limits,
}
