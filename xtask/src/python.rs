//! Runs `cargo xtask python`: builds the package for Python and tests it in a virtual environment of its
//! own.
//!
//! The tests are those of `crates/python/tests`, which run the blocks of `docs/python.md` too, and compare
//! the stubs with the package. With the program beside it they ask a server as a client of Lichess's
//! tablebase does and let the engine play. Without Python, or without the packages that the tests need,
//! nothing is tested, which is said.

use crate::interpreter::Python;
use crate::program::{cargo, shown, succeed, tablesmith};
use crate::root;
use anyhow::Result;
use std::fs;

/// What the build and the tests import, each by the name that it is installed by.
const PACKAGES: &str = "basedpyright berserk chess maturin matplotlib mypy numpy pandas polars pytest";

/// Games of a test, unless another number is asked for.
const N_GAMES: u32 = 52;

/// Builds and tests, or has the engine play `n_games` against each opponent. Returns whether all is well.
///
/// # Errors
/// The program for the tests cannot be built.
pub(crate) fn run(n_games: Option<u32>) -> Result<bool> {
    let only_games = n_games.is_some();
    let folder = root().join("target/python/venv");
    let python = match Python::with_packages(&folder, &PACKAGES.split(' ').collect::<Vec<_>>()) {
        Ok(python) => python,
        Err(error) => {
            eprintln!("python: NOT TESTED, {error:#}");
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
    if !only_games {
        steps.push(in_cargo(&["fmt", "--check"], &[]));
        steps.push(in_cargo(&["clippy", "--quiet", "--release"], &["--", "-D", "warnings"]));
    }
    let mut install = python.command();
    install.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--force-reinstall"]);
    install.args(["--no-deps", "--no-build-isolation"]).arg(&package);
    steps.push(install);
    let mut test = python.command();
    test.args(["-m", "pytest", "--quiet", "-p", "no:cacheprovider", "--rootdir"]).arg(&package);
    test.env("TABLESMITH", tablesmith()?).env("TABLESMITH_GAMES", n_games.unwrap_or(N_GAMES).to_string());
    test.env("PYTHONDONTWRITEBYTECODE", "1").current_dir(root());
    test.arg(package.join(if only_games { "tests/test_engine.py" } else { "tests" }));
    // What the games took is worth seeing.
    test.args(if only_games { &["--capture=no"][..] } else { &["--durations=3"][..] });
    steps.push(test);
    for mut step in steps {
        eprintln!("+ {}", shown(&step));
        if let Err(error) = succeed(&mut step) {
            eprintln!("FAILED: {error}");
            return Ok(false);
        }
    }
    if fs::read(&lock).ok() != locked {
        eprintln!("note: crates/python/Cargo.lock has followed the crates that it builds on; commit it");
    }
    Ok(true)
}
