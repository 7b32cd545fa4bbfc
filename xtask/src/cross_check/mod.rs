//! `cargo xtask cross-check`: our rules against other people's programs, which are installed under `target/` and only
//! ever run.
//!
//! There are kinds of it: `moves` compares legal moves with Fairy-Stockfish's. Without a kind all of them run. It is
//! no part of the tests, since it needs Python and the network.

mod dialect;
mod moves;
mod python;

use crate::root;
use python::Python;
use std::ffi::OsString;

/// What is compared, and with whom.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    /// Legal moves, with Fairy-Stockfish.
    Moves,
}

impl Kind {
    const ALL: [Kind; 1] = [Kind::Moves];

    const fn name(self) -> &'static str {
        match self {
            Kind::Moves => "moves",
        }
    }
}

/// What the command takes.
const USAGE: &str = "cross-check takes a kind (moves), --positions N and --piece NAME";

/// What is asked for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Ask {
    kinds: Vec<Kind>,
    moves: moves::Ask,
}

impl Ask {
    /// What these arguments ask for.
    ///
    /// # Errors
    /// What is wrong with them.
    pub(crate) fn parse(args: &[OsString]) -> Result<Self, String> {
        let mut ask =
            Ask { kinds: Vec::new(), moves: moves::Ask { n_positions: 10_000, pieces: Vec::new() } };
        let mut args = args.iter().map(|arg| arg.to_string_lossy());
        while let Some(arg) = args.next() {
            let mut value = || args.next().ok_or(format!("{arg} wants a value"));
            if arg == "--positions" {
                let text = value()?;
                let number = text.parse::<usize>().ok().filter(|&n| n > 0);
                ask.moves.n_positions = number.ok_or(format!("--positions {text}: that is no number"))?;
            } else if arg == "--piece" {
                ask.moves.pieces.push(value()?.into_owned());
            } else {
                let kind = Kind::ALL.into_iter().find(|kind| kind.name() == arg);
                ask.kinds.push(kind.ok_or(format!("{arg}: {USAGE}"))?);
            }
        }
        if ask.kinds.is_empty() {
            ask.kinds = Kind::ALL.into();
        }
        Ok(ask)
    }
}

/// Runs what is asked for; whether all is equal.
///
/// # Errors
/// What is missing.
pub(crate) fn run(ask: &Ask, tell: &mut dyn FnMut(&str)) -> Result<bool, String> {
    let folder = root().join("target/cross-check");
    let mut is_well = true;
    for kind in &ask.kinds {
        let own = folder.join(kind.name());
        std::fs::create_dir_all(&own).map_err(|error| format!("cannot make {}: {error}", own.display()))?;
        is_well &= match kind {
            Kind::Moves => {
                let python = Python::with_package(&folder.join("venv"), "pyffish", tell)?;
                moves::run(&python, &own, &ask.moves, tell)?
            }
        };
    }
    Ok(is_well)
}

#[cfg(test)]
mod tests {
    use super::{Ask, Kind};
    use std::ffi::OsString;

    #[track_caller]
    fn check_ask(args: &[&str], expected: Result<(usize, &[&str]), &str>) {
        let args: Vec<OsString> = args.iter().map(OsString::from).collect();
        match (Ask::parse(&args), expected) {
            (Ok(ask), Ok((n_positions, pieces))) => {
                assert_eq!(
                    (ask.moves.n_positions, &ask.moves.pieces[..]),
                    (n_positions, &pieces.iter().map(|p| (*p).to_owned()).collect::<Vec<_>>()[..])
                );
                assert_eq!(ask.kinds, [Kind::Moves]);
            }
            (Err(error), Err(expected)) => assert!(error.contains(expected), "{error}"),
            (got, _) => panic!("{got:?}"),
        }
    }

    #[test]
    fn arguments_are_read() {
        check_ask(&[], Ok((10_000, &[])));
        check_ask(
            &["moves", "--positions", "5", "--piece", "rose", "--piece", "NN"],
            Ok((5, &["rose", "NN"])),
        );
        check_ask(&["--positions", "none"], Err("--positions none: that is no number"));
        check_ask(&["--piece"], Err("--piece wants a value"));
        check_ask(&["draughts"], Err("draughts: cross-check takes a kind"));
    }
}
