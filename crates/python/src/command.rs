//! Runs the command `tablesmith` for the package's script, as the installed program does.

use pyo3::prelude::*;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Runs a command without the interpreter's lock; the exit code. `script` is the file that starts it, which
/// jobs of a cluster start again.
#[pyfunction]
#[pyo3(signature = (script, args, /))]
pub(crate) fn _run_command(py: Python<'_>, script: PathBuf, args: Vec<OsString>) -> u8 {
    // Once a process.
    let script: &'static Path = Box::leak(script.into_boxed_path());
    py.detach(|| cli::run_as(&cli::Program { path: Some(script), ..cli::TABLESMITH }, args))
}
