//! Writes a table to a file on the disk, and cuts a file of both sides down to one side.

mod assembly;
mod trim;
mod writer;
mod written;

pub use trim::drop_interim_side;
pub use writer::{Keep, Packing, TableWriter};
pub use written::Written;
