//! Keeps packed blocks until the header, the metadata and the index are known that stand before them.
//!
//! Few bytes stay in memory. More than a bound go to a temporary file beside the target, and are copied from
//! there when the file is written, so that writing a table takes little memory however large its file is.

use super::block::BlockEntry;
use crate::FormatError;
use crate::checksum::short;
use crate::temporary::temporary_of;
use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// The most bytes of blocks that stay in memory, and those that always do.
pub(crate) const MOST_BYTES: usize = 1 << 28;
pub(crate) const LEAST_BYTES: usize = 1 << 20;

/// Bytes that go to the disk or come from there at a time.
const BUFFER_BYTES: usize = 1 << 18;

/// Packed blocks in the order in which they were pushed.
pub(crate) struct Spool {
    /// The file that the blocks are for.
    target: PathBuf,
    most_bytes: usize,
    held: Vec<Box<[u8]>>,
    n_held: usize,
    file: Option<SpoolFile>,
}

/// The file of a spool; it is gone with the spool.
struct SpoolFile {
    writer: BufWriter<File>,
    path: TemporaryPath,
}

/// The path of a file that is removed when nobody needs it any longer.
struct TemporaryPath(PathBuf);

impl Drop for TemporaryPath {
    fn drop(&mut self) {
        // A file that stays is recognised later.
        let _ = fs::remove_file(&self.0);
    }
}

impl Spool {
    /// An empty spool beside the file that is to be written, with so many bytes in memory at most.
    pub(crate) fn new(target: &Path, most_bytes: usize) -> Self {
        let target = target.to_path_buf();
        Spool { target, most_bytes, held: Vec::new(), n_held: 0, file: None }
    }

    /// The error of packing what the spool is for.
    pub(crate) fn failure(&self) -> impl FnOnce(io::Error) -> FormatError {
        FormatError::io(&self.target, "compress")
    }

    /// Puts a block behind those that are there.
    ///
    /// # Errors
    /// The disk refuses.
    pub(crate) fn push(&mut self, block: Box<[u8]>) -> Result<(), FormatError> {
        if self.file.is_none() && self.n_held + block.len() > self.most_bytes {
            self.spill()?;
        }
        match &mut self.file {
            Some(SpoolFile { writer, path }) => {
                writer.write_all(&block).map_err(FormatError::io(&path.0, "write"))
            }
            None => {
                self.n_held += block.len();
                self.held.push(block);
                Ok(())
            }
        }
    }

    /// Moves the blocks to the disk.
    fn spill(&mut self) -> Result<(), FormatError> {
        let path = TemporaryPath(temporary_of(&self.target));
        let file = File::create_new(&path.0).map_err(FormatError::io(&path.0, "create"))?;
        let mut writer = BufWriter::with_capacity(BUFFER_BYTES, file);
        for block in std::mem::take(&mut self.held) {
            writer.write_all(&block).map_err(FormatError::io(&path.0, "write"))?;
        }
        self.file = Some(SpoolFile { writer, path });
        Ok(())
    }

    /// Copies all blocks, which `entries` describe, to where they belong.
    ///
    /// # Errors
    /// The disk refuses, or does not give back what was written.
    pub(crate) fn copy<'e>(
        self,
        entries: impl Iterator<Item = &'e BlockEntry>,
        to: &mut dyn Write,
    ) -> io::Result<()> {
        let Some(SpoolFile { writer, path }) = self.file else {
            return self.held.iter().try_for_each(|block| to.write_all(block));
        };
        // An inner error keeps the name of the file, which is another than that of `to`.
        let failure = |action| {
            let path = &path.0;
            move |error| io::Error::other(FormatError::io(path, action)(error))
        };
        let mut file = writer.into_inner().map_err(|error| failure("write")(error.into_error()))?;
        file.seek(SeekFrom::Start(0)).map_err(failure("read"))?;
        let (mut reader, mut block) = (BufReader::with_capacity(BUFFER_BYTES, file), Vec::new());
        for entry in entries {
            block.resize(entry.n_bytes as usize, 0);
            reader.read_exact(&mut block).map_err(failure("read"))?;
            if short(&block) != entry.checksum {
                let what = "a block is not what was written: the disk or the memory fails";
                return Err(failure("read")(io::Error::other(what)));
            }
            to.write_all(&block)?;
        }
        Ok(())
    }
}
