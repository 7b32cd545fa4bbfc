//! Counts the moves of a position, what those have in common that keep its value, and how long the winner of
//! its main line has no choice.

use crate::word::{Choice, Results, Trait};
use geometry::SquareSet;
use position::{Move, Position};
use probe::{ProbeError, RatedMove, Tablebase};
use std::cmp::Ordering;
use table::{Ply, Scale, Value};
use variant::PieceId;

/// The bit of a move that has no such piece.
const NO_PIECE: u128 = 1 << 127;

fn bit(piece: Option<PieceId>) -> u128 {
    piece.map_or(NO_PIECE, |piece| 1 << piece.0)
}

/// The legal moves of a position.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct MoveFacts {
    pub(crate) winning: u32,
    pub(crate) drawing: u32,
    pub(crate) losing: u32,
    pub(crate) all: Chosen,
    pub(crate) best: Chosen,
    pub(crate) keeping: Chosen,
}

/// Some moves: how many there are, and what they have between them, sets of pieces and squares.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Chosen {
    pub(crate) n_moves: u32,
    pub(crate) n_captures: u32,
    pub(crate) n_promotions: u32,
    pub(crate) n_checks: u32,
    /// A bit for each piece that is promoted to, captured, moved, or [`NO_PIECE`].
    promoted: u128,
    captured: u128,
    moved: u128,
    from: SquareSet,
    to: SquareSet,
}

impl MoveFacts {
    /// Adds a legal move of a position worth `own`, after which the mover has `value`.
    pub(crate) fn add(&mut self, rated: &Rated<'_>, own: Value, value: Value) {
        let Rated { scale, position, mv, is_check } = *rated;
        let result = |value: Value| Results::of(value, scale.is_cursed(value));
        match result(value) {
            Some(Results::WIN) => self.winning += 1,
            Some(Results::LOSS) => self.losing += 1,
            _ => self.drawing += 1,
        }
        self.all.count(mv, is_check);
        if result(value) == result(own) {
            self.keeping.add(position, mv, is_check);
            if value.preference(&own) == Ordering::Equal {
                self.best.add(position, mv, is_check);
            }
        }
    }

    pub(crate) fn chosen(&self, choice: Choice) -> &Chosen {
        match choice {
            Choice::Best => &self.best,
            Choice::Keeping => &self.keeping,
        }
    }
}

/// A move with what it takes to describe it.
pub(crate) struct Rated<'a> {
    pub(crate) scale: &'a Scale,
    pub(crate) position: &'a Position,
    pub(crate) mv: &'a Move,
    pub(crate) is_check: bool,
}

impl Chosen {
    /// Adds a move.
    fn add(&mut self, position: &Position, mv: &Move, is_check: bool) {
        let on = |square| position.man_on(square).map(|man| man.piece);
        self.promoted |= bit(mv.promotion);
        self.captured |= bit(mv.captured.and_then(on));
        self.moved |= bit(on(mv.from));
        self.from.insert(mv.from);
        self.to.insert(mv.to);
        self.count(mv, is_check);
    }

    /// Counts a move of which no more is asked.
    fn count(&mut self, mv: &Move, is_check: bool) {
        self.n_moves += 1;
        self.n_captures += u32::from(mv.captured.is_some());
        self.n_promotions += u32::from(mv.promotion.is_some());
        self.n_checks += u32::from(is_check);
    }

    /// Whether there are such moves and all give check.
    pub(crate) fn all_check(&self) -> bool {
        self.n_moves > 0 && self.n_checks == self.n_moves
    }

    /// Whether there are such moves and all of them have this piece in this place, or none has.
    pub(crate) fn all_are(&self, of: Trait, piece: Option<PieceId>, is_equal: bool) -> bool {
        let bits = match of {
            Trait::Promotes => self.promoted,
            Trait::Captures => self.captured,
            _ => self.moved,
        };
        let bit = bit(piece);
        self.n_moves > 0 && if is_equal { bits == bit } else { bits & bit == 0 }
    }

    /// Whether there are such moves and all of them begin, or end, on these squares.
    pub(crate) fn all_on(&self, of: Trait, squares: SquareSet) -> bool {
        let own = if of == Trait::From { self.from } else { self.to };
        self.n_moves > 0 && own.without(squares).is_empty()
    }
}

/// Longer lines of only moves are not counted to their end; none so long is known.
const MAX_MOVES: u32 = 1000;

/// How many moves in a row the winner has to find that alone win, the other side holding out as long as it
/// can; 0 if the side to move does not win.
pub(crate) fn only_moves_in_a_row(tables: &Tablebase, mut position: Position) -> Result<u32, ProbeError> {
    let mut n_moves = 0;
    while n_moves < MAX_MOVES {
        let moves = tables.moves(&position)?;
        let Some(only) = only_winning(&moves) else { return Ok(n_moves) };
        n_moves += 1;
        position = position.play(only.mv);
        let Some(reply) = tables.moves(&position)?.into_iter().next() else { return Ok(n_moves) };
        position = position.play(reply.mv);
    }
    Ok(n_moves)
}

/// How many of the lines from a legal position on are as short as any in which both sides bring about what
/// they want, at most `most`; 0 if none does.
pub(crate) fn solutions(tables: &Tablebase, position: &Position, most: u32) -> Result<u32, ProbeError> {
    match tables.value_of_legal(position)?.ply() {
        None => return Ok(0),
        Some(Ply(0)) => return Ok(1),
        Some(_) => {}
    }
    let mut n_solutions = 0;
    for best in tables.best_moves(position)? {
        if n_solutions >= most {
            break;
        }
        n_solutions += solutions(tables, &position.play(best.mv), most - n_solutions)?;
    }
    Ok(n_solutions)
}

/// The move that alone wins; none if none or several do.
pub(crate) fn only_winning(moves: &[RatedMove]) -> Option<&RatedMove> {
    let mut winning = moves.iter().filter(|rated| rated.value.wdl() == Some(1) && !rated.is_cursed);
    let first = winning.next()?;
    winning.next().is_none().then_some(first)
}
