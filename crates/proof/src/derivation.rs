//! Derives the value of a position from the values that its moves lead to, straight from the definition.

use position::{Ending, Move, Position, RuleBook};
use table::{MoveKind, Ply, Scale, Value};
use variant::Side;

/// Whether the position has a right to capture en passant and a pawn that might use it.
pub(crate) fn may_matter(book: &RuleBook, position: &Position) -> bool {
    position.en_passant().is_some()
        && position.men_of(position.stm()).any(|(man, _)| book.variant().is_pawn(man))
}

/// What kind of move this is, as far as metrics care.
pub(crate) fn kind_of(mv: &Move) -> MoveKind {
    MoveKind::new(mv.is_conversion(), mv.zeroing)
}

/// The value of a legal position as the definition has it: the best of what its moves lead to; none if the
/// value of one of them is not to be had.
pub fn derived(
    book: &RuleBook,
    scale: &Scale,
    position: &Position,
    mut value: impl FnMut(&Position) -> Option<Value>,
) -> Option<Value> {
    let mut best: Option<Value> = None;
    let mut is_known = true;
    position.for_each_successor(book, |mv, next| {
        match value(next).and_then(|after| after.before_move_of(kind_of(&mv), scale)) {
            Some(own) => best = better(best, own),
            None => is_known = false,
        }
    });
    is_known.then(|| best.unwrap_or_else(|| without_a_move(book, position)))
}

/// The one that the mover prefers.
fn better(best: Option<Value>, other: Value) -> Option<Value> {
    Some(match best {
        Some(best) if best.preference(&other).is_ge() => best,
        _ => other,
    })
}

/// The value of a position without a legal move. Who has won without one claims it, and the claim counts as a
/// ply.
///
/// # Panics
/// If there is a legal move.
pub(crate) fn without_a_move(book: &RuleBook, position: &Position) -> Value {
    let ending = position.ending(book);
    value_of(ending.expect("a position without a legal move"), position.stm())
}

/// The value of a position whose men have ended the game, wherever they could move; none of others.
pub(crate) fn adjudicated(book: &RuleBook, position: &Position) -> Option<Value> {
    position.adjudication(book).map(|ending| value_of(ending, position.stm()))
}

fn value_of(ending: Ending, stm: Side) -> Value {
    match ending.winner {
        None => Value::Stalemate,
        Some(winner) if winner == stm => Value::Win(Ply(1)),
        Some(_) => Value::Loss(Ply(0)),
    }
}
