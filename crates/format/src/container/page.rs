//! Packs the codes of a page into a record and unpacks them.

use crate::SharedFile;
#[cfg(feature = "parallel")]
use crate::code::Method;
use crate::disk::field;
use crate::name::{Short, first_half, short};
use std::cell::RefCell;
use std::io;
use table::{Code, Codes, CodesRef, Coding};
use variant::Side;
use zstd::bulk::Compressor;

pub(super) const RECORD_BYTES: usize = 32;
pub(super) use super::CHECKSUM_BYTES;

/// What stands before the bytes of a page.
const BEFORE_BYTES: usize = RECORD_BYTES + CHECKSUM_BYTES;

/// The coding of alternating codes below 16, two of them in a byte; smaller ones are those of
/// [`Coding::to_bytes`], larger ones say how the bytes of a block of a table are packed.
const IN_PAIRS: u8 = 3;

/// The longest win and the longest loss of either side to move, as codes.
pub(super) type Longest = [[u16; 2]; 2];

/// What a record is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum RecordKind {
    Page = 1,
    Unit = 2,
    Table = 3,
    /// A table is finished, and with it its only unit.
    Whole = 4,
}

impl RecordKind {
    /// Whether all pages of a unit are there.
    pub(super) fn finishes_unit(self) -> bool {
        matches!(self, RecordKind::Unit | RecordKind::Whole)
    }

    /// Whether all units of a table are there.
    pub(super) fn finishes_table(self) -> bool {
        matches!(self, RecordKind::Table | RecordKind::Whole)
    }
}

/// Which codes a page has; keys are in the order in which pages stand in a sealed file.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct PageKey {
    /// The table, by number.
    pub table: u32,
    /// The side to move.
    pub stm: Side,
    /// The unit of the table: a slice, or the whole table.
    pub unit: u32,
    /// The page of the unit.
    pub page: u32,
}

/// What an index says of a page.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct PageEntry {
    pub(crate) key: PageKey,
    /// How its bytes are packed, and what that needs to know.
    pub(crate) coding: [u8; 2],
    pub(crate) n_codes: u32,
    pub(crate) n_bytes: u32,
    pub(crate) checksum: Short,
}

impl PageEntry {
    /// That of a page with these bytes.
    pub(crate) fn new(key: PageKey, coding: [u8; 2], n_codes: u32, bytes: &[u8]) -> Self {
        let n_bytes = u32::try_from(bytes.len()).expect("a page is no larger than a tile");
        PageEntry { key, coding, n_codes, n_bytes, checksum: short(bytes) }
    }
}

/// A page as it is to stand in a sealed file.
#[derive(Debug)]
pub struct PackedPage {
    pub(crate) entry: PageEntry,
    pub(crate) bytes: Box<[u8]>,
}

impl PackedPage {
    /// Packs codes, as hard as this level of Zstandard.
    ///
    /// # Errors
    /// There is no compressor to be had.
    pub fn new(key: PageKey, codes: CodesRef<'_>, level: i32) -> io::Result<Self> {
        let (coding, bytes) = pack(codes, level)?;
        Ok(PackedPage { entry: PageEntry::new(key, coding, codes.len() as u32, &bytes), bytes: bytes.into() })
    }

    /// Packs bytes that are no codes.
    #[cfg(feature = "parallel")]
    pub(crate) fn of_bytes(key: PageKey, bytes: &[u8], level: i32) -> io::Result<Self> {
        let packed = zstd::bulk::compress(bytes, level)?;
        let entry = PageEntry::new(key, Method::Zstandard.coding(), bytes.len() as u32, &packed);
        Ok(PackedPage { entry, bytes: packed.into() })
    }
}

/// The first bytes of a record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Record {
    pub(super) kind: RecordKind,
    pub(super) key: PageKey,
    coding: [u8; 2],
    n_codes: u32,
    pub(super) n_bytes: u32,
    pub(super) longest: Longest,
}

/// Where a page is in a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct PagePlace {
    /// Where its record begins.
    pub(super) at: u64,
    pub(super) n_bytes: u32,
}

impl PagePlace {
    /// How many bytes its record has.
    fn record_bytes(self) -> usize {
        BEFORE_BYTES + self.n_bytes as usize
    }

    /// Where its record ends.
    pub(super) fn end(self) -> u64 {
        self.at + self.record_bytes() as u64
    }
}

/// Reads the record of a page at its place, and shows `read` the bytes of the page.
pub(super) fn read_record<T>(
    reader: &SharedFile,
    key: PageKey,
    place: PagePlace,
    read: impl FnOnce(Record, &[u8]) -> io::Result<T>,
) -> io::Result<T> {
    let mut bytes = vec![0; place.record_bytes()];
    reader.read_exact_at(&mut bytes, place.at)?;
    let (before, bytes) = bytes.split_at(BEFORE_BYTES);
    let record = Record::from_bytes(&field(before, 0)).filter(|record| record.key == key);
    let record = record.filter(|record| record.checksum(bytes) == before[RECORD_BYTES..]);
    read(record.ok_or_else(damaged)?, bytes)
}

/// The error of a page that is not as it was written.
pub(super) fn damaged() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "a page is damaged")
}

impl Record {
    /// The record that a unit or a table is finished.
    pub(super) fn finished(kind: RecordKind, table: u32, unit: u32, longest: Longest) -> Self {
        let key = PageKey { table, unit, page: 0, stm: Side::White };
        Record { kind, key, coding: [0; 2], n_codes: 0, n_bytes: 0, longest }
    }

    /// A page, packed.
    pub(super) fn page(key: PageKey, codes: CodesRef<'_>, level: i32) -> io::Result<(Self, Vec<u8>)> {
        let (coding, bytes) = pack(codes, level)?;
        let (n_codes, n_bytes) = (codes.len() as u32, bytes.len() as u32);
        Ok((Record { kind: RecordKind::Page, key, coding, n_codes, n_bytes, longest: [[0; 2]; 2] }, bytes))
    }

    /// What the index of a sealed file says of the page.
    pub(super) fn entry(&self, bytes: &[u8]) -> PageEntry {
        PageEntry::new(self.key, self.coding, self.n_codes, bytes)
    }

    pub(super) fn to_bytes(self) -> [u8; RECORD_BYTES] {
        let mut bytes = [0; RECORD_BYTES];
        let PageKey { table, unit, page, stm } = self.key;
        bytes[..2].copy_from_slice(&[self.kind as u8, stm.index() as u8]);
        bytes[2..4].copy_from_slice(&self.coding);
        let numbers = [table, unit, page, self.n_codes, self.n_bytes];
        for (place, number) in bytes[4..24].chunks_exact_mut(4).zip(numbers) {
            place.copy_from_slice(&number.to_le_bytes());
        }
        for (place, ply) in bytes[24..].chunks_exact_mut(2).zip(self.longest.as_flattened()) {
            place.copy_from_slice(&ply.to_le_bytes());
        }
        bytes
    }

    /// The record of these bytes; none if they are none.
    pub(super) fn from_bytes(bytes: &[u8; RECORD_BYTES]) -> Option<Self> {
        let kind = match bytes[0] {
            1 => RecordKind::Page,
            2 => RecordKind::Unit,
            3 => RecordKind::Table,
            4 => RecordKind::Whole,
            _ => return None,
        };
        let number = |i: usize| u32::from_le_bytes(field(bytes, 4 + 4 * i));
        let ply = |i: usize| u16::from_le_bytes(field(bytes, 24 + 2 * i));
        let stm = *Side::BOTH.get(usize::from(bytes[1]))?;
        Some(Record {
            kind,
            key: PageKey { table: number(0), unit: number(1), page: number(2), stm },
            coding: [bytes[2], bytes[3]],
            n_codes: number(3),
            n_bytes: number(4),
            longest: [[ply(0), ply(1)], [ply(2), ply(3)]],
        })
    }

    /// The codes of a page; none if the bytes are no codes.
    pub(super) fn unpack(&self, bytes: &[u8]) -> Option<Codes> {
        if self.kind == RecordKind::Page { unpack(self.coding, self.n_codes, bytes) } else { None }
    }

    /// The checksum of the record with its bytes.
    pub(super) fn checksum(&self, bytes: &[u8]) -> [u8; CHECKSUM_BYTES] {
        first_half(blake3::Hasher::new().update(&self.to_bytes()).update(bytes))
    }
}

/// What a thread packs all of its pages with, which may be as small as a slice of two kings.
#[derive(Default)]
struct Packer {
    compressor: Option<Compressor<'static>>,
    /// Codes in pairs, or their low bytes and then their high ones.
    plain: Vec<u8>,
    /// What comes out.
    packed: Vec<u8>,
}

thread_local! {
    static PACKER: RefCell<Packer> = RefCell::default();
}

/// Packs codes, as hard as this level of Zstandard: their coding in the record, and the bytes.
fn pack(codes: CodesRef<'_>, level: i32) -> io::Result<([u8; 2], Vec<u8>)> {
    PACKER.with_borrow_mut(|Packer { compressor, plain, packed }| {
        let bytes = codes.to_le_bytes();
        plain.clear();
        let (coding, bytes) = match codes.alternating().filter(|codes| are_small(codes)) {
            Some(codes) => {
                put_pairs(codes, plain);
                ([IN_PAIRS, 0], &plain[..])
            }
            None if codes.coding().n_bytes() == 2 => {
                plain.extend(bytes.iter().step_by(2));
                plain.extend(bytes.iter().skip(1).step_by(2));
                (codes.coding().to_bytes(), &plain[..])
            }
            None => (codes.coding().to_bytes(), &bytes[..]),
        };
        let compressor = match compressor {
            Some(compressor) => compressor,
            none => none.insert(Compressor::new(level)?),
        };
        compressor.set_compression_level(level)?;
        packed.clear();
        packed.reserve(zstd::zstd_safe::compress_bound(bytes.len()));
        compressor.compress_to_buffer(bytes, packed)?;
        Ok((coding, packed.as_slice().to_vec()))
    })
}

/// The codes that [`pack`] has made these bytes of; none if they are no codes.
pub(super) fn unpack(coding: [u8; 2], n_codes: u32, bytes: &[u8]) -> Option<Codes> {
    let n_codes = n_codes as usize;
    let (in_pairs, coding) = match coding {
        [IN_PAIRS, _] => (true, u8::CODING),
        // There is none of a version to come.
        coding => (false, Coding::from_bytes(coding)?),
    };
    let n_unpacked = if in_pairs { n_codes.div_ceil(2) } else { n_codes * coding.n_bytes() };
    let mut codes = zstd::bulk::decompress(bytes, n_unpacked).ok()?;
    if codes.len() != n_unpacked {
        return None;
    }
    if in_pairs {
        codes = unpaired(&codes, n_codes);
    } else if coding.n_bytes() == 2 {
        let (low, high) = codes.split_at(n_codes);
        codes = low.iter().zip(high).flat_map(|(&low, &high)| [low, high]).collect();
    }
    Some(Codes::from_le_bytes(coding, codes))
}

/// Whether all codes are below 16. All of them are looked at: that is quicker than to ask after each.
fn are_small(codes: &[u8]) -> bool {
    codes.iter().fold(0, |sum, code| sum | code) < 16
}

/// Puts codes below 16, two of them in a byte: half as much to go through.
fn put_pairs(codes: &[u8], pairs: &mut Vec<u8>) {
    let (whole, rest) = codes.as_chunks::<2>();
    pairs.resize(whole.len(), 0);
    pairs.iter_mut().zip(whole).for_each(|(pair, both)| {
        let both = u16::from_le_bytes(*both);
        *pair = (both | both >> 4) as u8;
    });
    pairs.extend(rest);
}

/// This many codes that were put in pairs.
fn unpaired(pairs: &[u8], n_codes: usize) -> Vec<u8> {
    let mut codes = vec![0; pairs.len() * 2];
    let both = codes.as_chunks_mut::<2>().0.iter_mut().zip(pairs);
    both.for_each(|(both, pair)| *both = [pair & 15, pair >> 4]);
    codes.truncate(n_codes);
    codes
}

#[cfg(test)]
mod tests {
    use super::*;
    use table::Ply;
    use variant::Metric;

    fn check_page(codes: &Codes, coding: [u8; 2]) {
        let key = PageKey { table: 1, unit: 2, page: 3, stm: Side::Black };
        let (record, bytes) = Record::page(key, codes.as_ref(), 1).expect("it can be packed");
        let record = Record::from_bytes(&record.to_bytes()).expect("a record");
        assert_eq!((record.coding, record.key), (coding, key));
        assert_eq!(record.unpack(&bytes).as_ref(), Some(codes));
        assert_eq!(Record { kind: RecordKind::Unit, ..record }.unpack(&bytes), None);
    }

    #[test]
    fn pages_come_back_as_they_were() {
        for n in [0, 1, 2, 63, 4096] {
            let codes = |modulus: usize| (0..n).map(|i| (i * i % modulus) as u8).collect::<Vec<u8>>();
            check_page(&u8::owned(codes(5)), [3, 0]);
            check_page(&u8::owned(codes(16)), [3, 0]);
            check_page(&u8::owned(codes(16)).under(Metric::Dtz, Ply(7)), [1, 9]);
            check_page(&u16::owned((0..n as u16).collect()), [2, 0]);
        }
        check_page(&u8::owned((0..17).collect()), [0, 0]);
    }
}
