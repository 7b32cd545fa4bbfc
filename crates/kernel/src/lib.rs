//! Word-parallel loops on slices of `u64`: what the solver spends its time in.
//!
//! A word holds one bit for each square that the man in the lane may stand on; a slice of words holds the placements
//! of the outer men. Nothing here knows men, boards or rules: only shifts, pairs of rows and permutations.
//!
//! Each kernel has one body, written as plain loops: that is its specification, and the only implementation. The body
//! is compiled once for every machine and again for AVX2 and AVX-512, and the best that the processor has is taken
//! at run time, so the results cannot differ. `Level::detected` says which.
//! Invariant: `dst` is only ever added to (`|=`), `src` is only read.

mod axis;
mod dispatch;
mod lane;
mod permute;

pub use axis::{AxisStep, axis_leap, axis_ride};
pub use dispatch::Level;
pub use lane::{LaneStep, lane_leap, lane_ride, lane_word};
pub use permute::{LanePermutation, permute_block, permute_word};

#[cfg(test)]
mod tests;
