//! Reads and writes what is kept on the disk while a slice is solved.

use std::fmt::Debug;
use std::io;

/// Room on the disk for one plane or for packed sets, which nobody else uses. What was not written yet need
/// not be readable.
pub trait PlaneFile: Send + Sync + Debug {
    /// Reads the bytes that were written at a place.
    ///
    /// # Errors
    /// They cannot be read.
    fn read(&self, place: u64, bytes: &mut [u8]) -> io::Result<()>;

    /// Writes bytes at a place.
    ///
    /// # Errors
    /// There is no room for them.
    fn write(&self, place: u64, bytes: &[u8]) -> io::Result<()>;
}
