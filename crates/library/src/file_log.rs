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

use crate::LibraryError;
use format::SharedFile;
use solve::{LogEntry, LogStep, LogStore, StoredEntry, StoredLog};
use std::fs::{File, OpenOptions};
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use variant::{Metric, Side};

const MAGIC: [u8; 8] = *b"\x89TSLOG1\n";
const HEAD_BYTES: u64 = 40;
const ENTRY: u8 = 1;
const ENTRY_BYTES: usize = 12;
const COMMIT: u8 = 2;
const COMMIT_BYTES: usize = 8;
const CHECKSUM_BYTES: usize = 16;

/// So much is collected before it is written.
const BUFFER_BYTES: usize = 4 << 20;

/// How the files of logs end.
pub(crate) const LOG_EXTENSION: &str = "tslog";

/// The file of the log of a table in a folder for such files.
pub(crate) fn log_path(folder: &Path, variant: &str, material: &str, metric: Metric) -> PathBuf {
    folder.join(format!("{variant}.{material}.{metric}.{LOG_EXTENSION}"))
}

/// A log in a file.
#[derive(Debug)]
pub struct FileLog {
    path: PathBuf,
    writer: Mutex<Writer>,
    reader: SharedFile,
    stored: Mutex<Option<StoredLog>>,
    sync_interval: Duration,
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
    file: File,
    /// What is not in the file yet.
    buffer: Vec<u8>,
    /// How long the file is without it.
    file_bytes: u64,
    /// Of all since the last commit.
    hasher: blake3::Hasher,
    synced: Instant,
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
        let fail = LibraryError::io("open the log", path);
        let options = || {
            let mut options = OpenOptions::new();
            options.read(true).write(true).create(true).truncate(false);
            options
        };
        let open = || -> io::Result<(Self, Opened)> {
            let mut file = options().open(path)?;
            let is_new = file.metadata()?.len() == 0;
            let found = Scan::new(&file, identity)?;
            let opened = match found.as_ref().and_then(|found| found.stored.last) {
                Some(step) => Opened::Resumed(step),
                None if is_new || found.is_some() => Opened::New,
                None => Opened::Replaced,
            };
            let (stored, file_bytes) =
                found.map_or((StoredLog::default(), 0), |found| (found.stored, found.whole_bytes));
            file.set_len(file_bytes)?;
            file.seek(SeekFrom::Start(file_bytes))?;
            let mut writer = Writer {
                file,
                buffer: Vec::new(),
                file_bytes,
                hasher: blake3::Hasher::new(),
                synced: Instant::now(),
            };
            if file_bytes == 0 {
                writer.buffer.extend(MAGIC);
                writer.buffer.extend(identity);
                writer.flush()?;
            }
            let reader = SharedFile::new(File::open(path)?);
            let stored = Mutex::new(Some(stored));
            Ok((
                FileLog { path: path.into(), writer: Mutex::new(writer), reader, stored, sync_interval },
                opened,
            ))
        };
        open().map_err(fail)
    }

    /// How large the file is.
    ///
    /// Units: bytes.
    #[must_use]
    pub fn size_bytes(&self) -> u64 {
        let writer = self.writer();
        writer.file_bytes + writer.buffer.len() as u64
    }

    /// Removes the file: its table is done.
    ///
    /// # Errors
    /// The system refuses.
    pub fn remove(self) -> Result<(), LibraryError> {
        let FileLog { path, writer, reader, .. } = self;
        drop((writer, reader));
        std::fs::remove_file(&path).map_err(LibraryError::io("remove the log", &path))
    }

    fn writer(&self) -> MutexGuard<'_, Writer> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl LogStore for FileLog {
    fn append(&self, entry: LogEntry, set: &[u8]) -> io::Result<u64> {
        let mut head = [0; ENTRY_BYTES];
        head[0] = ENTRY;
        head[1] = entry.stm.index() as u8;
        head[2..4].copy_from_slice(&entry.code.to_le_bytes());
        head[4..8].copy_from_slice(&entry.block.to_le_bytes());
        head[8..].copy_from_slice(&(set.len() as u32).to_le_bytes());
        let mut writer = self.writer();
        writer.put(&head)?;
        let place = writer.file_bytes + writer.buffer.len() as u64;
        writer.put(set)?;
        Ok(place)
    }

    fn commit(&self, step: LogStep) -> io::Result<()> {
        let mut record = [0; COMMIT_BYTES];
        record[0] = COMMIT;
        record[1] = step.attacker.index() as u8;
        record[2] = u8::from(step.ply.is_some());
        record[4..].copy_from_slice(&step.ply.unwrap_or(0).to_le_bytes());
        let mut writer = self.writer();
        writer.put(&record)?;
        let checksum = *writer.hasher.finalize().as_bytes();
        writer.buffer.extend(&checksum[..CHECKSUM_BYTES]);
        writer.hasher = blake3::Hasher::new();
        writer.flush()?;
        if writer.synced.elapsed() >= self.sync_interval {
            writer.file.sync_data()?;
            writer.synced = Instant::now();
        }
        Ok(())
    }

    fn read(&self, place: u64, set: &mut [u8]) -> io::Result<()> {
        self.reader.read_exact_at(set, place)
    }

    fn take_stored(&self) -> StoredLog {
        let mut stored = self.stored.lock().unwrap_or_else(PoisonError::into_inner);
        stored.take().unwrap_or_default()
    }
}

impl Writer {
    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.hasher.update(bytes);
        self.buffer.extend_from_slice(bytes);
        if self.buffer.len() >= BUFFER_BYTES { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.write_all(&self.buffer)?;
        self.file_bytes += self.buffer.len() as u64;
        self.buffer.clear();
        Ok(())
    }
}

/// What a file has from the beginning up to the last commit that is right.
struct Scan {
    stored: StoredLog,
    whole_bytes: u64,
}

impl Scan {
    /// Reads the whole file; none if it is no log of this identity.
    fn new(file: &File, identity: &[u8; 32]) -> io::Result<Option<Self>> {
        let mut input = BufReader::with_capacity(1 << 20, file);
        let mut head = [0; HEAD_BYTES as usize];
        match input.read_exact(&mut head) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
            other => other?,
        }
        if head[..8] != MAGIC || head[8..] != *identity {
            return Ok(None);
        }
        let mut scan = Scan { stored: StoredLog::default(), whole_bytes: HEAD_BYTES };
        match scan.read_records(&mut input) {
            // A record that is cut off is no error, nor is one that makes no sense: the file ends there.
            Err(error) if error.kind() != io::ErrorKind::UnexpectedEof => Err(error),
            _ => Ok(Some(scan)),
        }
    }

    fn read_records(&mut self, input: &mut impl Read) -> io::Result<()> {
        let (mut hasher, mut at) = (blake3::Hasher::new(), self.whole_bytes);
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
                    open.push((LogEntry { stm: side, code, block: number }, at, n_bytes));
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
                    self.stored.entries.extend(whole.map(|(entry, place, n_bytes)| StoredEntry {
                        entry,
                        step,
                        place,
                        n_bytes,
                    }));
                    self.stored.last = Some(step);
                    self.whole_bytes = at;
                }
                _ => return Ok(()),
            }
        }
    }
}
