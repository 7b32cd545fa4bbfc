//! Codes as the bytes that a file has.

use table::{Code, CodesRef, Ply};

/// A code of one or two bytes, as bytes of a file: the lower byte first.
pub(crate) trait FileCode: Code + Into<u16> + From<u8> {
    /// Bytes of a code.
    const BYTES: usize;
    /// Bits of a code.
    const BITS: u32 = 8 * Self::BYTES as u32;

    /// As many codes as a word has room for, the first in its lowest bits.
    fn to_word(codes: &[Self]) -> u64;

    /// The codes of such a word.
    fn of_word(word: u64, codes: &mut [Self]);

    /// The codes as bytes, in place of what `bytes` held.
    fn write(codes: &[Self], bytes: &mut Vec<u8>);

    /// The codes of these bytes.
    fn read(bytes: &[u8], codes: &mut [Self]);

    /// What files of distances have for one: one more, because no code of a file is 0.
    ///
    /// # Panics
    /// If it is longer than a value of this width can be.
    fn from_distance(distance: Ply) -> Self;
}

impl FileCode for u8 {
    const BYTES: usize = 1;

    fn write(codes: &[u8], bytes: &mut Vec<u8>) {
        bytes.clear();
        bytes.extend_from_slice(codes);
    }

    fn read(bytes: &[u8], codes: &mut [u8]) {
        codes.copy_from_slice(bytes);
    }

    #[inline(always)]
    fn to_word(codes: &[u8]) -> u64 {
        codes.first_chunk().map_or(0, |&bytes| u64::from_le_bytes(bytes))
    }

    #[inline(always)]
    fn of_word(word: u64, codes: &mut [u8]) {
        codes.copy_from_slice(&word.to_le_bytes());
    }

    fn from_distance(Ply(ply): Ply) -> u8 {
        u8::try_from(ply + 1).unwrap_or_else(|_| panic!("{ply} plies in one byte"))
    }
}

impl FileCode for u16 {
    const BYTES: usize = 2;

    fn write(codes: &[u16], bytes: &mut Vec<u8>) {
        bytes.clear();
        bytes.extend(codes.iter().flat_map(|code| code.to_le_bytes()));
    }

    fn read(bytes: &[u8], codes: &mut [u16]) {
        for (code, pair) in codes.iter_mut().zip(bytes.chunks_exact(2)) {
            *code = u16::from_le_bytes([pair[0], pair[1]]);
        }
    }

    #[inline(always)]
    fn to_word(codes: &[u16]) -> u64 {
        codes.iter().rev().fold(0, |word, &code| word << 16 | u64::from(code))
    }

    #[inline(always)]
    fn of_word(word: u64, codes: &mut [u16]) {
        Self::read(&word.to_le_bytes(), codes);
    }

    fn from_distance(Ply(ply): Ply) -> u16 {
        ply + 1
    }
}

/// The bytes of a code.
pub(crate) fn width(codes: CodesRef<'_>) -> u8 {
    match codes {
        CodesRef::Narrow(_) | CodesRef::Split(..) => u8::BYTES as u8,
        CodesRef::Wide(_) => u16::BYTES as u8,
    }
}
