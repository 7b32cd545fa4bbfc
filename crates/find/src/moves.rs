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

/// The legal moves of a position, counted.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct MoveFacts {
    pub(crate) count: u32,
    pub(crate) winning: u32,
    pub(crate) drawing: u32,
    pub(crate) losing: u32,
    pub(crate) captures: u32,
    pub(crate) promotions: u32,
    pub(crate) checks: u32,
    pub(crate) best: Chosen,
    pub(crate) keeping: Chosen,
}

/// What some moves have between them: sets of pieces and squares.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Chosen {
    pub(crate) n_moves: u32,
    pub(crate) n_captures: u32,
    n_checks: u32,
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
        let Rated { scale, is_check, .. } = rated;
        let result = |value: Value| Results::of(value, scale.is_cursed(value));
        self.count += 1;
        match result(value) {
            Some(Results::WIN) => self.winning += 1,
            Some(Results::LOSS) => self.losing += 1,
            _ => self.drawing += 1,
        }
        self.captures += u32::from(rated.mv.captured.is_some());
        self.promotions += u32::from(rated.mv.promotion.is_some());
        self.checks += u32::from(*is_check);
        if result(value) == result(own) {
            self.keeping.add(rated);
            if value.preference(&own) == Ordering::Equal {
                self.best.add(rated);
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
    pub(crate) mv: Move,
    pub(crate) is_check: bool,
}

impl Chosen {
    fn add(&mut self, rated: &Rated<'_>) {
        let Rated { position, mv, is_check, .. } = rated;
        let bit = |piece: Option<PieceId>| piece.map_or(NO_PIECE, |piece| 1 << piece.0);
        let on = |square| position.man_on(square).map(|man| man.piece);
        self.n_moves += 1;
        self.n_captures += u32::from(mv.captured.is_some());
        self.n_checks += u32::from(*is_check);
        self.promoted |= bit(mv.promotion);
        self.captured |= bit(mv.captured.and_then(on));
        self.moved |= bit(on(mv.from));
        self.from.insert(mv.from);
        self.to.insert(mv.to);
    }

    /// Whether there are such moves and all promote.
    pub(crate) fn all_promote(&self) -> bool {
        self.n_moves > 0 && self.promoted & NO_PIECE == 0
    }

    /// Whether some of them promote to this piece.
    pub(crate) fn promotes_to(&self, piece: PieceId) -> bool {
        self.promoted >> piece.0 & 1 == 1
    }

    /// Whether there are such moves and all capture.
    pub(crate) fn all_capture(&self) -> bool {
        self.n_moves > 0 && self.captured & NO_PIECE == 0
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
        let bit = piece.map_or(NO_PIECE, |piece| 1 << piece.0);
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
