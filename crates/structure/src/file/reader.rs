//! Reads a structure's file.

use super::index::FileIndex;
use super::page::PagePlace;
use super::writer::read_page;
use super::{HEAD_BYTES, MAGIC, PageKey, TAIL_BYTES, tail_checksum};
use crate::StructureError;
use format::SharedFile;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use table::Codes;

/// A whole file, open for reading.
#[derive(Debug)]
pub(crate) struct FileReader {
    pub(crate) path: PathBuf,
    pub(crate) index: FileIndex,
    reader: SharedFile,
}

impl FileReader {
    /// Opens a file and reads its index.
    ///
    /// # Errors
    /// It is not there, cannot be read, or is no whole structure.
    pub(crate) fn open(path: &Path) -> Result<Self, StructureError> {
        let read = || -> io::Result<Option<(SharedFile, Vec<u8>)>> {
            let file = File::open(path)?;
            let n_bytes = file.metadata()?.len();
            let reader = SharedFile::new(file);
            let mut tail = [0; TAIL_BYTES as usize];
            let mut head = [0; HEAD_BYTES as usize];
            let Some(tail_at) = n_bytes.checked_sub(TAIL_BYTES).filter(|&at| at >= HEAD_BYTES) else {
                return Ok(None);
            };
            reader.read_exact_at(&mut head, 0)?;
            reader.read_exact_at(&mut tail, tail_at)?;
            let number = |at: usize| u64::from_le_bytes(std::array::from_fn(|i| tail[at + i]));
            let (at, n_index) = (number(0), number(8));
            if head[..8] != MAGIC || tail[32..] != MAGIC || at.checked_add(n_index) != Some(tail_at) {
                return Ok(None);
            }
            let mut bytes = vec![0; usize::try_from(n_index).unwrap_or(usize::MAX)];
            reader.read_exact_at(&mut bytes, at)?;
            let is_right = tail_checksum(&head, &tail[..16], &bytes) == tail[16..32];
            Ok(is_right.then_some((reader, bytes)))
        };
        let read = read().map_err(StructureError::io("read", path))?;
        let damaged = |what: &str| StructureError::damaged(path, what);
        let (reader, bytes) = read.ok_or_else(|| damaged("this is no whole structure file"))?;
        let json = zstd::stream::decode_all(&bytes[..]).map_err(|_| damaged("the index is damaged"))?;
        let index = serde_json::from_slice(&json).map_err(|_| damaged("the index is of another version"))?;
        Ok(FileReader { path: path.into(), index, reader })
    }

    /// Reads a page.
    pub(crate) fn read(&self, key: PageKey) -> io::Result<Codes> {
        let table = self.index.tables.get(key.table.index()).ok_or(io::ErrorKind::NotFound)?;
        let number = u64::from(key.unit) * table.pages_per_unit() + u64::from(key.page);
        let place: Option<&PagePlace> = table.pages[key.stm.index()].get(number as usize);
        read_page(&self.reader, key, *place.ok_or(io::ErrorKind::NotFound)?)
    }
}
