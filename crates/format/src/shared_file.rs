//! Reads a file at given offsets, for many threads at once.

use std::fs::File;
use std::io;

/// A file open for reading.
#[derive(Debug)]
pub struct SharedFile {
    #[cfg(unix)]
    file: File,
    /// Where there is no read at a position, threads take turns.
    #[cfg(not(unix))]
    file: std::sync::Mutex<File>,
}

impl SharedFile {
    #[cfg(unix)]
    /// Shares a file that is open for reading.
    #[must_use]
    pub fn new(file: File) -> Self {
        SharedFile { file }
    }

    #[cfg(not(unix))]
    /// Shares a file that is open for reading.
    #[must_use]
    pub fn new(file: File) -> Self {
        SharedFile { file: std::sync::Mutex::new(file) }
    }

    /// Fills `bytes` with what stands at this offset.
    ///
    /// # Errors
    /// The file ends before, or cannot be read.
    #[cfg(unix)]
    pub fn read_exact_at(&self, bytes: &mut [u8], offset: u64) -> io::Result<()> {
        std::os::unix::fs::FileExt::read_exact_at(&self.file, bytes, offset)
    }

    /// Fills `bytes` with what stands at this offset.
    ///
    /// # Errors
    /// The file ends before, or cannot be read.
    #[cfg(not(unix))]
    pub fn read_exact_at(&self, bytes: &mut [u8], offset: u64) -> io::Result<()> {
        use std::io::{Read, Seek, SeekFrom};
        let mut file = self.file.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        file.seek(SeekFrom::Start(offset))?;
        file.read_exact(bytes)
    }

    /// Writes `bytes` at this offset.
    ///
    /// # Errors
    /// There is no room, or the file is open for reading only.
    #[cfg(unix)]
    pub fn write_all_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        std::os::unix::fs::FileExt::write_all_at(&self.file, bytes, offset)
    }

    /// Writes `bytes` at this offset.
    ///
    /// # Errors
    /// There is no room, or the file is open for reading only.
    #[cfg(not(unix))]
    pub fn write_all_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        use std::io::{Seek, SeekFrom, Write};
        let mut file = self.file.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        file.seek(SeekFrom::Start(offset))?;
        file.write_all(bytes)
    }
}
