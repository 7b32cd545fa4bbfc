//! Counts the positions of a table that were compared with another file, and lists the first differences.

use library::figure::plural;

/// How many differences of a table are listed.
const MAX_LISTED: usize = 10;

/// How many placements a thread takes at a time.
pub(super) const STRETCH: usize = 1 << 12;

/// What comparing one table has shown.
#[derive(Default)]
pub(super) struct Comparison {
    pub(super) n_positions: u64,
    /// How many distances are a ply short because the file counts moves.
    pub(super) n_rounded: u64,
    pub(super) n_differences: u64,
    /// The first differences, a line each.
    pub(super) differences: Vec<String>,
}

impl Comparison {
    /// Counts a difference, and lists it if it is one of the first.
    pub(super) fn differ(&mut self, text: impl FnOnce() -> String) {
        self.n_differences += 1;
        if self.differences.len() < MAX_LISTED {
            self.differences.push(format!("  {}", text()));
        }
    }

    /// The distances that are rounded, in words that go on from other words; empty if there are none.
    pub(super) fn rounding(&self) -> String {
        match self.n_rounded {
            0 => String::new(),
            n => format!(", {} rounded (a ply short)", plural(n, "distance")),
        }
    }

    /// This comparison and another one of the same table.
    pub(super) fn with(mut self, other: Comparison) -> Comparison {
        self.n_positions += other.n_positions;
        self.n_rounded += other.n_rounded;
        self.n_differences += other.n_differences;
        let room = MAX_LISTED - self.differences.len();
        self.differences.extend(other.differences.into_iter().take(room));
        self
    }
}

#[cfg(test)]
mod tests {
    use super::Comparison;

    #[test]
    fn rounding_is_no_difference() {
        let counted = |n_rounded| Comparison { n_positions: 9, n_rounded, ..Comparison::default() };
        assert_eq!(counted(0).rounding(), "");
        let both = counted(1).with(counted(2));
        assert_eq!(both.rounding(), ", 3 distances rounded (a ply short)");
        assert_eq!((both.n_positions, both.n_differences), (18, 0));
    }
}
