//! Numbers placements as the format does: an arrangement of the men, cut into groups, the leading one folded
//! by the board's symmetries.

pub(crate) mod arrangement;
mod choice;
pub(crate) mod leading_group;
pub(crate) mod like_men;
#[cfg(feature = "parallel")]
pub(crate) mod placement;
pub(crate) mod square;

/// The number of a placement that has none.
pub(crate) const NONE: u32 = u32::MAX;
