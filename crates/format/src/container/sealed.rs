//! Containers that are whole.

use super::page::{CHECKSUM_BYTES, PagePlace, RECORD_BYTES, Record, read_page};
use super::{HEAD_BYTES, Head, MAGIC, PageKey};
use crate::head::field;
use crate::name::first_half;
use crate::{FormatError, SharedFile, open_regular, write_atomically_with};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::io::{self, Read, Write};
use std::path::Path;
use table::Codes;
use variant::Side;

/// The bytes of the tail.
const TAIL_BYTES: usize = 8 + CHECKSUM_BYTES + 8;

/// The bytes of a page in the index.
const ENTRY_BYTES: usize = 17;

/// How hard an index is packed.
const ZSTD_LEVEL: i32 = 3;

/// How hard the pages of a file are packed that is written once: more costs more time than it saves room.
const LEVEL_OF_WHOLE: i32 = 12;

/// A sealed container, open for reading.
#[derive(Debug)]
pub struct SealedFile {
    reader: SharedFile,
    size_bytes: u64,
    identity: [u8; 32],
    /// Where each page is, in the order of their keys.
    pages: Vec<(PageKey, PagePlace)>,
}

impl SealedFile {
    /// Opens a file and reads its index, of at most `most_index_bytes` before compression; what it says of
    /// the pages, or why it is of another version. None if the file is no whole container of this kind.
    ///
    /// # Errors
    /// It is not there, or cannot be read.
    pub fn open<T: DeserializeOwned>(
        path: &Path,
        kind: [u8; 4],
        most_index_bytes: u64,
    ) -> io::Result<Option<(Self, serde_json::Result<T>)>> {
        let file = open_regular(path)?;
        let n_bytes = file.metadata()?.len();
        let reader = SharedFile::new(file);
        let (mut head, mut tail) = ([0; HEAD_BYTES], [0; TAIL_BYTES]);
        let Some(end) = n_bytes.checked_sub(TAIL_BYTES as u64).filter(|&end| end >= head.len() as u64) else {
            return Ok(None);
        };
        reader.read_exact_at(&mut head, 0)?;
        reader.read_exact_at(&mut tail, end)?;
        let is_head_right = head == (Head { kind, identity: field(&head, 16) }).to_bytes();
        let n_index = u64::from_le_bytes(field(&tail, 0));
        let at =
            end.checked_sub(n_index).filter(|&at| at >= head.len() as u64 && n_index <= most_index_bytes);
        let Some(at) = at.filter(|_| is_head_right && tail[TAIL_BYTES - 8..] == MAGIC) else {
            return Ok(None);
        };
        let mut packed = vec![0; n_index as usize];
        reader.read_exact_at(&mut packed, at)?;
        let is_right = checksum_of(&head, &tail[..8], &packed) == tail[8..8 + CHECKSUM_BYTES];
        let index = if is_right { unpacked(&packed, most_index_bytes) } else { None };
        let Some((about, pages)) = index.as_deref().and_then(|index| read_index(index, at)) else {
            return Ok(None);
        };
        let file = SealedFile { reader, size_bytes: n_bytes, identity: field(&head, 16), pages };
        Ok(Some((file, serde_json::from_slice(about))))
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

    /// How many pages a table has with this side to move.
    #[must_use]
    pub fn n_pages(&self, table: u32, stm: Side) -> usize {
        let pages = &self.pages;
        let start = pages.partition_point(|(key, _)| (key.table, key.stm) < (table, stm));
        pages[start..].partition_point(|(key, _)| (key.table, key.stm) == (table, stm))
    }

    /// Reads a page of at most `most_codes` codes: no file asks for more memory than its reader expects.
    ///
    /// # Errors
    /// It is not there, is damaged or longer, or the system refuses.
    pub fn read(&self, key: PageKey, most_codes: usize) -> io::Result<Codes> {
        let found = self.pages.binary_search_by_key(&key, |&(key, _)| key);
        let at = found.map_err(|_| io::Error::from(io::ErrorKind::NotFound))?;
        let place = self.pages[at].1;
        if place.n_bytes as usize > zstd::zstd_safe::compress_bound(2 * most_codes) {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "a page is longer than it can be"));
        }
        read_page(&self.reader, key, place, most_codes)
    }
}

/// The index before compression; none if it is damaged or longer than that.
fn unpacked(packed: &[u8], most_bytes: u64) -> Option<Vec<u8>> {
    let mut index = Vec::new();
    let input = zstd::stream::read::Decoder::new(packed).ok()?;
    let n_bytes = input.take(most_bytes + 1).read_to_end(&mut index).ok()?;
    (n_bytes as u64 <= most_bytes).then_some(index)
}

/// What an index says of the pages as JSON, and where each is.
type Index<'a> = (&'a [u8], Vec<(PageKey, PagePlace)>);

/// What an index says; its pages stand one behind the other up to the place where it begins. None if it does
/// not say that.
fn read_index(index: &[u8], end: u64) -> Option<Index<'_>> {
    let (n_about, rest) = index.split_first_chunk()?;
    let (about, entries) = rest.split_at_checked(u32::from_le_bytes(*n_about) as usize)?;
    let (entries, rest) = entries.as_chunks::<ENTRY_BYTES>();
    let mut at = HEAD_BYTES as u64;
    let mut pages: Vec<(PageKey, PagePlace)> = Vec::with_capacity(entries.len());
    for entry in entries {
        let number = |at: usize| u32::from_le_bytes(field(entry, at));
        let stm = *Side::BOTH.get(usize::from(entry[4]))?;
        let key = PageKey { table: number(0), stm, unit: number(5), page: number(9) };
        let place = PagePlace { at, n_bytes: number(13) };
        if pages.last().is_some_and(|&(last, _)| last >= key) {
            return None;
        }
        at = place.end();
        pages.push((key, place));
    }
    (rest.is_empty() && at == end).then_some((about, pages))
}

/// Writes a container of these pages, whose keys are in order; how many bytes it has.
///
/// # Errors
/// The system refuses.
pub fn write_container(
    path: &Path,
    head: Head,
    about: &impl Serialize,
    pages: &[(PageKey, Codes)],
) -> Result<u64, FormatError> {
    let packed = pages.iter().map(|(key, codes)| {
        let (record, bytes) = Record::page(*key, codes.as_ref(), LEVEL_OF_WHOLE)?;
        Ok((*key, [&record.to_bytes()[..], &record.checksum(&bytes), &bytes].concat()))
    });
    let mut n_bytes = 0;
    write_atomically_with(path, |file| {
        n_bytes = write_sealed(file, head, about, packed)?;
        Ok(())
    })?;
    Ok(n_bytes)
}

/// Writes a sealed container of these records of pages, whose keys are in order; how many bytes it has.
pub(super) fn write_sealed(
    file: &mut dyn Write,
    head: Head,
    about: &impl Serialize,
    pages: impl Iterator<Item = io::Result<(PageKey, Vec<u8>)>>,
) -> io::Result<u64> {
    let head = head.to_bytes();
    file.write_all(&head)?;
    let about = serde_json::to_vec(about).map_err(io::Error::other)?;
    let mut index = (about.len() as u32).to_le_bytes().to_vec();
    index.extend(about);
    let mut n_all = head.len() + TAIL_BYTES;
    for page in pages {
        let (key, record) = page?;
        file.write_all(&record)?;
        n_all += record.len();
        let n_bytes = (record.len() - RECORD_BYTES - CHECKSUM_BYTES) as u32;
        index.extend(key.table.to_le_bytes());
        index.push(key.stm.index() as u8);
        [key.unit, key.page, n_bytes].iter().for_each(|number| index.extend(number.to_le_bytes()));
    }
    let packed = zstd::bulk::compress(&index, ZSTD_LEVEL)?;
    let n_bytes = (packed.len() as u64).to_le_bytes();
    let checksum = checksum_of(&head, &n_bytes, &packed);
    [&packed[..], &n_bytes, &checksum, &MAGIC].into_iter().try_for_each(|part| file.write_all(part))?;
    Ok((n_all + packed.len()) as u64)
}

/// The checksum in the tail.
fn checksum_of(head: &[u8], n_bytes: &[u8], index: &[u8]) -> [u8; CHECKSUM_BYTES] {
    first_half(blake3::Hasher::new().update(head).update(n_bytes).update(index))
}
