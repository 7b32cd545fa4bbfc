//! Draws a small board for terminals.

use crate::fen::HOLE;
use crate::{Position, RuleBook};
use std::fmt::Write as _;

impl Position {
    /// The board as lines of text, last rank first, each line ending in a line feed; `.` is an empty square,
    /// `*` a missing one.
    #[must_use]
    pub fn board_text(&self, book: &RuleBook) -> String {
        let board = &book.variant().board;
        let width = board.ranks().to_string().len();
        let mut text = String::new();
        for rank in (0..board.ranks()).rev() {
            let _ = write!(text, "{:>width$}", rank + 1);
            for file in 0..board.files() {
                let square = board.square(file, rank);
                let empty = if board.has(square) { '.' } else { HOLE };
                text.push(' ');
                text.push(self.man_on(square).map_or(empty, |man| book.variant().fen_letter(man)));
            }
            text.push('\n');
        }
        text.push_str(&" ".repeat(width));
        for file in 0..board.files() {
            text.push(' ');
            text.push((b'a' + file as u8) as char);
        }
        text.push('\n');
        text
    }
}
