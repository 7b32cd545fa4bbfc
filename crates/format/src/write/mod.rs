//! Writes a table to a file on the disk, cuts one of both sides down to one side,
//! and adds the other again.

mod added_side;
mod assembly;
mod dropped_side;
mod writer;
mod written_file;

pub use added_side::{Grown, add_interim_side};
pub use dropped_side::drop_interim_side;
pub use writer::{Keep, Packing, TableWriter};
pub use written_file::Written;
