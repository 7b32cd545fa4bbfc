//! Runs `cargo xtask python`: builds the package for Python and tests it in a virtual environment of its
//! own.
//!
//! The tests are those of `crates/python/tests`, which run the blocks of `docs/python.md` too, and compare
//! the stubs with the package. With the program beside it they ask a server as a client of Lichess's
//! tablebase does and let the engine play. Without Python, or without the packages that the tests need,
//! nothing is tested, which is said.

use crate::interpreter::Python;
use crate::program::{build, cargo, succeed};
use crate::root;
use std::ffi::OsString;
use std::fs;

/// What the build and the tests import, each by the name that it is installed by.
const PACKAGES: [&str; 8] =
    ["berserk", "chess", "maturin", "matplotlib", "mypy", "numpy", "pandas", "pytest"];

/// Games of a test, unless somebody wants more.
const N_GAMES: u32 = 52;

/// What to run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Options {
    /// How many games the engine plays against each opponent.
    n_games: u32,
    /// Whether only those are run.
    only_games: bool,
}

impl Options {
    /// Reads `--games N`.
    ///
    /// # Errors
    /// What is wrong with the arguments.
    pub(crate) fn parse(args: &[OsString]) -> Result<Self, String> {
        let texts: Vec<&str> = args.iter().map(|arg| arg.to_str().unwrap_or_default()).collect();
        match texts[..] {
            [] => Ok(Options { n_games: N_GAMES, only_games: false }),
            ["--games", n] => match n.parse() {
                Ok(n_games) if n_games > 0 => Ok(Options { n_games, only_games: true }),
                _ => Err(format!("{n} is no number of games")),
            },
            _ => Err("python takes nothing, or --games N: the engine's games only, N of each kind".into()),
        }
    }
}

/// Builds and tests; whether all is well.
///
/// # Errors
/// The program for the tests cannot be built.
pub(crate) fn run(options: Options, say: &mut dyn FnMut(&str)) -> Result<bool, String> {
    let folder = root().join("target/python/venv");
    let python = match Python::with_packages(&folder, &PACKAGES, say) {
        Ok(python) => python,
        Err(error) => {
            say(&format!("python: NOT TESTED, {error}"));
            return Ok(true);
        }
    };
    let package = root().join("crates/python");
    let lock = package.join("Cargo.lock");
    let locked = fs::read(&lock).ok();
    let manifest = package.join("Cargo.toml");
    let in_cargo = |args: &[&str], last: &[&str]| {
        let mut command = cargo();
        command.args(args).arg("--manifest-path").arg(&manifest).args(last).current_dir(&package);
        command
    };
    let mut steps = Vec::new();
    if !options.only_games {
        steps.push(in_cargo(&["fmt", "--check"], &[]));
        steps.push(in_cargo(&["clippy", "--quiet", "--release"], &["--", "-D", "warnings"]));
    }
    let mut install = python.command();
    install.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--force-reinstall"]);
    install.args(["--no-deps", "--no-build-isolation"]).arg(&package);
    steps.push(install);
    let mut test = python.command();
    test.args(["-m", "pytest", "--quiet", "-p", "no:cacheprovider", "--rootdir"]).arg(&package);
    test.env("TABLESMITH", build()?).env("TABLESMITH_GAMES", options.n_games.to_string());
    test.env("PYTHONDONTWRITEBYTECODE", "1").current_dir(root());
    test.arg(package.join(if options.only_games { "tests/test_engine.py" } else { "tests" }));
    // What the games took is worth seeing.
    test.args(if options.only_games { &["--capture=no"][..] } else { &["--durations=3"][..] });
    steps.push(test);
    for mut step in steps {
        let args: Vec<String> = step.get_args().map(|arg| arg.display().to_string()).collect();
        say(&format!("+ {} {}", step.get_program().display(), args.join(" ")));
        if let Err(error) = succeed(&mut step) {
            say(&format!("FAILED: {error}"));
            return Ok(false);
        }
    }
    if fs::read(&lock).ok() != locked {
        say("note: crates/python/Cargo.lock has followed the crates that it builds on; commit it");
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::Options;
    use std::ffi::OsString;

    #[track_caller]
    fn check_options(args: &[&str], expected: Result<(u32, bool), &str>) {
        let args: Vec<OsString> = args.iter().map(OsString::from).collect();
        match (Options::parse(&args), expected) {
            (Ok(options), Ok(expected)) => assert_eq!((options.n_games, options.only_games), expected),
            (Err(error), Err(expected)) => assert!(error.contains(expected), "{error}"),
            (got, _) => panic!("{got:?}"),
        }
    }

    #[test]
    fn arguments_are_read() {
        check_options(&[], Ok((super::N_GAMES, false)));
        check_options(&["--games", "1000"], Ok((1000, true)));
        check_options(&["--games", "no"], Err("no is no number of games"));
        check_options(&["--games"], Err("python takes nothing, or --games N"));
    }
}
