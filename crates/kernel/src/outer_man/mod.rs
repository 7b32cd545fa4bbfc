//! Takes moves of an outer man back: all rows along the lines together, or one row along its own ways.

mod course;
mod row;
mod sweep;

pub use course::cut_outer_moves;
pub use row::OuterRows;
pub use sweep::outer_moves;
#[cfg(test)]
pub(crate) use {course::cut_outer_moves_at, sweep::outer_moves_at};
