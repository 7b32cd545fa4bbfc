//! Describes a movement: picture, words, symmetries, and what it can do in the long run.

use ::piece::{Movement, NamedPiece, names_of};
use serde::Serialize;

/// What there is to say of a movement.
#[derive(Serialize)]
pub(super) struct Description {
    /// In Betza notation, always written in the same way.
    pub(super) betza: String,
    pub(super) names: Vec<Name>,
    pub(super) diagram: Vec<String>,
    pub(super) words: Vec<String>,
    symmetries: &'static str,
    n_symmetries: usize,
    n_squares_of_64: usize,
    colour_bound: bool,
    can_lose_a_move: bool,
    can_take_back: bool,
}

/// A name in the catalogue.
#[derive(Clone, Copy, Serialize)]
pub(super) struct Name {
    pub(super) name: &'static str,
    letter: char,
    betza: &'static str,
    source: &'static str,
}

impl From<NamedPiece> for Name {
    fn from(NamedPiece { name, letter, betza, source }: NamedPiece) -> Self {
        Name { name, letter, betza, source }
    }
}

impl Description {
    /// `written` stands in where the notation has no word for the movement.
    pub(super) fn new(movement: &Movement, written: &str) -> Self {
        Description {
            betza: movement.to_betza().unwrap_or_else(|| written.into()),
            names: names_of(movement).copied().map(Name::from).collect(),
            diagram: movement.diagram().lines().map(str::to_owned).collect(),
            words: movement.in_words(),
            symmetries: movement.symmetries_in_words(),
            n_symmetries: movement.symmetries().len(),
            n_squares_of_64: movement.n_squares_of_64(),
            colour_bound: movement.is_colour_bound(),
            can_lose_a_move: movement.can_lose_a_move(),
            can_take_back: movement.can_take_back(),
        }
    }

    pub(super) fn text(&self) -> String {
        let mut text = format!("{}\n", if self.betza.is_empty() { "(no move)" } else { &self.betza });
        for name in &self.names {
            let as_written =
                if name.betza == self.betza { String::new() } else { format!(", written {}", name.betza) };
            text += &format!("{} ({}){as_written}: {}\n", name.name, name.letter, name.source);
        }
        text += &format!("\n{}\n", indented(&self.diagram));
        for sentence in self.words.iter().cloned().chain(self.character()) {
            text += &format!("- {sentence}\n");
        }
        text
    }

    /// What it keeps and can do, in words.
    pub(super) fn character(&self) -> Vec<String> {
        let squares = match (self.n_squares_of_64, self.colour_bound) {
            (64, _) => "comes to every square of an 8 × 8 board".into(),
            (n, true) => format!("comes to {n} of 64 squares at most, all of one colour"),
            (n, false) => format!("comes to {n} of 64 squares at most"),
        };
        let moves = if self.can_lose_a_move { "can lose a move" } else { "cannot lose a move" };
        let back = match self.can_take_back {
            true => "can go straight back after every move without capture",
            false => "has moves that it cannot take back at once",
        };
        vec![format!("keeps {}", self.symmetries), squares, moves.into(), back.into()]
    }
}

/// Lines moved to the right.
pub(super) fn indented(lines: &[String]) -> String {
    lines.iter().map(|line| format!("  {line}\n")).collect()
}
