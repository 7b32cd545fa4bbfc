//! Describes a table that is there.

use stats::Statistics;
use std::time::Duration;

/// A table that is there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BuiltTable {
    /// Its name.
    pub name: String,
    /// What is in it.
    pub statistics: Statistics,
    /// How much its files take.
    pub size_bytes: u64,
    /// How long it took; none if it was there already.
    pub time: Option<Duration>,
}
