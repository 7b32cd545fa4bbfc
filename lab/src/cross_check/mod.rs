//! Runs `cargo xtask lab cross-check`, which compares our rules and files with other people's programs.
//!
//! The kind `moves` compares legal moves with Fairy-Stockfish's, and of positions made to be awkward more
//! than moves, also with python-chess; `syzygy` has other programs read the files that we write for them.
//! Without a kind both run, of moves those of random positions (`moves --awkward` are half an hour's work).
//! The programs are installed under `target/` and only ever run. The check needs
//! Python and the network, so it is no part of the tests.

mod awkward;
mod dialect;
mod moves;
mod ruled_game;
mod syzygy;

use std::ffi::OsString;
use xtask::interpreter::Python;
use xtask::root;

/// One comparison with its options.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Comparison {
    /// Legal moves, with Fairy-Stockfish.
    Moves(moves::Options),
    /// Values of exported files, with python-chess and Stockfish.
    Syzygy(syzygy::Options),
}

impl Comparison {
    /// The name on the command line, and of the folder that a kind works in.
    const fn name(&self) -> &'static str {
        match self {
            Comparison::Moves(_) => "moves",
            Comparison::Syzygy(_) => "syzygy",
        }
    }
}

/// The comparisons to run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Options {
    kinds: Vec<Comparison>,
}

impl Options {
    /// Reads a kind with its options, or nothing, which is all kinds.
    ///
    /// # Errors
    /// What is wrong with them.
    pub(crate) fn parse(args: &[OsString]) -> Result<Self, String> {
        let kinds = match args.split_first() {
            None => vec![
                Comparison::Moves(moves::Options::default()),
                Comparison::Syzygy(syzygy::Options::default()),
            ],
            Some((kind, args)) if kind == "moves" => vec![Comparison::Moves(moves::Options::parse(args)?)],
            Some((kind, args)) if kind == "syzygy" => vec![Comparison::Syzygy(syzygy::Options::parse(args)?)],
            Some((other, _)) => {
                return Err(format!(
                    "{}: cross-check takes a kind (moves or syzygy) first, then what that kind takes",
                    other.display()
                ));
            }
        };
        Ok(Options { kinds })
    }
}

/// Runs the comparisons; returns whether all is equal.
///
/// # Errors
/// What is missing.
pub(crate) fn run(options: &Options, report: &mut dyn FnMut(&str)) -> Result<bool, String> {
    let folder = root().join("target/cross-check");
    let environment = folder.join("venv");
    let mut is_well = true;
    for kind in &options.kinds {
        let own = folder.join(kind.name());
        std::fs::create_dir_all(&own).map_err(|error| format!("cannot make {}: {error}", own.display()))?;
        is_well &= match kind {
            Comparison::Moves(options) => {
                let python = Python::with_packages(&environment, &["pyffish", "chess"], report)?;
                match options.is_awkward {
                    true => awkward::run(&python, &own, options.n_positions, report)?,
                    false => moves::run(&python, &own, options, report)?,
                }
            }
            Comparison::Syzygy(options) => {
                let python = Python::quick_with_package(&environment, "chess", report)?;
                syzygy::run(&python, &own, options, report)?
            }
        };
    }
    Ok(is_well)
}

#[cfg(test)]
mod tests {
    use super::Options;
    use std::ffi::OsString;

    #[track_caller]
    fn check_options(args: &[&str], expected: Result<&[&str], &str>) {
        let args: Vec<OsString> = args.iter().map(OsString::from).collect();
        match (Options::parse(&args), expected) {
            (Ok(options), Ok(kinds)) => {
                assert_eq!(options.kinds.iter().map(super::Comparison::name).collect::<Vec<_>>(), kinds);
            }
            (Err(error), Err(expected)) => assert!(error.contains(expected), "{error}"),
            (got, _) => panic!("{got:?}"),
        }
    }

    #[test]
    fn a_kind_comes_first() {
        check_options(&[], Ok(&["moves", "syzygy"]));
        check_options(&["moves"], Ok(&["moves"]));
        check_options(&["moves", "--positions", "5"], Ok(&["moves"]));
        check_options(&["syzygy", "--game", "fide", "--table", "KQvKR"], Ok(&["syzygy"]));
        check_options(&["moves", "--rounded"], Err("--rounded: cross-check moves takes"));
        check_options(&["syzygy", "--piece", "NN"], Err("--piece: cross-check syzygy takes"));
        check_options(
            &["--positions", "5"],
            Err("--positions: cross-check takes a kind (moves or syzygy) first"),
        );
        check_options(&["draughts"], Err("draughts: cross-check takes a kind"));
    }
}
