//! Runs the loops that the solver spends its time in: word-parallel, on slices of words.
//!
//! A word has a bit for each square of the *lane man*; a *row* has a word for each square of the *row man*; a
//! block has a row for each choice of squares of the *outer men*; and there is a block for each choice of
//! squares of the *frame men*. The kernels see steps on a board, rows and permutations, and no men or rules.
//!
//! Each kernel has one body, written as plain loops: that is its specification. The body is compiled once for
//! every machine and again for AVX2 and AVX-512, and the best that the processor has is taken at run time, so
//! the results cannot differ; a few bodies exist a second time, in instructions that no loop becomes.
//! `Level::detected` says which level is taken. Invariant: a kernel adds moves to a set (`|=`) or takes them
//! out of it; what they are read from is only read, and nothing else is touched.

mod class;
mod code;
mod cut;
mod dispatch;
mod frame_man;
mod lane_man;
mod memory;
mod number;
mod outer_man;
mod row_man;
mod single_word;
#[cfg(target_arch = "x86_64")]
mod vector;
mod walk;
mod word;
mod worth;

pub use class::{Classes, join_bytes, split_bytes};
pub use code::{gather, store_bytes, store_bytes_at_places, store_pairs, store_pairs_at_places};
pub use cut::{cut, cut_out, cut_placements, placements, take};
pub use dispatch::{Level, VARIABLE};
pub use frame_man::{
    Image, LanePermutation, Neighbour, Plane, Windows, cut_frame_moves, frame_moves, permute_word,
};
pub use lane_man::{cut_lane_moves, lane_moves, lane_word};
pub use memory::repeated;
pub use number::Distinct;
pub use outer_man::{OuterRows, cut_outer_moves, outer_moves};
pub use row_man::{cut_row_moves, row_moves};
pub use single_word::{Landing, are_single, outer_word_moves, row_word_moves};
pub use walk::{Hurdle, Walk};
pub use word::{Pack, Word, is_full};
pub use worth::{LaneStage, OtherRow, RowMoves, RowStage, Worth};

#[cfg(test)]
mod tests;
