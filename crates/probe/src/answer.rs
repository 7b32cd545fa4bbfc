//! What a position is answered with: its value, its moves, its main line.

use crate::{ProbeError, Tablebase};
use position::{Move, Outcome, Position};
use table::{Ply, Value};

/// What is known of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Answer {
    /// The value for the side to move; [`Value::Illegal`] if the rules forbid the position.
    pub value: Value,
    /// How the game has ended here, if it has.
    pub outcome: Option<Outcome>,
}

impl Answer {
    /// Whether the rules allow the position.
    #[must_use]
    pub fn is_legal(&self) -> bool {
        self.value != Value::Illegal
    }
}

/// A legal move and what it is worth.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RatedMove {
    /// The move.
    pub mv: Move,
    /// The move in coordinates.
    pub uci: String,
    /// The value for the side that moves, counted from before the move.
    pub value: Value,
}

impl Tablebase {
    /// The value of a position, and whether the game has ended there.
    ///
    /// # Errors
    /// A table that is needed is not there or cannot be read.
    pub fn probe(&self, position: &Position) -> Result<Answer, ProbeError> {
        let value = self.value(position)?;
        // Only these two can be ends, so only then are moves looked for.
        let may_be_over = matches!(value, Value::Stalemate | Value::Loss(Ply(0)));
        let outcome = if may_be_over { position.outcome(self.book()) } else { None };
        Ok(Answer { value, outcome })
    }

    /// Every legal move with its value, best first: the quickest win, draws, the slowest loss; equals by their
    /// coordinates. An illegal position has none.
    ///
    /// # Errors
    /// A table that a move leads to is not there or cannot be read.
    pub fn moves(&self, position: &Position) -> Result<Vec<RatedMove>, ProbeError> {
        let mut rated = Vec::new();
        let mut failed = None;
        if !position.is_legal(self.book()) {
            return Ok(rated);
        }
        position.for_each_successor(self.book(), |mv, next| {
            if failed.is_some() {
                return;
            }
            match self.value_of_legal(next) {
                // What the rules allow and no table has a place for does not exist.
                Ok(value) => rated.extend(value.before_move().map(|value| RatedMove {
                    mv,
                    uci: mv.uci(self.book()),
                    value,
                })),
                Err(error) => failed = Some(error),
            }
        });
        if let Some(error) = failed {
            return Err(error);
        }
        rated.sort_by(|a, b| {
            b.value.preference(&a.value).then_with(|| a.uci.cmp(&b.uci)).then_with(|| {
                // A step and an en-passant capture may share their coordinates.
                b.mv.is_en_passant().cmp(&a.mv.is_en_passant())
            })
        });
        Ok(rated)
    }

    /// The moves of both sides until mate, each side playing its first move of [`Tablebase::moves`]; empty unless
    /// somebody wins.
    ///
    /// # Errors
    /// A table that a move leads to is not there or cannot be read.
    pub fn main_line(&self, position: &Position) -> Result<Vec<RatedMove>, ProbeError> {
        let mut line: Vec<RatedMove> = Vec::new();
        let mut position = position.clone();
        loop {
            let best = self.moves(&position)?.into_iter().next();
            // Each move brings the end one ply nearer, or else the tables do not belong together.
            let Some(best) = best.filter(|best| match (best.value.ply(), line.last()) {
                (Some(ply), Some(last)) => last.value.ply() == Some(ply.next()),
                (ply, _) => ply.is_some(),
            }) else {
                return Ok(line);
            };
            position = position.play(best.mv);
            line.push(best);
        }
    }
}
