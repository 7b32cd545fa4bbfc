//! Says of one file whether it is right.

use build::StrayFile;
use library::figure::{count, seconds};
use serde::Serialize;
use std::time::Duration;

/// What verifying one file has shown.
#[derive(Serialize)]
pub(super) struct Verdict {
    pub(super) table: String,
    pub(super) ok: bool,
    /// What is wrong, if anything is.
    pub(super) message: Option<String>,
    /// What was not checked, if that is less than elsewhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) note: Option<String>,
    pub(super) values: u64,
    pub(super) positions: u64,
    pub(super) successors: u64,
    #[serde(skip)]
    pub(super) time: Duration,
}

impl Verdict {
    /// A file whose name is that of no table.
    pub(super) fn of_stray(stray: &StrayFile) -> Self {
        let name = stray.path.file_name().unwrap_or(stray.path.as_os_str());
        Verdict {
            table: name.to_string_lossy().into_owned(),
            ok: false,
            message: Some(format!("not verified: {}", stray.reason)),
            note: None,
            values: 0,
            positions: 0,
            successors: 0,
            time: Duration::ZERO,
        }
    }

    /// The verdict for people.
    pub(super) fn line(&self) -> String {
        match (&self.message, &self.note) {
            (Some(message), _) => format!("{}: {message}", self.table),
            // Of values that nobody derived no positions are counted.
            (None, Some(note)) if self.positions == 0 => {
                let values = count(self.values);
                format!("{}: ok, {values} values, {} ({note})", self.table, seconds(self.time))
            }
            (None, note) => format!(
                "{}: ok, {} values, {} positions, {} successors, {}{}",
                self.table,
                count(self.values),
                count(self.positions),
                count(self.successors),
                seconds(self.time),
                note.as_ref().map_or_else(String::new, |note| format!(" ({note})"))
            ),
        }
    }
}
