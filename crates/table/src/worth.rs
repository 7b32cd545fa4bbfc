//! Rates moves by integers, so that the best of many moves is a maximum, 64 placements at a time.
//!
//! A move is worth the more to its mover the sooner it mates, then come draws, then losses, the later the
//! better. Sixteen bits are enough for every ply that a table can hold:
//!
//! ```text
//!   no move      lost in 1, 2, …          drawn      …, won in 2, 1
//!   −32,768      −32,767, −32,766, …        0        …, 32,766, 32,767
//! ```
//!
//! The plies are those of the position after the move.

use crate::{CodeRow, MoveKind, Ply, Scale, Value};

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
    /// What moves of this kind are worth as the metric counts, given what they are worth as the table counts:
    /// [`worth`] of [`Scale::behind`]. Under `wdl` all decided ones are as near as they can be.
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
        // The loops are straight line code without branches, so that they become vector instructions.
        match self {
            CodeRow::Narrow(codes) => {
                for (worth, &code) in worths.iter_mut().zip(codes) {
                    let ply = i16::from(code) - 3;
                    // What this makes of the codes below 3 is not used.
                    let decided =
                        if ply & 1 == 1 { ply.wrapping_sub(i16::MAX) } else { i16::MAX.wrapping_sub(ply) };
                    *worth = if code >= 3 { decided } else { i16::MIN & -i16::from(code == 0) };
                }
            }
            CodeRow::Split(codes, split) => {
                let last_win = i16::from(split.last_win_code());
                for (worth, &code) in worths.iter_mut().zip(codes) {
                    let code = i16::from(code);
                    let decided = if code <= last_win {
                        (code - 2).wrapping_sub(i16::MAX)
                    } else {
                        i16::MAX - 255 + code
                    };
                    *worth = if code >= 3 { decided } else { i16::MIN & -i16::from(code == 0) };
                }
            }
            CodeRow::Wide(codes) => {
                for (worth, &code) in worths.iter_mut().zip(codes) {
                    let ply = (code.wrapping_sub(3) >> 1) as i16;
                    let decided = if code & 1 == 0 { ply - i16::MAX } else { i16::MAX - ply };
                    *worth = if code >= 3 { decided } else { i16::MIN & -i16::from(code == 0) };
                }
            }
        }
    }
}
