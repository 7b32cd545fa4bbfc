//! Files that grow record by record, the last of which may be cut off at any moment.

use super::{HEAD_BYTES, Head};
use std::fs::{File, OpenOptions};
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::time::{Duration, Instant};

/// How long the checksum of a record is: the beginning of a BLAKE3 hash.
pub const CHECKSUM_BYTES: usize = 16;

/// So much is collected before it is written.
const BUFFER_BYTES: usize = 4 << 20;

/// What a file had when it was opened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Contents {
    /// Nothing: it is new.
    Nothing,
    /// Something else than records of this head. It is gone.
    Foreign,
    /// Records of this head, if only none.
    Records,
}

/// A file of records, open for more.
#[derive(Debug)]
pub struct RecordFile {
    file: File,
    /// What is not in the file yet.
    buffer: Vec<u8>,
    /// How long the file is without it.
    file_bytes: u64,
    synced: Instant,
    sync_interval: Duration,
}

impl RecordFile {
    /// Opens the file, and makes it if need be. `read_records` reads what stands behind the head, and says
    /// how long the file is up to its last whole record (at first the length of the head); that it comes to
    /// the end of the file is no error. What stands behind is cut off. The file is to go to the disk for
    /// good every `sync_interval`.
    pub fn open(
        path: &Path,
        head: Head,
        sync_interval: Duration,
        read_records: impl FnOnce(&mut BufReader<&File>, &mut u64) -> io::Result<()>,
    ) -> io::Result<(Self, Contents)> {
        let open =
            |path: &Path| OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path);
        let mut file = open(path)?;
        let contents = if file.metadata()?.len() == 0 {
            Contents::Nothing
        } else if begins(&file, head)? {
            Contents::Records
        } else {
            Contents::Foreign
        };
        if contents == Contents::Foreign {
            // A process that has lost the lease of the table may still write it: it stays its own.
            drop(file);
            std::fs::remove_file(path)?;
            file = open(path)?;
        }
        let mut file_bytes = 0;
        if contents == Contents::Records {
            file_bytes = HEAD_BYTES as u64;
            file.seek(SeekFrom::Start(file_bytes))?;
            match read_records(&mut BufReader::with_capacity(1 << 20, &file), &mut file_bytes) {
                Err(error) if error.kind() != io::ErrorKind::UnexpectedEof => return Err(error),
                _ => {}
            }
        }
        file.set_len(file_bytes)?;
        file.seek(SeekFrom::Start(file_bytes))?;
        let mut records =
            RecordFile { file, buffer: Vec::new(), file_bytes, synced: Instant::now(), sync_interval };
        if file_bytes == 0 {
            records.put(&[&head.to_bytes()])?;
            records.flush()?;
        }
        Ok((records, contents))
    }

    /// Whether this is still the file of its name.
    pub fn is_at(&self, path: &Path) -> bool {
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt;
            let place = |there: std::fs::Metadata| (there.dev(), there.ino());
            let (there, own) = (std::fs::metadata(path).map(place), self.file.metadata().map(place));
            matches!((there, own), (Ok(there), Ok(own)) if there == own)
        }
        #[cfg(not(unix))]
        path.exists()
    }

    /// How long the file is with all that was put into it.
    ///
    /// Units: bytes.
    pub fn end(&self) -> u64 {
        self.file_bytes + self.buffer.len() as u64
    }

    /// How long the file is already.
    ///
    /// Units: bytes.
    pub fn file_bytes(&self) -> u64 {
        self.file_bytes
    }

    /// Appends these parts, sooner or later.
    pub fn put(&mut self, parts: &[&[u8]]) -> io::Result<()> {
        parts.iter().for_each(|part| self.buffer.extend_from_slice(part));
        if self.buffer.len() >= BUFFER_BYTES { self.flush() } else { Ok(()) }
    }

    /// Gives all that was put to the system.
    pub fn flush(&mut self) -> io::Result<()> {
        self.file.write_all(&self.buffer)?;
        self.file_bytes += self.buffer.len() as u64;
        self.buffer.clear();
        Ok(())
    }

    /// Whether the file is to go to the disk for good by now.
    pub fn is_sync_due(&self) -> bool {
        self.synced.elapsed() >= self.sync_interval
    }

    /// Brings all that was put to the disk for good.
    pub fn sync(&mut self) -> io::Result<()> {
        self.flush()?;
        self.file.sync_data()?;
        self.synced = Instant::now();
        Ok(())
    }
}

/// Gives a file a place of its own under its name, with what is in it: a process may still write the old
/// one that thinks it its own. A file that cannot be copied is given up, and what it had is found again.
pub fn part_with(path: &Path) -> io::Result<()> {
    if !path.exists() {
        return Ok(());
    }
    let draft = path.with_extension("parted");
    let parted = std::fs::copy(path, &draft).and_then(|_| std::fs::rename(&draft, path));
    parted.or_else(|_| {
        let _ = std::fs::remove_file(&draft);
        std::fs::remove_file(path)
    })
}

/// Whether the file begins with this head.
fn begins(mut file: &File, head: Head) -> io::Result<bool> {
    let mut bytes = [0; HEAD_BYTES];
    match file.read_exact(&mut bytes) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
        other => other.map(|()| bytes == head.to_bytes()),
    }
}

#[cfg(test)]
mod tests {
    use crate::{Contents, Head, RecordFile, part_with};
    use std::fs;
    use std::io::Read;
    use std::path::Path;
    use std::time::Duration;

    /// Opens a file of records of one byte each.
    fn open(path: &Path, identity: u8) -> (RecordFile, Contents, Vec<u8>) {
        let mut seen = Vec::new();
        let head = Head { kind: *b"TEST", identity: [identity; 32] };
        let opened = RecordFile::open(path, head, Duration::from_secs(60), |input, whole_bytes| {
            *whole_bytes += input.read_to_end(&mut seen)? as u64;
            Ok(())
        });
        let (file, contents) = opened.expect("a file");
        (file, contents, seen)
    }

    #[test]
    fn whoever_has_lost_a_file_writes_no_more_into_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("KQvK.tslog");
        part_with(&path).expect("nothing is there");
        let (mut old, contents, _) = open(&path, 1);
        assert_eq!(contents, Contents::Nothing);
        old.put(&[b"ab"]).and_then(|()| old.flush()).expect("written");
        part_with(&path).expect("a copy");
        let (mut new, contents, seen) = open(&path, 1);
        assert_eq!((contents, &*seen), (Contents::Records, &b"ab"[..]));
        old.put(&[b"XY"]).and_then(|()| old.flush()).expect("written");
        new.put(&[b"c"]).and_then(|()| new.flush()).expect("written");
        assert!(new.is_at(&path) && (cfg!(not(unix)) || !old.is_at(&path)));
        assert!(fs::read(&path).expect("a file").ends_with(b"abc"));
        // Records of something else begin a file of their own.
        let (other, contents, _) = open(&path, 2);
        assert_eq!(contents, Contents::Foreign);
        new.put(&[b"ZZ"]).and_then(|()| new.flush()).expect("written");
        assert_eq!(fs::metadata(&path).expect("a file").len(), other.end());
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1, "no copy stays");
    }
}
