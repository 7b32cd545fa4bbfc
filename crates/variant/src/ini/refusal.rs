//! Says why a game cannot be taken over.

use std::fmt;

/// A reason why a game cannot be taken over.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refusal {
    /// Where the rule is written: `line 12`, or the name of a built-in game.
    pub place: String,
    /// The key; empty if it is about the whole game.
    pub key: String,
    /// Why not.
    pub why: String,
}

impl Refusal {
    /// About a whole game, whose section stands in this line.
    pub(super) fn of_game(line: Option<usize>, why: String) -> Self {
        let place = line.map_or_else(String::new, |line| format!("line {line}"));
        Refusal { place, key: String::new(), why }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [&self.place, &self.key, &self.why].map(String::as_str);
        f.write_str(&parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(": "))
    }
}
