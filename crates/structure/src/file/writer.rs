//! Writes a structure's file: pages as they are found, the index at the end.

use super::index::FileIndex;
use super::page::{CHECKSUM_BYTES, PagePlace, RECORD_BYTES, Record, RecordKind, checksum_of};
use super::{HEAD_BYTES, MAGIC, PageKey, tail_checksum};
use crate::StructureError;
use crate::table_id::TableId;
use format::{SharedFile, put_in_place};
use std::collections::{HashMap, HashSet};
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock};
use std::time::{Duration, Instant};
use table::{Codes, CodesRef};

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
        self.pages.write().unwrap_or_else(PoisonError::into_inner).insert(key, place);
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
        let place = self.pages.read().unwrap_or_else(PoisonError::into_inner).get(&key).copied();
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

    /// Writes the file anew, its pages in the order of their keys and not in that in which threads have found
    /// them, with the index, under its own name; then the file in the making goes.
    ///
    /// # Errors
    /// The system refuses it.
    pub(crate) fn close(&self, mut index: FileIndex) -> Result<(), StructureError> {
        let known = self.pages.read().unwrap_or_else(PoisonError::into_inner);
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
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Reads a page at its place.
pub(super) fn read_page(reader: &SharedFile, key: PageKey, place: PagePlace) -> io::Result<Codes> {
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
