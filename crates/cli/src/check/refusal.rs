//! Prints what is wrong with a file, and has the form of the answer as JSON.

use crate::console::Console;
use crate::{Answer, Failure, Outcome, fault};
use serde::Serialize;
use std::io::IsTerminal;
use variant::{Fault, LoadError};

#[derive(Serialize)]
pub(super) struct CheckJson<'a> {
    pub(super) ok: bool,
    pub(super) faults: &'a [Fault],
    pub(super) warnings: &'a [String],
}

/// Prints what is wrong with a file.
pub(super) fn refuse(console: &mut Console<'_>, error: LoadError, as_json: bool) -> Outcome {
    let LoadError::Faults(report) = error else { return Err(Failure::new(error)) };
    if as_json {
        console.print_json(&CheckJson { ok: false, faults: report.faults(), warnings: &[] })?;
    } else {
        write!(console.out, "{}", fault::draw(&report, std::io::stdout().is_terminal()))?;
    }
    Ok(Answer::No)
}
