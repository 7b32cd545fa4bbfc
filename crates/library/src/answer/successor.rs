//! Rates every legal move of a position as far as the tables that are there know what it leads to.
//!
//! Where [`probe::Tablebase::moves`] fails for want of one table, this rates the other moves, and keeps the
//! positions that they lead to: a server shows what it has.

use position::{Move, Position};
use probe::{MissingTable, ProbeError, Tablebase};
use std::cmp::Ordering;
use table::{MoveKind, Value};

/// A legal move and the position that it leads to.
#[derive(Clone, Debug)]
pub struct Successor {
    /// The move.
    pub mv: Move,
    /// The move in coordinates.
    pub uci: String,
    /// The position after the move.
    pub next: Position,
    /// What that is worth to the side then to move; none if its table is not there.
    pub next_value: Option<Value>,
    /// What the move is worth to the side that makes it, counted from before the move.
    pub value: Option<Value>,
    /// Whether that is a cursed win or a blessed loss with the clock as it is before the move.
    pub is_cursed: bool,
}

/// The legal moves of a position.
#[derive(Clone, Default, Debug)]
pub struct Successors {
    /// Best first; equals by their coordinates; moves of unknown value last.
    pub moves: Vec<Successor>,
    /// The first table that was looked for and is not there.
    pub missing: Option<MissingTable>,
}

impl Successors {
    /// The legal moves of a position; an illegal one has none.
    ///
    /// # Errors
    /// A file that a move leads to is there and cannot be read.
    pub fn of(tables: &Tablebase, position: &Position) -> Result<Self, ProbeError> {
        let mut found = Successors::default();
        if !position.is_legal(tables.book()) {
            return Ok(found);
        }
        let mut failed = None;
        position.for_each_successor(tables.book(), |mv, next| {
            if failed.is_some() {
                return;
            }
            // A legal move leads to a legal position.
            let next_value = match tables.value_of_legal(next) {
                Ok(value) => Some(value),
                Err(ProbeError::Missing(missing)) => {
                    found.missing.get_or_insert(missing);
                    None
                }
                Err(error) => {
                    failed = Some(error);
                    return;
                }
            };
            let kind = MoveKind::new(mv.is_conversion(), mv.zeroing);
            let value = next_value.map(|value| value.before_move_of(kind, tables.scale()));
            // What the rules allow and no table has a place for does not exist.
            let value = match value {
                Some(None) => return,
                Some(known) => known,
                None => None,
            };
            let clock = position.halfmove_clock();
            found.moves.push(Successor {
                mv,
                uci: mv.uci(tables.book()),
                next: next.clone(),
                next_value,
                value,
                is_cursed: value.is_some_and(|value| tables.scale().is_cursed_at(value, clock)),
            });
        });
        if let Some(error) = failed {
            return Err(error);
        }
        found.moves.sort_by(Successor::order);
        Ok(found)
    }

    /// The legal moves without their values.
    #[must_use]
    pub fn unrated(book: &position::RuleBook, position: &Position) -> Self {
        let mut found = Successors::default();
        if position.is_legal(book) {
            position.for_each_successor(book, |mv, next| {
                let (uci, next) = (mv.uci(book), next.clone());
                let (next_value, value, is_cursed) = (None, None, false);
                found.moves.push(Successor { mv, uci, next, next_value, value, is_cursed });
            });
            found.moves.sort_by(Successor::order);
        }
        found
    }
}

impl Successor {
    fn order(&self, other: &Self) -> Ordering {
        let by_value = match (self.value, other.value) {
            (Some(own), Some(other)) => other.preference(&own),
            (own, other) => own.is_none().cmp(&other.is_none()),
        };
        by_value.then_with(|| self.uci.cmp(&other.uci)).then_with(|| {
            // A step and an en-passant capture may share their coordinates.
            other.mv.is_en_passant().cmp(&self.mv.is_en_passant())
        })
    }
}
