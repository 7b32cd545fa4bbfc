//! Keeps the slices of a structure in one file, with an index: pages as they are found, the index at the
//! end.
//!
//! ```text
//!   head     magic (8 bytes), identity (32): the rules, the metric, the solver, the roots, the limit
//!   records  kind, side, coding, the last code of a win, table (4), unit (4), page (4), codes (4), bytes
//!            (4), the longest win and loss of either side to move (4 × 2); checksum (16) of all this and
//!            the bytes; and these
//!               page      codes of one side to move, compressed
//!               unit      a slice is finished
//!               table     a table is finished
//!   index    JSON, compressed: the roots, the limit, each table's slices and where its pages are
//!   tail     where the index begins (8), its bytes (8), checksum (16) of these, the head and the index,
//!            magic (8)
//! ```
//!
//! Codings are 0 alternating and 1 split, of one byte, 2 of two bytes, and 3 alternating in pairs: codes
//! below 16, two of them in a byte.
//!
//! A *unit* is what is written in one go: a whole table that was solved in memory, or a slice of one that
//! was not. A file in the making has no index and another name. What stands behind its last finished unit
//! is cut off when it is opened, and the run goes on from there. When it is whole its pages are copied in the
//! order of their keys, so that the bytes of a file do not depend on the number of threads; the records of
//! units and tables stay behind.

mod page;

use crate::graph::TableId;
use crate::{Bound, Limit, StructureError};
use format::{SharedFile, put_in_place};
pub(crate) use page::PageKey;
use page::{CHECKSUM_BYTES, PagePlace, RECORD_BYTES, Record, RecordKind, checksum_of};
use parking_lot::{Mutex, MutexGuard, RwLock};
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, HashSet};
use std::fs::{File, OpenOptions};
use std::io::{BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use std::{fs, io};
use table::{Codes, CodesRef};

const MAGIC: [u8; 8] = *b"\x89TSSTR2\n";
const HEAD_BYTES: u64 = 40;
const TAIL_BYTES: u64 = 40;

/// The checksum in the tail, of the head, where the index is, and the index.
fn tail_checksum(head: &[u8], place: &[u8], index: &[u8]) -> [u8; CHECKSUM_BYTES] {
    page::short(blake3::Hasher::new().update(head).update(place).update(index))
}

/// How the names of structures end.
pub const EXTENSION: &str = "tss";

/// The index of a file, as JSON.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct FileIndex {
    /// The game.
    pub(crate) variant: String,
    /// The hash of its rules, as hexadecimal digits.
    pub(crate) rules: String,
    /// The metric's name.
    pub(crate) metric: String,
    /// The positions that the structure was made for, as FENs.
    pub(crate) roots: Vec<String>,
    /// The limit inside which it was solved.
    pub(crate) limit: Limit,
    /// What was found: the values, or bounds of them.
    pub(crate) bounds: Vec<Bound>,
    /// The names of the canonical materials whose tables were read, and whose values are not here.
    #[serde(default)]
    pub(crate) used: Vec<String>,
    /// Which program made it.
    pub(crate) program: String,
    /// The tables, in the order in which they were solved.
    pub(crate) tables: Vec<TableIndex>,
}

/// A material's slices, or those of a bound.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct TableIndex {
    /// The material's name, with its own colours.
    pub(crate) material: String,
    /// What the values are.
    pub(crate) bound: Bound,
    /// The squares of the pawns of each slice, by number; without pawns none.
    pub(crate) slices: Vec<Vec<u8>>,
    /// How many codes a unit has.
    pub(crate) unit_len: u64,
    /// How many codes a page has, but the last of a unit.
    pub(crate) page_len: u64,
    /// The pages, by unit and page: White to move and Black to move.
    pages: [Vec<PagePlace>; 2],
}

impl TableIndex {
    pub(crate) fn new(material: String, bound: Bound, slices: Vec<Vec<u8>>) -> Self {
        TableIndex { material, bound, slices, unit_len: 0, page_len: 1, pages: [Vec::new(), Vec::new()] }
    }

    /// How many pages a unit has.
    pub(crate) fn pages_per_unit(&self) -> u64 {
        self.unit_len.div_ceil(self.page_len)
    }

    /// How many values it holds.
    pub(crate) fn n_values(&self) -> u64 {
        let pages = |side: &Vec<PagePlace>| side.len() as u64 / self.pages_per_unit().max(1) * self.unit_len;
        self.pages.iter().map(pages).sum()
    }

    /// Whether there are values with this side to move.
    pub(crate) fn keeps(&self, stm: variant::Side) -> bool {
        !self.pages[stm.index()].is_empty()
    }
}

/// So much is collected before it is written.
const BUFFER_BYTES: usize = 4 << 20;

/// How often what is written is made to last.
const SYNC_INTERVAL: Duration = Duration::from_secs(60);

/// What is added to the name of a file in the making.
pub(crate) const PART: &str = "part";

/// The ending of the ordered copy while it is written; no longer than [`PART`], for which names leave room.
const ORDERED: &str = "sort";

/// A file in the making.
#[derive(Debug)]
pub(crate) struct FileWriter {
    /// The name that the file gets.
    path: PathBuf,
    /// The name that it has until then.
    part: PathBuf,
    inner: Mutex<Inner>,
    reader: SharedFile,
    pages: RwLock<HashMap<PageKey, PagePlace>>,
    /// What the run before this one has finished.
    found: StoredUnits,
}

#[derive(Debug)]
struct Inner {
    file: File,
    /// What is not in the file yet.
    buffer: Vec<u8>,
    /// How long the file is without it.
    file_bytes: u64,
    synced: Instant,
    /// By table: how many of its units are finished.
    n_units: HashMap<TableId, u64>,
}

/// What a file has that an earlier run has begun.
#[derive(Default, Debug)]
struct StoredUnits {
    pages: HashMap<PageKey, PagePlace>,
    units: HashMap<TableId, Vec<(u32, [u16; 4])>>,
    tables: HashSet<TableId>,
    whole_bytes: u64,
}

impl FileWriter {
    /// Opens the file that is to have this name, or goes on with what an earlier run has left of it;
    /// `identity` names all that its values depend on.
    ///
    /// # Errors
    /// The system refuses it.
    pub(crate) fn open(path: &Path, identity: &[u8; 32]) -> Result<Self, StructureError> {
        let mut name = path.file_name().unwrap_or_default().to_os_string();
        name.push(format!(".{PART}"));
        let part = path.with_file_name(name);
        let open = || -> io::Result<Self> {
            if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
                fs::create_dir_all(folder)?;
            }
            // What a run has left that was killed while it put pages in order.
            drop(fs::remove_file(part.with_extension(ORDERED)));
            let mut file =
                OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&part)?;
            let mut found = StoredUnits::read(&file, identity)?;
            file.set_len(found.whole_bytes)?;
            file.seek(SeekFrom::Start(found.whole_bytes))?;
            let (buffer, file_bytes) = (Vec::new(), found.whole_bytes);
            let n_units = found.units.iter().map(|(&table, units)| (table, units.len() as u64)).collect();
            let mut inner = Inner { file, buffer, file_bytes, synced: Instant::now(), n_units };
            if file_bytes == 0 {
                inner.put(&[&MAGIC, identity])?;
                inner.flush()?;
            }
            let pages = std::mem::take(&mut found.pages);
            Ok(FileWriter {
                path: path.into(),
                reader: SharedFile::new(File::open(&part)?),
                part: part.clone(),
                inner: Mutex::new(inner),
                pages: RwLock::new(pages),
                found,
            })
        };
        open().map_err(StructureError::io("write", &part))
    }

    /// The file as it is called until it is whole.
    pub(crate) fn part(&self) -> &Path {
        &self.part
    }

    /// Whether an earlier run has finished a table.
    pub(crate) fn has_table(&self, table: TableId) -> bool {
        self.found.tables.contains(&table)
    }

    /// The units of a table that an earlier run has finished, with their longest values.
    pub(crate) fn units(&self, table: TableId) -> &[(u32, [u16; 4])] {
        self.found.units.get(&table).map_or(&[], Vec::as_slice)
    }

    /// How many units of a table are finished.
    pub(crate) fn n_units(&self, table: TableId) -> u64 {
        self.inner().n_units.get(&table).copied().unwrap_or(0)
    }

    /// Keeps a page.
    pub(crate) fn put(&self, key: PageKey, codes: CodesRef<'_>) -> io::Result<()> {
        let (record, bytes) = Record::page(key, codes)?;
        let checksum = checksum_of(&record, &bytes);
        let mut inner = self.inner();
        let at = inner.file_bytes + inner.buffer.len() as u64;
        inner.put(&[&record.to_bytes(), &checksum, &bytes])?;
        drop(inner);
        let place = PagePlace { at, n_bytes: record.n_bytes };
        self.pages.write().insert(key, place);
        Ok(())
    }

    /// Notes that all pages of a unit are there.
    pub(crate) fn finish_unit(&self, table: TableId, unit: u32, longest: [u16; 4]) -> io::Result<()> {
        self.finish(Record::finished(RecordKind::Unit, table, unit, longest))
    }

    /// Notes that all units of a table are there.
    pub(crate) fn finish_table(&self, table: TableId) -> io::Result<()> {
        self.finish(Record::finished(RecordKind::Table, table, 0, [0; 4]))
    }

    fn finish(&self, record: Record) -> io::Result<()> {
        let mut inner = self.inner();
        inner.put(&[&record.to_bytes(), &checksum_of(&record, &[])])?;
        if record.kind == RecordKind::Unit {
            *inner.n_units.entry(record.key.table).or_default() += 1;
        }
        if inner.synced.elapsed() >= SYNC_INTERVAL {
            inner.flush()?;
            inner.file.sync_data()?;
            inner.synced = Instant::now();
        }
        Ok(())
    }

    /// Reads a page that is there.
    pub(crate) fn read(&self, key: PageKey) -> io::Result<Codes> {
        let place = self.pages.read().get(&key).copied();
        let place = place.ok_or(io::ErrorKind::NotFound)?;
        {
            let mut inner = self.inner();
            if place.at + (RECORD_BYTES + CHECKSUM_BYTES) as u64 + u64::from(place.n_bytes) > inner.file_bytes
            {
                inner.flush()?;
            }
        }
        read_page(&self.reader, key, place)
    }

    /// Writes the file anew, its pages in the order of their keys and not in that in which threads have
    /// found them, with the index, under its own name; then the file in the making goes.
    ///
    /// # Errors
    /// The system refuses it.
    pub(crate) fn close(&self, mut index: FileIndex) -> Result<(), StructureError> {
        let known = self.pages.read();
        let mut pages: Vec<(PageKey, PagePlace)> = known.iter().map(|(&key, &place)| (key, place)).collect();
        drop(known);
        pages.sort_unstable_by_key(|&(key, _)| (key.table, key.stm, key));
        let mut write = || -> io::Result<()> {
            self.inner().flush()?;
            let ordered = self.part.with_extension(ORDERED);
            let written = self.write_ordered(&ordered, &pages, &mut index);
            let written = written.and_then(|()| put_in_place(&ordered, &self.path).map_err(io::Error::other));
            if written.is_err() {
                // The first error is the one to report.
                let _ = fs::remove_file(&ordered);
            }
            written?;
            fs::remove_file(&self.part)
        };
        write().map_err(StructureError::io("write", &self.path))
    }

    /// Writes the head, these pages, the index with their places, and the tail.
    fn write_ordered(
        &self,
        path: &Path,
        pages: &[(PageKey, PagePlace)],
        index: &mut FileIndex,
    ) -> io::Result<()> {
        let mut file = BufWriter::with_capacity(BUFFER_BYTES, File::create(path)?);
        let mut head = [0; HEAD_BYTES as usize];
        self.reader.read_exact_at(&mut head, 0)?;
        file.write_all(&head)?;
        let (mut at, mut bytes) = (HEAD_BYTES, Vec::new());
        for &(key, place) in pages {
            bytes.resize(RECORD_BYTES + CHECKSUM_BYTES + place.n_bytes as usize, 0);
            self.reader.read_exact_at(&mut bytes, place.at)?;
            file.write_all(&bytes)?;
            let table =
                index.tables.get_mut(key.table.index()).expect("a page is one of a table of the structure");
            table.pages[key.stm.index()].push(PagePlace { at, ..place });
            at += bytes.len() as u64;
        }
        let json = serde_json::to_vec(index).map_err(io::Error::other)?;
        let packed = zstd::bulk::compress(&json, 3)?;
        let place = [at.to_le_bytes(), (packed.len() as u64).to_le_bytes()].concat();
        let checksum = tail_checksum(&head, &place, &packed);
        for part in [&packed[..], &place, &checksum, &MAGIC] {
            file.write_all(part)?;
        }
        file.into_inner()?.sync_all()
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock()
    }
}

/// Reads a page at its place.
fn read_page(reader: &SharedFile, key: PageKey, place: PagePlace) -> io::Result<Codes> {
    let damaged = || io::Error::new(io::ErrorKind::InvalidData, "a page is damaged");
    let mut bytes = vec![0; RECORD_BYTES + CHECKSUM_BYTES + place.n_bytes as usize];
    reader.read_exact_at(&mut bytes, place.at)?;
    let (head, rest) = bytes.split_first_chunk::<RECORD_BYTES>().ok_or_else(damaged)?;
    let (checksum, codes) = rest.split_at(CHECKSUM_BYTES);
    let record = Record::from_bytes(head).filter(|record| record.key == key).ok_or_else(damaged)?;
    record.unpack(checksum, codes).ok_or_else(damaged)
}

impl Inner {
    fn put(&mut self, parts: &[&[u8]]) -> io::Result<()> {
        parts.iter().for_each(|part| self.buffer.extend_from_slice(part));
        if self.buffer.len() >= BUFFER_BYTES { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.write_all(&self.buffer)?;
        self.file_bytes += self.buffer.len() as u64;
        self.buffer.clear();
        Ok(())
    }
}

impl StoredUnits {
    /// Reads what an earlier run has left; nothing if it was made of other rules or for other positions.
    fn read(file: &File, identity: &[u8; 32]) -> io::Result<Self> {
        let mut input = BufReader::with_capacity(1 << 20, file);
        let mut head = [0; HEAD_BYTES as usize];
        match input.read_exact(&mut head) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(StoredUnits::default()),
            other => other?,
        }
        if head[..8] != MAGIC || head[8..] != *identity {
            return Ok(StoredUnits::default());
        }
        let mut found = StoredUnits { whole_bytes: HEAD_BYTES, ..StoredUnits::default() };
        match found.read_records(&mut input) {
            // A record that is cut off is no error: the file ends there.
            Err(error) if error.kind() != io::ErrorKind::UnexpectedEof => Err(error),
            _ => Ok(found),
        }
    }

    fn read_records(&mut self, input: &mut impl Read) -> io::Result<()> {
        let mut at = self.whole_bytes;
        let mut open: HashMap<(TableId, u32), Vec<(PageKey, PagePlace)>> = HashMap::new();
        let mut bytes = Vec::new();
        loop {
            let (mut head, mut checksum) = ([0; RECORD_BYTES], [0; CHECKSUM_BYTES]);
            input.read_exact(&mut head)?;
            input.read_exact(&mut checksum)?;
            let Some(record) = Record::from_bytes(&head) else { return Ok(()) };
            let place = PagePlace { at, n_bytes: record.n_bytes };
            bytes.clear();
            let n_read = input.by_ref().take(record.n_bytes.into()).read_to_end(&mut bytes)?;
            if n_read != record.n_bytes as usize || checksum_of(&record, &bytes) != checksum {
                return Ok(());
            }
            at += (RECORD_BYTES + CHECKSUM_BYTES + n_read) as u64;
            let key = record.key;
            match record.kind {
                // A page that was written twice is the later one.
                RecordKind::Page => open.entry((key.table, key.unit)).or_default().push((key, place)),
                RecordKind::Unit => {
                    self.pages.extend(open.remove(&(key.table, key.unit)).unwrap_or_default());
                    self.units.entry(key.table).or_default().push((key.unit, record.longest));
                    self.whole_bytes = at;
                }
                RecordKind::Table => {
                    self.tables.insert(key.table);
                    self.whole_bytes = at;
                }
            }
        }
    }
}

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
