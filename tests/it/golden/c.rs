//! Asks the functions that C calls.

#![expect(unsafe_code, reason = "the functions of the border are called as C calls them")]

use super::answers::Answer;
use super::corpus::{GameCases, Question};
use std::ffi::{CStr, CString, c_char};
use std::path::Path;
use std::ptr;
use tablesmith_c::border::{
    TABLESMITH_MOVE_SIZE, TablesmithMetric, TablesmithStatus, TablesmithTables, TablesmithValue,
    tablesmith_best_move, tablesmith_close, tablesmith_error, tablesmith_open, tablesmith_value,
};

/// Open tables of one game; closed with this value.
pub(super) struct Opened(*mut TablesmithTables);

impl Opened {
    /// Opens the folder, and solves nothing.
    pub(super) fn new(game: &GameCases, folder: &Path) -> Self {
        let text = |path: &Path| CString::new(path.to_str().expect("a plain path")).expect("no NUL");
        let (folder, rules) = (text(folder), text(&game.rules()));
        let mut tables = ptr::null_mut();
        // SAFETY: texts that end with NUL, and a pointer to a pointer.
        let status = unsafe { tablesmith_open(folder.as_ptr(), rules.as_ptr(), 0, &mut tables) };
        assert_eq!(status, TablesmithStatus::TablesmithOk, "{}: {}", game.name, error());
        Opened(tables)
    }

    /// The value of a position and a best move.
    pub(super) fn answer(&self, question: &Question) -> Answer {
        let fen = CString::new(question.fen).expect("no NUL");
        let mut value = TablesmithValue { wdl: 9, plies: 9, metric: TablesmithMetric::TablesmithWdl };
        let mut room = [0 as c_char; TABLESMITH_MOVE_SIZE];
        // SAFETY: open tables, a text that ends with NUL, and a value.
        let status = unsafe { tablesmith_value(self.0, fen.as_ptr(), &mut value) };
        if status != TablesmithStatus::TablesmithOk {
            return vec![("refused", error()), ("kind", format!("{status:?}"))];
        }
        let metric = format!("{:?}", value.metric).replace("Tablesmith", "").to_lowercase();
        let plies = if value.plies < 0 { "-".into() } else { value.plies.to_string() };
        let mut answer = match question.metric.is_none_or(|asked| asked == metric) {
            true => vec![("wdl", value.wdl.to_string()), ("metric", metric), ("plies", plies)],
            // No metric can be asked for.
            false => vec![("metric", format!("{metric}: {} in {plies}", value.wdl))],
        };
        // SAFETY: open tables, a text that ends with NUL, and room for as many bytes as are said.
        let status = unsafe { tablesmith_best_move(self.0, fen.as_ptr(), room.as_mut_ptr(), room.len()) };
        match status {
            TablesmithStatus::TablesmithOk => {
                // SAFETY: the function has written a text that ends with NUL.
                let best = unsafe { CStr::from_ptr(room.as_ptr()) };
                answer.push(("move", best.to_str().expect("a move").to_owned()));
            }
            _ => answer.extend([("refused", error()), ("kind", format!("{status:?}"))]),
        }
        answer
    }
}

impl Drop for Opened {
    fn drop(&mut self) {
        // SAFETY: the tables are open, and no other value has them.
        unsafe { tablesmith_close(self.0) };
    }
}

/// The sentence about the last call.
fn error() -> String {
    // SAFETY: a text that ends with NUL and stays until this thread's next call.
    unsafe { CStr::from_ptr(tablesmith_error()) }.to_str().expect("a sentence").to_owned()
}
