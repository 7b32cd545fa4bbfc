//! Begins the runs of `solve` that experiments compare, and listens to Ctrl-C.

use anyhow::{Context, Result};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The command of a program that solves what these words want, into a folder.
pub(crate) fn solve(program: &Path, rules: &Path, words: &[&str], out: &Path) -> Command {
    let mut command = Command::new(program);
    command.arg("solve").arg(rules).args(words).arg("--out").arg(out).stdin(Stdio::null());
    command
}

/// A flag that Ctrl-C sets.
pub(crate) fn stopped_by_ctrl_c() -> Result<Arc<AtomicBool>> {
    let is_stopped = Arc::new(AtomicBool::new(false));
    let flag = is_stopped.clone();
    ctrlc::set_handler(move || flag.store(true, Ordering::Relaxed)).context("cannot listen to Ctrl-C")?;
    Ok(is_stopped)
}
