//! Compares the checksum that ends a file: ours, or the one of the generator that most files come from.
//!
//! No program that probes needs a checksum, so a file may also have none: zeros.

mod city;
mod crc32c;

pub(crate) use city::CHECKSUM_BYTES;
use city::generator_sum;

/// How the checksum of a file begins that was written here. It tells our sum from the generator's.
const MARK: [u8; 4] = *b"TSMB";

/// Whose checksum a file has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ChecksumKind {
    /// Ours: a mark and twelve bytes of a BLAKE3 hash.
    Own,
    /// That of the generator that most files come from: CityHash.
    Generator,
    /// The file has none, so that damage to its blocks cannot be seen.
    Absent,
}

impl ChecksumKind {
    /// Finds out whose checksum of these bytes this is; none if it is that of other bytes.
    pub(crate) fn of(content: &[u8], sum: &[u8]) -> Option<Self> {
        if sum.starts_with(&MARK) && sum == own_sum(content) {
            return Some(ChecksumKind::Own);
        }
        if sum.iter().all(|&byte| byte == 0) {
            return Some(ChecksumKind::Absent);
        }
        (sum == generator_sum(content)).then_some(ChecksumKind::Generator)
    }
}

/// Our checksum of what comes before it: the mark, and the first twelve bytes of a BLAKE3 hash.
pub(crate) fn own_sum(content: &[u8]) -> [u8; CHECKSUM_BYTES] {
    let mut sum = [0; CHECKSUM_BYTES];
    let hash = blake3::hash(content);
    let of_mark = MARK.iter().chain(hash.as_bytes());
    sum.iter_mut().zip(of_mark).for_each(|(to, &from)| *to = from);
    sum
}

#[cfg(test)]
mod tests;
