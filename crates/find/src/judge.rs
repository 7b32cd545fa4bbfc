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

use crate::condition::{Condition, MoveTest, Number, Relation};
use crate::moves::MoveFacts;
use crate::word::{LineNumber, MoveNumber, Results, Subject, Trait, Turn, ZugzwangKinds};
use geometry::{Board, Square};
use table::Value;
use variant::{Man, PieceId, Side};

/// What is known of a placement, in the terms of the asker; none of what is not known yet.
pub(crate) trait Facts {
    /// The board.
    fn board(&self) -> &Board;
    /// The men of the position.
    fn men(&self) -> &[Man];
    /// The square of the man at this place.
    fn square(&self, man: usize) -> Option<Square>;
    /// The value by a metric of the query, with this side to move.
    fn value(&self, metric: usize, stm: Side) -> Option<Value>;
    /// Whether values with this side to move are read, and not found by moves.
    fn is_kept(&self, stm: Side) -> bool;
    /// The result with this side to move, if the position is legal: 1, 0 or −1, or one that is `enough`.
    fn result(&self, stm: Side, enough: i8) -> Option<Option<i8>>;
    /// Whether the n-move rule draws a value by this metric.
    fn is_cursed(&self, metric: usize, value: Value) -> bool;
    /// Whether this side, being to move, is in check.
    fn is_check(&self, stm: Side) -> Option<bool>;
    /// The moves of this side, being to move.
    fn moves(&self, stm: Side) -> Option<&MoveFacts>;
    /// What is counted along the lines, this side being to move.
    fn line_number(&self, stm: Side, which: LineNumber) -> Option<i64>;
    /// The piece that a pawn becomes where it is no underpromotion.
    fn first_promotion(&self) -> Option<PieceId>;
}

/// Whether the condition holds with this side to move; none if that is not known yet.
pub(crate) fn judge(condition: &Condition, facts: &impl Facts, stm: Side) -> Option<bool> {
    match condition {
        Condition::Not(inner) => judge(inner, facts, stm).map(|holds| !holds),
        Condition::And(parts) => {
            let mut all = Some(true);
            for part in parts {
                match judge(part, facts, stm) {
                    Some(false) => return Some(false),
                    Some(true) => {}
                    None => all = None,
                }
            }
            all
        }
        Condition::Or(parts) => {
            let mut any = Some(false);
            for part in parts {
                match judge(part, facts, stm) {
                    Some(true) => return Some(true),
                    Some(false) => {}
                    None => any = None,
                }
            }
            any
        }
        Condition::ToMove(side) => Some(*side == stm),
        &Condition::Result { subject, results, metric } => {
            let value = facts.value(metric, stm)?;
            let Some(own) = Results::of(value, facts.is_cursed(metric, value)) else { return Some(false) };
            let is_own = match subject {
                Subject::Mover => true,
                Subject::Opponent => false,
                Subject::White => stm == Side::White,
                Subject::Black => stm == Side::Black,
            };
            Some(results.has(if is_own { own } else { own.of_opponent() }))
        }
        Condition::Stalemate => Some(facts.value(0, stm)? == Value::Stalemate),
        &Condition::Mate { metric } => {
            Some(matches!(facts.value(metric, stm)?, Value::Loss(ply) if ply.0 == 0))
        }
        Condition::Legal => Some(facts.value(0, stm)? != Value::Illegal),
        Condition::Check => facts.is_check(stm),
        Condition::MutualZugzwang(kinds) => {
            let results = either_worse(facts, stm)?;
            Some(results.and_then(|[w, b]| ZugzwangKinds::of(w, b)).is_some_and(|kind| kinds.has(kind)))
        }
        // A side that would rather pass is better off if the other side is to move, and so is the other
        // side.
        Condition::Zugzwang => Some(either_worse(facts, stm)?.is_some()),
        Condition::Turned(turn, inner) => {
            let with = |stm: Side| match facts.value(0, stm) {
                Some(Value::Illegal) => Some(false),
                Some(_) => judge(inner, facts, stm),
                None => match judge(inner, facts, stm) {
                    Some(false) => Some(false),
                    _ => None,
                },
            };
            match turn {
                Turn::White => with(Side::White),
                Turn::Black => with(Side::Black),
                Turn::Other => with(!stm),
                Turn::Both => match (with(stm), with(!stm)) {
                    (Some(false), _) | (_, Some(false)) => Some(false),
                    (Some(true), Some(true)) => Some(true),
                    _ => None,
                },
            }
        }
        Condition::Compare { left, relation, right } => compare(left, *relation, right, facts, stm),
        Condition::On { man, all, squares } => {
            let (mut found, mut unknown, mut missed) = (false, false, false);
            for place in places(facts, *man) {
                match facts.square(place).map(|square| squares.contains(square)) {
                    Some(true) => found = true,
                    Some(false) => missed = true,
                    None => unknown = true,
                }
            }
            match all {
                true if missed => Some(false),
                false if found => Some(true),
                _ if unknown => None,
                _ => Some(found),
            }
        }
        Condition::Underpromotion => {
            let own = facts.value(0, stm)?;
            if own.wdl().is_none_or(|wdl| wdl < 0) {
                return Some(false);
            }
            let keeping = &facts.moves(stm)?.keeping;
            Some(
                keeping.all_promote()
                    && !facts.first_promotion().is_some_and(|first| keeping.promotes_to(first)),
            )
        }
        Condition::Moves(choice, test) => {
            let chosen = facts.moves(stm)?.chosen(*choice);
            Some(match *test {
                MoveTest::Has(Trait::Promotes) => chosen.all_promote(),
                MoveTest::Has(Trait::Captures) => chosen.all_capture(),
                MoveTest::Has(_) => chosen.all_check(),
                MoveTest::Is { of, piece, is_equal } => chosen.all_are(of, piece, is_equal),
                MoveTest::On { of, squares } => chosen.all_on(of, squares),
            })
        }
    }
}

/// The results with White and with Black to move, if either side does worse when it is its turn; the first
/// none if that is not known yet.
fn either_worse(facts: &impl Facts, stm: Side) -> Option<Option<[i8; 2]>> {
    let first = if facts.is_kept(stm) { stm } else { !stm };
    // A side that wins is in no zugzwang, whatever the other result is.
    let Some(own @ (0 | -1)) = facts.result(first, 1)? else { return Some(None) };
    let Some(other) = facts.result(!first, -own)? else { return Some(None) };
    let results = if first == Side::White { [own, other] } else { [other, own] };
    Some((own < -other).then_some(results))
}

/// Where the men of a kind stand among all.
fn places(facts: &impl Facts, man: Man) -> impl Iterator<Item = usize> + '_ {
    facts.men().iter().enumerate().filter(move |&(_, own)| *own == man).map(|(place, _)| place)
}

fn compare(left: &Number, relation: Relation, right: &Number, facts: &impl Facts, stm: Side) -> Option<bool> {
    match (number(left, facts, stm), number(right, facts, stm)) {
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

fn number(number_of: &Number, facts: &impl Facts, stm: Side) -> PartialNumber {
    match number_of {
        Number::Constant(number) => PartialNumber::Is(*number),
        Number::Plies { metric } => match facts.value(*metric, stm) {
            None => PartialNumber::NotYet,
            Some(value) => {
                value.ply().map_or(PartialNumber::Absent, |ply| PartialNumber::Is(i64::from(ply.0)))
            }
        },
        Number::Moves(which) => facts.moves(stm).map(|moves| of_moves(moves, *which)).into(),
        Number::Line(which) => match facts.value(0, stm) {
            // Only a winner plays towards something, or both do.
            Some(value) if *which == LineNumber::OnlyMoves && value.wdl() != Some(1) => PartialNumber::Is(0),
            Some(value) if value.ply().is_none() => PartialNumber::Is(0),
            _ => facts.line_number(stm, *which).into(),
        },
        Number::Distance(first, second) => {
            let pairs = places(facts, *first).flat_map(|a| places(facts, *second).map(move |b| (a, b)));
            let mut nearest = PartialNumber::Absent;
            for (a, b) in pairs.filter(|(a, b)| a != b) {
                let (Some(a), Some(b)) = (facts.square(a), facts.square(b)) else {
                    return PartialNumber::NotYet;
                };
                let board = facts.board();
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
        Number::FileOf(man) => of_first(facts, *man, |board, square| board.file_of(square)),
        Number::RankOf(man) => of_first(facts, *man, |board, square| board.rank_of(square)),
        Number::Negative(inner) => number(inner, facts, stm).map(|number| number.saturating_neg()),
        Number::Sum(parts) => joined(parts, 0, i64::saturating_add, facts, stm),
        Number::Product(parts) => joined(parts, 1, i64::saturating_mul, facts, stm),
    }
}

/// What numbers come to together, from the first on.
fn joined(
    parts: &[Number],
    none: i64,
    join: impl Fn(i64, i64) -> i64,
    facts: &impl Facts,
    stm: Side,
) -> PartialNumber {
    let parts = parts.iter().map(|part| number(part, facts, stm));
    parts.fold(PartialNumber::Is(none), |sum, part| sum.with(part, &join))
}

/// A coordinate of the first man of a kind, from 1.
fn of_first(facts: &impl Facts, man: Man, coordinate: impl Fn(&Board, Square) -> usize) -> PartialNumber {
    match places(facts, man).next() {
        None => PartialNumber::Absent,
        Some(place) => facts.square(place).map(|square| coordinate(facts.board(), square) as i64 + 1).into(),
    }
}

fn of_moves(moves: &MoveFacts, which: MoveNumber) -> i64 {
    i64::from(match which {
        MoveNumber::Count => moves.count,
        MoveNumber::Winning => moves.winning,
        MoveNumber::Drawing => moves.drawing,
        MoveNumber::Losing => moves.losing,
        MoveNumber::Keeping => moves.keeping.n_moves,
        MoveNumber::KeepingCaptures => moves.keeping.n_captures,
        MoveNumber::Best => moves.best.n_moves,
        MoveNumber::Captures => moves.captures,
        MoveNumber::Promotions => moves.promotions,
        MoveNumber::Checks => moves.checks,
    })
}
