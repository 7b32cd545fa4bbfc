//! Reads the text of a TOML file that people write, and parses it as far as it is TOML.

use super::fault::{LoadError, MAX_FILE_BYTES, TextKind};
use super::schema::Section;
use super::table::{Faults, Table};
use std::path::Path;
use toml::Spanned;
use toml::de::DeTable;

/// So much of a text that is too long is shown.
///
/// Units: bytes.
const MAX_SHOWN: usize = 60;

/// A parsed text. What is not TOML is left out of it, and is a fault.
#[derive(Debug)]
pub struct Document<'t> {
    table: Spanned<DeTable<'t>>,
}

impl<'t> Document<'t> {
    /// Parses a text; the faults are those of the notation. One that is longer than any file may be is not
    /// read, and only its beginning is shown.
    #[must_use]
    pub fn parse(text: &'t str) -> (Self, Faults<'t>) {
        if text.len() as u64 > MAX_FILE_BYTES {
            let end = (0..=MAX_SHOWN).rev().find(|&end| text.is_char_boundary(end)).unwrap_or(0);
            let mut faults = Faults::new(&text[..end]);
            let message = format!("the text has {} bytes, and {MAX_FILE_BYTES} are the most", text.len());
            faults.add_syntax(0..end, &message, "leave out what is there twice");
            return (Document { table: DeTable::parse_recoverable("").0 }, faults);
        }
        let mut faults = Faults::new(text);
        let (table, syntax) = DeTable::parse_recoverable(text);
        for error in &syntax {
            let end = text.trim_end().len();
            let span =
                error.span().map_or(end..end, |span| span.start.min(text.len())..span.end.min(text.len()));
            faults.add_syntax(span, error.message(), syntax_help(error.message()));
        }
        (Document { table }, faults)
    }

    /// The table of the whole text, read by these keys.
    #[must_use]
    pub fn root(&self, section: &'static Section, faults: &mut Faults<'_>) -> Table<'_> {
        Table::new(section, String::new(), self.table.get_ref(), 0..0, faults)
    }
}

/// The text of a file of some kind.
///
/// # Errors
/// It cannot be read, is no file, is no text, or is larger than any that somebody writes.
pub fn load_text(path: &Path, kind: &'static TextKind) -> Result<String, LoadError> {
    let unreadable = |source| LoadError::Read { kind, path: path.into(), source };
    // To open a pipe waits for a writer, and a device may never end.
    let there = std::fs::metadata(path).map_err(unreadable)?;
    if !there.is_file() && !there.is_dir() {
        return Err(LoadError::NotAFile { kind, path: path.into() });
    }
    if there.len() > MAX_FILE_BYTES && there.is_file() {
        return Err(LoadError::TooLarge { kind, path: path.into(), got: there.len() });
    }
    let bytes = std::fs::read(path).map_err(unreadable)?;
    String::from_utf8(bytes)
        .map_err(|error| LoadError::NotUtf8 { path: path.into(), byte: error.utf8_error().valid_up_to() + 1 })
}

/// What to do about a text that is not TOML.
fn syntax_help(message: &str) -> &'static str {
    if message.contains("duplicate") {
        "keep one of the two"
    } else if message.contains("string") || message.contains("quot") {
        "put text between double quotes, as in `name = \"fide\"`"
    } else {
        "write `key = value` lines under `[table]` or `[[piece]]` headers; text stands in double quotes"
    }
}
