//! Reads single values of the `[rules]` table: flags, words, counts, letters of men.

use super::piece::PieceDraft;
use super::table::{Faults, Table, Value};
use crate::PieceId;
use geometry::Board;

/// The table, with what its values are checked against.
pub(super) struct Reader<'t, 'a, 'f> {
    pub(super) table: &'t Table<'a>,
    pub(super) board: Option<&'t Board>,
    pub(super) drafts: &'t [PieceDraft<'t>],
    pub(super) faults: &'t mut Faults<'f>,
}

impl Reader<'_, '_, '_> {
    /// A fault at a key's value; at the table where it does not give the key.
    pub(super) fn fault(&mut self, key: &str, message: impl Into<String>, help: impl Into<String>) {
        self.faults.add(self.table.span_of(key), &self.table.path_of(key), message, help);
    }

    pub(super) fn flag(&mut self, name: &str, default: bool) -> bool {
        self.table.boolean(name, self.faults).map_or(default, |value| value.value)
    }

    /// One of these words, if the key is given.
    pub(super) fn word<T: Copy>(&mut self, name: &str, words: &[(&str, T)], help: &str) -> Option<T> {
        let value = self.table.string(name, self.faults)?;
        let found = words.iter().find(|(word, _)| *word == value.value);
        if found.is_none() {
            let what = name.strip_suffix("-value").unwrap_or(name);
            let message = format!("{what} cannot be `{}`", value.value.escape_debug());
            self.fault(name, message, help);
        }
        found.map(|(_, meaning)| *meaning)
    }

    pub(super) fn count(&mut self, name: &str) -> u8 {
        self.table.number(name, 0..=16, self.faults).map_or(0, |value| value.value as u8)
    }

    /// The kinds of men whose letters a string lists, in the order of the file; the inner none is all, `"*"`.
    pub(super) fn kinds(&mut self, name: &str) -> Option<Option<Vec<PieceId>>> {
        let value = self.table.string(name, self.faults)?;
        if value.value == "*" {
            return Some(None);
        }
        let mut kinds = Vec::new();
        for (at, letter) in value.value.char_indices() {
            match self.kind(&value, (at, letter), &kinds) {
                Ok(kind) => kinds.push(kind),
                Err((message, help)) => {
                    let span = self.faults.inside(&value, at..at + letter.len_utf8());
                    self.faults.add(span, &self.table.path_of(name), message, help);
                }
            }
        }
        kinds.sort_unstable();
        Some(Some(kinds))
    }

    /// The kind of this letter, small or not; else what is wrong with it, and what to write.
    fn kind(
        &self,
        value: &Value<'_, String>,
        (_, letter): (usize, char),
        before: &[PieceId],
    ) -> Result<PieceId, (String, String)> {
        let key = value.key.name;
        let is_meant =
            |draft: &PieceDraft<'_>| draft.has_letter && draft.piece.letter == letter.to_ascii_uppercase();
        let Some(place) = self.drafts.iter().position(is_meant) else {
            let known = self.drafts.iter().filter(|draft| draft.has_letter).map(|draft| draft.piece.letter);
            let known: Vec<String> = known.map(String::from).collect();
            let message = format!("`{key}` names `{}`, the letter of no piece", letter.escape_debug());
            return Err((
                message,
                format!("write letters without anything between; there are {}", known.join(", ")),
            ));
        };
        let kind = PieceId(place as u8);
        if before.contains(&kind) {
            return Err((format!("`{key}` names `{letter}` twice"), "name each kind once".into()));
        }
        Ok(kind)
    }
}
