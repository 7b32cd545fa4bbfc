//! Declares where values may come from beside tables of whole materials.

use position::Position;
use std::io;
use std::path::PathBuf;
use table::Value;

/// Whether a value is so good for the side to move that it need not be known whether it is better still.
pub(crate) type Enough<'a> = &'a dyn Fn(Value) -> bool;

/// Values of positions that are kept in another way than as tables of whole materials.
pub trait PositionValues: std::fmt::Debug + Send + Sync {
    /// The value of a legal position as if nobody could capture en passant; none if it is not there.
    ///
    /// # Errors
    /// It cannot be read.
    fn value(&self, position: &Position) -> io::Result<Option<Value>>;

    /// The file that they are kept in, if there is one.
    fn path(&self) -> Option<PathBuf>;

    /// Where files of this name with positions with rights to castle are, the one that is asked first before
    /// others.
    fn rights_files(&self, _name: &str) -> Vec<PathBuf> {
        Vec::new()
    }
}
