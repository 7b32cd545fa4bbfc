//! Word-parallel loops on slices of words: what the solver spends its time in.
//!
//! A word holds one bit for each square that the man in the lane may stand on; a *row* has a word for each
//! square of the man on the axis next to the lane; a block has a row for each choice of squares of the men
//! further out. Nothing here knows men or rules: only steps on a board, rows and permutations.
//!
//! Each kernel has one body, written as plain loops: that is its specification. The body is compiled once for
//! every machine and again for AVX2 and AVX-512, and the best that the processor has is taken at run time, so
//! the results cannot differ; a few bodies exist a second time, in instructions that no loop becomes.
//! `Level::detected` says which level is taken. Invariant: a kernel adds moves to a set (`|=`) or takes them
//! out of it; what they are read from is only read.

mod axis;
mod course;
mod dispatch;
mod frame;
mod gather;
mod image;
mod lane;
mod permute;
mod rank;
mod row;
mod settle;
mod walk;
#[cfg(target_arch = "x86_64")]
mod wide_lane;
#[cfg(target_arch = "x86_64")]
mod wide_rank;
mod window;
mod word;

pub use axis::{Axis, axis_moves};
pub use course::cut_axis_moves;
pub use dispatch::{Level, VARIABLE};
pub use frame::{Neighbour, Plane, cut_neighbour_moves, neighbour_moves};
pub use gather::gather;
pub use image::Image;
pub use lane::{cut_lane_moves, lane_moves, lane_word};
pub use permute::{LanePermutation, permute_word};
pub use rank::rank_moves;
pub use row::Distinct;
pub use settle::{
    cut, cut_out, cut_placements, placements, store_bytes, store_bytes_at_places, store_pairs,
    store_pairs_at_places, take,
};
pub use walk::{Hurdle, Walk};
pub use window::Windows;
pub use word::{Pack, Word};

#[cfg(test)]
mod tests;
