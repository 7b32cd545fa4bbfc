//! Says what a structure knows of a position and of its moves: values, or what they are at least and at
//! most.

use crate::{Bound, SolvedStructure};
use position::Position;
use probe::{
    Answer, AnswerFile, Ask, Between, LegalMoves, Line, PositionValues, ProbeError, RatedMove, Tablebase,
};
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use table::{Ply, Scale, Value};
use variant::Side;

/// What a value says that was found for a bound, as the side to move sees it. With a holder it says only
/// whether that side loses.
pub(crate) fn of_bound(bound: Bound, value: Value, stm: Side, holder: Option<Side>) -> Between {
    let value = match holder {
        None => drawn(value),
        Some(holder) => return held(bound, value, stm, holder),
    };
    match bound.winner_outside() {
        None => Between::exactly(value),
        Some(winner) if winner == stm => Between { most: value, ..Between::ANYTHING },
        Some(_) => Between { least: value, ..Between::ANYTHING },
    }
}

/// What a value says of a side of which only that is known whether it loses.
fn held(bound: Bound, value: Value, stm: Side, holder: Side) -> Between {
    let is_lost =
        matches!(value, Value::Loss(_) if stm == holder) || matches!(value, Value::Win(_) if stm != holder);
    // What lies outside is won for the other side, so a loss may be none, or it is lost for it, so what
    // is no loss may be one.
    let is_told = match bound.winner_outside() {
        None => true,
        Some(winner) => is_lost == (winner == holder),
    };
    match (is_told, is_lost, stm == holder) {
        (false, ..) => Between::ANYTHING,
        (true, true, true) => Between { most: Value::Loss(Ply(0)), ..Between::ANYTHING },
        (true, true, false) => Between { least: Value::Win(Ply(1)), ..Between::ANYTHING },
        (true, false, true) => Between { least: Value::Draw, ..Between::ANYTHING },
        (true, false, false) => Between { most: Value::Draw, ..Between::ANYTHING },
    }
}

impl SolvedStructure {
    /// What is known of a legal position and of its moves; of bounds no line.
    ///
    /// # Errors
    /// The position, or one that a move leads to, cannot come from the roots ([`ProbeError::Missing`]), or
    /// the file cannot be read.
    pub fn answer(self: &Arc<Self>, position: &Position, ask: &Ask<'_>) -> Result<Answer, ProbeError> {
        if self.is_exact() {
            return complete(self.tablebase(Bound::Exact).answer(position, ask)?);
        }
        let scale = Scale::new(self.metric(), &self.book().variant().rules);
        let mut known = Answer::unknown(position.clone(), scale, Vec::new());
        let files = || vec![AnswerFile { path: self.path().into(), limit: Some(self.limit().to_string()) }];
        let values = self.known();
        if !ask.moves
            && let Some(value) = values.of(position)?.filter(|value| value.is_exact())
        {
            return Ok(Answer { value, files: files(), ..known });
        }
        let moves = LegalMoves::default();
        let legal = ask.legal.unwrap_or(&moves);
        // What the moves are worth says something of the position, too.
        let asked = Ask { moves: true, line: Line::None, legal: Some(legal), ..*ask };
        for (bound, tables) in &values.tables {
            let own = complete(tables.answer(position, &asked)?)?;
            let between = |value: Between| of_bound(*bound, value.least, position.stm(), values.holder);
            let moves = own.moves.into_iter().map(|rated| {
                let value = between(rated.value);
                // A move that ends the game leads out of what was solved, and needs no table.
                let ending =
                    if value.is_exact() { None } else { position.play(rated.mv).ending(self.book()) };
                let value = match ending.map(|ending| ending.winner) {
                    Some(Some(winner)) if winner == position.stm() => Between::exactly(Value::Win(Ply(1))),
                    Some(None) => Between::exactly(Value::Draw),
                    _ => value,
                };
                RatedMove { value, next_value: None, ..rated }
            });
            let value = between(own.value);
            known = known.and(Answer { value, moves: moves.collect(), files: Vec::new(), ..own });
        }
        let moves = if ask.moves { known.moves } else { Vec::new() };
        Ok(Answer { moves, files: files(), ..known })
    }

    /// What it knows of positions without a look at their moves.
    #[must_use]
    pub fn known(self: &Arc<Self>) -> KnownValues {
        let tables = self.bounds().iter().map(|&bound| (bound, self.tablebase(bound))).collect();
        KnownValues { tables, holder: self.limit().holder(), path: self.path().into() }
    }
}

/// What a structure knows of positions without a look at their moves.
#[derive(Debug)]
pub struct KnownValues {
    tables: Vec<(Bound, Tablebase)>,
    holder: Option<Side>,
    path: PathBuf,
}

impl KnownValues {
    /// What is known of a legal position; none if it cannot come from the roots.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn of(&self, position: &Position) -> Result<Option<Between>, ProbeError> {
        let mut all: Option<Between> = None;
        for own in self.of_each_bound(position) {
            match own {
                Ok(own) => all = all.into_iter().chain([own]).reduce(Between::and),
                Err(ProbeError::Missing(_)) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(all)
    }

    /// What each bound says of a legal position.
    pub(crate) fn of_each_bound(
        &self,
        position: &Position,
    ) -> impl Iterator<Item = Result<Between, ProbeError>> {
        self.tables.iter().map(|(bound, tables)| {
            let value = tables.value_of_legal(position)?;
            Ok(of_bound(*bound, value, position.stm(), self.holder))
        })
    }
}

/// The values that are known exactly.
impl PositionValues for KnownValues {
    fn value(&self, position: &Position) -> io::Result<Option<Value>> {
        Ok(self.of(position).map_err(io::Error::other)?.and_then(Between::value))
    }

    fn path(&self) -> Option<PathBuf> {
        Some(self.path.clone())
    }
}

/// An answer that knows the value and all moves; a line may end where a table is missing.
fn complete(answer: Answer) -> Result<Answer, ProbeError> {
    let knows_all = answer.value.is_exact() && !answer.moves.iter().any(RatedMove::is_unknown);
    match answer.missing {
        Some(missing) if !knows_all => Err(ProbeError::Missing(missing)),
        missing => Ok(Answer { missing, ..answer }),
    }
}

/// A stalemate is a draw like any other.
fn drawn(value: Value) -> Value {
    if value == Value::Stalemate { Value::Draw } else { value }
}
