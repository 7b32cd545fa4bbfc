//! Says a sentence when a run is ended from outside: by Ctrl-C, SIGTERM or SIGHUP.

use std::io::Write;

/// The exit code of a run that was ended from outside.
const INTERRUPTED: i32 = 130;

/// Prints a line when the run is ended from outside. Files appear whole or not at all, so nothing else is to
/// be done.
///
/// Nothing happens where somebody has asked the system to pass over hangups, as `nohup` does: the run then
/// goes on after the terminal has been closed.
pub(crate) fn announce(line: &'static str) {
    let handler = move || {
        // Whoever has closed the terminal reads nothing.
        drop(writeln!(std::io::stderr(), "\ninterrupted; {line}"));
        std::process::exit(INTERRUPTED);
    };
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
