//! Pages that are put as they are found, and read while others are.

use super::page::{
    CHECKSUM_BYTES, Longest, PagePlace, RECORD_BYTES, Record, RecordKind, damaged, read_record,
};
use super::sealed::Sealer;
use super::{Contents, Head, PageKey, RecordFile};
use crate::SharedFile;
use crate::disk::write_through;
use parking_lot::{Mutex, RwLock};
use serde::Serialize;
use std::collections::{HashMap, HashSet};
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;
use table::{Codes, CodesRef};

/// The ending of the ordered copy while it is written.
const ORDERED: &str = "sort";

/// Pages are packed quickly: most of them are read once, by the tables above.
const ZSTD_LEVEL: i32 = 1;

/// A container in the making.
#[derive(Debug)]
pub struct PageStore {
    part: PathBuf,
    head: Head,
    writer: Mutex<Writer>,
    reader: SharedFile,
    pages: RwLock<HashMap<PageKey, PagePlace>>,
    found: StoredUnits,
    contents: Contents,
}

#[derive(Debug)]
struct Writer {
    records: RecordFile,
    /// By table: how many of its units are finished.
    n_units: HashMap<u32, u64>,
}

/// What a file has that an earlier run has begun.
#[derive(Default, Debug)]
struct StoredUnits {
    pages: HashMap<PageKey, PagePlace>,
    units: HashMap<u32, Vec<(u32, Longest)>>,
    tables: HashSet<u32>,
}

impl PageStore {
    /// Opens a file in the making, or goes on with what an earlier run has left of it; pages that depend on
    /// something else go. It is made safe every `sync_interval`.
    ///
    /// # Errors
    /// The system refuses.
    pub fn open(part: &Path, head: Head, sync_interval: Duration) -> io::Result<Self> {
        // What a run has left that was killed while it put pages in order.
        drop(fs::remove_file(part.with_extension(ORDERED)));
        let mut found = StoredUnits::default();
        let (records, contents) = RecordFile::open(part, head, sync_interval, |input, whole_bytes| {
            found.read_records(input, whole_bytes)
        })?;
        let n_units = found.units.iter().map(|(&table, units)| (table, units.len() as u64)).collect();
        let pages = RwLock::new(std::mem::take(&mut found.pages));
        Ok(PageStore {
            reader: SharedFile::new(File::open(part)?),
            part: part.into(),
            head,
            writer: Mutex::new(Writer { records, n_units }),
            pages,
            found,
            contents,
        })
    }

    /// The file as it is called until it is sealed.
    #[must_use]
    pub fn part(&self) -> &Path {
        &self.part
    }

    /// What the file had when it was opened.
    #[must_use]
    pub fn contents(&self) -> Contents {
        self.contents
    }

    /// Whether an earlier run has finished a table.
    #[must_use]
    pub fn has_table(&self, table: u32) -> bool {
        self.found.tables.contains(&table)
    }

    /// The units of a table that an earlier run has finished, with the longest wins and losses of either
    /// side to move.
    ///
    /// Units: codes of the metric.
    #[must_use]
    pub fn units(&self, table: u32) -> &[(u32, Longest)] {
        self.found.units.get(&table).map_or(&[], Vec::as_slice)
    }

    /// How many units of a table are finished.
    #[must_use]
    pub fn n_units(&self, table: u32) -> u64 {
        self.writer.lock().n_units.get(&table).copied().unwrap_or(0)
    }

    /// Keeps a page.
    ///
    /// # Errors
    /// The system refuses.
    pub fn put(&self, key: PageKey, codes: CodesRef<'_>) -> io::Result<()> {
        let (record, bytes) = Record::page(key, codes, ZSTD_LEVEL)?;
        let checksum = record.checksum(&bytes);
        let mut writer = self.writer.lock();
        let place = PagePlace { at: writer.records.end(), n_bytes: record.n_bytes };
        writer.records.put(&[&record.to_bytes(), &checksum, &bytes])?;
        drop(writer);
        self.pages.write().insert(key, place);
        Ok(())
    }

    /// Notes that all pages of a unit are there, with its longest values.
    ///
    /// # Errors
    /// The system refuses.
    pub fn finish_unit(&self, table: u32, unit: u32, longest: Longest) -> io::Result<()> {
        self.finish(Record::finished(RecordKind::Unit, table, unit, longest))
    }

    /// Notes that all units of a table are there.
    ///
    /// # Errors
    /// The system refuses.
    pub fn finish_table(&self, table: u32) -> io::Result<()> {
        self.finish(Record::finished(RecordKind::Table, table, 0, [[0; 2]; 2]))
    }

    /// Notes that all pages of a table are there that has one unit, number 0: in one record, so that no
    /// unit is left of a table that was to be read as a whole.
    ///
    /// # Errors
    /// The system refuses.
    pub fn finish_whole(&self, table: u32) -> io::Result<()> {
        self.finish(Record::finished(RecordKind::Whole, table, 0, [[0; 2]; 2]))
    }

    fn finish(&self, record: Record) -> io::Result<()> {
        let mut writer = self.writer.lock();
        writer.records.put(&[&record.to_bytes(), &record.checksum(&[])])?;
        if record.kind.finishes_unit() {
            *writer.n_units.entry(record.key.table).or_default() += 1;
        }
        if writer.records.is_sync_due() { writer.records.sync() } else { Ok(()) }
    }

    /// Brings all that was put to the disk for good.
    ///
    /// # Errors
    /// The system refuses.
    pub fn sync(&self) -> io::Result<()> {
        self.writer.lock().records.sync()
    }

    /// Reads a page that is there.
    ///
    /// # Errors
    /// It is not there, is damaged, or the system refuses.
    pub fn read(&self, key: PageKey) -> io::Result<Codes> {
        let place = self.pages.read().get(&key).copied();
        let place = place.ok_or(io::ErrorKind::NotFound)?;
        {
            let mut writer = self.writer.lock();
            if place.end() > writer.records.file_bytes() {
                writer.records.flush()?;
            }
        }
        read_record(&self.reader, key, place, |record, bytes| record.unpack(bytes).ok_or_else(damaged))
    }

    /// Writes the sealed file of this name, with what is to be said of its pages; then the file in the
    /// making goes.
    ///
    /// # Errors
    /// The system refuses.
    pub fn seal(&self, path: &Path, about: &impl Serialize) -> io::Result<()> {
        self.writer.lock().records.flush()?;
        let mut pages: Vec<_> = self.pages.read().iter().map(|(&key, &place)| (key, place)).collect();
        pages.sort_unstable_by_key(|&(key, _)| key);
        let ordered = self.part.with_extension(ORDERED);
        let write = |file: &mut dyn Write| {
            let mut sealer = Sealer::new(file, self.head)?;
            for (key, place) in pages {
                read_record(&self.reader, key, place, |record, bytes| {
                    sealer.put(record.entry(bytes), bytes)
                })?;
            }
            sealer.finish(about).map(drop)
        };
        write_through(&ordered, path, write).map_err(io::Error::other)?;
        fs::remove_file(&self.part)
    }
}

impl StoredUnits {
    /// Reads what an earlier run has left, and how long the file is up to the last unit that is whole.
    fn read_records(&mut self, input: &mut impl Read, whole_bytes: &mut u64) -> io::Result<()> {
        let mut at = *whole_bytes;
        let mut open: HashMap<(u32, u32), Vec<(PageKey, PagePlace)>> = HashMap::new();
        let mut bytes = Vec::new();
        loop {
            let (mut head, mut checksum) = ([0; RECORD_BYTES], [0; CHECKSUM_BYTES]);
            input.read_exact(&mut head)?;
            input.read_exact(&mut checksum)?;
            let Some(record) = Record::from_bytes(&head) else { return Ok(()) };
            let place = PagePlace { at, n_bytes: record.n_bytes };
            bytes.clear();
            // Never more memory than there are bytes, whatever the length says.
            let n_read = input.by_ref().take(record.n_bytes.into()).read_to_end(&mut bytes)?;
            if n_read != record.n_bytes as usize || record.checksum(&bytes) != checksum {
                return Ok(());
            }
            at = place.end();
            let key = record.key;
            if record.kind == RecordKind::Page {
                // A page that was written twice is the later one.
                open.entry((key.table, key.unit)).or_default().push((key, place));
                continue;
            }
            *whole_bytes = at;
            if record.kind.finishes_unit() {
                self.pages.extend(open.remove(&(key.table, key.unit)).unwrap_or_default());
                self.units.entry(key.table).or_default().push((key.unit, record.longest));
            }
            if record.kind.finishes_table() {
                self.tables.insert(key.table);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{FormatError, SealedFile};
    use std::path::PathBuf;
    use table::Code;
    use variant::Side;

    const HEAD: Head = Head { kind: *b"TEST", identity: [7; 32] };
    const MINUTE: Duration = Duration::from_secs(60);

    /// The pages of two tables of two units each, not in the order of their keys.
    fn pages() -> Vec<(PageKey, Codes)> {
        let key = |table, unit, stm| PageKey { table, stm, unit, page: 0 };
        let codes = |n: u8| u8::owned((0..40).map(|i| i * n % 31).collect());
        let mut pages = Vec::new();
        for (table, unit) in [(1, 1), (1, 0), (0, 1), (0, 0)] {
            for stm in [Side::Black, Side::White] {
                pages.push((key(table, unit, stm), codes(1 + unit as u8 + 2 * table as u8)));
            }
        }
        pages.push((PageKey { page: 1, ..key(0, 0, Side::White) }, u16::owned(vec![300, 2, 1])));
        pages
    }

    /// Puts what is not there yet.
    fn fill(store: &PageStore) {
        for table in [1, 0] {
            for unit in [1, 0] {
                if store.units(table).iter().any(|&(own, _)| own == unit) {
                    continue;
                }
                let own = |key: &PageKey| (key.table, key.unit) == (table, unit);
                for (key, codes) in pages().iter().filter(|(key, _)| own(key)) {
                    store.put(*key, codes.as_ref()).expect("it is put");
                }
                store.finish_unit(table, unit, [[unit as u16, 2], [3, 4]]).expect("it is finished");
            }
        }
    }

    fn in_the_making(folder: &Path) -> PathBuf {
        folder.join("file.tss.part")
    }

    fn sealed(folder: &Path) -> PathBuf {
        let store = PageStore::open(&in_the_making(folder), HEAD, MINUTE).expect("a file");
        fill(&store);
        let path = folder.join("file.tss");
        store.seal(&path, &"these pages").expect("it is sealed");
        path
    }

    #[test]
    fn whatever_is_left_of_a_file_the_sealed_one_is_the_same() {
        let folder = tempfile::tempdir().expect("a folder");
        let expected = fs::read(sealed(folder.path())).expect("a file");
        let part = in_the_making(folder.path());
        assert!(!part.exists(), "the file in the making is gone");
        fill(&PageStore::open(&part, HEAD, MINUTE).expect("a file"));
        let store = PageStore::open(&part, HEAD, MINUTE).expect("a file");
        assert_eq!(store.contents(), Contents::Records);
        fill(&store);
        store.sync().expect("it is written");
        let whole = fs::read(&part).expect("a file");
        for n_bytes in (0..whole.len()).step_by(5) {
            fs::write(&part, &whole[..n_bytes]).expect("a file that was cut off");
            assert_eq!(fs::read(sealed(folder.path())).expect("a file"), expected, "{n_bytes} bytes");
        }
        for at in (0..whole.len()).step_by(11) {
            let mut damaged = whole.clone();
            damaged[at] ^= 1;
            fs::write(&part, &damaged).expect("a damaged file");
            assert_eq!(fs::read(sealed(folder.path())).expect("a file"), expected, "byte {at}");
        }
    }

    #[test]
    fn a_table_of_one_unit_is_finished_at_once_or_not_at_all() {
        let folder = tempfile::tempdir().expect("a folder");
        let part = in_the_making(folder.path());
        let store = PageStore::open(&part, HEAD, MINUTE).expect("a file");
        store.put(pages()[0].0, pages()[0].1.as_ref()).expect("it is put");
        store.finish_whole(1).expect("it is finished");
        store.sync().expect("it is written");
        let whole = fs::read(&part).expect("a file");
        for n_bytes in 0..=whole.len() {
            fs::write(&part, &whole[..n_bytes]).expect("a file that was cut off");
            let store = PageStore::open(&part, HEAD, MINUTE).expect("a file");
            let is_whole = n_bytes == whole.len();
            assert_eq!(
                (store.has_table(1), store.n_units(1)),
                (is_whole, is_whole.into()),
                "{n_bytes} bytes"
            );
        }
    }

    fn open(path: &Path, kind: [u8; 4], most_index_bytes: u64) -> Option<(SealedFile, String)> {
        match SealedFile::open(path, kind, most_index_bytes) {
            Ok(file) => Some(file.about().expect("a text")).map(|about| (file, about)),
            Err(error) => {
                assert!(error.is_damage() || matches!(error, FormatError::Version { .. }), "{error}");
                None
            }
        }
    }

    #[test]
    fn pages_that_are_longer_than_they_can_be_are_not_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("file.tss");
        let (key, mut last) = (pages()[0].0, 1_u64);
        let random = || {
            last = last.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (last >> 48) as u16
        };
        let codes = u16::owned(std::iter::repeat_with(random).take(1 << 12).collect());
        let page = crate::PackedPage::new(key, codes.as_ref(), 12).expect("a page");
        let n_bytes = crate::write_container(&path, HEAD, &"", &[page]).expect("a file");
        assert_eq!(fs::metadata(&path).expect("a file").len(), n_bytes);
        let file = open(&path, HEAD.kind, 100).expect("a container").0;
        assert_eq!(file.read(key, 1 << 12).expect("a page"), codes);
        assert!(file.read(key, 1 << 8).is_err_and(|error| error.to_string().contains("longer")));
    }

    #[test]
    fn every_damaged_byte_is_noticed() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = sealed(folder.path());
        let whole = fs::read(&path).expect("a file");
        let are_whole = |path: &Path| -> bool {
            let Some((file, about)) = open(path, HEAD.kind, 1 << 20) else { return false };
            assert_eq!(about, "these pages");
            assert_eq!((file.n_pages(0, Side::White), file.n_pages(1, Side::White)), (3, 2));
            assert_eq!(file.n_pages(2, Side::White), 0);
            pages().into_iter().all(|(key, codes)| file.read(key, 40).is_ok_and(|own| own == codes))
        };
        assert!(are_whole(&path));
        let file = open(&path, HEAD.kind, 1 << 20).expect("a container").0;
        let key = pages()[0].0;
        assert!(file.read(key, 39).is_err(), "a page that is longer than it can be");
        assert!(open(&path, *b"ELSE", 1 << 20).is_none());
        assert!(open(&path, HEAD.kind, 100).is_none(), "an index that is longer than it can be");
        for at in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[at] ^= 1;
            fs::write(&path, &damaged).expect("a damaged file");
            // The identity is a matter of the caller, and stands under the checksum of the index.
            assert!(!are_whole(&path), "byte {at}");
            fs::write(&path, &whole[..at]).expect("a file that was cut off");
            assert!(!are_whole(&path), "{at} bytes");
        }
    }
}
