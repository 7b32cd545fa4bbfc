//! Runs Python from a virtual environment under `target/`, which it makes when it is first needed.

use crate::program::output;
use anyhow::{Context, Result};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A Python in a virtual environment that has the packages that a task needs.
#[derive(Clone, Debug)]
pub struct Python {
    program: PathBuf,
}

impl Python {
    /// Returns a Python that can import these packages, each by the name that it is installed by: the one of
    /// the environment in `folder`. Makes the environment and installs the packages if they are missing.
    ///
    /// # Errors
    /// Which step failed, with what Python said, and what to install.
    pub fn with_packages(folder: &Path, packages: &[&str]) -> Result<Self> {
        Python::of("python3", folder, packages)
    }

    /// Returns a Python for a package that is all Python: PyPy runs it some three times as fast, if it is
    /// installed.
    ///
    /// # Errors
    /// As [`Self::with_packages`].
    pub fn quick_with_package(folder: &Path, package: &str) -> Result<Self> {
        let own = folder.with_extension("pypy");
        Python::of("pypy3", &own, &[package]).or_else(|_| Python::with_packages(folder, &[package]))
    }

    fn of(interpreter: &str, folder: &Path, packages: &[&str]) -> Result<Self> {
        let bin = if cfg!(windows) { "Scripts" } else { "bin" };
        let python = Python { program: folder.join(bin).join("python") };
        let all = packages.join(", ");
        let import = || output(python.command().args(["-c", &format!("import {all}")]));
        if import().is_err() {
            let mut make = Command::new(interpreter);
            output(make.args(["-m", "venv"]).arg(folder))
                .context("no virtual environment; install Python 3.8 or later with its module venv")?;
            eprintln!("installing {all} in {}", folder.display());
            output(python.command().args(["-m", "pip", "install", "--quiet"]).args(packages))
                .and_then(|_| import())
                .with_context(|| format!("cannot install {all} from the Python package index"))?;
        }
        Ok(python)
    }

    /// The interpreter, to be run; the programs of its packages come first in its path.
    #[must_use]
    pub fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        let own = self.program.parent().map(Path::to_path_buf);
        let others = std::env::var_os("PATH").unwrap_or_default();
        if let Ok(path) = std::env::join_paths(own.into_iter().chain(std::env::split_paths(&others))) {
            command.env("PATH", path);
        }
        command.stdin(Stdio::null());
        command
    }
}
