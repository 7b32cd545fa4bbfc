//! Makes room on the disk for planes, in files without a name: nothing is left of them, however a run ends.

use format::SharedFile;
use solve::PlaneFile;
use std::io;
use std::path::Path;

/// A plane on the disk.
#[derive(Debug)]
pub(crate) struct PlaneOnDisk(SharedFile);

impl PlaneOnDisk {
    /// Room in the folder in which this file is.
    ///
    /// # Errors
    /// The system refuses.
    pub(crate) fn beside(path: &Path) -> io::Result<Self> {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let file = tempfile::tempfile_in(folder.unwrap_or(Path::new(".")))?;
        Ok(PlaneOnDisk(SharedFile::new(file)))
    }
}

impl PlaneFile for PlaneOnDisk {
    fn read(&self, place: u64, bytes: &mut [u8]) -> io::Result<()> {
        self.0.read_exact_at(bytes, place)
    }

    fn write(&self, place: u64, bytes: &[u8]) -> io::Result<()> {
        self.0.write_all_at(bytes, place)
    }
}
