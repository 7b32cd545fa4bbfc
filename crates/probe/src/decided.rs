//! Decides positions by the rules alone, where no table is there: the game is over, nobody can win any more,
//! or the moves lead there at once.
//!
//! Whatever is found is exact under every metric: a move that ends the game as the mover likes it is the best
//! there is, and where every move leads to an end the best of them is known.

use crate::tablebase::{TableOrigin, preferred};
use crate::{MissingTable, ProbeError, Tablebase};
use position::Position;
use table::{Ply, Value};
use variant::Verdict;

impl Tablebase {
    /// The value of a position that is known to be legal, as one that a legal move leads to: no rule is
    /// asked whether it is.
    ///
    /// # Errors
    /// As [`Tablebase::value`].
    pub fn value_of_legal(&self, position: &Position) -> Result<Value, ProbeError> {
        self.value_and_missing(position).map(|(value, _)| value)
    }

    /// The value, and the table that is not there if the rules alone say it.
    pub(crate) fn value_and_missing(
        &self,
        position: &Position,
    ) -> Result<(Value, Option<MissingTable>), ProbeError> {
        match self.table_value(position) {
            // Whoever keeps values of their own knows what else is true of them.
            Err(ProbeError::Missing(missing)) if !matches!(self.source, TableOrigin::Values(_)) => {
                let decided = self.decided(position);
                decided.map(|value| (value, Some(missing.clone()))).ok_or(ProbeError::Missing(missing))
            }
            value => Ok((value?, None)),
        }
    }

    /// The value of a legal position, if the rules alone say it.
    pub(crate) fn decided(&self, position: &Position) -> Option<Value> {
        let over = self.over(position);
        if over.is_some() {
            return over;
        }
        let (mut best, mut is_open) = (None, false);
        let is_best = |best: Option<Value>| best == Some(Value::Win(Ply(1)));
        position.for_each_successor_while(self.book(), |mv, next| {
            match self.over(next) {
                Some(value) => best = preferred(best, self.before(&mv, value)),
                None => is_open = true,
            }
            !is_best(best)
        });
        best.filter(|_| !is_open || is_best(best))
    }

    /// The value of a position without a look at its moves: the game is over, or nobody can win.
    fn over(&self, position: &Position) -> Option<Value> {
        let Some(ending) = position.ending(self.book()) else {
            return position.is_dead(self.book()).then_some(Value::Draw);
        };
        let verdict = |winner| if winner == position.stm() { Verdict::Win } else { Verdict::Loss };
        Some(Value::at_end(ending.winner.map(verdict)))
    }
}
