//! Keeps the log of a table that is being solved in a file, from which a run goes on after whatever has
//! ended it.
//!
//! ```text
//!   head     of a container; its identity: the rules, the metric, the solver, the tables it is made from
//!   records  entry   1, side, code (2), block (4), length (4), the placements
//!            commit  2, attacker, whether there is a ply, 0, ply (4), checksum (16) of all since the last
//! ```
//!
//! What stands behind the last commit whose checksum is right is cut off when the file is opened: it is what
//! was being written. The file goes to the disk for good at intervals, so that a machine that loses its
//! power loses no more than the work since.

use format::{CHECKSUM_BYTES, Contents, Head, RecordFile, SharedFile, folder_of, winner_name};
use library::{Edition, LibraryError};
use parking_lot::Mutex;
use solve::{LogEntry, LogStep, LogStore, PlaneFile, Planes, StoredEntry, StoredLog};
use std::fs::File;
use std::io;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Duration;
use variant::Side;

/// What the container is of.
const KIND: [u8; 4] = *b"LOG\0";
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
            let head = Head { kind: KIND, identity: *identity };
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
        let Some(&side) = Side::BOTH.get(usize::from(head[1])) else {
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
