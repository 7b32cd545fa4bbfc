//! Reports what is wrong with a query, with the place of the word that is meant.

use std::fmt;
use std::ops::Range;

/// A query that cannot be read.
///
/// As text it is the message, the query, and a mark below the word that is meant:
///
/// ```text
/// there is no word `wining`; did you mean `winning`?
///   | wtm wining
///   |     ^^^^^^
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct QueryFault {
    pub(crate) query: String,
    /// The characters that are meant; empty behind the last one.
    pub(crate) place: Range<usize>,
    pub(crate) message: String,
}

impl QueryFault {
    /// What is wrong and how to mend it, without the place.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The characters of the query that are meant; behind the last one if something is missing there.
    #[must_use]
    pub fn place(&self) -> Range<usize> {
        self.place.clone()
    }
}

impl fmt::Display for QueryFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let query: String = self.query.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        let marks = "^".repeat(self.place.len().max(1));
        writeln!(f, "{}", self.message)?;
        writeln!(f, "  | {query}")?;
        write!(f, "  | {}{marks}", " ".repeat(self.place.start))
    }
}

impl std::error::Error for QueryFault {}
