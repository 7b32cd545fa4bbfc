//! Numbers placements: slices, frames, blocks, and the symmetries that fold them.
//!
//! A [`Layout`] belongs to a material. It numbers every placement of the material's men that a table keeps,
//! and it is the same numbering for the planes of the solver, for the codes in memory and for the codes in a
//! file:
//!
//! ```text
//!   index = ((slice × blocks + block) × squares + free man 1) × squares + … + lane
//!
//!   slice : where every pawn stands          (pawns cannot step back, so a slice is solved as a whole)
//!   block : where the frame men stand        (the royal men, where there are men enough)
//!   free  : the other mobile men, the last of them in the lane: one machine word of a plane
//! ```
//!
//! The naive numbering has one number for each choice of squares. Three wastes of it are removed here:
//! placements that a symmetry of the board maps onto each other share a number; frame pairs that can never be
//! (two royal men attacking each other by their first step) have none; like men may be exchanged.
//! The last fold leaves the numbers in place: only the placement with the smallest number is *canonical*.
//!
//! A [`Size`] counts the placements of a table without laying them out.
//!
//! Positions have no values here, and nothing moves.

mod canonical;
mod extent;
mod frame;
mod layout;
mod number;
mod row;
mod size;
mod slice;

pub use canonical::BlockImages;
pub use extent::{Extent, Scope};
pub use frame::symmetry_group;
pub use layout::{Layout, NeighbourBlock, Weights};
pub use number::{
    BlockId, BlockRange, MAX_MEN, MAX_PLACED, Placement, SliceBlock, SliceId, SliceRange, has_repeated,
};
pub use row::{NOWHERE, Row, Rows};
pub use size::{Size, Sizes};

#[cfg(test)]
mod tests;
