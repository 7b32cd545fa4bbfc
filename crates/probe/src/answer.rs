//! Answers a position with its value, its moves, and its main line; by the rules alone where no table is
//! there.

use crate::tablebase::{Entry, SortedMen, TableOrigin, preferred};
use crate::{MissingTable, ProbeError, Tablebase};
use format::BlockAddress;
use position::{Move, Outcome, Position};
use std::path::PathBuf;
use table::{MoveKind, Ply, Value};
use variant::{Metric, Verdict};

/// What is known of a position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Answer {
    /// The value for the side to move, as if the clock of the n-move rule stood at zero; [`Value::Illegal`]
    /// if the rules forbid the position.
    pub value: Value,
    /// Whether the value is a cursed win or a blessed loss with the clock as it is; only under the metric
    /// `dtz50`.
    pub is_cursed: bool,
    /// How the game has ended here, if it has.
    pub outcome: Option<Outcome>,
    /// The file of the position's men; none if the table is in memory, or if the rules alone say what the
    /// position is worth.
    pub file: Option<PathBuf>,
    /// Whether a side may castle and no file has such positions of these men: then they were solved from the
    /// tables.
    pub is_rights_solved: bool,
    /// The table that is not there, if the rules alone say what the position is worth.
    pub missing: Option<MissingTable>,
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
    /// Whether the value is a cursed win or a blessed loss with the clock as it is before the move.
    pub is_cursed: bool,
    /// Whether the metric stops at the move, so that behind it another distance begins.
    pub is_stop: bool,
}

/// How a game goes on.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Line {
    /// The moves of both sides, as far as they are known.
    pub moves: Vec<RatedMove>,
    /// The table without which the next move is not known.
    pub missing: Option<MissingTable>,
}

/// The legal moves of a position, as far as their tables are there.
struct Rated {
    /// Best first.
    moves: Vec<RatedMove>,
    /// The first table that is not there.
    missing: Option<MissingTable>,
}

impl Tablebase {
    /// The value of a position, whether the game has ended there, and which file says so.
    ///
    /// # Errors
    /// A table that is needed is not there ([`ProbeError::Missing`]) or cannot be read.
    pub fn probe(&self, position: &Position) -> Result<Answer, ProbeError> {
        let (value, missing) = match position.is_legal(self.book()) {
            true => self.value_and_missing(position)?,
            false => (Value::Illegal, None),
        };
        // Only these can be ends, the last where one can win without a move, so only then are moves looked
        // for.
        let may_be_over = match value {
            Value::Stalemate | Value::Loss(Ply(0)) => true,
            Value::Win(Ply(1)) => !self.variant().rules.is_won_by_mate_only(),
            _ => false,
        };
        let outcome = if may_be_over { position.outcome(self.book()) } else { None };
        let is_cursed = self.scale().is_cursed_at(value, position.halfmove_clock());
        let is_of_table = value != Value::Illegal && missing.is_none();
        let file = if is_of_table { self.file_of(position)? } else { None };
        let is_rights_solved = is_of_table && self.solves_rights_of(position)?;
        Ok(Answer { value, is_cursed, outcome, file, is_rights_solved, missing })
    }

    /// Every legal move with its value, best first: the quickest win, draws, the slowest loss; equals by
    /// their coordinates. An illegal position has none.
    ///
    /// # Errors
    /// A table that a move leads to is not there ([`ProbeError::Missing`]) or cannot be read.
    pub fn moves(&self, position: &Position) -> Result<Vec<RatedMove>, ProbeError> {
        let Rated { moves, missing } = self.rated(position)?;
        missing.map_or(Ok(moves), |missing| Err(ProbeError::Missing(missing)))
    }

    /// The moves that keep what the position is worth, by their coordinates: as quick a win, a draw, or as
    /// slow a loss as any.
    ///
    /// Moves into tables that are not there are left out, as long as another move is seen to be as good as
    /// the position: who knows KQvKR needs no KRvK to win it.
    ///
    /// # Errors
    /// A table that is needed is not there ([`ProbeError::Missing`]) or cannot be read.
    pub fn best_moves(&self, position: &Position) -> Result<Vec<RatedMove>, ProbeError> {
        let Rated { mut moves, missing } = self.rated(position)?;
        let best = moves.first().map(|best| best.value);
        moves.retain(|rated| best.is_some_and(|best| rated.value.preference(&best).is_eq()));
        let Some(missing) = missing else { return Ok(moves) };
        match self.value(position) {
            Ok(value) if best.is_some_and(|best| best.preference(&value).is_eq()) => Ok(moves),
            Ok(_) | Err(ProbeError::Missing(_)) => Err(ProbeError::Missing(missing)),
            Err(error) => Err(error),
        }
    }

    /// The moves of both sides until mate, or until the first move that the metric stops at, each side
    /// playing its first move of [`Tablebase::best_moves`]; empty unless a side wins and distances say how.
    /// A line that needs a table that is not there ends before it.
    ///
    /// # Errors
    /// A file that a move leads to is there and cannot be read.
    pub fn main_line(&self, position: &Position) -> Result<Line, ProbeError> {
        self.line(position, false, &|| true)
    }

    /// Like [`Self::main_line`], as long as `goes_on` says so, which is asked before each move.
    ///
    /// # Errors
    /// As [`Tablebase::main_line`].
    pub fn main_line_while(
        &self,
        position: &Position,
        goes_on: &dyn Fn() -> bool,
    ) -> Result<Line, ProbeError> {
        self.line(position, false, goes_on)
    }

    /// Like [`Self::main_line`], until the game is over: after a move that the metric stops at it begins to
    /// count again.
    ///
    /// # Errors
    /// As [`Tablebase::main_line`].
    pub fn whole_line(&self, position: &Position) -> Result<Line, ProbeError> {
        self.line(position, true, &|| true)
    }

    /// Whether the metric stops at this move.
    fn stops_at(&self, mv: &Move) -> bool {
        self.scale().is_zeroing(MoveKind::new(mv.is_conversion(), mv.zeroing))
    }

    fn rated(&self, position: &Position) -> Result<Rated, ProbeError> {
        let mut rated = Rated { moves: Vec::new(), missing: None };
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
                Ok(value) => rated.moves.extend(self.before(&mv, value).map(|value| RatedMove {
                    mv,
                    uci: mv.uci(self.book()),
                    value,
                    is_cursed: self.scale().is_cursed_at(value, position.halfmove_clock()),
                    is_stop: self.stops_at(&mv),
                })),
                Err(ProbeError::Missing(missing)) => drop(rated.missing.get_or_insert(missing)),
                Err(error) => failed = Some(error),
            }
        });
        if let Some(error) = failed {
            return Err(error);
        }
        rated.moves.sort_by(|a, b| {
            b.value.preference(&a.value).then_with(|| a.uci.cmp(&b.uci)).then_with(|| {
                // A step and an en-passant capture may share their coordinates.
                b.mv.is_en_passant().cmp(&a.mv.is_en_passant())
            })
        });
        Ok(rated)
    }

    fn line(
        &self,
        position: &Position,
        to_the_end: bool,
        goes_on: &dyn Fn() -> bool,
    ) -> Result<Line, ProbeError> {
        let mut line = Line::default();
        if self.scale().metric() == Metric::Wdl {
            return Ok(line);
        }
        let mut position = position.clone();
        let mut last: Option<Ply> = None;
        while goes_on() {
            let best = match self.best_moves(&position) {
                Ok(moves) => moves.into_iter().next(),
                Err(ProbeError::Missing(missing)) => {
                    line.missing = Some(missing);
                    return Ok(line);
                }
                Err(error) => return Err(error),
            };
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
            line.moves.push(best);
            if is_stop && !to_the_end {
                return Ok(line);
            }
        }
        Ok(line)
    }
}

/// Whatever is found is exact under every metric: a move that ends the game as the mover likes it is the
/// best there is, and where every move leads to an end the best of them is known.
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
            // A program that keeps values of its own knows what else is true of them.
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

    /// The value of a position without a look at its moves: the game is over, or neither side can win.
    fn over(&self, position: &Position) -> Option<Value> {
        let Some(ending) = position.ending(self.book()) else {
            return position.is_dead(self.book()).then_some(Value::Draw);
        };
        let verdict = |winner| if winner == position.stm() { Verdict::Win } else { Verdict::Loss };
        Some(Value::at_end(ending.winner.map(verdict)))
    }
}

impl Tablebase {
    /// The block that the value of a position is read from; none if it is not in a `.tsm`. Where the file
    /// has left out the side to move it is the block of the same men with the other side to move: those that
    /// its moves lead to are near it.
    ///
    /// No block is read. What is wrong with a position or its file shows when its value is asked for.
    #[must_use]
    pub fn block_of(&self, position: &Position) -> Option<BlockAddress> {
        let sorted = SortedMen::new(position)?;
        let entry = self.entry(&sorted, position).ok()?;
        let Entry::File(file) = &*entry else { return None };
        let (file, mapping) = &**file;
        let own = position.stm();
        let stm = if mapping.has(own) { own } else { !own };
        let (stm, index) = mapping.locate(file.layout(), stm, sorted.squares())?;
        Some(file.block_address(stm, index))
    }
}
