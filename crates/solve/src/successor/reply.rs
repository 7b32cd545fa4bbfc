//! Computes what double steps are worth once captures en passant are among the replies.

use crate::word::SolverWord;
use geometry::Square;
use table::{MoveKind, Scale, Value, ValueRows, worth};

/// The worths of a row of double steps that can be answered en passant.
pub(crate) fn replied_worths<W: SolverWord>(
    rows: &ValueRows<'_>,
    replies: &[ValueRows<'_>],
    row_square: Square,
    worths: &mut W::Worths,
    scale: &Scale,
) {
    let quiet = W::codes(rows, row_square);
    let replies: Vec<_> = replies.iter().map(|rows| W::codes(rows, row_square)).collect();
    for (at, slot) in worths.as_mut().iter_mut().enumerate() {
        *slot = worth(with_replies(W::value(&quiet, at), replies.iter().map(|row| W::value(row, at)), scale));
    }
}

/// The value of a position for the side to move once it may also capture en passant, with these results.
///
/// Its best choice counts, and where it had no move, that is no longer the end of the game.
pub(crate) fn with_replies(value: Value, results: impl Iterator<Item = Value>, scale: &Scale) -> Value {
    if value == Value::Illegal {
        return value;
    }
    let captures = results.filter_map(|result| result.before_move_of(MoveKind::Conversion, scale));
    match captures.max_by(Value::preference) {
        Some(capture) if value == Value::Stalemate => capture,
        Some(capture) if capture.preference(&value).is_gt() => capture,
        _ => value,
    }
}
