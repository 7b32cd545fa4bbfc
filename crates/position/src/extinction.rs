//! Detects extinction: the end of a side's men, or of those of one kind.

use crate::{Ending, Outcome, Position, RuleBook};
use variant::Verdict;

impl Position {
    /// How extinction has ended the game, if it has.
    pub(crate) fn end_by_extinction(&self, book: &RuleBook) -> Option<Ending> {
        let extinction = book.variant().rules.extinction.as_ref()?;
        let n_men = |side, kind| match kind {
            None => self.squares_of(side).n_squares(),
            Some(kind) => self.men_of(side).filter(|(man, _)| man.piece == kind).count(),
        };
        let winner = match extinction.verdict(n_men, self.stm())? {
            Verdict::Win => self.stm(),
            Verdict::Loss => !self.stm(),
        };
        Some(Ending { outcome: Outcome::Extinction, winner: Some(winner) })
    }
}
