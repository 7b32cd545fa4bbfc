//! `piece`: shows how a man moves, by name or in Betza notation; without one, lists the catalogue.

mod description;
mod page;

use crate::args::PieceArgs;
use crate::console::Console;
use crate::grid::{Align, Grid};
use crate::{Answer, Failure, Outcome};
use ::piece::{BetzaError, CATALOGUE, Movement, named};
use description::{Description, Name};
use library::figure::plural;

/// So many letters make a word.
const WORD: usize = 4;

pub(crate) fn run(console: &mut Console<'_>, args: &PieceArgs) -> Outcome {
    match &args.piece {
        _ if args.markdown => write!(console.out, "{}", page::text())?,
        Some(piece) => {
            let movement = read(piece).map_err(Failure::plain)?;
            let description = Description::new(&movement, piece);
            if args.json {
                console.print_json(&description)?;
            } else {
                write!(console.out, "{}", description.text())?;
            }
        }
        None if args.json => {
            console.print_json(&CATALOGUE.iter().copied().map(Name::from).collect::<Vec<_>>())?;
        }
        None => write!(console.out, "{}", list(console.out_width))?,
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

/// The catalogue as a list, on a terminal of this width if it goes to one.
fn list(width: Option<usize>) -> String {
    let columns = ["name", "letter", "betza", "source"].map(|name| (name, Align::Left));
    let mut grid = Grid::new(&columns);
    for piece in CATALOGUE {
        grid.push(vec![piece.name.into(), piece.letter.into(), piece.betza.into(), piece.source.into()]);
    }
    format!("{}{}\n", grid.text(width), plural(CATALOGUE.len() as u64, "piece"))
}
