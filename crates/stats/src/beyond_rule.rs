//! Counts cursed wins and blessed losses: those that the n-move rule turns into draws.

use crate::count::{Count, Longest, PlyCount};
use serde::{Deserialize, Serialize};

/// Counts with one side to move, from that side's view. The ply counts of a side have them too, beyond the
/// plies of the rule.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct BeyondRule {
    /// The most plies of a win under the rule.
    pub rule_plies: u16,
    /// Positions that would be won without the rule.
    pub cursed_wins: Count,
    /// Positions that would be lost without the rule.
    pub blessed_losses: Count,
    /// The longest cursed win.
    pub longest_cursed_win: Option<Longest>,
    /// The longest blessed loss.
    pub longest_blessed_loss: Option<Longest>,
}

impl BeyondRule {
    /// How many positions the rule has turned into draws.
    #[must_use]
    pub fn total(&self) -> Count {
        self.cursed_wins + self.blessed_losses
    }
}

/// The counts of positions that are decided under the rule, and of those that are not; all are, if there is
/// none.
pub(crate) fn split(plies: &[PlyCount], rule_plies: Option<u16>) -> [&[PlyCount]; 2] {
    let n_within = plies.partition_point(|at| rule_plies.is_none_or(|rule| at.ply <= rule));
    let (within, beyond) = plies.split_at(n_within);
    [within, beyond]
}
