//! Sorts what is known of a position into Lichess's categories.
//!
//! | known | category |
//! | --- | --- |
//! | the game is over | `loss`, `draw` or `win` |
//! | plies to a zeroing move, exactly | with the clock within the rule `win`, else `cursed-win` |
//! | the same, perhaps a ply short, at the very edge of the rule | `syzygy-win` |
//! | plies to mate, within the rule | `win` |
//! | plies to mate beyond the rule, or who wins alone | `maybe-win` |
//! | a win, of the game too, by a move with the whole rule on the clock | `cursed-win` |
//! | no table, and the moves say it | that of the best move, seen from here |

use serde::Serialize;
use std::ops::Neg;
use table::{Ply, Value};

/// What a position is worth to the side to move under the fifty-move rule. The order is that in which a side
/// likes the other to be: whoever moves prefers what comes first.
#[derive(Serialize, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Category {
    Loss,
    Unknown,
    SyzygyLoss,
    MaybeLoss,
    BlessedLoss,
    Draw,
    CursedWin,
    MaybeWin,
    SyzygyWin,
    Win,
}

/// What tables say of a position; none where a table is not there.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Distances {
    /// Plies to a capture, a pawn move or mate, under the rule.
    pub(super) dtz: Option<Value>,
    /// Whether these may be a ply short.
    pub(super) is_rounded: bool,
    /// Plies to the end.
    pub(super) dtm: Option<Value>,
    /// Plies to a capture, a promotion or mate.
    pub(super) dtc: Option<Value>,
    /// Who wins.
    pub(super) wdl: Option<Value>,
}

impl Category {
    /// Whether no more could be known.
    pub(super) fn is_sure(self) -> bool {
        use Category::{MaybeLoss, MaybeWin, SyzygyLoss, SyzygyWin, Unknown};
        !matches!(self, Unknown | SyzygyLoss | MaybeLoss | MaybeWin | SyzygyWin)
    }

    /// The category of a result for the side to move, 1, 0 or −1. It is `late` if a draw could have been
    /// claimed before the move that led to it.
    pub(super) fn of_result(wdl: i8, late: bool) -> Self {
        match (wdl, late) {
            (1, false) => Category::Win,
            (1, true) => Category::CursedWin,
            (0, _) => Category::Draw,
            (_, false) => Category::Loss,
            (_, true) => Category::BlessedLoss,
        }
    }

    /// The category of a position that is no end, with the clock at so many plies of a rule of so many; no
    /// rule counts nothing. It is `late` as in [`Category::of_result`].
    pub(super) fn new(distances: &Distances, clock: u32, rule_plies: Option<u16>, late: bool) -> Self {
        let known = distances.dtz.or(distances.dtm).or(distances.dtc).or(distances.wdl);
        let Some(wdl) = known.and_then(Value::wdl) else { return Category::Unknown };
        let wins = wdl > 0;
        let (Some(rule), true, false) = (rule_plies.map(u64::from), wdl != 0, late) else {
            return Category::of_result(wdl, late);
        };
        let ends_at = |value: Option<Value>| -> Option<u64> {
            let Ply(plies) = value.and_then(Value::ply)?;
            Some(u64::from(plies.max(1)) + u64::from(clock))
        };
        let decided = Category::of_result(wdl, false);
        match (ends_at(distances.dtz), ends_at(distances.dtm)) {
            // A ply more than what stands there may be needed.
            (Some(plies), _) if distances.is_rounded && plies == rule => {
                if wins {
                    Category::SyzygyWin
                } else {
                    Category::SyzygyLoss
                }
            }
            (Some(plies), _) if plies <= rule => decided,
            (Some(_), _) => Category::of_result(wdl, true),
            // Whoever mates in time has won, whatever happens on the way.
            (None, Some(plies)) if plies <= rule => decided,
            _ => {
                if wins {
                    Category::MaybeWin
                } else {
                    Category::MaybeLoss
                }
            }
        }
    }
}

impl Neg for Category {
    type Output = Self;

    /// What the other side has of it.
    fn neg(self) -> Self {
        match self {
            Category::Loss => Category::Win,
            Category::Unknown => Category::Unknown,
            Category::SyzygyLoss => Category::SyzygyWin,
            Category::MaybeLoss => Category::MaybeWin,
            Category::BlessedLoss => Category::CursedWin,
            Category::Draw => Category::Draw,
            Category::CursedWin => Category::BlessedLoss,
            Category::MaybeWin => Category::MaybeLoss,
            Category::SyzygyWin => Category::SyzygyLoss,
            Category::Win => Category::Loss,
        }
    }
}

/// A distance with a sign: positive for a win of the side to move.
pub(super) fn signed(value: Value) -> i32 {
    match value {
        Value::Win(Ply(plies)) => i32::from(plies),
        Value::Loss(Ply(plies)) => -i32::from(plies),
        _ => 0,
    }
}

/// The same of plies to a zeroing move: mate, which is none, counts as one.
pub(super) fn signed_dtz(value: Value) -> i32 {
    match value {
        Value::Loss(Ply(0)) => -1,
        other => signed(other),
    }
}

/// Plies to a conversion as moves of the winner.
pub(super) fn signed_moves(value: Value) -> i32 {
    let plies = signed(value);
    (plies.abs() + 1) / 2 * plies.signum()
}
