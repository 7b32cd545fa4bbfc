//! Writes a table to a file on the disk, cuts one of both sides down to one side,
//! and adds the other again.

mod assembly;
mod grow;
mod trim;
mod writer;
mod written;

pub use grow::{Grown, add_interim_side};
pub use trim::drop_interim_side;
pub use writer::{Keep, Packing, TableWriter};
pub use written::Written;
