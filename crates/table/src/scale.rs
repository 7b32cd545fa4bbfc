//! Counts moves as a metric does: what a move is worth to the side that makes it, given what it leads to.
//!
//! A move that a metric does not stop at costs a ply: the distance is one more. A *zeroing* move is where it
//! stops: only who wins matters behind it, and it counts one ply, whatever is left to do. Which moves are
//! zeroing differs:
//!
//! ```text
//!                  a man moves   a pawn moves   capture, promotion
//!   dtm, dtm50, wdl, help  ·           ·                 ·
//!   dtc                  ·             ·                 1
//!   dtz                  ·             1                 1
//!   dtz50                ·          1 or 101          1 or 101     under the rule of fifty moves, 100 plies
//! ```
//!
//! Under the n-move rule a distance beyond the rule's plies is a win on paper only (*cursed*), or a loss that
//! is none (*blessed*). A zeroing move into one of those is such a one as well, however near it is, so it
//! counts one ply more than the rule allows: then every distance says by itself which kind of win it is, and
//! the quicker win is the better one throughout.
//!
//! *Worths* rate moves by integers, so that the best of many moves is a maximum, 64 placements at a time. A
//! move is worth the more to its mover the sooner it mates, then come draws, then losses, the later the
//! better. Sixteen bits are enough for every ply that a table can hold:
//!
//! ```text
//!   no move      lost in 1, 2, …          drawn      …, won in 2, 1
//!   −32,768      −32,767, −32,766, …        0        …, 32,766, 32,767
//! ```
//!
//! The plies of a worth are those of the position after the move.

use crate::{Code, CodeRow, Ply, Value};
use std::cmp::Ordering;
use variant::{Metric, Rules};

/// What kind of move leads from one position to another, as far as metrics care.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum MoveKind {
    /// A man who is no pawn moves and captures no man.
    Plain,
    /// A pawn moves, captures no man and stays a pawn; double steps too.
    PawnMove,
    /// A capture or a promotion or both; captures en passant too.
    Conversion,
}

impl MoveKind {
    /// The kind of a move that converts (a capture or a promotion), that is zeroing (a conversion or a pawn's
    /// move), or neither.
    #[must_use]
    pub const fn new(is_conversion: bool, is_zeroing: bool) -> Self {
        match (is_conversion, is_zeroing) {
            (true, _) => MoveKind::Conversion,
            (false, true) => MoveKind::PawnMove,
            (false, false) => MoveKind::Plain,
        }
    }
}

/// How a metric counts under the rules of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Scale {
    metric: Metric,
    /// The plies of the n-move rule; none if it does not matter.
    rule_plies: Option<u16>,
    /// The plies of the n-move rule if values change with its clock; none otherwise.
    clock_plies: Option<u16>,
}

impl Scale {
    /// How this metric counts in a game with these rules.
    #[must_use]
    pub fn new(metric: Metric, rules: &Rules) -> Self {
        let rule_plies = rules.rule_plies().filter(|_| metric == Metric::Dtz50);
        let clock_plies = rules.rule_plies().filter(|_| metric == Metric::Dtm50);
        Scale { metric, rule_plies, clock_plies }
    }

    /// The metric.
    #[must_use]
    pub const fn metric(&self) -> Metric {
        self.metric
    }

    /// The most plies of a win that is one under the n-move rule; none if the metric ignores the rule.
    #[must_use]
    pub const fn rule_plies(&self) -> Option<u16> {
        self.rule_plies
    }

    /// The plies of the n-move rule, if the metric has a value for each state of its clock.
    #[must_use]
    pub const fn clock_plies(&self) -> Option<u16> {
        self.clock_plies
    }

    /// The clock with which a position is asked for whose own is this: 0 if no value depends on it.
    #[must_use]
    pub const fn clock_of(&self, halfmove_clock: u32) -> u32 {
        if self.clock_plies.is_some() { halfmove_clock } else { 0 }
    }

    /// Whether both sides want the same: that White wins, as soon as can be.
    #[must_use]
    pub const fn is_helped(&self) -> bool {
        matches!(self.metric, Metric::Help)
    }

    /// Which value the side to move prefers: [`Value::preference`], or the nearest end if both sides want
    /// it.
    #[must_use]
    pub fn preference(&self, value: &Value, other: &Value) -> Ordering {
        let wanted = |value: &Value| match (self.is_helped(), *value) {
            (true, Value::Loss(ply)) => Value::Win(ply),
            (_, value) => value,
        };
        wanted(value).preference(&wanted(other))
    }

    /// Whether the metric stops at moves of this kind.
    #[must_use]
    pub const fn is_zeroing(&self, kind: MoveKind) -> bool {
        match self.metric {
            Metric::Wdl | Metric::Dtm | Metric::Dtm50 | Metric::Help => false,
            Metric::Dtc => matches!(kind, MoveKind::Conversion),
            Metric::Dtz | Metric::Dtz50 => !matches!(kind, MoveKind::Plain),
        }
    }

    /// Whether values behind a move of this kind are those with the clock at 0, or the metric stops there.
    #[must_use]
    pub const fn restarts(&self, kind: MoveKind) -> bool {
        self.is_zeroing(kind) || (self.clock_plies.is_some() && !matches!(kind, MoveKind::Plain))
    }

    /// Whether the value is a cursed win or a blessed loss: with the clock at zero the n-move rule makes a
    /// draw of it.
    #[must_use]
    pub fn is_cursed(&self, value: Value) -> bool {
        matches!((value.ply(), self.rule_plies), (Some(Ply(ply)), Some(rule)) if ply > rule)
    }

    /// Whether the n-move rule makes a draw of this value once this many plies have passed since the last
    /// zeroing move.
    #[must_use]
    pub fn is_cursed_at(&self, value: Value, clock_plies: u32) -> bool {
        match (value.ply(), self.rule_plies) {
            (Some(Ply(ply)), Some(rule)) => u64::from(ply) + u64::from(clock_plies) > u64::from(rule),
            _ => false,
        }
    }

    /// What the value of a position counts as for a move of this kind that leads there: the value itself, or
    /// the distance at which a zeroing move finds it. The move adds its own ply.
    #[must_use]
    pub fn behind(&self, value: Value, kind: MoveKind) -> Value {
        if !self.is_zeroing(kind) {
            return value;
        }
        let ply = Ply(self.rule_plies.filter(|_| self.is_cursed(value)).unwrap_or(0));
        match value {
            Value::Loss(_) => Value::Loss(ply),
            Value::Win(_) => Value::Win(ply),
            other => other,
        }
    }
}

impl Value {
    /// What a move of this kind to a position of this value is worth to the side that makes it; none if the
    /// move is illegal. Under `wdl` every win is one after a ply, and every loss one after none.
    #[must_use]
    pub fn before_move_of(self, kind: MoveKind, scale: &Scale) -> Option<Value> {
        let value = scale.behind(self, kind).before_move()?;
        Some(if scale.metric == Metric::Wdl { value.without_distance() } else { value })
    }
}

/// The worth of what is no legal move.
pub const NO_MOVE: i16 = i16::MIN;

/// The latest ply that a worth can tell from a draw; no table holds a later one.
const LAST_PLY: u16 = 32_766;

/// What a move to a position of this value is worth to the mover.
#[must_use]
#[inline]
pub fn worth(after: Value) -> i16 {
    match after {
        Value::Illegal => NO_MOVE,
        Value::Stalemate | Value::Draw => 0,
        Value::Loss(ply) => i16::MAX - ply.0.min(LAST_PLY) as i16,
        Value::Win(ply) => ply.0.min(LAST_PLY) as i16 - i16::MAX,
    }
}

/// The value after a move of this worth; a draw may have been a stalemate.
#[must_use]
#[inline]
pub fn value_after(worth: i16) -> Value {
    match worth {
        NO_MOVE => Value::Illegal,
        0 => Value::Draw,
        1.. => Value::Loss(Ply((i16::MAX - worth) as u16)),
        _ => Value::Win(Ply((worth + i16::MAX) as u16)),
    }
}

impl Scale {
    /// What moves of this kind are worth as the metric counts, given what they are worth as the table
    /// counts: [`worth`] of [`Scale::behind`]. Under `wdl` all decided ones are as near as they can be.
    #[inline]
    pub fn count_worths(&self, kind: MoveKind, worths: &mut [i16]) {
        if !self.is_zeroing(kind) && self.metric() != variant::Metric::Wdl {
            return;
        }
        // A win of more plies than the n-move rule has is cursed; without a rule no win is.
        let rule = self.rule_plies().map_or(LAST_PLY, |plies| plies.min(LAST_PLY)) as i16;
        for worth in worths {
            let won = if *worth < i16::MAX - rule { i16::MAX - rule } else { i16::MAX };
            let lost = if *worth > rule - i16::MAX { rule - i16::MAX } else { -i16::MAX };
            *worth = match *worth {
                0 | NO_MOVE => *worth,
                1.. => won,
                _ => lost,
            };
        }
    }
}

impl<const N: usize> CodeRow<N> {
    /// What moves to these placements are worth: [`worth`] of each value.
    #[inline]
    pub fn worths(&self, worths: &mut [i16; N]) {
        match self {
            CodeRow::OneByte(codes, palette) => match palette.last_win().map(i16::from) {
                None => rate(codes, worths, |code| {
                    let ply = code - 3;
                    if ply & 1 == 1 { ply.wrapping_sub(i16::MAX) } else { i16::MAX.wrapping_sub(ply) }
                }),
                Some(last_win) => rate(codes, worths, |code| {
                    if code <= last_win { (code - 2).wrapping_sub(i16::MAX) } else { i16::MAX - 255 + code }
                }),
            },
            CodeRow::TwoBytes(codes) => rate(codes, worths, |code| {
                let ply = ((code as u16).wrapping_sub(3) >> 1) as i16;
                if code & 1 == 0 { ply - i16::MAX } else { i16::MAX - ply }
            }),
        }
    }
}

/// Fills in what moves to the placements of these codes are worth. `decided` rates the bits of a code of 3
/// and more; what it makes of others is not used.
///
/// The loop is straight line code without branches, so that it becomes vector instructions.
#[inline(always)]
fn rate<C: Code, const N: usize>(codes: &[C; N], worths: &mut [i16; N], decided: impl Fn(i16) -> i16) {
    for (worth, &code) in worths.iter_mut().zip(codes) {
        let code: u16 = code.into();
        let decided = decided(code as i16);
        *worth = if code >= 3 { decided } else { i16::MIN & -i16::from(code == 0) };
    }
}
