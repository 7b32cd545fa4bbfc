//! Collects the faults of a variant file: each with its place, its key, and what to write instead.
//!
//! A [`Report`] is data and one line of text for each fault. A caller that shows the lines of the file with
//! marks below them finds the text and the spans here.

use std::fmt;
use std::ops::Range;
use std::path::PathBuf;

/// The largest variant file; the largest that comes along has 14 kB.
pub(crate) const MAX_FILE_BYTES: u64 = 100_000;

/// The most faults that are reported of a file.
pub(crate) const MAX_FAULTS: usize = 200;

/// Whether a character shows itself and does nothing else. Control characters move cursors and change
/// colours, and marks of direction let a text look like another one.
pub(crate) fn is_visible(c: char) -> bool {
    !c.is_control()
        && !matches!(c, '\u{200e}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// A text from outside as it can go to a terminal: each character that would do something there is written
/// as its number, `\u{1b}`. Line ends and tabs stay.
#[must_use]
pub fn visible(text: &str) -> String {
    let is_fine = |c: char| is_visible(c) || matches!(c, '\n' | '\t');
    let mut visible = String::with_capacity(text.len());
    for c in text.chars() {
        match is_fine(c) {
            true => visible.push(c),
            false => visible.extend(c.escape_unicode()),
        }
    }
    visible
}

/// Like [`visible`], with a character of as many bytes in the place of each, so that places in the text
/// stay.
#[must_use]
pub fn visible_in_place(text: &str) -> String {
    let is_fine = |c: char| is_visible(c) || matches!(c, '\n' | '\t' | '\r');
    let stand_in = |c: char| match c.len_utf8() {
        1 => '?',
        2 => '\u{bf}',
        _ => char::REPLACEMENT_CHARACTER,
    };
    text.chars().map(|c| if is_fine(c) { c } else { stand_in(c) }).collect()
}

/// One fault of a variant file.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize)]
pub struct Fault {
    /// The line, from 1.
    pub line: usize,
    /// The character in the line, from 1.
    pub column: usize,
    /// The bytes of the file that are at fault.
    pub span: Range<usize>,
    /// The key, with the tables that it is in: `board.files`, `piece[3].pawn.start-rank`; empty for the whole
    /// file.
    pub key: String,
    /// What is wrong.
    pub message: String,
    /// What to write instead.
    pub help: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: ", self.line, self.column)?;
        if !self.key.is_empty() {
            write!(f, "{}: ", self.key)?;
        }
        write!(f, "{}; {}", self.message, self.help)
    }
}

/// A variant file that cannot be used: all its faults, in the order of the file; never none.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Report {
    source_name: String,
    text: String,
    faults: Vec<Fault>,
}

impl Report {
    /// The report of these faults; none if there are none.
    pub(crate) fn new(source_name: &str, text: &str, mut faults: Vec<Fault>) -> Option<Self> {
        faults.sort_by(|a, b| {
            (a.span.start, a.span.end, &a.message).cmp(&(b.span.start, b.span.end, &b.message))
        });
        faults.dedup();
        (!faults.is_empty()).then(|| Report { source_name: source_name.into(), text: text.into(), faults })
    }

    /// The faults, in the order of the file.
    #[must_use]
    pub fn faults(&self) -> &[Fault] {
        &self.faults
    }

    /// The name of the file, as given.
    #[must_use]
    pub fn source_name(&self) -> &str {
        &self.source_name
    }

    /// The text of the file, which the spans of the faults point into.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The faults counted in one line.
    #[must_use]
    pub fn summary(&self) -> String {
        let n = self.faults.len();
        let faults = match n {
            1 => "fault",
            MAX_FAULTS.. => "faults and perhaps more",
            _ => "faults",
        };
        format!("{}: {n} {faults}, nothing was read", self.source_name)
    }
}

impl fmt::Display for Report {
    /// One line for the file and one for each fault.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.summary())?;
        self.faults.iter().try_for_each(|fault| write!(f, "\n{}:{fault}", self.source_name))
    }
}

impl std::error::Error for Report {}

/// A kind of files that people write.
#[derive(Debug)]
pub struct TextKind {
    /// What they are called: `variant file`.
    pub name: &'static str,
    /// The path of one that comes along.
    pub example: &'static str,
    /// What to do about one in the notation of another program.
    pub notation: &'static str,
}

/// Files with the rules of a game.
pub(crate) static VARIANT_FILE: TextKind = TextKind {
    name: "variant file",
    example: "variants/fide.toml",
    notation: "docs/variants.md says how rules are written here; the command `variants --show fide` prints a \
               file to begin with",
};

/// A file of people's that could not be loaded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// The file could not be read.
    #[error(
        "cannot read the {} {}: {source}; give the path of a file such as {}",
        kind.name, path.display(), kind.example
    )]
    Read {
        /// What it should be.
        kind: &'static TextKind,
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// A pipe or a device stands where the file should be.
    #[error("{} is a pipe or a device; give the path of a file such as {}", path.display(), kind.example)]
    NotAFile {
        /// What it should be.
        kind: &'static TextKind,
        /// The path.
        path: PathBuf,
    },
    /// The file is larger than any that people write.
    #[error(
        "{} has {got} bytes, and a {} has at most {MAX_FILE_BYTES}; give the path of a file such as {}",
        path.display(), kind.name, kind.example
    )]
    TooLarge {
        /// What it should be.
        kind: &'static TextKind,
        /// The file.
        path: PathBuf,
        /// How many bytes it has.
        got: u64,
    },
    /// The file is no text in UTF-8.
    #[error("{} is not UTF-8 (byte {byte}); save it as UTF-8", path.display())]
    NotUtf8 {
        /// The file.
        path: PathBuf,
        /// The first byte that is wrong, from 1.
        byte: usize,
    },
    /// The file was read and has faults.
    #[error(transparent)]
    Faults(#[from] Report),
}

/// The line and column, both from 1, of a byte in a text.
pub(crate) fn line_and_column(text: &str, byte: usize) -> (usize, usize) {
    let before = &text.as_bytes()[..byte.min(text.len())];
    let line_start = before.iter().rposition(|&b| b == b'\n').map_or(0, |at| at + 1);
    let line = before.iter().filter(|&&b| b == b'\n').count() + 1;
    (line, String::from_utf8_lossy(&before[line_start..]).chars().count() + 1)
}
