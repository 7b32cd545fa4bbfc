//! Runs `cargo xtask lab cross-check`, which compares our rules and files with other people's programs.
//!
//! The kind `moves` compares positions that are made to be awkward with Fairy-Stockfish and python-chess:
//! which are legal, how the game has ended, the moves, and what they lead to. `syzygy` has other programs
//! read the files that we write for them. The programs are installed under `target/` and only ever run. The
//! check needs Python and the network, so it is no part of the tests.

mod dialect;
mod game;
mod judgement;
mod position_maker;
mod syzygy;

use anyhow::Result;
use std::path::PathBuf;
use xtask::interpreter::Python;
use xtask::root;

/// What is compared.
#[derive(Clone, Debug, clap::Subcommand)]
pub(crate) enum Comparison {
    /// Legality, ends and moves of positions, with Fairy-Stockfish's and python-chess's
    Moves {
        /// Games and pieces by their names, such as atomic, nightrider or fsN; all if none is named
        names: Vec<String>,
        /// The legal positions of each game
        #[arg(long = "positions", value_name = "N", default_value_t = 3_000)]
        n_positions: usize,
        /// The games of this variants.ini instead, as `import` takes them over
        #[arg(long, value_name = "FILE")]
        ini: Option<PathBuf>,
    },
    /// Values of exported files, with python-chess's and Stockfish's
    Syzygy(syzygy::Options),
}

/// Compares; returns whether all is equal.
///
/// # Errors
/// What is missing.
pub(crate) fn run(comparison: &Comparison) -> Result<bool> {
    let folder = root().join("target/cross-check");
    fs_err::create_dir_all(&folder)?;
    let environment = folder.join("venv");
    match comparison {
        Comparison::Moves { names, n_positions, ini } => {
            let (games, left_out) = match ini {
                Some(path) => game::games_of_ini(path, names)?,
                None => game::games(names)?,
            };
            let python = Python::with_packages(&environment, &["pyffish", "chess"])?;
            let folder = folder.join("moves");
            fs_err::create_dir_all(&folder)?;
            let is_well = judgement::run(&python, &folder, &games, *n_positions)?;
            left_out.iter().for_each(|line| println!("left out: {line}"));
            Ok(is_well)
        }
        Comparison::Syzygy(options) => {
            let python = Python::quick_with_package(&environment, "chess")?;
            syzygy::run(&python, &folder.join("syzygy"), options)
        }
    }
}
