//! Holds the options of a solve.

use variant::Metric;

/// How a material is to be solved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// The values that the table is to hold.
    pub metric: Metric,
    /// Two bytes a value from the start, for tables that are known to be deep.
    pub wide: bool,
}

impl From<Metric> for Options {
    /// One byte a value as long as that suffices.
    fn from(metric: Metric) -> Self {
        Options { metric, wide: false }
    }
}
