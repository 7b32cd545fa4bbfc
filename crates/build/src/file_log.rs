//! Keeps the log of a table that is being solved in a file, from which a run goes on after whatever has
//! ended it.
//!
//! ```text
//!   head     magic (8 bytes), identity (32): the rules, the metric, the solver, the tables it is made from
//!   records  entry   1, side, code (2), block (4), length (4), the placements
//!            commit  2, attacker, whether there is a ply, 0, ply (4), checksum (16) of all since the last
//! ```
//!
//! What stands behind the last commit whose checksum is right is cut off when the file is opened: it is what
//! was being written. The file goes to the disk for good at intervals, so that a machine that loses its
//! power loses no more than the work since.

use format::{SharedFile, folder_of, winner_name};
use library::{Edition, LibraryError};
use parking_lot::Mutex;
use solve::{LogEntry, LogStep, LogStore, PlaneFile, Planes, StoredEntry, StoredLog};
use std::fs::{File, OpenOptions};
use std::io;
use std::io::{BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use variant::Side;

const MAGIC: [u8; 8] = *b"\x89TSLOG1\n";
const ENTRY: u8 = 1;
const ENTRY_BYTES: usize = 12;
const COMMIT: u8 = 2;
const COMMIT_BYTES: usize = 8;

/// How the files of logs end.
pub(crate) const LOG_EXTENSION: &str = "tslog";

/// The file of the log of a table in a folder for such files.
pub(crate) fn log_path(folder: &Path, edition: &Edition, material: &str) -> PathBuf {
    let (variant, metric) = (&edition.variant().name, edition.metric());
    folder.join(match edition.winner_of(material) {
        Some(winner) => format!("{variant}.{material}.{}.{metric}.{LOG_EXTENSION}", winner_name(winner)),
        None => format!("{variant}.{material}.{metric}.{LOG_EXTENSION}"),
    })
}

/// A log in a file.
#[derive(Debug)]
pub struct FileLog {
    path: PathBuf,
    writer: Mutex<Writer>,
    reader: SharedFile,
    stored: Mutex<Option<StoredLog>>,
    planes: Planes,
}

/// What a log found when it was opened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Opened {
    /// There was no log.
    New,
    /// There was one of other rules, another version or other tables, or none that can be read.
    Replaced,
    /// There was one to go on with, at this step.
    Resumed(LogStep),
}

#[derive(Debug)]
struct Writer {
    records: RecordFile,
    /// Of all since the last commit.
    hasher: blake3::Hasher,
}

impl FileLog {
    /// Opens the log of a table in this file, and makes the file if need be. `identity` names all that the
    /// table depends on: a log of another one is thrown away. The file is made safe every `sync_interval`.
    ///
    /// # Errors
    /// The file cannot be made, read or written.
    pub fn open(
        path: &Path,
        identity: &[u8; 32],
        sync_interval: Duration,
    ) -> Result<(Self, Opened), LibraryError> {
        let open = || -> io::Result<(Self, Opened)> {
            let mut stored = StoredLog::default();
            let head = Head { magic: &MAGIC, identity };
            let (records, contents) = RecordFile::open(path, head, sync_interval, |input, whole_bytes| {
                read_records(input, &mut stored, whole_bytes)
            })?;
            let opened = match (stored.last, contents) {
                (Some(step), _) => Opened::Resumed(step),
                (None, Contents::Nothing | Contents::Records) => Opened::New,
                (None, Contents::Foreign) => Opened::Replaced,
            };
            let writer = Mutex::new(Writer { records, hasher: blake3::Hasher::new() });
            let reader = SharedFile::new(File::open(path)?);
            Ok((
                FileLog {
                    path: path.into(),
                    writer,
                    reader,
                    stored: Mutex::new(Some(stored)),
                    planes: Planes::InMemory,
                },
                opened,
            ))
        };
        open().map_err(LibraryError::io("open the log", path))
    }

    /// This log, with the planes of its table kept there: on the disk they are beside the log.
    #[must_use]
    pub fn with_planes(self, planes: Planes) -> Self {
        FileLog { planes, ..self }
    }

    /// How large the file is.
    ///
    /// Units: bytes.
    #[must_use]
    pub fn size_bytes(&self) -> u64 {
        self.writer.lock().records.end()
    }

    /// Removes the file: its table is done. One that another process has begun in its place stays.
    ///
    /// # Errors
    /// The system refuses.
    pub fn remove(self) -> Result<(), LibraryError> {
        let FileLog { path, writer, reader, .. } = self;
        let is_own = writer.into_inner().records.is_at(&path);
        drop(reader);
        if !is_own {
            return Ok(());
        }
        std::fs::remove_file(&path).map_err(LibraryError::io("remove the log", &path))
    }
}

impl LogStore for FileLog {
    fn append(&self, entry: LogEntry, set: &[u8]) -> io::Result<u64> {
        let mut head = [0; ENTRY_BYTES];
        head[0] = ENTRY;
        head[1] = entry.stm.index() as u8;
        head[2..4].copy_from_slice(&entry.code.to_le_bytes());
        head[4..8].copy_from_slice(&u32::from(entry.block).to_le_bytes());
        head[8..].copy_from_slice(&(set.len() as u32).to_le_bytes());
        let mut writer = self.writer.lock();
        writer.put(&head)?;
        let place = writer.records.end();
        writer.put(set)?;
        Ok(place)
    }

    fn commit(&self, step: LogStep) -> io::Result<()> {
        let mut record = [0; COMMIT_BYTES];
        record[0] = COMMIT;
        record[1] = step.attacker.index() as u8;
        record[2] = u8::from(step.ply.is_some());
        record[4..].copy_from_slice(&step.ply.unwrap_or(0).to_le_bytes());
        let mut writer = self.writer.lock();
        writer.put(&record)?;
        let checksum = *writer.hasher.finalize().as_bytes();
        writer.hasher = blake3::Hasher::new();
        writer.records.put(&[&checksum[..CHECKSUM_BYTES]])?;
        if writer.records.is_sync_due() { writer.records.sync() } else { writer.records.flush() }
    }

    fn read(&self, place: u64, set: &mut [u8]) -> io::Result<()> {
        self.reader.read_exact_at(set, place)
    }

    fn open_plane(&self) -> io::Result<Option<Box<dyn PlaneFile>>> {
        match self.planes {
            Planes::InMemory => Ok(None),
            Planes::OnDisk | Planes::BlockByBlock { .. } => {
                Ok(Some(Box::new(PlaneOnDisk::beside(&self.path)?)))
            }
        }
    }

    fn n_slots(&self) -> Option<usize> {
        self.planes.n_slots()
    }

    fn take_stored(&self) -> StoredLog {
        let mut stored = self.stored.lock();
        stored.take().unwrap_or_default()
    }
}

impl Writer {
    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.hasher.update(bytes);
        self.records.put(&[bytes])
    }
}

/// Reads the entries up to the last commit that is right, and how long the file is up to there.
fn read_records(input: &mut impl Read, stored: &mut StoredLog, whole_bytes: &mut u64) -> io::Result<()> {
    let (mut hasher, mut at) = (blake3::Hasher::new(), *whole_bytes);
    let mut open: Vec<(LogEntry, u64, u32)> = Vec::new();
    let mut set = Vec::new();
    loop {
        let mut head = [0; COMMIT_BYTES];
        input.read_exact(&mut head)?;
        hasher.update(&head);
        at += COMMIT_BYTES as u64;
        let Some(side) = Side::BOTH.into_iter().find(|side| side.index() == usize::from(head[1])) else {
            return Ok(());
        };
        let number = u32::from_le_bytes([head[4], head[5], head[6], head[7]]);
        match head[0] {
            ENTRY => {
                let mut length = [0; ENTRY_BYTES - COMMIT_BYTES];
                input.read_exact(&mut length)?;
                hasher.update(&length);
                at += length.len() as u64;
                let n_bytes = u32::from_le_bytes(length);
                set.clear();
                // Never more memory than there are bytes, whatever the length says.
                let n_read = input.by_ref().take(n_bytes.into()).read_to_end(&mut set)?;
                if n_read < n_bytes as usize {
                    return Ok(());
                }
                hasher.update(&set);
                let code = u16::from_le_bytes([head[2], head[3]]);
                open.push((LogEntry { stm: side, code, block: number.into() }, at, n_bytes));
                at += u64::from(n_bytes);
            }
            COMMIT => {
                let mut checksum = [0; CHECKSUM_BYTES];
                input.read_exact(&mut checksum)?;
                at += CHECKSUM_BYTES as u64;
                if hasher.finalize().as_bytes()[..CHECKSUM_BYTES] != checksum {
                    return Ok(());
                }
                hasher = blake3::Hasher::new();
                let step = LogStep { attacker: side, ply: (head[2] != 0).then_some(number) };
                let whole = open.drain(..);
                stored.entries.extend(whole.map(|(entry, place, n_bytes)| StoredEntry {
                    entry,
                    step,
                    place,
                    n_bytes,
                }));
                stored.last = Some(step);
                *whole_bytes = at;
            }
            _ => return Ok(()),
        }
    }
}

const MAGIC_BYTES: usize = 8;
const IDENTITY_BYTES: usize = 32;
const HEAD_BYTES: usize = MAGIC_BYTES + IDENTITY_BYTES;

/// How long the checksum of a record is: the beginning of a BLAKE3 hash.
pub(crate) const CHECKSUM_BYTES: usize = 16;

/// So much is collected before it is written.
const BUFFER_BYTES: usize = 4 << 20;

/// The head of a file of records.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Head<'a> {
    /// The kind of the file.
    pub(crate) magic: &'a [u8; MAGIC_BYTES],
    /// A hash of all that the records depend on.
    pub(crate) identity: &'a [u8; IDENTITY_BYTES],
}

/// What a file had when it was opened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Contents {
    /// Nothing: it is new.
    Nothing,
    /// Something else than records of this head. It is gone.
    Foreign,
    /// Records of this head, if only none.
    Records,
}

/// A file of records, open for more.
#[derive(Debug)]
pub(crate) struct RecordFile {
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
    pub(crate) fn open(
        path: &Path,
        head: Head<'_>,
        sync_interval: Duration,
        read_records: impl FnOnce(&mut BufReader<&File>, &mut u64) -> io::Result<()>,
    ) -> io::Result<(Self, Contents)> {
        let open =
            |path: &Path| OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path);
        let mut file = open(path)?;
        let contents = if file.metadata()?.len() == 0 {
            Contents::Nothing
        } else if head.begins(&file)? {
            Contents::Records
        } else {
            Contents::Foreign
        };
        if contents == Contents::Foreign {
            // Somebody may still write it who has lost the lease of the table: it stays his.
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
            records.put(&[head.magic, head.identity])?;
            records.flush()?;
        }
        Ok((records, contents))
    }

    /// Whether this is still the file of its name.
    pub(crate) fn is_at(&self, path: &Path) -> bool {
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
    pub(crate) fn end(&self) -> u64 {
        self.file_bytes + self.buffer.len() as u64
    }

    /// How long the file is already.
    ///
    /// Units: bytes.
    pub(crate) fn file_bytes(&self) -> u64 {
        self.file_bytes
    }

    /// Appends these parts, sooner or later.
    pub(crate) fn put(&mut self, parts: &[&[u8]]) -> io::Result<()> {
        parts.iter().for_each(|part| self.buffer.extend_from_slice(part));
        if self.buffer.len() >= BUFFER_BYTES { self.flush() } else { Ok(()) }
    }

    /// Gives all that was put to the system.
    pub(crate) fn flush(&mut self) -> io::Result<()> {
        self.file.write_all(&self.buffer)?;
        self.file_bytes += self.buffer.len() as u64;
        self.buffer.clear();
        Ok(())
    }

    /// Whether the file is to go to the disk for good by now.
    pub(crate) fn is_sync_due(&self) -> bool {
        self.synced.elapsed() >= self.sync_interval
    }

    /// Brings all that was put to the disk for good.
    pub(crate) fn sync(&mut self) -> io::Result<()> {
        self.flush()?;
        self.file.sync_data()?;
        self.synced = Instant::now();
        Ok(())
    }
}

/// Gives a file a place of its own under its name, with what is in it: somebody may still write the old
/// one, who thinks it his. A file that cannot be copied is given up, and what it had is found again.
pub(crate) fn part_with(path: &Path) -> io::Result<()> {
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

impl Head<'_> {
    /// Whether the file begins so.
    fn begins(self, mut file: &File) -> io::Result<bool> {
        let mut bytes = [0; HEAD_BYTES];
        match file.read_exact(&mut bytes) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
            other => {
                other.map(|()| bytes[..MAGIC_BYTES] == *self.magic && bytes[MAGIC_BYTES..] == *self.identity)
            }
        }
    }
}

/// A plane on the disk.
#[derive(Debug)]
pub(crate) struct PlaneOnDisk(SharedFile);

impl PlaneOnDisk {
    /// Room in the folder in which this file is.
    ///
    /// # Errors
    /// The system refuses.
    pub(crate) fn beside(path: &Path) -> io::Result<Self> {
        let file = tempfile::tempfile_in(folder_of(path))?;
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

#[cfg(test)]
mod tests {
    use crate::file_log::{Contents, Head, RecordFile, part_with};
    use std::fs;
    use std::io::Read;
    use std::path::Path;
    use std::time::Duration;

    /// Opens a file of records of one byte each.
    fn open(path: &Path, identity: u8) -> (RecordFile, Contents, Vec<u8>) {
        let mut seen = Vec::new();
        let head = Head { magic: b"\x89TSTEST\n", identity: &[identity; 32] };
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
