//! Says a sentence when a run is ended from outside, by Ctrl-C, SIGTERM or SIGHUP; or lets it end by itself,
//! so that it can say what it has found.

use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether the user has asked the run to end by itself.
static IS_ASKED_FOR: AtomicBool = AtomicBool::new(false);

/// The exit code of a run that was ended from outside.
const INTERRUPTED: i32 = 130;

/// Prints a line when the run is ended from outside. Files appear whole or not at all, so nothing else is to
/// be done.
///
/// Nothing happens where the system was asked to pass over hangups, as by `nohup`: the run then goes on
/// after the terminal has been closed.
pub(crate) fn announce(line: &'static str) {
    handle(move || end(line));
}

/// Like that of a run that ends by itself when it is asked for; asked for twice it is ended.
pub(crate) fn allow(line: &'static str) {
    handle(move || {
        if IS_ASKED_FOR.swap(true, Ordering::Relaxed) {
            end(line);
        }
    });
}

/// Whether the run is to end by itself.
pub(crate) fn is_asked_for() -> bool {
    IS_ASKED_FOR.load(Ordering::Relaxed)
}

fn end(line: &str) {
    // A terminal that is closed reads nothing.
    drop(writeln!(std::io::stderr(), "\ninterrupted; {line}"));
    std::process::exit(INTERRUPTED);
}

fn handle(handler: impl FnMut() + Send + 'static) {
    // Without the handler the run ends just so, only silently. It can be set once in a process.
    drop(match is_hangup_ignored() {
        Some(true) => Ok(()),
        Some(false) => ctrlc::set_handler(handler),
        // This fails where any of the signals is ignored.
        None => ctrlc::try_set_handler(handler),
    });
}

/// Whether the process is to pass over hangups, where the system says so.
fn is_hangup_ignored() -> Option<bool> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"))?;
    // SIGHUP is the first of all signals.
    Some(u64::from_str_radix(ignored.trim(), 16).ok()? & 1 == 1)
}
