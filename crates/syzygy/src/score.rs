//! Converts values into the two numbers that Syzygy files have for a position, and compares them with those
//! that were read.

use table::Value;
use variant::Variant;

/// Plies of the rule of fifty moves.
pub(crate) const RULE_PLIES: u16 = 100;

/// More plies than a file has room for.
const MOST_PLIES: u16 = 8_000;

/// Plies of a variant's n-move rule; as many as there can be if it has none.
pub(crate) fn rule_plies(variant: &Variant) -> u16 {
    variant.rules.rule_plies().map_or(MOST_PLIES, |plies| plies.min(MOST_PLIES))
}

/// Who wins, and how many plies are left to a capture, a pawn move or mate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Score {
    /// 2 win, 1 cursed win, 0 draw, −1 blessed loss, −2 loss.
    pub wdl: i32,
    /// Positive for a win, negative for a loss; mate itself is −1.
    pub dtz: i32,
}

impl Score {
    /// The score of a value under the metric `dtz50` in a game with the rule of fifty moves; none of what is
    /// no position.
    #[must_use]
    pub fn of(value: Value) -> Option<Self> {
        Score::under(RULE_PLIES, value)
    }

    /// Like [`Self::of`], under a variant's n-move rule.
    #[must_use]
    pub fn of_game(variant: &Variant, value: Value) -> Option<Self> {
        Score::under(rule_plies(variant), value)
    }

    fn under(rule_plies: u16, value: Value) -> Option<Self> {
        let half = |ply: u16| if ply > rule_plies { 1 } else { 2 };
        Some(match value {
            Value::Illegal => return None,
            Value::Draw | Value::Stalemate => Score { wdl: 0, dtz: 0 },
            Value::Win(ply) => Score { wdl: half(ply.0), dtz: ply.0.into() },
            Value::Loss(ply) => Score { wdl: -half(ply.0), dtz: -i32::from(ply.0.max(1)) },
        })
    }

    /// Compares what a file says of a position with this, which is true. Beyond the fifty-move rule files
    /// count in moves, and, unless they count plies, before it too: then they may be a ply short.
    #[must_use]
    pub fn agreement(&self, read: Score, counts_plies: bool) -> Agreement {
        let is_short = read.dtz == self.dtz - self.dtz.signum();
        let may_be_short = !counts_plies || self.wdl.abs() == 1;
        match read.wdl == self.wdl {
            true if read.dtz == self.dtz => Agreement::Same,
            true if is_short && may_be_short => Agreement::Rounded,
            _ => Agreement::Different,
        }
    }

    /// Whether a file may say so of a position of which this is true.
    #[must_use]
    pub fn allows(&self, read: Score, counts_plies: bool) -> bool {
        self.agreement(read, counts_plies) != Agreement::Different
    }
}

/// How a file's score of a position and the true one go together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Agreement {
    /// They are the same.
    Same,
    /// The file counts moves, so that its distance is a ply short.
    Rounded,
    /// The file is wrong.
    Different,
}
