//! Runs `cargo xtask lab cross-check`, which compares our rules and files with other people's programs.
//!
//! The kind `moves` compares legal moves with Fairy-Stockfish's, and of positions made to be awkward more
//! than moves, also with python-chess; `syzygy` has other programs read the files that we write for them.
//! Without a kind both run, of moves those of random positions (`awkward` is half an hour's work).
//! The programs are installed under `target/` and only ever run. The check needs
//! Python and the network, so it is no part of the tests.

mod awkward;
mod dialect;
mod judgement;
mod moves;
mod ruled_game;
mod syzygy;

use xtask::interpreter::Python;
use xtask::root;

/// The packages of Python that judge moves.
const FAIRY: [&str; 2] = ["pyffish", "chess"];

/// The comparison to run; without one all run, but for `awkward`, which is half an hour's work.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Options {
    #[command(subcommand)]
    kind: Option<Comparison>,
}

/// One comparison with its options.
#[derive(Clone, Debug, clap::Subcommand)]
enum Comparison {
    /// Legal moves of random positions, with Fairy-Stockfish's
    Moves(moves::Options),
    /// Positions made to be awkward, with Fairy-Stockfish and python-chess, in legality, ends and moves
    Awkward {
        /// The legal positions of each game
        #[arg(long = "positions", value_name = "N", default_value_t = 3_000)]
        n_positions: usize,
    },
    /// Values of exported files, with python-chess's and Stockfish's
    Syzygy(syzygy::Options),
}

/// Runs the comparisons; returns whether all is equal.
///
/// # Errors
/// What is missing.
pub(crate) fn run(options: Options, report: &mut dyn FnMut(&str)) -> Result<bool, String> {
    let folder = root().join("target/cross-check");
    let environment = folder.join("venv");
    let all =
        || vec![Comparison::Moves(moves::Options::default()), Comparison::Syzygy(syzygy::Options::default())];
    let made = |name: &str| {
        let own = folder.join(name);
        std::fs::create_dir_all(&own).map_err(|error| format!("cannot make {}: {error}", own.display()))?;
        Ok::<_, String>(own)
    };
    let mut is_well = true;
    for kind in options.kind.map_or_else(all, |kind| vec![kind]) {
        is_well &= match kind {
            Comparison::Moves(options) => {
                let python = Python::with_packages(&environment, &FAIRY, report)?;
                moves::run(&python, &made("moves")?, &options, report)?
            }
            Comparison::Awkward { n_positions } => {
                let python = Python::with_packages(&environment, &FAIRY, report)?;
                awkward::run(&python, &made("moves")?, n_positions, report)?
            }
            Comparison::Syzygy(options) => {
                let python = Python::quick_with_package(&environment, "chess", report)?;
                syzygy::run(&python, &made("syzygy")?, &options, report)?
            }
        };
    }
    Ok(is_well)
}
