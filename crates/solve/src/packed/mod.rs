//! Holds sets of placements in few bits each: for the log, for captures, and for what a ply has found.

mod frontier;
mod set;
mod source;
mod spill;
mod window;

pub(crate) use frontier::{PackedFrontier, new_id};
pub(crate) use set::{n_packed, pack, unpack, unpack_words};
pub(crate) use source::BlockSource;
pub(crate) use spill::{SetRoom, Spill, StoredSet};
pub(crate) use window::{N_NEAR, N_SLOTS, Window, WindowView};
