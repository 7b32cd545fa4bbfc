//! Counts the games of a given number of plies that start here (perft).

use crate::{Position, RuleBook};

impl Position {
    /// The number of legal games of exactly `depth` plies.
    ///
    /// Complexity: one visit a game, but the last ply is only counted.
    #[must_use]
    pub fn perft(&self, book: &RuleBook, depth: u32) -> u64 {
        if depth == 0 {
            return 1;
        }
        let mut games = 0;
        self.for_each_successor(book, |_, next| {
            games += if depth == 1 { 1 } else { next.perft(book, depth - 1) }
        });
        games
    }
}
