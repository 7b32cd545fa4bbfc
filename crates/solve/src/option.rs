//! Holds the options of a solve.

use index::Layout;
use variant::{Metric, Side};

/// How a material is to be solved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// The values that the table is to hold.
    pub metric: Metric,
    /// Two bytes a value from the start, for tables that are known to be deep.
    pub wide: bool,
    /// The only side whose wins are looked for: where the other one wins nobody is said to, in half the time.
    /// Tables that keep White to move only have all.
    pub attacker: Option<Side>,
}

impl Options {
    /// The sides whose wins are looked for in a table.
    pub(crate) fn attackers(self, layout: &Layout) -> Vec<Side> {
        let is_asked = |side: &Side| layout.is_one_sided() || self.attacker.is_none_or(|own| own == *side);
        Side::BOTH.into_iter().filter(is_asked).collect()
    }
}

impl From<Metric> for Options {
    /// One byte a value as long as that suffices.
    fn from(metric: Metric) -> Self {
        Options { metric, wide: false, attacker: None }
    }
}
