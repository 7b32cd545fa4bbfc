//! Reads typed values and their places from tables of a TOML text, and keeps all faults.
//!
//! The reader uses TOML and a list of keys, as in [`schema`](super::schema), and none of the rules behind
//! them.

use super::fault::{Fault, MAX_FAULTS, Report, is_visible, line_and_column, visible};
use super::schema::{self, Key, Section};
use geometry::{Board, Square};
use std::ops::{Range, RangeInclusive};
use toml::Spanned;
use toml::de::{DeArray, DeInteger, DeTable, DeValue};

/// A place in the text, in bytes.
pub type Span = Range<usize>;

/// The most entries of a list: more than any board has squares.
const MAX_ENTRIES: usize = 200;

/// All faults of a text found so far, but no more than 200.
#[derive(Debug)]
pub struct Faults<'t> {
    text: &'t str,
    list: Vec<Fault>,
    /// The lines that are not TOML; what was read of them is a guess.
    broken_lines: Vec<usize>,
}

impl<'t> Faults<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        Faults { text, list: Vec::new(), broken_lines: Vec::new() }
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// How many faults there are.
    pub(crate) fn n_faults(&self) -> usize {
        self.list.len()
    }

    /// The report of all of them; none if there are none.
    #[must_use]
    pub fn into_report(self, source_name: &str) -> Option<Report> {
        Report::new(source_name, self.text, self.list)
    }

    /// Whether some of the text is not TOML, so that a missing key proves nothing.
    #[must_use]
    pub fn is_partial(&self) -> bool {
        !self.broken_lines.is_empty()
    }

    /// Adds a fault of the notation itself.
    pub(crate) fn add_syntax(&mut self, span: Span, message: &str, help: &str) {
        if self.is_full() {
            return;
        }
        self.push(span.clone(), "", format!("this is not TOML: {message}"), help.into());
        self.broken_lines.push(line_and_column(self.text, span.start).0);
    }

    /// Adds a fault, unless it is about what was guessed from a line that is not TOML.
    pub fn add(&mut self, span: Span, key: &str, message: impl Into<String>, help: impl Into<String>) {
        if !self.is_full() && !self.broken_lines.contains(&line_and_column(self.text, span.start).0) {
            self.push(span, key, message.into(), help.into());
        }
    }

    fn push(&mut self, span: Span, key: &str, message: String, help: String) {
        let (line, column) = line_and_column(self.text, span.start);
        // Texts of the file stand in them, and go to a terminal.
        let [key, message, help] = [key, &message, &help].map(visible);
        self.list.push(Fault { line, column, span, key, message, help });
    }

    /// Whether the list has the most faults that it takes.
    fn is_full(&self) -> bool {
        self.list.len() >= MAX_FAULTS
    }

    /// The place of a byte range inside a string value; the whole value where escapes make that unclear.
    #[must_use]
    pub fn inside(&self, value: &Value<'_, String>, part: Span) -> Span {
        let quoted = self.text.get(value.span.clone()).unwrap_or_default();
        let plain = quoted.get(1..quoted.len().saturating_sub(1)) == Some(value.value.as_str());
        if plain {
            value.span.start + 1 + part.start..value.span.start + 1 + part.end
        } else {
            value.span.clone()
        }
    }
}

/// A value with the key that leads to it.
#[derive(Clone, Debug)]
pub struct Value<'k, T> {
    /// What the text says.
    pub value: T,
    /// Where it says so.
    pub span: Span,
    /// The key.
    pub key: &'k Key,
}

/// A table of the text that is read by the keys of one section.
#[derive(Debug)]
pub struct Table<'a> {
    section: &'static Section,
    /// The keys that lead here: empty, `board`, `piece[2].pawn`.
    path: String,
    /// Where the table begins.
    pub span: Span,
    /// The values of known keys, by their names in the schema.
    values: Vec<(&'static Key, &'a Spanned<DeValue<'a>>)>,
}

impl<'a> Table<'a> {
    /// Sorts the entries of a table into known keys and faults.
    pub(crate) fn new(
        section: &'static Section,
        path: String,
        table: &'a DeTable<'a>,
        span: Span,
        faults: &mut Faults<'_>,
    ) -> Self {
        let mut entries: Vec<_> = table.iter().collect();
        // The map is sorted by name; the faults should come in the order of the file.
        entries.sort_by_key(|(key, _)| key.span().start);
        let mut read = Table { section, path, span, values: Vec::new() };
        for (written, value) in entries {
            let full = read.path_of(written.get_ref());
            let Some(key) = section.key(written.get_ref()) else {
                let (message, help) = schema::refusal(section, written.get_ref());
                faults.add(written.span(), &full, message, help);
                continue;
            };
            if read.values.iter().any(|(known, _)| known.name == key.name) {
                let help = format!("keep one of them, as `{}`", key.name);
                faults.add(written.span(), &full, format!("`{}` is given in two spellings", key.name), help);
                continue;
            }
            if let Some(default) = key.only {
                read.only(key, default, &full, value, faults);
                continue;
            }
            read.values.push((key, value));
        }
        read
    }

    /// A key that is known but whose only value today is its default.
    fn only(
        &self,
        key: &Key,
        default: &str,
        full: &str,
        value: &Spanned<DeValue<'_>>,
        faults: &mut Faults<'_>,
    ) {
        if written(value.get_ref()) == default {
            return;
        }
        let message = match key.never {
            None => format!("`{}` is known, but not supported yet", key.name),
            Some(_) => format!("`{}` cannot be supported", key.name),
        };
        let reason = key.never.map_or_else(String::new, |reason| format!("{reason}; "));
        let help = format!("{reason}leave it out or write `{} = {default}`", key.name);
        faults.add(value.span(), full, message, help);
    }

    /// The full name of a key in this table.
    #[must_use]
    pub fn path_of(&self, key: &str) -> String {
        if self.path.is_empty() { key.into() } else { format!("{}.{key}", self.path) }
    }

    fn value(&self, name: &str) -> Option<(&'static Key, &'a Spanned<DeValue<'a>>)> {
        debug_assert!(self.section.key(name).is_some(), "{name} is not in the schema");
        self.values.iter().find(|(key, _)| key.name == name).copied()
    }

    /// Where a value stands, or else the table.
    #[must_use]
    pub fn span_of(&self, name: &str) -> Span {
        self.value(name).map_or_else(|| self.span.clone(), |(_, value)| value.span())
    }

    /// Whether the file gives this key.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.value(name).is_some()
    }

    /// Adds a fault at the value of a key; at the table where the file does not give it.
    pub fn fault(
        &self,
        key: &str,
        message: impl Into<String>,
        help: impl Into<String>,
        faults: &mut Faults<'_>,
    ) {
        faults.add(self.span_of(key), &self.path_of(key), message, help);
    }

    /// Says that a key is missing.
    pub fn missing(&self, name: &str, help: impl Into<String>, faults: &mut Faults<'_>) {
        if faults.is_partial() {
            return;
        }
        let what = if self.path.is_empty() { "the file".into() } else { format!("`{}`", self.path) };
        faults.add(self.span.clone(), &self.path_of(name), format!("{what} has no `{name}`"), help);
    }

    fn typed<T>(
        &self,
        name: &str,
        faults: &mut Faults<'_>,
        read: impl Fn(&'a DeValue<'a>) -> Option<T>,
    ) -> Option<Value<'static, T>> {
        let (key, value) = self.value(name)?;
        let found = read(value.get_ref());
        if found.is_none() {
            self.wrong(key, value, &format!("`{name}`"), key.expects, faults);
        }
        found.map(|found| Value { value: found, span: value.span(), key })
    }

    /// The entries of a list, if the key is given; one of another type is a fault and none.
    fn entries<T>(
        &self,
        name: &str,
        expects: &str,
        faults: &mut Faults<'_>,
        read: impl Fn(&'a DeValue<'a>) -> Option<T>,
    ) -> Option<Vec<Option<Value<'static, T>>>> {
        let Value { value: array, key, .. } = self.list(name, faults)?;
        let mut entries = Vec::new();
        for entry in array.iter() {
            let found = read(entry.get_ref());
            if found.is_none() {
                self.wrong(key, entry, &format!("an entry of `{name}`"), expects, faults);
            }
            entries.push(found.map(|value| Value { value, span: entry.span(), key }));
        }
        Some(entries)
    }

    /// Says that a value, or an entry of one, has another type.
    fn wrong(
        &self,
        key: &Key,
        value: &Spanned<DeValue<'_>>,
        what: &str,
        expects: &str,
        faults: &mut Faults<'_>,
    ) {
        let message = format!("{what} is {}, expected {expects}", kind(value.get_ref()));
        let help = format!("write for example `{}`", key.example);
        faults.add(value.span(), &self.path_of(key.name), message, help);
    }

    /// A string, if the key is given.
    pub fn string(&self, name: &str, faults: &mut Faults<'_>) -> Option<Value<'static, String>> {
        let text = self.typed(name, faults, |value| value.as_str().map(String::from))?;
        // Only what is never printed inside a line may have several lines.
        let is_prose = matches!(name, "description" | "source");
        let is_fine = |c: char| is_visible(c) || (is_prose && matches!(c, '\n' | '\r' | '\t'));
        if let Some(wrong) = text.value.chars().find(|&c| !is_fine(c)) {
            let message = format!("`{name}` has the control character {}", wrong.escape_unicode());
            faults.add(text.span, &self.path_of(name), message, "write characters that can be seen");
            return None;
        }
        Some(text)
    }

    /// `true` or `false`, if the key is given.
    pub fn boolean(&self, name: &str, faults: &mut Faults<'_>) -> Option<Value<'static, bool>> {
        self.typed(name, faults, DeValue::as_bool)
    }

    /// Whether the file gives this key a string.
    #[must_use]
    pub fn is_string(&self, name: &str) -> bool {
        self.value(name).is_some_and(|(_, value)| value.get_ref().as_str().is_some())
    }

    /// Whether the file gives this key a list.
    #[must_use]
    pub fn is_list(&self, name: &str) -> bool {
        self.value(name).is_some_and(|(_, value)| value.get_ref().as_array().is_some())
    }

    /// A number within the range, if the key is given.
    pub fn number(
        &self,
        name: &str,
        range: RangeInclusive<usize>,
        faults: &mut Faults<'_>,
    ) -> Option<Value<'static, usize>> {
        let integer = self.typed(name, faults, DeValue::as_integer)?;
        let usual = integer.key.example.split(' ').next_back().and_then(|n| n.parse::<usize>().ok());
        let near = usual.unwrap_or_default().clamp(*range.start(), *range.end());
        self.within(&integer, range, &format!("{name} = {near}"), faults)
    }

    /// A number within the range; this one if the key is not given, none where it has a fault.
    pub(crate) fn number_or(
        &self,
        name: &str,
        range: RangeInclusive<usize>,
        default: usize,
        faults: &mut Faults<'_>,
    ) -> Option<usize> {
        match self.has(name) {
            true => self.number(name, range, faults).map(|number| number.value),
            false => Some(default),
        }
    }

    /// A list of at most [`MAX_ENTRIES`], if the key is given; a longer one is a fault and none.
    fn list(&self, name: &str, faults: &mut Faults<'_>) -> Option<Value<'static, &'a DeArray<'a>>> {
        let array = self.typed(name, faults, DeValue::as_array)?;
        let n_entries = array.value.len();
        if n_entries > MAX_ENTRIES {
            let message = format!("`{name}` has {n_entries} entries, expected at most {MAX_ENTRIES}");
            faults.add(array.span, &self.path_of(name), message, "leave out what is there twice");
            return None;
        }
        Some(array)
    }

    /// A list of numbers within the range, if the key is given; an entry that is none is a fault and none.
    pub fn numbers(
        &self,
        name: &str,
        range: RangeInclusive<usize>,
        faults: &mut Faults<'_>,
    ) -> Option<Vec<Option<Value<'static, usize>>>> {
        let entries = self.entries(name, "a whole number", faults, DeValue::as_integer)?;
        let number = |entry: Option<Value<'static, &DeInteger<'_>>>| {
            let integer = entry?;
            self.within(&integer, range.clone(), integer.key.example, faults)
        };
        Some(entries.into_iter().map(number).collect())
    }

    /// An integer of the text, if it is within the range.
    fn within(
        &self,
        integer: &Value<'static, &DeInteger<'_>>,
        range: RangeInclusive<usize>,
        example: &str,
        faults: &mut Faults<'_>,
    ) -> Option<Value<'static, usize>> {
        let Value { value, span, key } = integer;
        let number = i128::from_str_radix(value.as_str(), value.radix()).ok();
        let number = number.and_then(|n| usize::try_from(n).ok()).filter(|n| range.contains(n));
        if number.is_none() {
            let message = format!("`{}` is {value}, expected {} to {}", key.name, range.start(), range.end());
            let help = format!("write for example `{example}`");
            faults.add(span.clone(), &self.path_of(key.name), message, help);
        }
        number.map(|value| Value { value, span: span.clone(), key })
    }

    /// A list of squares of the board, each with its place, if the key is given; an entry that is none, or
    /// names a square again, is a fault and none.
    pub(crate) fn squares(
        &self,
        name: &str,
        board: &Board,
        faults: &mut Faults<'_>,
    ) -> Option<Vec<Option<(Square, Span)>>> {
        let key = self.path_of(name);
        let mut squares: Vec<Option<(Square, Span)>> = Vec::new();
        for entry in self.strings(name, faults)? {
            let square = entry.as_ref().and_then(|entry| board.square_named(&entry.value));
            let is_new = squares.iter().flatten().all(|(known, _)| Some(*known) != square);
            if let Some(entry) = entry.as_ref().filter(|_| square.is_none() || !is_new) {
                let written = entry.value.escape_debug();
                let (message, help) = match square {
                    Some(_) => (format!("`{name}` names {written} twice"), "name each square once".into()),
                    None => (format!("a board of {board} has no square `{written}`"), squares_help(board)),
                };
                faults.add(entry.span.clone(), &key, message, help);
            }
            squares.push(square.filter(|_| is_new).zip(entry.map(|entry| entry.span)));
        }
        Some(squares)
    }

    /// A list of strings, if the key is given; an entry that is no string is a fault and none.
    pub fn strings(
        &self,
        name: &str,
        faults: &mut Faults<'_>,
    ) -> Option<Vec<Option<Value<'static, String>>>> {
        self.entries(name, "a string", faults, |value| value.as_str().map(String::from))
    }

    /// A table in this table, if the key is given.
    pub fn table(&self, name: &str, section: &'static Section, faults: &mut Faults<'_>) -> Option<Table<'a>> {
        let table = self.typed(name, faults, DeValue::as_table)?;
        Some(Table::new(section, self.path_of(name), table.value, table.span, faults))
    }

    /// The tables of a list in this table, if the key is given.
    pub fn tables(
        &self,
        name: &str,
        section: &'static Section,
        faults: &mut Faults<'_>,
    ) -> Option<Vec<Table<'a>>> {
        let entries = self.entries(name, "a table", faults, DeValue::as_table)?;
        let table = |(number, entry): (usize, Option<Value<'static, &'a DeTable<'a>>>)| {
            let Value { value, span, .. } = entry?;
            Some(Table::new(section, format!("{}[{number}]", self.path_of(name)), value, span, faults))
        };
        Some((1..).zip(entries).filter_map(table).collect())
    }
}

/// How squares of this board are named.
fn squares_help(board: &Board) -> String {
    let last = board.name(board.square(board.files() - 1, board.ranks() - 1));
    let holes = if board.holes().is_empty() { "" } else { "; a hole is none" };
    format!("squares go from \"a1\" to \"{last}\", the letter of the file first{holes}")
}

/// What a value is, for people.
fn kind(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a string",
        DeValue::Integer(_) => "a whole number",
        DeValue::Float(_) => "a number with a fraction",
        DeValue::Boolean(_) => "a boolean",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}

/// A plain value as a file has it; other values as something that no default is.
fn written(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(text) => format!("\"{text}\""),
        DeValue::Integer(number) => number.to_string(),
        DeValue::Boolean(value) => value.to_string(),
        DeValue::Array(array) if array.is_empty() => "[]".into(),
        _ => String::new(),
    }
}
