//! Judges a condition by what is known so far: it holds, it does not, or that cannot be said yet.
//!
//! What is known grows from step to step, and each step costs more than the one before:
//!
//! ```text
//!   who is to move → the stored code → squares, other tables, the other side to move → moves → lines
//! ```
//!
//! A conjunction fails with its first part that is known to fail, so most placements are settled by a look
//! at their code, and moves are generated for the few of which everything else holds.

use crate::condition::{Condition, MoveTest, Number, Relation, joined_holds};
use crate::ground::Place;
use crate::moves::MoveFacts;
use crate::word::{LineNumber, MoveNumber, Results, Subject, Trait, Turn, ZugzwangKinds};
use geometry::{Board, Square};
use table::Value;
use variant::{Man, Side};

/// Whether the condition holds with this side to move; none if that is not known yet.
pub(crate) fn judge(condition: &Condition, place: &Place<'_, '_>, stm: Side) -> Option<bool> {
    match condition {
        Condition::Not(inner) => judge(inner, place, stm).map(|holds| !holds),
        Condition::And(parts) => joined_holds(false, parts.iter().map(|part| judge(part, place, stm))),
        Condition::Or(parts) => joined_holds(true, parts.iter().map(|part| judge(part, place, stm))),
        Condition::ToMove(side) => Some(*side == stm),
        &Condition::Result { subject, results, metric } => {
            let value = place.value(metric, stm)?;
            let Some(own) = Results::of(value, place.is_cursed(metric, value)) else { return Some(false) };
            let is_own = match subject {
                Subject::Mover => true,
                Subject::Opponent => false,
                Subject::White => stm == Side::White,
                Subject::Black => stm == Side::Black,
            };
            Some(results.has(if is_own { own } else { own.of_opponent() }))
        }
        Condition::Stalemate => Some(place.value(0, stm)? == Value::Stalemate),
        &Condition::Mate { metric } => {
            Some(matches!(place.value(metric, stm)?, Value::Loss(ply) if ply.0 == 0))
        }
        Condition::Legal => Some(place.value(0, stm)? != Value::Illegal),
        Condition::Check => place.is_check(stm),
        Condition::Zugzwang(kinds) => {
            let results = either_worse(place, stm)?;
            Some(results.and_then(|[w, b]| ZugzwangKinds::of(w, b)).is_some_and(|kind| kinds.has(kind)))
        }
        Condition::Turned(turn, inner) => {
            let with = |stm: Side| match place.value(0, stm) {
                Some(Value::Illegal) => Some(false),
                Some(_) => judge(inner, place, stm),
                // The position may be illegal, of which nothing holds.
                None => judge(inner, place, stm).filter(|holds| !holds),
            };
            match turn {
                Turn::White => with(Side::White),
                Turn::Black => with(Side::Black),
                Turn::Other => with(!stm),
                Turn::Both => joined_holds(false, [stm, !stm].map(with)),
            }
        }
        Condition::Compare { left, relation, right } => compare(left, *relation, right, place, stm),
        Condition::On { man, all, squares } => {
            if places(place, *man).next().is_none() {
                return Some(false);
            }
            let stands = |man| place.square(man).map(|square| squares.contains(square));
            joined_holds(!all, places(place, *man).map(stands))
        }
        Condition::Underpromotion => {
            let own = place.value(0, stm)?;
            if own.wdl().is_none_or(|wdl| wdl < 0) {
                return Some(false);
            }
            let keeping = &place.moves(stm)?.keeping;
            let promotes = keeping.all_are(Trait::Promotes, None, false);
            let is_first = |first| !keeping.all_are(Trait::Promotes, Some(first), false);
            Some(promotes && !place.first_promotion().is_some_and(is_first))
        }
        Condition::Moves(choice, test) => {
            let chosen = place.moves(stm)?.chosen(*choice);
            Some(match *test {
                MoveTest::Checks => chosen.all_check(),
                MoveTest::Is { of, piece, is_equal } => chosen.all_are(of, piece, is_equal),
                MoveTest::On { of, squares } => chosen.all_on(of, squares),
            })
        }
    }
}

/// The results with White and with Black to move, if either side does worse when it is its turn; the first
/// none if that is not known yet.
fn either_worse(place: &Place<'_, '_>, stm: Side) -> Option<Option<[i8; 2]>> {
    let first = if place.is_kept(stm) { stm } else { !stm };
    // A side that wins is in no zugzwang, whatever the other result is.
    let Some(own @ (0 | -1)) = place.result(first, 1)? else { return Some(None) };
    let Some(other) = place.result(!first, -own)? else { return Some(None) };
    let results = if first == Side::White { [own, other] } else { [other, own] };
    Some((own < -other).then_some(results))
}

/// Where the men of a kind stand among all.
fn places<'p>(place: &'p Place<'_, '_>, man: Man) -> impl Iterator<Item = usize> + 'p {
    place.men().iter().enumerate().filter(move |&(_, own)| *own == man).map(|(at, _)| at)
}

fn compare(
    left: &Number,
    relation: Relation,
    right: &Number,
    place: &Place<'_, '_>,
    stm: Side,
) -> Option<bool> {
    match (number(left, place, stm), number(right, place, stm)) {
        (PartialNumber::Absent, _) | (_, PartialNumber::Absent) => Some(false),
        (PartialNumber::Is(left), PartialNumber::Is(right)) => Some(relation.holds(left, right)),
        _ => None,
    }
}

/// A number as far as it is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum PartialNumber {
    NotYet,
    /// The position has none.
    Absent,
    Is(i64),
}

impl PartialNumber {
    fn map(self, change: impl Fn(i64) -> i64) -> PartialNumber {
        match self {
            PartialNumber::Is(number) => PartialNumber::Is(change(number)),
            other => other,
        }
    }

    fn with(self, other: PartialNumber, join: impl Fn(i64, i64) -> i64) -> PartialNumber {
        match (self, other) {
            (PartialNumber::Absent, _) | (_, PartialNumber::Absent) => PartialNumber::Absent,
            (PartialNumber::Is(a), PartialNumber::Is(b)) => PartialNumber::Is(join(a, b)),
            _ => PartialNumber::NotYet,
        }
    }
}

impl From<Option<i64>> for PartialNumber {
    fn from(number: Option<i64>) -> Self {
        number.map_or(PartialNumber::NotYet, PartialNumber::Is)
    }
}

fn number(number_of: &Number, place: &Place<'_, '_>, stm: Side) -> PartialNumber {
    match number_of {
        Number::Constant(number) => PartialNumber::Is(*number),
        Number::Plies { metric } => match place.value(*metric, stm) {
            None => PartialNumber::NotYet,
            Some(value) => {
                value.ply().map_or(PartialNumber::Absent, |ply| PartialNumber::Is(i64::from(ply.0)))
            }
        },
        Number::Moves(which) => place.moves(stm).map(|moves| of_moves(moves, *which)).into(),
        Number::Line(which) => match place.value(0, stm) {
            // Only a winner plays towards something, or both do.
            Some(value) if *which == LineNumber::OnlyMoves && value.wdl() != Some(1) => PartialNumber::Is(0),
            Some(value) if value.ply().is_none() => PartialNumber::Is(0),
            _ => place.line_number(stm, *which).into(),
        },
        Number::Distance(first, second) => {
            let pairs = places(place, *first).flat_map(|a| places(place, *second).map(move |b| (a, b)));
            let mut nearest = PartialNumber::Absent;
            for (a, b) in pairs.filter(|(a, b)| a != b) {
                let (Some(a), Some(b)) = (place.square(a), place.square(b)) else {
                    return PartialNumber::NotYet;
                };
                let board = place.board();
                let files = {
                    let apart = board.file_of(a).abs_diff(board.file_of(b));
                    if board.is_cylinder() { apart.min(board.files() - apart) } else { apart }
                };
                let steps = files.max(board.rank_of(a).abs_diff(board.rank_of(b))) as i64;
                nearest = match nearest {
                    PartialNumber::Is(least) if least <= steps => nearest,
                    _ => PartialNumber::Is(steps),
                };
            }
            nearest
        }
        Number::FileOf(man) => of_first(place, *man, |board, square| board.file_of(square)),
        Number::RankOf(man) => of_first(place, *man, |board, square| board.rank_of(square)),
        Number::Negative(inner) => number(inner, place, stm).map(|number| number.saturating_neg()),
        Number::Sum(parts) => joined(parts, 0, i64::saturating_add, place, stm),
        Number::Product(parts) => joined(parts, 1, i64::saturating_mul, place, stm),
    }
}

/// What numbers come to together, from the first on.
fn joined(
    parts: &[Number],
    none: i64,
    join: impl Fn(i64, i64) -> i64,
    place: &Place<'_, '_>,
    stm: Side,
) -> PartialNumber {
    let parts = parts.iter().map(|part| number(part, place, stm));
    parts.fold(PartialNumber::Is(none), |sum, part| sum.with(part, &join))
}

/// A coordinate of the first man of a kind, from 1.
fn of_first(place: &Place<'_, '_>, man: Man, coordinate: impl Fn(&Board, Square) -> usize) -> PartialNumber {
    match places(place, man).next() {
        None => PartialNumber::Absent,
        Some(first) => place.square(first).map(|square| coordinate(place.board(), square) as i64 + 1).into(),
    }
}

fn of_moves(moves: &MoveFacts, which: MoveNumber) -> i64 {
    i64::from(match which {
        MoveNumber::Count => moves.all.n_moves,
        MoveNumber::Winning => moves.winning,
        MoveNumber::Drawing => moves.drawing,
        MoveNumber::Losing => moves.losing,
        MoveNumber::Keeping => moves.keeping.n_moves,
        MoveNumber::KeepingCaptures => moves.keeping.n_captures,
        MoveNumber::Best => moves.best.n_moves,
        MoveNumber::Captures => moves.all.n_captures,
        MoveNumber::Promotions => moves.all.n_promotions,
        MoveNumber::Checks => moves.all.n_checks,
    })
}
