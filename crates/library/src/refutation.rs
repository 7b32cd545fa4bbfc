//! Shows why a move gives a result away: how the other side answers it.
//!
//! If the answer wins, its main line shows how. If it holds the draw, it goes on as long as the other side
//! has to find a single move: where several hold, there is nothing left to show.

use crate::AskedTables;
use position::Position;
use probe::{Answer, Ask, Line, ProbeError, RatedMove, Refutation};
use std::cmp::Reverse;
use std::collections::HashSet;
use variant::Metric;

/// The most plies that are shown of a draw, and of a win, the move that gives the result away among them.
const MOST_OF_DRAW: usize = 8;
const MOST_OF_WIN: usize = 12;

impl AskedTables {
    /// Shows of each move of an answer that is known to give the result away how it is answered; the moves
    /// in the order of the answer.
    ///
    /// # Errors
    /// A file that is needed cannot be read.
    ///
    /// Complexity: one answer a move if that loses, some hundred if it draws.
    pub(crate) fn refutations(&self, answer: &Answer, ask: &Ask<'_>) -> Result<Vec<Refutation>, ProbeError> {
        let (scale, clock) = (&answer.scale, answer.position.halfmove_clock());
        let Some(best) = answer.wdl_now().filter(|_| !scale.is_helped()) else { return Ok(Vec::new()) };
        let replies = Replies { tables: self, metric: scale.metric(), ask };
        let mut refutations = Vec::new();
        for rated in answer.moves.iter().take_while(|_| (ask.goes_on)()) {
            let Some(result) = rated.value.most_now(scale, clock).filter(|&result| result < best) else {
                continue;
            };
            let next = answer.position.play(rated.mv);
            let shown = if result == 0 { replies.that_hold(&next)? } else { replies.that_win(&next)? };
            let line = std::iter::once(rated.clone()).chain(shown).collect();
            refutations.push(Refutation { line, result });
        }
        Ok(refutations)
    }
}

/// Looks for replies by tables of one metric.
struct Replies<'a> {
    tables: &'a AskedTables,
    metric: Metric,
    ask: &'a Ask<'a>,
}

impl Replies<'_> {
    fn answer(&self, position: &Position, line: Line) -> Result<Option<Answer>, ProbeError> {
        let ask = Ask { moves: true, line, why: false, legal: None, ..*self.ask };
        match self.tables.answer_legal(position, Some(self.metric), &ask) {
            Err(ProbeError::Missing(_)) => Ok(None),
            answer => answer.map(Some),
        }
    }

    /// How the side to move wins, as far as it is known.
    fn that_win(&self, position: &Position) -> Result<Vec<RatedMove>, ProbeError> {
        let Some(answer) = self.answer(position, Line::ToStop)? else { return Ok(Vec::new()) };
        let best = || answer.best_moves().next().cloned().into_iter().collect();
        let mut line = answer.line.clone().filter(|line| !line.is_empty()).unwrap_or_else(best);
        line.truncate(MOST_OF_WIN - 1);
        Ok(line)
    }

    /// How the side to move holds a draw, against moves after which it has a single one that does.
    fn that_hold(&self, position: &Position) -> Result<Vec<RatedMove>, ProbeError> {
        let mut line: Vec<RatedMove> = self.holding(position)?.into_iter().take(1).collect();
        let mut position = line.iter().fold(position.clone(), |position, reply| position.play(reply.mv));
        let mut seen = HashSet::new();
        while !line.is_empty()
            && line.len() + 3 <= MOST_OF_DRAW
            && seen.insert(position.key(self.tables.book()))
        {
            let Some(more) = self.hardest(&position)? else { break };
            position = position.play(more[0].mv).play(more[1].mv);
            line.extend(more);
        }
        Ok(line)
    }

    /// A move after which the other side has a single one that holds, and that one; none if it has more
    /// after every move.
    fn hardest(&self, position: &Position) -> Result<Option<[RatedMove; 2]>, ProbeError> {
        for rated in self.holding(position)? {
            let after = self.holding(&position.play(rated.mv))?;
            if let [only] = &after[..]
                && only.is_only
            {
                return Ok(Some([rated, only.clone()]));
            }
        }
        Ok(None)
    }

    /// The moves with which the side to move has at least a draw, captures and pawns' moves first.
    fn holding(&self, position: &Position) -> Result<Vec<RatedMove>, ProbeError> {
        let Some(answer) = self.answer(position, Line::None)? else { return Ok(Vec::new()) };
        let clock = position.halfmove_clock();
        let holds = |rated: &RatedMove| rated.value.least_now(&answer.scale, clock) >= Some(0);
        let mut holding: Vec<RatedMove> = answer.moves.into_iter().filter(holds).collect();
        holding.sort_by_key(|rated| Reverse(rated.mv.zeroing));
        Ok(holding)
    }
}
