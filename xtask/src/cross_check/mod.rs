//! `cargo xtask cross-check`: our rules against other people's programs, which are installed under `target/`
//! and only ever run.
//!
//! There are kinds of it: `moves` compares legal moves with Fairy-Stockfish's, `syzygy` has other programs
//! read the files that we write for them. Without a kind all of them run. It is no part of the tests, since
//! it needs Python and the network.

mod dialect;
mod moves;
mod python;
mod syzygy;

use crate::root;
use python::Python;
use std::ffi::OsString;

/// What is compared, and with whom.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Kind {
    /// Legal moves, with Fairy-Stockfish.
    Moves(moves::Ask),
    /// Values of exported files, with python-chess and Stockfish.
    Syzygy(syzygy::Ask),
}

impl Kind {
    /// Also the name of the folder in which a kind works.
    const fn name(&self) -> &'static str {
        match self {
            Kind::Moves(_) => "moves",
            Kind::Syzygy(_) => "syzygy",
        }
    }
}

/// What is asked for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Ask {
    kinds: Vec<Kind>,
}

impl Ask {
    /// What these arguments ask for: a kind and what it takes, or nothing, which is all kinds.
    ///
    /// # Errors
    /// What is wrong with them.
    pub(crate) fn parse(args: &[OsString]) -> Result<Self, String> {
        let kinds = match args.split_first() {
            None => vec![Kind::Moves(moves::Ask::default()), Kind::Syzygy(syzygy::Ask::default())],
            Some((kind, args)) if kind == "moves" => vec![Kind::Moves(moves::Ask::parse(args)?)],
            Some((kind, args)) if kind == "syzygy" => vec![Kind::Syzygy(syzygy::Ask::parse(args)?)],
            Some((other, _)) => {
                return Err(format!(
                    "{}: cross-check takes a kind (moves or syzygy) first, then what that kind takes",
                    other.display()
                ));
            }
        };
        Ok(Ask { kinds })
    }
}

/// Runs what is asked for; whether all is equal.
///
/// # Errors
/// What is missing.
pub(crate) fn run(ask: &Ask, tell: &mut dyn FnMut(&str)) -> Result<bool, String> {
    let folder = root().join("target/cross-check");
    let environment = folder.join("venv");
    let mut is_well = true;
    for kind in &ask.kinds {
        let own = folder.join(kind.name());
        std::fs::create_dir_all(&own).map_err(|error| format!("cannot make {}: {error}", own.display()))?;
        is_well &= match kind {
            Kind::Moves(ask) => {
                let python = Python::with_package(&environment, "pyffish", tell)?;
                moves::run(&python, &own, ask, tell)?
            }
            Kind::Syzygy(ask) => {
                let python = Python::quick_with_package(&environment, "chess", tell)?;
                syzygy::run(&python, &own, ask, tell)?
            }
        };
    }
    Ok(is_well)
}

#[cfg(test)]
mod tests {
    use super::Ask;
    use std::ffi::OsString;

    #[track_caller]
    fn check_ask(args: &[&str], expected: Result<&[&str], &str>) {
        let args: Vec<OsString> = args.iter().map(OsString::from).collect();
        match (Ask::parse(&args), expected) {
            (Ok(ask), Ok(kinds)) => {
                assert_eq!(ask.kinds.iter().map(super::Kind::name).collect::<Vec<_>>(), kinds);
            }
            (Err(error), Err(expected)) => assert!(error.contains(expected), "{error}"),
            (got, _) => panic!("{got:?}"),
        }
    }

    #[test]
    fn a_kind_comes_first() {
        check_ask(&[], Ok(&["moves", "syzygy"]));
        check_ask(&["moves"], Ok(&["moves"]));
        check_ask(&["moves", "--positions", "5"], Ok(&["moves"]));
        check_ask(&["syzygy", "--game", "fide", "--table", "KQvKR"], Ok(&["syzygy"]));
        check_ask(&["moves", "--rounded"], Err("--rounded: cross-check moves takes"));
        check_ask(&["syzygy", "--piece", "NN"], Err("--piece: cross-check syzygy takes"));
        check_ask(
            &["--positions", "5"],
            Err("--positions: cross-check takes a kind (moves or syzygy) first"),
        );
        check_ask(&["draughts"], Err("draughts: cross-check takes a kind"));
    }
}
