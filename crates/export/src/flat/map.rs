//! Maps a file into memory, or unpacks a compressed one there.
//!
//! It lifts the ban on `unsafe`: a mapping is a view of a file that others can change.

use super::FlatError;
use flate2::bufread::GzDecoder;
use format::open_regular;
use memmap2::Mmap;
use std::io::{BufReader, Read};
use std::ops::Deref;
use std::path::Path;

/// The bytes of a file.
#[derive(Debug)]
pub(super) enum Bytes {
    /// As the operating system has them.
    Mapped(Mmap),
    /// Unpacked.
    Owned(Vec<u8>),
}

impl Deref for Bytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Bytes::Mapped(map) => map,
            Bytes::Owned(bytes) => bytes,
        }
    }
}

impl Bytes {
    /// Maps a file.
    pub(super) fn map(path: &Path) -> Result<Self, FlatError> {
        let file = open_regular(path).map_err(FlatError::opening(path))?;
        #[expect(unsafe_code, reason = "others can change the file under a mapping")]
        // SAFETY: the bytes are only ever read as bytes, and every value of a byte is one, so a file that
        // somebody changes while it is mapped gives other numbers and breaks nothing. One that is cut short
        // while it is mapped ends the process with a signal; the documentation of the format says so.
        let map = unsafe { Mmap::map(&file) };
        Ok(Bytes::Mapped(map.map_err(FlatError::io(path, "map"))?))
    }

    /// Unpacks a file. `len` reads from its first bytes, `head` of them, how many it must have: no more are
    /// unpacked, whatever the file says.
    pub(super) fn unpack(
        path: &Path,
        head: usize,
        len: impl FnOnce(&[u8]) -> Result<u64, FlatError>,
    ) -> Result<Self, FlatError> {
        let file = open_regular(path).map_err(FlatError::opening(path))?;
        let damaged = |_| FlatError::damaged(path, "it cannot be unpacked");
        let mut unpacked = GzDecoder::new(BufReader::new(file));
        let mut bytes = Vec::new();
        unpacked.by_ref().take(head as u64).read_to_end(&mut bytes).map_err(damaged)?;
        let expected = len(&bytes)?;
        let rest = expected.saturating_sub(bytes.len() as u64);
        // One more than there should be, so that a file that goes on is noticed.
        unpacked.by_ref().take(rest + 1).read_to_end(&mut bytes).map_err(damaged)?;
        if bytes.len() as u64 != expected {
            return Err(FlatError::Length { path: path.to_path_buf(), got: bytes.len() as u64, expected });
        }
        let mut behind = [0];
        match unpacked.into_inner().read(&mut behind) {
            Ok(0) => Ok(Bytes::Owned(bytes)),
            _ => Err(FlatError::damaged(path, "something follows what was packed")),
        }
    }
}
