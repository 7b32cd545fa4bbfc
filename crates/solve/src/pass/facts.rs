//! Lists what a pass reads of its slice.

use crate::rule::{Premises, Ruling};
use variant::Metric;

/// What a pass reads of its slice; the same for both attackers.
pub(crate) struct Facts<'a, W> {
    pub(crate) premises: Premises<'a, W>,
    pub(crate) ruling: &'a Ruling<W>,
    pub(crate) metric: Metric,
    /// Whether frontiers are packed, to save memory.
    pub(crate) packs: bool,
}
