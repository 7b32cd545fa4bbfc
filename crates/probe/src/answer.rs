//! What a position is answered with: its value, its moves, its main line.

use crate::{ProbeError, Tablebase};
use position::{Move, Outcome, Position};
use table::{Ply, Value};
use variant::Metric;

/// What is known of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Answer {
    /// The value for the side to move, as if the clock of the n-move rule stood at zero; [`Value::Illegal`] if the rules
    /// forbid the position.
    pub value: Value,
    /// Whether the n-move rule makes a draw of it, with the clock as it is: only under the metric `dtz50`.
    pub is_spoilt: bool,
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
    /// Whether the n-move rule makes a draw of it, with the clock as it is before the move.
    pub is_spoilt: bool,
    /// Whether the metric stops at the move, so that behind it another distance begins.
    pub is_stop: bool,
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
        let is_spoilt = self.scale().is_spoilt_at(value, position.halfmove_clock());
        Ok(Answer { value, is_spoilt, outcome })
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
                Ok(value) => rated.extend(self.before(&mv, value).map(|value| RatedMove {
                    mv,
                    uci: mv.uci(self.book()),
                    value,
                    is_spoilt: self.scale().is_spoilt_at(value, position.halfmove_clock()),
                    is_stop: self.stops_at(&mv),
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

    /// The moves of both sides until mate, or until the first move that the metric stops at, each side playing its first
    /// move of [`Tablebase::moves`]; empty unless somebody wins, and where no distance tells how.
    ///
    /// # Errors
    /// A table that a move leads to is not there or cannot be read.
    pub fn main_line(&self, position: &Position) -> Result<Vec<RatedMove>, ProbeError> {
        self.line(position, false)
    }

    /// The same until the game is over: after a move that the metric stops at it begins to count again.
    ///
    /// # Errors
    /// As [`Tablebase::main_line`].
    pub fn whole_line(&self, position: &Position) -> Result<Vec<RatedMove>, ProbeError> {
        self.line(position, true)
    }

    fn line(&self, position: &Position, to_the_end: bool) -> Result<Vec<RatedMove>, ProbeError> {
        let mut line: Vec<RatedMove> = Vec::new();
        if self.scale().metric() == Metric::Wdl {
            return Ok(line);
        }
        let mut position = position.clone();
        let mut last: Option<Ply> = None;
        loop {
            let best = self.moves(&position)?.into_iter().next();
            // Each move brings the end one ply nearer, or else the tables do not belong together.
            let Some(best) = best.filter(|best| match (best.value.ply(), last) {
                (Some(ply), Some(last)) => last == ply.next(),
                (ply, _) => ply.is_some(),
            }) else {
                return Ok(line);
            };
            position = position.play(best.mv);
            let is_stop = best.is_stop;
            last = best.value.ply().filter(|_| !is_stop);
            line.push(best);
            if is_stop && !to_the_end {
                return Ok(line);
            }
        }
    }
}
