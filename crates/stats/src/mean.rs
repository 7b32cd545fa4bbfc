//! Computes how many plies decided positions take on average.

use crate::count::PlyCount;
use crate::statistics::SideStatistics;
use std::fmt;

/// A mean in hundredths.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Mean {
    hundredths: u64,
}

impl Mean {
    /// The mean of the plies of positions on the whole board, from a number of plies on; none if there are
    /// no such positions.
    #[must_use]
    pub fn of(plies: &[PlyCount], from_ply: u16) -> Option<Self> {
        let counted = plies.iter().filter(|at| at.ply >= from_ply);
        let (sum, n) = counted.fold((0u128, 0u128), |(sum, n), at| {
            let count = u128::from(at.count.unreduced);
            (sum + u128::from(at.ply) * count, n + count)
        });
        // Halves are rounded up.
        (n > 0).then(|| Mean { hundredths: ((sum * 200 + n) / (2 * n)) as u64 })
    }

    /// The mean of so many in a whole, as a percentage; none of nothing.
    #[must_use]
    pub fn percent(part: u64, whole: u64) -> Option<Self> {
        let (part, whole) = (u128::from(part), u128::from(whole));
        (whole > 0).then(|| Mean { hundredths: ((part * 20_000 + whole) / (2 * whole)) as u64 })
    }

    /// The mean times a hundred.
    #[must_use]
    pub const fn hundredths(self) -> u64 {
        self.hundredths
    }
}

impl fmt::Display for Mean {
    /// `12.34`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{}.{:02}", self.hundredths / 100, self.hundredths % 100))
    }
}

/// The first ply of a win that is not immediate: a move that wins at once counts one.
const SLOW_WIN: u16 = 2;

/// The same of a loss: whatever the loser does, the answer ends it, or it is over already.
const SLOW_LOSS: u16 = 3;

impl SideStatistics {
    /// The mean of all wins.
    #[must_use]
    pub fn mean_win(&self) -> Option<Mean> {
        Mean::of(&self.wins_by_ply, 0)
    }

    /// The mean of the wins that take more than one ply.
    #[must_use]
    pub fn mean_slow_win(&self) -> Option<Mean> {
        Mean::of(&self.wins_by_ply, SLOW_WIN)
    }

    /// The mean of all losses.
    #[must_use]
    pub fn mean_loss(&self) -> Option<Mean> {
        Mean::of(&self.losses_by_ply, 0)
    }

    /// The mean of the losses that take more than two plies.
    #[must_use]
    pub fn mean_slow_loss(&self) -> Option<Mean> {
        Mean::of(&self.losses_by_ply, SLOW_LOSS)
    }
}

#[cfg(test)]
mod tests {
    use super::Mean;
    use crate::{Count, PlyCount};

    #[track_caller]
    fn check_mean(plies: &[(u16, u64)], from_ply: u16, expected: Option<&str>) {
        let at = |&(ply, unreduced): &(u16, u64)| PlyCount { ply, count: Count { orbits: 1, unreduced } };
        let plies: Vec<PlyCount> = plies.iter().map(at).collect();
        assert_eq!(Mean::of(&plies, from_ply).map(|mean| mean.to_string()).as_deref(), expected, "{plies:?}");
    }

    #[test]
    fn means_are_rounded() {
        check_mean(&[], 0, None);
        check_mean(&[(1, 8), (3, 8)], 0, Some("2.00"));
        check_mean(&[(1, 8), (3, 8)], 2, Some("3.00"));
        check_mean(&[(1, 2), (2, 1)], 0, Some("1.33"));
        check_mean(&[(1, 1), (2, 2)], 0, Some("1.67"));
        check_mean(&[(1, 199), (2, 1)], 0, Some("1.01"));
        check_mean(&[(7, u64::MAX / 8)], 0, Some("7.00"));
        assert_eq!(Mean::percent(1, 3).unwrap().to_string(), "33.33");
        assert_eq!(Mean::percent(0, 0), None);
    }
}
