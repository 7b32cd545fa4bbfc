//! Containers that are whole.

use super::page::{CHECKSUM_BYTES, PackedPage, PageEntry, damaged, unpack};
use super::{HEAD_BYTES, Head, MAGIC, PageKey, VERSION};
use crate::disk::field;
use crate::name::{first_half, short};
use crate::{FormatError, SharedFile, open_regular, write_atomically_with};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::cell::RefCell;
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::ops::{Range, RangeInclusive};
use std::path::Path;
use table::Codes;
use variant::Side;
use zstd::bulk::Decompressor;

/// The bytes of the tail.
const TAIL_BYTES: usize = 8 + CHECKSUM_BYTES + 8;

/// The end of a file: the length of its index, a checksum of that and the index, the magic.
#[cfg(feature = "parallel")]
pub(crate) type Tail = [u8; TAIL_BYTES];

/// Reads the end of a file, whole or not, which no file has that was written at another time with other
/// pages; none if it is not there or shorter.
#[cfg(feature = "parallel")]
pub(crate) fn tail_of(path: &Path) -> Option<Tail> {
    let (mut file, mut tail) = (open_regular(path).ok()?, [0; TAIL_BYTES]);
    file.seek(SeekFrom::End(-(TAIL_BYTES as i64))).ok()?;
    file.read_exact(&mut tail).ok()?;
    Some(tail)
}

/// The bytes that an index has of a page, before compression.
const ENTRY_BYTES: usize = 3 * 4 + 1 + 2 + 2 * 4 + CHECKSUM_BYTES;

/// The most bytes that an index has before compression: what is said of the pages as a whole and the entries
/// of a million pages, and some for each byte of the file.
const INDEX_BYTES: u64 = 1 << 26;
const INDEX_PER_BYTE: u64 = 64;

/// How hard a small index is packed and a large one, and the most bytes of a small one;
/// docs/decisions/0041-one-container.md says what other levels cost.
const ZSTD_LEVELS: [i32; 2] = [9, 3];
const SMALL_BYTES: usize = 1 << 16;

/// A sealed container, open for reading.
#[derive(Debug)]
pub struct SealedFile {
    reader: SharedFile,
    size_bytes: u64,
    identity: [u8; 32],
    /// What the index says of the pages as a whole, as JSON.
    about: Vec<u8>,
    /// The pages in the order of their keys, each with its place.
    pages: Vec<(PageEntry, u64)>,
}

impl SealedFile {
    /// Opens a file and reads its index, of at most `most_index_bytes` before compression and no more than a
    /// file of its size can have.
    ///
    /// # Errors
    /// It is not there, cannot be read, or is no whole container of this kind.
    pub fn open(path: &Path, kind: [u8; 4], most_index_bytes: u64) -> Result<Self, FormatError> {
        let file = open_regular(path).map_err(FormatError::io(path, "open"))?;
        let n_bytes = file.metadata().map_err(FormatError::io(path, "read the size of"))?.len();
        let reader = SharedFile::new(file);
        let read = |bytes: &mut [u8], at| {
            reader.read_exact_at(bytes, at).map_err(|error| match error.kind() {
                io::ErrorKind::UnexpectedEof => FormatError::CutShort { path: path.into() },
                _ => FormatError::io(path, "read")(error),
            })
        };
        let (mut head, mut tail) = ([0; HEAD_BYTES], [0; TAIL_BYTES]);
        read(&mut head[..n_bytes.min(HEAD_BYTES as u64) as usize], 0)?;
        let n_magic = n_bytes.min(MAGIC.len() as u64) as usize;
        if head[..n_magic] != MAGIC[..n_magic] || n_bytes >= 16 && head[12..16] != kind {
            return Err(FormatError::NotATable { path: path.into() });
        }
        let version = u32::from_le_bytes(field(&head, 8));
        if n_bytes >= 12 && version != VERSION {
            return Err(FormatError::Version { path: path.into(), got: version, expected: VERSION });
        }
        let end = n_bytes.checked_sub(TAIL_BYTES as u64).filter(|&end| end >= HEAD_BYTES as u64);
        let cut_short = || FormatError::CutShort { path: path.into() };
        let end = end.ok_or_else(cut_short)?;
        read(&mut tail, end)?;
        if tail[TAIL_BYTES - MAGIC.len()..] != MAGIC {
            return Err(cut_short());
        }
        let damaged = || FormatError::index_damaged(path);
        let n_index = u64::from_le_bytes(field(&tail, 0));
        let most_bytes = n_bytes.saturating_mul(INDEX_PER_BYTE).saturating_add(INDEX_BYTES);
        let most_bytes = most_bytes.min(most_index_bytes);
        let most_packed = zstd::zstd_safe::compress_bound(most_bytes as usize) as u64;
        let at = end.checked_sub(n_index).filter(|&at| at >= HEAD_BYTES as u64 && n_index <= most_packed);
        let at = at.ok_or_else(damaged)?;
        let mut packed = vec![0; n_index as usize];
        read(&mut packed, at)?;
        if checksum_of(&head, &tail[..8], &packed) != tail[8..8 + CHECKSUM_BYTES] {
            return Err(damaged());
        }
        let index = unpacked(&packed, most_bytes).ok_or_else(damaged)?;
        let (about, pages) = read_index(&index, at).ok_or_else(damaged)?;
        let (identity, about) = (field(&head, 16), about.into());
        Ok(SealedFile { reader, size_bytes: n_bytes, identity, about, pages })
    }

    /// What the index says of the pages as a whole.
    ///
    /// # Errors
    /// It is of another version.
    pub fn about<T: DeserializeOwned>(&self) -> serde_json::Result<T> {
        serde_json::from_slice(&self.about)
    }

    /// A hash of all that the pages depend on.
    #[must_use]
    pub fn identity(&self) -> [u8; 32] {
        self.identity
    }

    /// The size of the file.
    #[must_use]
    pub fn size_bytes(&self) -> u64 {
        self.size_bytes
    }

    /// The pages in the order of their keys.
    pub(crate) fn pages(&self) -> impl ExactSizeIterator<Item = &PageEntry> {
        self.pages.iter().map(|(entry, _)| entry)
    }

    /// The pages of some tables, in the order of their keys.
    pub(crate) fn pages_of(
        &self,
        tables: RangeInclusive<u32>,
    ) -> impl ExactSizeIterator<Item = &PageEntry> + use<'_> {
        self.pages[self.places_of(tables)].iter().map(|(entry, _)| entry)
    }

    /// The places of the pages of some tables among all of them.
    pub(crate) fn places_of(&self, tables: RangeInclusive<u32>) -> Range<usize> {
        let start = self.pages.partition_point(|(own, _)| own.key.table < *tables.start());
        start..self.pages.partition_point(|(own, _)| own.key.table <= *tables.end()).max(start)
    }

    /// The place of a page among all of them; none if it is not there.
    pub(crate) fn place(&self, key: PageKey) -> Option<usize> {
        self.pages.binary_search_by_key(&key, |(own, _)| own.key).ok()
    }

    /// What the index says of a page, by its place among all of them.
    pub(crate) fn page(&self, at: usize) -> &PageEntry {
        &self.pages[at].0
    }

    /// How many pages there are.
    #[must_use]
    pub fn n_all_pages(&self) -> usize {
        self.pages.len()
    }

    /// How many pages a table has with this side to move.
    #[must_use]
    pub fn n_pages(&self, table: u32, stm: Side) -> usize {
        let pages = &self.pages;
        let start = pages.partition_point(|(own, _)| (own.key.table, own.key.stm) < (table, stm));
        pages[start..].partition_point(|(own, _)| (own.key.table, own.key.stm) == (table, stm))
    }

    /// Reads a page of at most `most_codes` codes: no file asks for more memory than its reader expects.
    ///
    /// # Errors
    /// It is not there, is damaged or longer, or the system refuses.
    pub fn read(&self, key: PageKey, most_codes: usize) -> io::Result<Codes> {
        let at = self.place(key).ok_or(io::ErrorKind::NotFound)?;
        let PageEntry { coding, n_codes, n_bytes, .. } = self.pages[at].0;
        let most_bytes = zstd::zstd_safe::compress_bound(2 * most_codes);
        if n_codes as usize > most_codes || n_bytes as usize > most_bytes {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "a page is longer than it can be"));
        }
        let mut bytes = Vec::new();
        self.read_packed(at, &mut bytes)?;
        unpack(coding, n_codes, &bytes).ok_or_else(damaged)
    }

    /// Reads the bytes of a page as they are in the file, by its place among all of them.
    ///
    /// # Errors
    /// They are damaged, or the system refuses.
    pub(crate) fn read_packed(&self, at: usize, bytes: &mut Vec<u8>) -> io::Result<()> {
        self.read_unchecked(at, bytes)?;
        if short(bytes) == self.page(at).checksum { Ok(()) } else { Err(damaged()) }
    }

    /// Reads the bytes of a page as they are in the file, damaged or not.
    ///
    /// # Errors
    /// The file is shorter than it was, or the system refuses.
    pub(crate) fn read_unchecked(&self, at: usize, bytes: &mut Vec<u8>) -> io::Result<()> {
        let (entry, place) = &self.pages[at];
        bytes.resize(entry.n_bytes as usize, 0);
        self.reader.read_exact_at(bytes, *place)
    }
}

/// Reads what the index of a file says of the pages as a whole, and no more of the file: no checksum is
/// compared.
///
/// # Errors
/// It is not there, cannot be read, or is no whole container of this kind.
pub(crate) fn peek<T: DeserializeOwned>(path: &Path, kind: [u8; 4]) -> Result<T, FormatError> {
    let mut file = open_regular(path).map_err(FormatError::io(path, "open"))?;
    let read = || -> io::Result<Option<T>> {
        let (mut head, mut tail) = ([0; HEAD_BYTES], [0; TAIL_BYTES]);
        file.read_exact(&mut head)?;
        let end = file.seek(SeekFrom::End(-(TAIL_BYTES as i64)))?;
        file.read_exact(&mut tail)?;
        let n_index = u64::from_le_bytes(field(&tail, 0));
        let is_whole = head[..8] == MAGIC && head[12..16] == kind && tail[TAIL_BYTES - 8..] == MAGIC;
        let Some(at) = end.checked_sub(n_index).filter(|_| is_whole) else { return Ok(None) };
        file.seek(SeekFrom::Start(at))?;
        if n_index <= SMALL_BYTES as u64 {
            // Beginning to decompress in parts costs more than all of it.
            let mut packed = vec![0; n_index as usize];
            file.read_exact(&mut packed)?;
            let index = unpacked(&packed, INDEX_BYTES);
            let about = index.as_deref().and_then(|index| index.split_first_chunk());
            let about = about.and_then(|(n_about, rest)| rest.get(..u32::from_le_bytes(*n_about) as usize));
            return Ok(about.and_then(|about| serde_json::from_slice(about).ok()));
        }
        let mut index = zstd::Decoder::new(file.take(n_index))?;
        let mut n_about = [0; 4];
        index.read_exact(&mut n_about)?;
        let about = BufReader::new(index.take(u32::from_le_bytes(n_about).into()));
        Ok(serde_json::from_reader(about).ok())
    };
    match read() {
        Ok(Some(about)) => Ok(about),
        Ok(None) => Err(FormatError::index_damaged(path)),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
            Err(FormatError::CutShort { path: path.into() })
        }
        // What the system says has a number; all else is of Zstandard.
        Err(error) if error.raw_os_error().is_none() => Err(FormatError::index_damaged(path)),
        Err(error) => Err(FormatError::io(path, "read")(error)),
    }
}

/// The index before compression; none if it is damaged or longer than that.
fn unpacked(packed: &[u8], most_bytes: u64) -> Option<Vec<u8>> {
    thread_local! {
        /// Making a decompressor costs more than the index of a small table.
        static DECOMPRESSOR: RefCell<Decompressor<'static>> = RefCell::default();
    }
    let n_bytes = zstd::zstd_safe::get_frame_content_size(packed).ok()??;
    let n_bytes = usize::try_from(n_bytes).ok().filter(|_| n_bytes <= most_bytes)?;
    let index = DECOMPRESSOR.with_borrow_mut(|own| own.decompress(packed, n_bytes)).ok()?;
    (index.len() == n_bytes).then_some(index)
}

/// What an index says of the pages as JSON, and each page with its place.
type Index<'a> = (&'a [u8], Vec<(PageEntry, u64)>);

/// What an index says; its pages stand one behind the other up to the place where it begins. None if it does
/// not say that.
fn read_index(index: &[u8], end: u64) -> Option<Index<'_>> {
    let (n_about, rest) = index.split_first_chunk()?;
    let (about, rest) = rest.split_at_checked(u32::from_le_bytes(*n_about) as usize)?;
    let n = rest.len() / ENTRY_BYTES;
    if rest.len() != n * ENTRY_BYTES {
        return None;
    }
    let (numbers, rest) = rest.split_at(5 * 4 * n);
    let (small, checksums) = rest.split_at(3 * n);
    let number = |column: usize, page: usize| u32::from_le_bytes(field(numbers, 4 * (column * n + page)));
    let mut at = HEAD_BYTES as u64;
    let mut pages: Vec<(PageEntry, u64)> = Vec::with_capacity(n);
    for page in 0..n {
        let stm = *Side::BOTH.get(usize::from(small[page]))?;
        let key = PageKey { table: number(0, page), stm, unit: number(1, page), page: number(2, page) };
        let entry = PageEntry {
            key,
            coding: [small[n + page], small[2 * n + page]],
            n_codes: number(3, page),
            n_bytes: number(4, page),
            checksum: field(checksums, CHECKSUM_BYTES * page),
        };
        if pages.last().is_some_and(|(last, _)| last.key >= key) {
            return None;
        }
        pages.push((entry, at));
        at += u64::from(entry.n_bytes);
    }
    (at == end).then_some((about, pages))
}

/// Writes a sealed container page by page, in the order of their keys.
pub(crate) struct Sealer<'a> {
    file: &'a mut dyn Write,
    head: [u8; HEAD_BYTES],
    pages: Vec<PageEntry>,
}

impl<'a> Sealer<'a> {
    /// Begins a file.
    ///
    /// # Errors
    /// The system refuses.
    pub(crate) fn new(file: &'a mut dyn Write, head: Head) -> io::Result<Self> {
        let head = head.to_bytes();
        file.write_all(&head)?;
        Ok(Sealer { file, head, pages: Vec::new() })
    }

    /// Appends a page, whose key is behind those before it.
    ///
    /// # Errors
    /// The system refuses.
    pub(crate) fn put(&mut self, entry: PageEntry, bytes: &[u8]) -> io::Result<()> {
        let last = self.pages.last().map(|last| last.key);
        assert!(last.is_none_or(|last| last < entry.key), "{:?} behind {last:?}", entry.key);
        self.pages.push(entry);
        self.file.write_all(bytes)
    }

    /// Writes what is to be said of the pages, and ends the file; its pages and how many bytes it has.
    ///
    /// # Errors
    /// The system refuses.
    pub(crate) fn finish(self, about: &impl Serialize) -> io::Result<(Vec<PageEntry>, u64)> {
        let about = serde_json::to_vec(about).map_err(io::Error::other)?;
        let index = self.index(&about);
        let level = ZSTD_LEVELS[usize::from(index.len() > SMALL_BYTES)];
        let packed = zstd::bulk::compress(&index, level)?;
        let n_bytes = (packed.len() as u64).to_le_bytes();
        let checksum = checksum_of(&self.head, &n_bytes, &packed);
        let parts = [&packed[..], &n_bytes, &checksum, &MAGIC];
        parts.into_iter().try_for_each(|part| self.file.write_all(part))?;
        let of_pages: u64 = self.pages.iter().map(|page| u64::from(page.n_bytes)).sum();
        Ok((self.pages, (HEAD_BYTES + packed.len() + TAIL_BYTES) as u64 + of_pages))
    }

    /// The index before compression.
    fn index(&self, about: &[u8]) -> Vec<u8> {
        let mut index = Vec::with_capacity(4 + about.len() + ENTRY_BYTES * self.pages.len());
        index.extend((about.len() as u32).to_le_bytes());
        index.extend(about);
        let mut numbers = |column: fn(&PageEntry) -> u32| {
            index.extend(self.pages.iter().flat_map(|page| column(page).to_le_bytes()));
        };
        numbers(|page| page.key.table);
        numbers(|page| page.key.unit);
        numbers(|page| page.key.page);
        numbers(|page| page.n_codes);
        numbers(|page| page.n_bytes);
        index.extend(self.pages.iter().map(|page| page.key.stm.index() as u8));
        index.extend(self.pages.iter().map(|page| page.coding[0]));
        index.extend(self.pages.iter().map(|page| page.coding[1]));
        index.extend(self.pages.iter().flat_map(|page| page.checksum));
        index
    }
}

/// Writes a container of these pages, whose keys are in order; how many bytes it has.
///
/// # Errors
/// The system refuses.
pub fn write_container(
    path: &Path,
    head: Head,
    about: &impl Serialize,
    pages: &[PackedPage],
) -> Result<u64, FormatError> {
    let mut n_bytes = 0;
    write_atomically_with(path, |file| {
        let mut sealer = Sealer::new(file, head)?;
        pages.iter().try_for_each(|page| sealer.put(page.entry, &page.bytes))?;
        (_, n_bytes) = sealer.finish(about)?;
        Ok(())
    })?;
    Ok(n_bytes)
}

/// The checksum in the tail.
fn checksum_of(head: &[u8], n_bytes: &[u8], index: &[u8]) -> [u8; CHECKSUM_BYTES] {
    first_half(blake3::Hasher::new().update(head).update(n_bytes).update(index))
}
