//! A small board for terminals.

use crate::{Position, RuleBook};
use std::fmt::Write as _;

impl Position {
    /// The board as lines of text, last rank first, each line ending in a line feed.
    #[must_use]
    pub fn board_text(&self, book: &RuleBook) -> String {
        let board = &book.variant().board;
        let width = board.ranks().to_string().len();
        let mut text = String::new();
        for rank in (0..board.ranks()).rev() {
            let _ = write!(text, "{:>width$}", rank + 1);
            for file in 0..board.files() {
                let man = self.man_on(board.square(file, rank));
                text.push(' ');
                text.push(man.map_or('.', |man| book.variant().fen_letter(man)));
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
