//! Runs Python from a virtual environment under `target/`, which it makes when it is first needed.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The interpreter that there has to be.
const PYTHON: &str = "python3";

/// A quicker one.
const PYPY: &str = "pypy3";

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
    pub fn with_packages(
        folder: &Path,
        packages: &[&str],
        report: &mut dyn FnMut(&str),
    ) -> Result<Self, String> {
        Python::of(PYTHON, folder, packages, report)
    }

    /// Returns a Python for a package that is all Python: PyPy runs it some three times as fast, if it is
    /// installed.
    ///
    /// # Errors
    /// As [`Self::with_packages`].
    pub fn quick_with_package(
        folder: &Path,
        package: &str,
        report: &mut dyn FnMut(&str),
    ) -> Result<Self, String> {
        let own = folder.with_extension("pypy");
        let quick =
            run(Path::new(PYPY), &["--version"]).and_then(|()| Python::of(PYPY, &own, &[package], report));
        quick.or_else(|_| Python::with_packages(folder, &[package], report))
    }

    fn of(
        interpreter: &str,
        folder: &Path,
        packages: &[&str],
        report: &mut dyn FnMut(&str),
    ) -> Result<Self, String> {
        let bin = if cfg!(windows) { "Scripts" } else { "bin" };
        let python = Python { program: folder.join(bin).join("python") };
        let (all, import) = (packages.join(", "), format!("import {}", packages.join(", ")));
        if run(&python.program, &["-c", &import]).is_ok() {
            return Ok(python);
        }
        let name = folder.to_str().ok_or(format!("{}: no name for Python", folder.display()))?;
        report(&format!("making a Python environment with {all} in {name}"));
        run(Path::new(interpreter), &["-m", "venv", name]).map_err(|error| {
            format!("no virtual environment: {error}\ninstall Python 3.8 or later with its module venv")
        })?;
        run(&python.program, &[&["-m", "pip", "install", "--quiet"], packages].concat())
            .and_then(|()| run(&python.program, &["-c", &import]))
            .map_err(|error| format!("cannot install {all}: {error}\nit needs the Python package index"))?;
        Ok(python)
    }

    /// The interpreter, to be run; the programs of its packages come first in its path.
    pub fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        let own = self.program.parent().map(Path::to_path_buf);
        let others = std::env::var_os("PATH").unwrap_or_default();
        if let Ok(path) = std::env::join_paths(own.into_iter().chain(std::env::split_paths(&others))) {
            command.env("PATH", path);
        }
        command
    }

    /// Runs a script with this text as its input; its output.
    ///
    /// # Errors
    /// It cannot be run, or ends with another code than 0.
    pub fn script(&self, script: &Path, args: &[&Path], input: &Path) -> Result<String, String> {
        let open = |path: &Path| {
            std::fs::File::open(path).map_err(|error| format!("cannot read {}: {error}", path.display()))
        };
        let mut command = self.command();
        command.arg(script).args(args).stdin(open(input)?).stderr(Stdio::piped());
        let output = command.output().map_err(|error| cannot_run(&self.program, &error))?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        match output.status.success() {
            true => Ok(text),
            false => Err(format!(
                "{} failed ({}) after {} lines: {}",
                script.display(),
                output.status,
                text.lines().count(),
                String::from_utf8_lossy(&output.stderr).trim()
            )),
        }
    }
}

fn run(program: &Path, args: &[&str]) -> Result<(), String> {
    let output = Command::new(program).args(args).stdin(Stdio::null()).output();
    let output = output.map_err(|error| cannot_run(program, &error))?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(format!("`{} {}` says: {}", program.display(), args.join(" "), said.trim()))
}

fn cannot_run(program: &Path, error: &std::io::Error) -> String {
    format!("cannot run {}: {error}", program.display())
}
