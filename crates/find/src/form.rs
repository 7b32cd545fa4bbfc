//! Names the forms in which positions are written.

use std::fmt;
use std::str::FromStr;

/// A form in which positions are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// EPD with the operations `bm`, `dm`, `id` and `c0`.
    Epd,
    /// FEN.
    Fen,
    /// A JSON object a line.
    JsonLines,
    /// Values with commas between them, the first line naming them.
    Csv,
    /// A game a position: the main line, the only moves marked with `!`.
    Pgn,
}

impl Form {
    /// All forms.
    pub const ALL: [Form; 5] = [Form::Epd, Form::Fen, Form::JsonLines, Form::Csv, Form::Pgn];

    /// The name on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Form::Epd => "epd",
            Form::Fen => "fen",
            Form::JsonLines => "jsonl",
            Form::Csv => "csv",
            Form::Pgn => "pgn",
        }
    }

    /// Whether the moves of each position are written, so that tables must answer for them.
    #[must_use]
    pub const fn has_moves(self) -> bool {
        !matches!(self, Form::Fen)
    }
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Form {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let form = Form::ALL.into_iter().find(|form| form.name() == name);
        form.ok_or_else(|| format!("there is no form `{name}`; there are epd, fen, jsonl, csv, pgn"))
    }
}
