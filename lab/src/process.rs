//! Finds this program, which experiments start as processes of their own, and listens to Ctrl-C.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// This program, which has the commands of the workbench too.
pub(crate) fn own_program() -> Result<PathBuf, String> {
    std::env::current_exe().map_err(|error| format!("cannot find myself: {error}"))
}

/// A flag that Ctrl-C sets.
pub(crate) fn stopped_by_ctrl_c() -> Result<Arc<AtomicBool>, String> {
    let is_stopped = Arc::new(AtomicBool::new(false));
    let flag = is_stopped.clone();
    ctrlc::set_handler(move || flag.store(true, Ordering::Relaxed))
        .map_err(|error| format!("cannot listen to Ctrl-C: {error}"))?;
    Ok(is_stopped)
}
