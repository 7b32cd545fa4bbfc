//! Names what has been written, and compares the file on the disk with it.

use crate::FormatError;
use crate::checksum::Checksum;
use std::fs::File;
use std::path::Path;

/// A file that has been written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Written {
    /// The checksum that names the values it holds.
    pub content: Checksum,
    /// The one that names all values of the table, those of a side to move that has been left out too.
    pub table: Checksum,
    /// Its size.
    pub size_bytes: u64,
    /// The hash of all its bytes.
    pub(super) file: Checksum,
}

impl Written {
    /// Reads the file again and compares it with what was written, byte for byte as far as a hash can.
    ///
    /// Nothing is decompressed: [`TableWriter::write`](crate::TableWriter::write) has checked every block
    /// against the codes that it was made of (of blocks that a model packs all bits, and one block of 31 as a
    /// reader decodes it), so that a file of the same bytes holds the same values.
    ///
    /// # Errors
    /// The file cannot be read or is not what was written.
    pub fn check(&self, path: &Path) -> Result<(), FormatError> {
        let file = File::open(path).map_err(FormatError::io(path, "open"))?;
        let mut hasher = blake3::Hasher::new();
        hasher.update_reader(file).map_err(FormatError::io(path, "read"))?;
        let (got, expected) = (Checksum(*hasher.finalize().as_bytes()), self.file);
        if got == expected {
            return Ok(());
        }
        Err(FormatError::NotAsWritten { path: path.to_path_buf(), got, expected })
    }
}
