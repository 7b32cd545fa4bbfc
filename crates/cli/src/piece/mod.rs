//! `piece`: how a man moves, by name or in Betza notation: picture, words, symmetries, and what it can do in
//! the long run; without one, the catalogue.

mod page;

use crate::args::PieceArgs;
use crate::console::Console;
use crate::grid::{Grid, Lean};
use crate::{Answer, Failure, Outcome};
use ::piece::{BetzaError, CATALOGUE, Movement, NamedPiece, named, names_of};
use library::figure::plural;
use serde::Serialize;

/// So many letters make a word.
const WORD: usize = 4;

/// What there is to say of a movement.
#[derive(Serialize)]
struct Portrait {
    /// In Betza notation, always written in the same way.
    betza: String,
    names: Vec<Name>,
    diagram: Vec<String>,
    words: Vec<String>,
    symmetries: &'static str,
    n_symmetries: usize,
    n_squares_of_64: usize,
    colour_bound: bool,
    can_lose_a_move: bool,
    can_take_back: bool,
}

/// A name in the catalogue.
#[derive(Clone, Copy, Serialize)]
struct Name {
    name: &'static str,
    letter: char,
    betza: &'static str,
    source: &'static str,
}

pub(crate) fn run(console: &mut Console<'_>, args: &PieceArgs) -> Outcome {
    match &args.piece {
        _ if args.markdown => write!(console.out, "{}", page::text())?,
        Some(piece) => {
            let movement = read(piece).map_err(Failure::plain)?;
            let portrait = Portrait::new(&movement, piece);
            if args.json {
                console.print_json(&portrait)?;
            } else {
                write!(console.out, "{}", portrait.text())?;
            }
        }
        None if args.json => {
            console.print_json(&CATALOGUE.iter().copied().map(Name::from).collect::<Vec<_>>())?;
        }
        None => write!(console.out, "{}", list())?,
    }
    Ok(Answer::Yes)
}

/// The movement of this name, or the one that the notation says; else what is wrong, for people.
fn read(text: &str) -> Result<Movement, String> {
    if let Some(piece) = named(text.trim()) {
        return Ok(piece.movement());
    }
    Movement::parse(text)
        .map_err(|error| if is_word(text) { no_name(&text.to_lowercase()) } else { report(&error) })
}

/// Whether a text that is no name was meant as one: notation has upper-case letters behind the first.
fn is_word(text: &str) -> bool {
    let is_lower = |word: &str| word.chars().skip(1).all(|c| c.is_ascii_lowercase());
    let is_alphabetic = text.chars().all(|c| c.is_ascii_alphabetic() || " -".contains(c));
    text.len() >= WORD && is_alphabetic && text.split([' ', '-']).all(is_lower)
}

/// That no piece has this name, and which begin in the same way.
fn no_name(text: &str) -> String {
    let alike = |name: &&str| name.get(..WORD - 1) == text.get(..WORD - 1);
    let alike: Vec<&str> = CATALOGUE.iter().map(|piece| piece.name).filter(alike).collect();
    let hint = match alike.as_slice() {
        [] => "`piece` without a name lists them".into(),
        alike => format!("did you mean {}?", alike.join(" or ")),
    };
    format!(
        "error: no piece is called `{text}`; {hint}\n\
         A move in Betza notation has an upper-case letter, as in `fmW`."
    )
}

/// The faults of a string, each with the string and what of it is wrong underlined.
fn report(error: &BetzaError) -> String {
    let shown: String = error.text.chars().map(|c| if c.is_control() { '?' } else { c }).collect();
    let mut lines = Vec::new();
    for fault in &error.faults {
        let n_chars = error.text.get(fault.span.clone()).map_or(1, |wrong| wrong.chars().count());
        let (before, rest) = (" ".repeat(fault.column - 1), "─".repeat(n_chars.saturating_sub(1)));
        lines.push(format!("  × {}", fault.message));
        lines.push(format!("    │ {shown}"));
        lines.push(format!("    · {before}┬{rest} column {}", fault.column));
        lines.push(format!("  help: {}", fault.help));
        lines.push(String::new());
    }
    lines.push(format!("`{shown}` is no movement: {}", plural(error.faults.len() as u64, "fault")));
    lines.join("\n")
}

impl From<NamedPiece> for Name {
    fn from(NamedPiece { name, letter, betza, source }: NamedPiece) -> Self {
        Name { name, letter, betza, source }
    }
}

impl Portrait {
    /// `written` stands in where the notation has no word for the movement.
    fn new(movement: &Movement, written: &str) -> Self {
        Portrait {
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

    fn text(&self) -> String {
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
    fn character(&self) -> Vec<String> {
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
fn indented(lines: &[String]) -> String {
    lines.iter().map(|line| format!("  {line}\n")).collect()
}

/// The catalogue as a list.
fn list() -> String {
    let columns = ["name", "letter", "betza", "source"].map(|name| (name, Lean::Left));
    let mut grid = Grid::new(&columns);
    for piece in CATALOGUE {
        grid.push(vec![piece.name.into(), piece.letter.into(), piece.betza.into(), piece.source.into()]);
    }
    format!("{}{}\n", grid.text(), plural(CATALOGUE.len() as u64, "piece"))
}
