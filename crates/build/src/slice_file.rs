//! Keeps the finished slices of a table that is being solved in a file, from which a run goes on after
//! whatever has ended it.
//!
//! ```text
//!   head     magic (8 bytes), identity (32): the rules, the metric, the solver, the tables it is made from
//!   records  page    1, side, coding, the last code of a win, slice (4), page (4), codes (4), bytes (4),
//!                    checksum (16) of all this and the bytes, and these: the codes, compressed
//!            finish  2, 0 (3), slice (4), the longest win and loss of either side to move (4 × 2),
//!                    pages (4), checksum (16)
//! ```
//!
//! What stands behind the last right record of a finished slice is cut off when the file is opened. Each
//! slice that is too large to be solved in memory has a log beside the file (`file_log.rs`) while it is
//! solved.

use crate::file_log::{CHECKSUM_BYTES, Contents, FileLog, Head, Opened, RecordFile};
use format::SharedFile;
use index::SliceId;
use library::LibraryError;
use parking_lot::{Mutex, RwLock};
use solve::{FinishedSlice, LogStore, Planes, SlicePage, SliceStore};
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use table::{Codes, CodesRef, Coding};
use variant::Side;

const MAGIC: [u8; 8] = *b"\x89TSSLC1\n";
const PAGE: u8 = 1;
const FINISH: u8 = 2;
const RECORD_BYTES: usize = 20;

/// Pages are packed quickly: they are read a few times, and deleted soon.
const ZSTD_LEVEL: i32 = 1;

/// How the files of slices end.
pub(crate) const SLICES_EXTENSION: &str = "tsslices";

/// Describes the log of a slice that was opened: its file, and how it was found.
pub(crate) type OnLog<'a> = dyn Fn(&Path, &Opened) + Sync + 'a;

/// Slices in a file.
pub(crate) struct SliceFile<'a> {
    log_path: PathBuf,
    planes: Planes,
    identity: [u8; 32],
    sync_interval: Duration,
    on_log: &'a OnLog<'a>,
    writer: Mutex<Writer>,
    reader: SharedFile,
    /// Where the codes of each page are, and how they are packed.
    pages: RwLock<HashMap<SlicePage, Packed>>,
    finished: Vec<FinishedSlice>,
    /// Whether a log was opened since the last slice was finished.
    has_log: AtomicBool,
}

/// What a file of slices was when it was opened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SlicesOpened {
    /// There was none.
    New,
    /// There was one of other rules, another version or other tables, or none that can be read.
    Replaced,
    /// There was one with this many finished slices.
    Resumed(usize),
}

/// The codes of a page as they are in the file.
#[derive(Clone, Copy, Debug)]
struct Packed {
    record: [u8; RECORD_BYTES],
    /// Where the record begins.
    at: u64,
}

impl Packed {
    fn n_bytes(&self) -> usize {
        number(&self.record[16..20]) as usize
    }

    /// The codes, if the checksum is right.
    fn unpack(&self, checksum: &[u8], bytes: &[u8]) -> Option<Codes> {
        if checksum_of(&self.record, bytes) != checksum {
            return None;
        }
        let n_codes = number(&self.record[12..16]) as usize;
        let coding = Coding::from_bytes([self.record[2], self.record[3]])?;
        let n_bytes = n_codes * coding.n_bytes();
        let codes = zstd::bulk::decompress(bytes, n_bytes).ok()?;
        (codes.len() == n_bytes).then(|| Codes::from_le_bytes(coding, codes))
    }
}

fn number(bytes: &[u8]) -> u32 {
    u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
}

/// The number of a slice as a record has it.
fn bytes_of(slice: SliceId) -> [u8; 4] {
    u32::from(slice).to_le_bytes()
}

fn checksum_of(record: &[u8; RECORD_BYTES], bytes: &[u8]) -> [u8; CHECKSUM_BYTES] {
    let hash = *blake3::Hasher::new().update(record).update(bytes).finalize().as_bytes();
    std::array::from_fn(|i| hash[i])
}

#[derive(Debug)]
struct Writer {
    records: RecordFile,
    /// How many pages of each slice that is not finished are there.
    n_pages: HashMap<SliceId, u32>,
}

impl<'a> SliceFile<'a> {
    /// Opens the slices of a table in this file, and makes the file if need be. `identity` names all that
    /// the table depends on: slices of another one are thrown away. `log_path` is for the log of a slice.
    ///
    /// # Errors
    /// The file cannot be made, read or written.
    pub(crate) fn open(
        (path, log_path): (&Path, &Path),
        identity: &[u8; 32],
        sync_interval: Duration,
        on_log: &'a OnLog<'a>,
    ) -> Result<(Self, SlicesOpened), LibraryError> {
        let open = || -> io::Result<(Self, SlicesOpened)> {
            let mut scan = Scan::default();
            let head = Head { magic: &MAGIC, identity };
            let (records, contents) = RecordFile::open(path, head, sync_interval, |input, whole_bytes| {
                scan.read_records(input, whole_bytes)
            })?;
            let opened = match contents {
                _ if !scan.finished.is_empty() => SlicesOpened::Resumed(scan.finished.len()),
                Contents::Nothing | Contents::Records => SlicesOpened::New,
                Contents::Foreign => SlicesOpened::Replaced,
            };
            let writer = Writer { records, n_pages: HashMap::new() };
            let slices = SliceFile {
                log_path: log_path.into(),
                planes: Planes::InMemory,
                identity: *identity,
                sync_interval,
                on_log,
                writer: Mutex::new(writer),
                reader: SharedFile::new(File::open(path)?),
                pages: RwLock::new(scan.pages),
                finished: scan.finished,
                has_log: AtomicBool::new(false),
            };
            Ok((slices, opened))
        };
        open().map_err(LibraryError::io("open the slices", path))
    }

    /// This file with the planes of slices that are solved by a log kept there.
    pub(crate) fn with_planes(self, planes: Planes) -> Self {
        SliceFile { planes, ..self }
    }
}

impl SliceStore for SliceFile<'_> {
    fn finished(&self) -> Vec<FinishedSlice> {
        self.finished.clone()
    }

    fn log(&self, slice: SliceId) -> io::Result<Box<dyn LogStore + '_>> {
        let identity = blake3::Hasher::new().update(&self.identity).update(&bytes_of(slice)).finalize();
        let (log, opened) = FileLog::open(&self.log_path, identity.as_bytes(), self.sync_interval)
            .map_err(io::Error::other)?;
        let log = log.with_planes(self.planes);
        // The log of another slice, which is finished, or of no slice at all, is none to speak of.
        (self.on_log)(&self.log_path, &opened);
        self.has_log.store(true, Ordering::Relaxed);
        Ok(Box::new(log))
    }

    fn put(&self, page: SlicePage, codes: CodesRef<'_>) -> io::Result<()> {
        let [coding, last_win] = codes.coding().to_bytes();
        let bytes = zstd::bulk::compress(&codes.to_le_bytes(), ZSTD_LEVEL)?;
        let n_codes = codes.len() as u32;
        let mut record = [0; RECORD_BYTES];
        record[..4].copy_from_slice(&[PAGE, page.stm.index() as u8, coding, last_win]);
        record[4..8].copy_from_slice(&bytes_of(page.slice));
        record[8..12].copy_from_slice(&page.page.to_le_bytes());
        record[12..16].copy_from_slice(&n_codes.to_le_bytes());
        record[16..].copy_from_slice(&(bytes.len() as u32).to_le_bytes());
        let checksum = checksum_of(&record, &bytes);
        let mut writer = self.writer.lock();
        let at = writer.records.end();
        writer.records.put(&[&record, &checksum, &bytes])?;
        *writer.n_pages.entry(page.slice).or_default() += 1;
        drop(writer);
        let mut pages = self.pages.write();
        pages.insert(page, Packed { record, at });
        Ok(())
    }

    fn finish(&self, slice: FinishedSlice) -> io::Result<()> {
        let mut writer = self.writer.lock();
        let mut record = [0; RECORD_BYTES];
        record[0] = FINISH;
        let n_pages = writer.n_pages.remove(&slice.slice).unwrap_or(0);
        record[16..].copy_from_slice(&n_pages.to_le_bytes());
        record[4..8].copy_from_slice(&bytes_of(slice.slice));
        for (place, ply) in record[8..16].chunks_exact_mut(2).zip(slice.longest.as_flattened()) {
            place.copy_from_slice(&ply.to_le_bytes());
        }
        writer.records.put(&[&record, &checksum_of(&record, &[])])?;
        // A log is overwritten by that of the next slice, so a slice that had one must be safe by then.
        let had_log = self.has_log.swap(false, Ordering::Relaxed);
        if had_log || writer.records.is_sync_due() { writer.records.sync() } else { Ok(()) }
    }

    fn read(&self, page: SlicePage) -> io::Result<Codes> {
        let packed = self.pages.read().get(&page).copied();
        let packed = packed.ok_or(io::ErrorKind::NotFound)?;
        let start = packed.at + RECORD_BYTES as u64;
        let mut bytes = vec![0; CHECKSUM_BYTES + packed.n_bytes()];
        {
            let mut writer = self.writer.lock();
            if start + bytes.len() as u64 > writer.records.file_bytes() {
                writer.records.flush()?;
            }
        }
        self.reader.read_exact_at(&mut bytes, start)?;
        let (checksum, bytes) = bytes.split_at(CHECKSUM_BYTES);
        let damaged = || io::Error::new(io::ErrorKind::InvalidData, "a slice on the disk is damaged");
        packed.unpack(checksum, bytes).ok_or_else(damaged)
    }
}

/// What a file has from the beginning up to the last slice that is finished and right.
#[derive(Default)]
struct Scan {
    pages: HashMap<SlicePage, Packed>,
    finished: Vec<FinishedSlice>,
}

impl Scan {
    /// Reads the slices that are finished and right, and how long the file is up to the last of them.
    fn read_records(&mut self, input: &mut impl Read, whole_bytes: &mut u64) -> io::Result<()> {
        let mut at = *whole_bytes;
        let mut open: HashMap<SliceId, Vec<(SlicePage, Packed)>> = HashMap::new();
        let mut bytes = Vec::new();
        loop {
            let (mut record, mut checksum) = ([0; RECORD_BYTES], [0; CHECKSUM_BYTES]);
            input.read_exact(&mut record)?;
            input.read_exact(&mut checksum)?;
            let packed = Packed { record, at };
            at += (RECORD_BYTES + CHECKSUM_BYTES) as u64;
            let slice = SliceId::from(number(&record[4..8]));
            bytes.clear();
            match record[0] {
                PAGE => {
                    // Never more memory than there are bytes, whatever the length says.
                    let n_read = input.by_ref().take(packed.n_bytes() as u64).read_to_end(&mut bytes)?;
                    let side = Side::BOTH.into_iter().find(|side| side.index() == usize::from(record[1]));
                    let Some(stm) = side.filter(|_| n_read == packed.n_bytes()) else { return Ok(()) };
                    if checksum_of(&record, &bytes) != checksum {
                        return Ok(());
                    }
                    at += n_read as u64;
                    let page = SlicePage { slice, stm, page: number(&record[8..12]) };
                    open.entry(slice).or_default().push((page, packed));
                }
                FINISH => {
                    let pages = open.remove(&slice).unwrap_or_default();
                    let n_pages = number(&record[16..20]) as usize;
                    // Pages that a run before the last one has left behind come first, and do not count.
                    if checksum_of(&record, &[]) != checksum || pages.len() < n_pages {
                        return Ok(());
                    }
                    self.pages.extend(pages.into_iter().rev().take(n_pages));
                    let ply = |i: usize| u16::from_le_bytes([record[8 + 2 * i], record[9 + 2 * i]]);
                    let longest = [[ply(0), ply(1)], [ply(2), ply(3)]];
                    self.finished.push(FinishedSlice { slice, longest });
                    *whole_bytes = at;
                }
                _ => return Ok(()),
            }
        }
    }
}
