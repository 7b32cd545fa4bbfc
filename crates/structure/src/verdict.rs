//! Says what a structure knows of a position and of its moves: a value, or what it is at least and at most.

use crate::{Bound, SolvedStructure};
use position::{Move, Position};
use probe::{ProbeError, RatedMove};
use std::cmp::Ordering;
use std::sync::Arc;
use table::{Ply, Value};
use variant::Side;

/// What is known of a value, as the side sees it whose value it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Between {
    /// It is at least as good as this.
    pub least: Value,
    /// It is at most as good as this.
    pub most: Value,
}

/// What is known of a move, as the side sees it that makes it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BoundedMove {
    /// The move.
    pub mv: Move,
    /// The move in coordinates.
    pub uci: String,
    /// What it is worth.
    pub value: Between,
}

/// What is known of a position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Verdict {
    /// What it is worth to the side to move.
    pub value: Between,
    /// The moves, the best first.
    pub moves: Vec<BoundedMove>,
}

impl Between {
    /// Nothing is known.
    pub const ANYTHING: Between = Between { least: Value::Loss(Ply(0)), most: Value::Win(Ply(1)) };

    /// What a value says that was found for a bound, as the side to move sees it. With a holder it says only
    /// whether that side loses.
    pub(crate) fn of_bound(bound: Bound, value: Value, stm: Side, holder: Option<Side>) -> Self {
        let value = match holder {
            None => drawn(value),
            Some(holder) => return Between::held(bound, value, stm, holder),
        };
        match bound.winner_outside() {
            None => Between { least: value, most: value },
            Some(winner) if winner == stm => Between { most: value, ..Between::ANYTHING },
            Some(_) => Between { least: value, ..Between::ANYTHING },
        }
    }

    /// What a value says of a side of which only that is known whether it loses.
    fn held(bound: Bound, value: Value, stm: Side, holder: Side) -> Self {
        let is_lost = matches!(value, Value::Loss(_) if stm == holder)
            || matches!(value, Value::Win(_) if stm != holder);
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

    /// Whether it is known if the side to move loses.
    #[must_use]
    pub fn tells_loss(&self) -> bool {
        matches!(self.most, Value::Loss(_)) || !matches!(self.least, Value::Loss(_))
    }

    /// Whether it is known if the side to move wins.
    #[must_use]
    pub fn tells_win(&self) -> bool {
        matches!(self.least, Value::Win(_)) || !matches!(self.most, Value::Win(_))
    }

    /// What both say.
    #[must_use]
    pub fn and(self, other: Between) -> Between {
        let better = |a: Value, b: Value| if a.preference(&b).is_ge() { a } else { b };
        let worse = |a: Value, b: Value| if a.preference(&b).is_ge() { b } else { a };
        Between { least: better(self.least, other.least), most: worse(self.most, other.most) }
    }

    /// Whether the value is known.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        self.least.preference(&self.most) == Ordering::Equal
    }

    /// How many of win, draw and loss it may be beside one.
    fn n_open(&self) -> usize {
        let result = |value| match value {
            Value::Win(_) => 2,
            Value::Loss(_) => 0,
            _ => 1usize,
        };
        result(self.most).saturating_sub(result(self.least))
    }
}

impl Verdict {
    /// Whether the value is known, and which moves keep it.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        self.value.is_exact() && self.n_moves_open() == 0
    }

    /// Of how many moves it is not known whether they keep the value.
    #[must_use]
    pub fn n_moves_open(&self) -> usize {
        let best = self.value.least;
        let is_open =
            |value: &Between| value.least.preference(&best).is_lt() && value.most.preference(&best).is_ge();
        self.moves.iter().filter(|mv| is_open(&mv.value)).count()
    }

    /// How much of who wins is open: of the position, and then of its moves.
    #[must_use]
    pub fn n_open(&self) -> (usize, usize) {
        (self.value.n_open(), self.moves.iter().map(|mv| mv.value.n_open()).sum())
    }

    /// The moves that surely keep the value.
    pub fn best_moves(&self) -> impl Iterator<Item = &BoundedMove> {
        let best = self.value.least;
        self.moves.iter().filter(move |mv| mv.value.least.preference(&best).is_ge())
    }
}

impl SolvedStructure {
    /// What is known of a legal position and of its moves.
    ///
    /// # Errors
    /// The position cannot come from the roots ([`ProbeError::Missing`]), or the file cannot be read.
    pub fn verdict(self: &Arc<Self>, position: &Position) -> Result<Verdict, ProbeError> {
        // What is not there says nothing.
        let mut verdict = Verdict { value: Between::ANYTHING, moves: Vec::new() };
        for &bound in self.bounds() {
            let tables = self.tablebase(bound);
            let between =
                |value: Value, side: Side| Between::of_bound(bound, value, side, self.limit().holder());
            let stm = position.stm();
            let value = between(tables.value(position)?, stm);
            let moves = tables
                .moves(position)?
                .into_iter()
                .map(|RatedMove { mv, uci, value, .. }| BoundedMove { mv, uci, value: between(value, stm) });
            verdict = verdict.and(Verdict { value, moves: moves.collect() });
        }
        Ok(verdict)
    }
}

impl Verdict {
    /// What two verdicts of one position say together.
    #[must_use]
    pub fn and(self, other: Verdict) -> Verdict {
        let value = self.value.and(other.value);
        let (first, second) =
            if self.moves.is_empty() { (other.moves, self.moves) } else { (self.moves, other.moves) };
        let joined = |mv: BoundedMove| {
            let same = second.iter().find(|own| own.mv == mv.mv);
            BoundedMove { value: same.map_or(mv.value, |own| own.value.and(mv.value)), ..mv }
        };
        let mut moves: Vec<BoundedMove> = first.into_iter().map(joined).collect();
        moves.sort_by(|a, b| {
            let (a_value, b_value) = (a.value, b.value);
            let by_least = b_value.least.preference(&a_value.least);
            by_least.then_with(|| b_value.most.preference(&a_value.most)).then_with(|| a.uci.cmp(&b.uci))
        });
        // The best of the moves is what the position is worth.
        let best_of =
            |of: fn(&Between) -> Value| moves.iter().map(|mv| of(&mv.value)).max_by(Value::preference);
        let of_moves = best_of(|value| value.least).zip(best_of(|value| value.most));
        let value = of_moves.map_or(value, |(least, most)| value.and(Between { least, most }));
        Verdict { value, moves }
    }
}

/// A stalemate is a draw like any other.
fn drawn(value: Value) -> Value {
    if value == Value::Stalemate { Value::Draw } else { value }
}
