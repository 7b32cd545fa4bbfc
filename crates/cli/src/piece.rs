//! `piece`: shows how a man moves, by name or in Betza notation; without one, lists the catalogue, or prints
//! docs/pieces.md, the catalogue with pictures.

use crate::{Console, Failure, Outcome, Report, plural};
use ::piece::{BetzaError, BetzaFault, CATALOGUE, Movement, NamedPiece, is_words, named, names_of};
use serde::Serialize;
use std::collections::BTreeSet;

/// Show how a piece moves: picture, words, symmetries; without one, list the pieces that have names
#[derive(clap::Args, Debug)]
pub(crate) struct PieceArgs {
    /// A name such as grasshopper, or Betza notation such as NN or mRcpR
    pub(crate) piece: Option<String>,
    /// List the pieces that have names, as without an argument
    #[arg(long, conflicts_with = "piece")]
    pub(crate) all: bool,
    /// Print the page docs/pieces.md
    #[arg(long, conflicts_with_all = ["piece", "all", "json"])]
    pub(crate) markdown: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Names that begin with this many like letters are alike.
const N_ALIKE: usize = 3;

pub(crate) fn run(console: &mut Console<'_>, args: &PieceArgs) -> Outcome<()> {
    match &args.piece {
        _ if args.markdown => Ok(write!(console.out, "{}", page())?),
        Some(piece) => {
            let movement = read(piece).map_err(Failure::plain)?;
            let description = Description::new(&movement, piece);
            match args.json {
                true => console.print_json(&description),
                false => Ok(write!(console.out, "{}", description.text())?),
            }
        }
        None if args.json => console.print_json(&CATALOGUE),
        None => {
            let (list, n_pieces) = (catalogue(false), plural(CATALOGUE.len() as u64, "piece"));
            Ok(writeln!(console.out, "{}{n_pieces}", list.text(console.out_width))?)
        }
    }
}

/// The movement of this name, or the one that the notation says; else what is wrong, for people.
pub(crate) fn read(text: &str) -> Result<Movement, String> {
    if let Some(piece) = named(text.trim()) {
        return Ok(piece.movement());
    }
    // Words among which is a name are explained by what that piece is.
    let is_explained = text.split([' ', '-']).any(|word| named(word).is_some());
    Movement::parse(text).map_err(|error| match is_words(text) && !is_explained {
        true => no_name(&text.to_lowercase()),
        false => report(&error),
    })
}

/// That no piece has this name, and which begin in the same way.
fn no_name(text: &str) -> String {
    let alike = |name: &&str| name.get(..N_ALIKE) == text.get(..N_ALIKE);
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
    let mut text = String::new();
    for BetzaFault { span, column, message, help } in &error.faults {
        let n_chars = error.text.get(span.clone()).map_or(1, |wrong| wrong.chars().count());
        let (before, rest) = (" ".repeat(column - 1), "─".repeat(n_chars.saturating_sub(1)));
        text += &format!(
            "  × {message}\n    │ {shown}\n    · {before}┬{rest} column {column}\n  help: {help}\n\n"
        );
    }
    text + &format!("`{shown}` is no movement: {}", plural(error.faults.len() as u64, "fault"))
}

/// The catalogue as a list; in Markdown notation stands in backquotes.
fn catalogue(is_markdown: bool) -> Report {
    let (title, quote) = if is_markdown { ("Betza", "`") } else { ("betza", "") };
    let mut list = Report::new(&format!("name | letter | {title} | source"));
    for piece in CATALOGUE {
        let betza = format!("{quote}{}{quote}", piece.betza);
        list.row([piece.name, &piece.letter.to_string(), &betza, piece.source]);
    }
    list
}

/// What there is to say of a movement.
#[derive(Serialize)]
struct Description {
    /// In Betza notation, always written in the same way.
    betza: String,
    names: Vec<&'static NamedPiece>,
    diagram: Vec<String>,
    words: Vec<String>,
    symmetries: &'static str,
    n_symmetries: usize,
    n_squares_of_64: usize,
    colour_bound: bool,
    can_lose_a_move: bool,
    can_take_back: bool,
}

impl Description {
    /// `written` stands in where the notation has no word for the movement.
    fn new(movement: &Movement, written: &str) -> Self {
        Description {
            betza: movement.to_betza().unwrap_or_else(|| written.into()),
            names: names_of(movement).collect(),
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
        for NamedPiece { name, letter, betza, source, .. } in &self.names {
            let as_written = if *betza == self.betza { String::new() } else { format!(", written {betza}") };
            text += &format!("{name} ({letter}){as_written}: {source}\n");
        }
        text + &format!("\n{}\n{}", self.picture(), self.sentences())
    }

    /// The diagram, moved to the right.
    fn picture(&self) -> String {
        self.diagram.iter().map(|line| format!("  {line}\n")).collect()
    }

    /// How it moves, what it keeps and can do.
    fn sentences(&self) -> String {
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
        let character = [format!("keeps {}", self.symmetries), squares, moves.into(), back.into()];
        self.words.iter().chain(&character).map(|sentence| format!("- {sentence}\n")).collect()
    }
}

/// The page docs/pieces.md, with words in capitals in double braces for what the catalogue says.
const PAGE: &str = include_str!("piece/page.txt");

fn page() -> String {
    let mut shown = BTreeSet::new();
    let described = CATALOGUE.iter().map(|piece| Description::new(&piece.movement(), piece.betza));
    let described = described.filter(|description| shown.insert(description.betza.clone()));
    let pictures: String = described.map(|description| section(&description)).collect();
    PAGE.replace("{{CATALOGUE}}\n", &catalogue(true).markdown()).replace("{{PICTURES}}\n", &pictures)
}

/// A movement under all its names.
fn section(description: &Description) -> String {
    let names: Vec<&str> = description.names.iter().map(|name| name.name).collect();
    let (names, picture, sentences) = (names.join(", "), description.picture(), description.sentences());
    format!("\n### {names}: `{}`\n\n```text\n{picture}```\n\n{sentences}", description.betza)
}
