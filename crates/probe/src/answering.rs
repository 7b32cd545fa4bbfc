//! Answers positions from the tables of one metric, and by the rules alone where no table is there.

use crate::answer::{Answer, AnswerFile, Ask, By, Line, RatedMove, best_of, n_best};
use crate::ranks::line_by_results;
use crate::tablebase::{Entry, SortedMen, kind_of, preferred};
use crate::{Between, LegalMoves, MissingTable, ProbeError, Tablebase};
use format::BlockAddress;
use position::{Move, Position};
use table::{Ply, Value};
use variant::{Metric, Side};

/// The legal moves of a position, as far as their tables are there.
struct Rated {
    /// Best first, those whose tables are not there last.
    moves: Vec<RatedMove>,
    /// The first table that is not there.
    missing: Option<MissingTable>,
}

impl Tablebase {
    /// What is known of a legal position: whatever is asked, and whether the game has ended there. Where a
    /// table is not there the rest is answered.
    ///
    /// # Errors
    /// A file that is needed is there and cannot be read, or neither the value nor that of any move that was
    /// asked for is known ([`ProbeError::Missing`]).
    pub fn answer(&self, position: &Position, ask: &Ask<'_>) -> Result<Answer, ProbeError> {
        let own = LegalMoves::default();
        let legal = ask.legal.unwrap_or(&own);
        // Where the file has left out the side to move its moves are worth what the position is.
        let rated_first = match ask.moves && self.leaves_out_stm(position) {
            true => Some(self.rated(position, legal)?),
            false => None,
        };
        let best = rated_first.as_ref().filter(|rated| rated.missing.is_none());
        let best = best.and_then(|rated| best_of(&rated.moves)?.value());
        let found = match best {
            Some(best) => Ok((best, None)),
            None => self.value_and_missing(position, Some(legal)),
        };
        let (value, absent) = match found {
            Ok((value, missing)) => (Some(value), missing),
            Err(ProbeError::Missing(missing)) => (None, Some(missing)),
            Err(error) => return Err(error),
        };
        // What the moves are worth says something of a position that no table has.
        let Rated { mut moves, missing } = match (rated_first, ask.moves || value.is_none()) {
            (Some(rated), _) => rated,
            (None, true) => self.rated(position, legal)?,
            (None, false) => Rated { moves: Vec::new(), missing: None },
        };
        // A draw or a loss that some move leads to says little: another may win.
        let of_moves = || best_of(&moves).filter(|best| best.is_exact() || best.least.wdl() == Some(1));
        let known = match value {
            Some(value) => self.as_winner_knows(position, position.stm(), value),
            None => of_moves().unwrap_or(Between::ANYTHING),
        };
        let missing = match absent.as_ref().filter(|_| value.is_none() && !known.is_exact()) {
            Some(absent)
                if moves.iter().all(RatedMove::is_unknown) || !ask.moves && known == Between::ANYTHING =>
            {
                return Err(ProbeError::Missing(absent.clone()));
            }
            Some(absent) => Some(absent.clone()),
            None => missing,
        };
        if !ask.moves {
            moves.clear();
        }
        // Only these can be ends, the last where one can win without a move, so only then are moves looked
        // for.
        let may_be_over = match value {
            Some(Value::Stalemate | Value::Loss(Ply(0)) | Value::Win(Ply(0))) => true,
            Some(Value::Draw) => self.scale().is_helped(),
            Some(Value::Win(Ply(1))) => !self.variant().rules.is_won_by_mate_only(),
            _ => false,
        };
        let outcome = if may_be_over { position.outcome(self.book()) } else { None };
        let is_of_table = value.is_some() && absent.is_none();
        let file = if is_of_table { self.file_of(position)? } else { None };
        let mut answer = Answer {
            position: position.clone(),
            scale: *self.scale(),
            value: known,
            outcome,
            winner: if self.scale().is_helped() { Some(Side::White) } else { self.winner_of(position) },
            missing,
            moves,
            line: None,
            refutations: Vec::new(),
            files: file.into_iter().map(|path| AnswerFile { path, limit: None }).collect(),
            is_rights_solved: is_of_table && self.solves_rights_of(position)?,
            by: match (value.is_some(), absent.is_some()) {
                (true, false) => By::Table,
                (true, true) => By::Rules,
                (false, _) => By::Moves,
            },
            is_solved: false,
        };
        if ask.line != Line::None {
            let (line, missing) = self.line(&answer, ask)?;
            answer.line = Some(line);
            answer.missing = answer.missing.or(missing);
        }
        Ok(answer)
    }

    /// The value of a position and whether the game has ended there; [`Value::Illegal`] if the rules forbid
    /// the position.
    ///
    /// # Errors
    /// A table that is needed is not there ([`ProbeError::Missing`]) or cannot be read.
    pub fn probe(&self, position: &Position) -> Result<Answer, ProbeError> {
        if position.is_legal(self.book()) {
            return self.answer(position, &Ask::VALUE);
        }
        let value = Between::exactly(Value::Illegal);
        Ok(Answer { value, ..Answer::unknown(position.clone(), *self.scale(), Vec::new()) })
    }

    /// Every legal move with its value, best first: the quickest win, draws, the slowest loss; equals by
    /// their coordinates. An illegal position has none.
    ///
    /// # Errors
    /// A table that a move leads to is not there ([`ProbeError::Missing`]) or cannot be read.
    pub fn moves(&self, position: &Position) -> Result<Vec<RatedMove>, ProbeError> {
        if !position.is_legal(self.book()) {
            return Ok(Vec::new());
        }
        let Rated { moves, missing } = self.rated(position, &LegalMoves::default())?;
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
        if !position.is_legal(self.book()) {
            return Ok(Vec::new());
        }
        let Rated { mut moves, missing } = self.rated(position, &LegalMoves::default())?;
        let value = match missing {
            Some(_) => match self.value_of_legal(position) {
                Ok(value) => Between::exactly(value),
                Err(ProbeError::Missing(_)) => Between::ANYTHING,
                Err(error) => return Err(error),
            },
            None => Between::ANYTHING,
        };
        moves.truncate(n_best(&moves, value));
        match missing {
            Some(missing) if moves.is_empty() => Err(ProbeError::Missing(missing)),
            _ => Ok(moves),
        }
    }

    /// The moves of both sides until mate, or until the first move that the metric stops at, each side
    /// playing its first move of [`Tablebase::best_moves`]; empty unless a side wins and distances say how.
    /// A line that needs a table that is not there ends before it; [`Tablebase::answer`] names it.
    ///
    /// # Errors
    /// A file that a move leads to is there and cannot be read.
    pub fn main_line(&self, position: &Position) -> Result<Vec<RatedMove>, ProbeError> {
        match self.answer(position, &Ask::ALL) {
            Err(ProbeError::Missing(_)) => Ok(Vec::new()),
            answer => Ok(answer?.line.unwrap_or_default()),
        }
    }

    /// What a value says that is found for a position, as a side sees it: where one side's wins alone are
    /// known, a draw is what the other may win.
    fn as_winner_knows(&self, position: &Position, side: Side, value: Value) -> Between {
        match self.winner_of(position).filter(|_| value.ply().is_none() && value != Value::Illegal) {
            None => Between::exactly(value),
            Some(winner) if winner == side => Between { most: Value::Draw, ..Between::ANYTHING },
            Some(_) => Between { least: Value::Draw, ..Between::ANYTHING },
        }
    }

    /// Rates the moves of a legal position.
    fn rated(&self, position: &Position, legal: &LegalMoves) -> Result<Rated, ProbeError> {
        let mut rated = Rated { moves: Vec::new(), missing: None };
        let clock = position.halfmove_clock();
        for &(mv, ref next) in legal.of(self.book(), position) {
            // A legal move leads to a legal position.
            let next_value = match self.value_of_legal(next) {
                Ok(value) => Some(value),
                Err(ProbeError::Missing(missing)) => {
                    rated.missing.get_or_insert(missing);
                    None
                }
                Err(error) => return Err(error),
            };
            let value = match next_value.map(|value| self.before(&mv, value)) {
                // What the rules allow and no table has a place for does not exist.
                Some(None) => continue,
                Some(value) => value,
                None => None,
            };
            let known = value.map(|value| self.as_winner_knows(next, position.stm(), value));
            rated.moves.push(RatedMove {
                next_value: next_value
                    .filter(|value| value.ply().is_some() || self.winner_of(next).is_none()),
                is_cursed: value.is_some_and(|value| self.scale().is_cursed_at(value, clock)),
                is_stop: self.scale().is_zeroing(kind_of(&mv)),
                ..RatedMove::new(self.book(), mv, known.unwrap_or(Between::ANYTHING))
            });
        }
        RatedMove::sort(&mut rated.moves, self.scale(), clock);
        Ok(rated)
    }

    /// How the game goes on from a position, and the table without which the next move is not known.
    fn line(
        &self,
        answer: &Answer,
        ask: &Ask<'_>,
    ) -> Result<(Vec<RatedMove>, Option<MissingTable>), ProbeError> {
        let mut line = Vec::new();
        if self.scale().metric() == Metric::Wdl {
            let known = |position: &Position| match self.value_of_legal(position) {
                Ok(value) => Ok(self.as_winner_knows(position, position.stm(), value)),
                Err(ProbeError::Missing(_)) => Ok(Between::ANYTHING),
                Err(error) => Err(error),
            };
            let line = line_by_results(self.book(), &answer.position, answer.value, ask, &known)?;
            return Ok((line, None));
        }
        let mut position = answer.position.clone();
        let mut first = ask.moves.then(|| (answer.best_moves().next().cloned(), answer.missing.clone()));
        let mut last: Option<Ply> = None;
        while (ask.goes_on)() {
            let best = match first.take() {
                Some((Some(best), _)) => Some(best),
                Some((None, Some(missing))) => return Ok((line, Some(missing))),
                Some((None, None)) => None,
                None => match self.best_moves(&position) {
                    Ok(moves) => moves.into_iter().next(),
                    Err(ProbeError::Missing(missing)) => return Ok((line, Some(missing))),
                    Err(error) => return Err(error),
                },
            };
            // Each move brings the end one ply nearer, or else the tables do not belong together.
            let Some(best) = best.filter(|best| match (best.value.least.ply(), last) {
                (Some(ply), Some(last)) => last == ply.next(),
                (ply, _) => ply.is_some(),
            }) else {
                return Ok((line, None));
            };
            position = position.play(best.mv);
            let is_stop = best.is_stop;
            last = best.value.least.ply().filter(|_| !is_stop);
            line.push(best);
            if is_stop && ask.line == Line::ToStop {
                break;
            }
        }
        Ok((line, None))
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
        self.value_and_missing(position, None).map(|(value, _)| value)
    }

    /// The value, and the table that is not there if the rules alone say it. A caller who rates the moves
    /// hands them in.
    pub(crate) fn value_and_missing(
        &self,
        position: &Position,
        legal: Option<&LegalMoves>,
    ) -> Result<(Value, Option<MissingTable>), ProbeError> {
        match self.table_value(position) {
            Err(ProbeError::Missing(missing)) => {
                let decided = match self.values() {
                    None => self.decided(position, legal),
                    // A program that keeps values of its own knows what else is true of them.
                    Some(_) => {
                        let ending = position.ending(self.book());
                        ending.map(|ending| self.at_end(position.stm(), ending.winner))
                    }
                };
                decided.map(|value| (value, Some(missing.clone()))).ok_or(ProbeError::Missing(missing))
            }
            value => Ok((value?, None)),
        }
    }

    /// The value of a legal position, if the rules alone say it. A caller who rates the moves hands them in.
    pub(crate) fn decided(&self, position: &Position, legal: Option<&LegalMoves>) -> Option<Value> {
        let over = self.over(position);
        if over.is_some() {
            return over;
        }
        let (mut best, mut is_open) = (None, false);
        let is_best = |best: Option<Value>| best == Some(Value::Win(Ply(1)));
        let mut look = |mv: Move, next: &Position| {
            match self.over(next) {
                Some(value) => best = preferred(best, self.before(&mv, value)),
                None => is_open = true,
            }
            !is_best(best)
        };
        match legal {
            Some(legal) => {
                let _ = legal.of(self.book(), position).iter().all(|&(mv, ref next)| look(mv, next));
            }
            None => position.for_each_successor_while(self.book(), look),
        }
        best.filter(|_| !is_open || is_best(best))
    }

    /// The value of a position without a look at its moves: the game is over, or neither side can win.
    fn over(&self, position: &Position) -> Option<Value> {
        let Some(ending) = position.ending(self.book()) else {
            return position.is_dead(self.book()).then_some(Value::Draw);
        };
        Some(self.at_end(position.stm(), ending.winner))
    }
}

impl Tablebase {
    /// Whether the file that has a position is open and has left out its side to move, so that the value is
    /// that of the best move.
    fn leaves_out_stm(&self, position: &Position) -> bool {
        let is_plain = position.castling().is_empty() && position.en_passant().is_none();
        let sorted = SortedMen::new(position).filter(|_| is_plain && self.one_winner.is_none());
        let Some(sorted) = sorted else { return false };
        match self.entries.read().get(&sorted.key()).map(|entry| &**entry) {
            Some(Entry::File(file)) => !file.1.has(position.stm()),
            Some(Entry::Memory(memory)) => !memory.1.has(position.stm()),
            _ => false,
        }
    }

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
