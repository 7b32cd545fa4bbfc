//! Represents values, their codes, and solved tables in memory.
//!
//! A [`Table`] holds the value of every placement of a material, for both sides to move, as codes of one byte
//! (or two, where a win takes very long). A [`View`] reads a table in the terms of an asker: other colours,
//! another order of the men, one value or a row of them; a [`Mapping`] does so wherever the codes lie. A
//! [`Lookup`] finds solved tables, wherever they are.
//!
//! A table may hold a part of its placements, with one man on certain squares, which is enough for
//! promotions; reading anything else from it is a panic. One that is larger than memory is read a slice or a
//! block at a time, through a [`SliceCache`]. A [`Scale`] says what a move counts under a metric: for the
//! solver, its judges and the readers.
//!
//! This crate makes no move and reads no rule.

mod clocked;
mod code;
mod mapping;
mod scale;
mod slices;
mod spare;
mod table;
#[cfg(feature = "parallel")]
pub mod threads;
mod value;
mod view;

pub use clocked::{
    Clocked, NEVER_DRAWN, Staircase, Step, StepPage, stands_for_itself, step_page_len, step_page_of,
    step_page_range, step_pages_per_slice,
};
pub use code::{Code, CodeRow, Coded, Codes, CodesMut, CodesRef, Coding, Palette};
pub use mapping::Mapping;
pub use scale::{MoveKind, NO_MOVE, Scale, value_after, worth};
pub use slices::{SliceCache, SlicePart, SliceSource, part_of};
pub use spare::SpareCodes;
pub use table::{CodeSource, Table, WithoutDistances};
pub use value::{Ply, Value};
pub use view::{LeftOut, Lookup, Missing, StandIn, ValueRows, View};

#[cfg(test)]
mod tests;
