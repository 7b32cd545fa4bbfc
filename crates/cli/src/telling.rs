//! `--why`, `--pgn` and `--svg`: tells an answer in other ways than as text.

use crate::Failure;
use crate::probe::text;
use ::probe::{Answer, pgn};
use library::{diagram, headline};
use position::RuleBook;
use std::path::PathBuf;

/// How an answer is told.
#[derive(clap::Args, Clone, Default, Debug)]
pub(crate) struct Telling {
    /// Show of each move that gives the result away how it is answered
    #[arg(long)]
    pub(crate) why: bool,
    /// Print the position, the main line and what --why shows as a game in PGN
    #[arg(long, conflicts_with = "json")]
    pub(crate) pgn: bool,
    /// Draw the position as SVG into this file
    #[arg(long, value_name = "FILE")]
    pub(crate) svg: Option<PathBuf>,
}

impl Telling {
    /// Refuses the options if one of them is given, for this reason.
    ///
    /// # Errors
    /// One of them is given, and there is a reason.
    pub(crate) fn refuse(&self, reason: Option<&str>) -> Result<(), Failure> {
        let options = [(self.why, "--why"), (self.pgn, "--pgn"), (self.svg.is_some(), "--svg")];
        match (options.into_iter().find(|(is_given, _)| *is_given), reason) {
            (Some((_, name)), Some(reason)) => Err(Failure::new(format!("{name} {reason}"))),
            _ => Ok(()),
        }
    }

    /// Draws the position of an answer, if that is asked for.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(crate) fn draw(&self, book: &RuleBook, answer: &Answer) -> Result<(), Failure> {
        let Some(path) = &self.svg else { return Ok(()) };
        std::fs::write(path, diagram(&answer.position.to_fen(book)))
            .map_err(|error| Failure::new(format!("cannot write {}: {error}", path.display())))
    }

    /// An answer as text, or as PGN; `gap` says what is not known of it.
    pub(crate) fn text(&self, book: &RuleBook, answer: &Answer, gap: Option<String>) -> String {
        match self.pgn {
            true => pgn(book, answer, "?", Some(&headline(book.variant(), answer))),
            false => text::answer(book, answer, gap),
        }
    }
}
