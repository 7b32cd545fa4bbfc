//! Encodes and decodes the header of a one-bit file: 256 bytes, little-endian.
//!
//! ```text
//!     0  magic, 8 bytes          24  placements a side to move    64  metric, 8 bytes
//!     8  version                 32  bytes of the index           72  material, 32 bytes
//!    12  bits of a block         40  bytes of all blocks         104  question, 32 bytes
//!    16  n-move rule, in plies   48  zeros                       136  hash of the rules, 32 bytes
//!    20  zeros                                                   168  name of the table, 32 bytes
//!   200  hash of all bits, 32 bytes   232  checksum of the index, 8   240  checksum of this header, 16
//! ```

use super::{BitsError, Question};
use format::{Checksum, short_checksum};
use std::path::Path;
use variant::Metric;

/// How many bytes the header has.
pub(super) const HEADER_BYTES: usize = 256;

/// How many bits a block has.
pub(super) const BLOCK_BITS: u32 = 1 << 18;

/// The bytes of an entry of the index: length and checksum.
pub(super) const ENTRY_BYTES: usize = 20;

const MAGIC: [u8; 8] = *b"\x89TSQ\r\n\x1a\n";
const VERSION: u32 = 1;

/// No n-move rule.
const NO_RULE: u32 = u32::MAX;

/// What the header says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Header {
    pub(super) rule_plies: Option<u16>,
    /// Placements a side to move.
    pub(super) placements: u64,
    pub(super) blocks_bytes: u64,
    pub(super) metric: Metric,
    pub(super) material: String,
    pub(super) question: Question,
    pub(super) rules: Checksum,
    /// Which values the table has that the file was made of.
    pub(super) table: Checksum,
    pub(super) bits: Checksum,
    pub(super) index: [u8; 8],
}

/// The bytes at an offset.
fn field<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    std::array::from_fn(|i| bytes[at + i])
}

impl Header {
    /// How many blocks a side to move has.
    pub(super) fn blocks_per_side(&self) -> u64 {
        self.placements.div_ceil(BLOCK_BITS.into())
    }

    pub(super) fn n_blocks(&self) -> u64 {
        2 * self.blocks_per_side()
    }

    pub(super) fn index_bytes(&self) -> u64 {
        self.n_blocks() * ENTRY_BYTES as u64
    }

    /// How many bits a block has.
    pub(super) fn bits_of(&self, block: u64) -> u64 {
        let begin = block % self.blocks_per_side() * u64::from(BLOCK_BITS);
        (self.placements - begin).min(BLOCK_BITS.into())
    }

    /// The bytes; what is too long if a text does not fit.
    pub(super) fn encode(&self) -> Result<[u8; HEADER_BYTES], String> {
        let mut bytes = [0; HEADER_BYTES];
        let mut put = |at: usize, field: &[u8]| bytes[at..at + field.len()].copy_from_slice(field);
        put(0, &MAGIC);
        put(8, &VERSION.to_le_bytes());
        put(12, &BLOCK_BITS.to_le_bytes());
        put(16, &self.rule_plies.map_or(NO_RULE, u32::from).to_le_bytes());
        put(24, &self.placements.to_le_bytes());
        put(32, &self.index_bytes().to_le_bytes());
        put(40, &self.blocks_bytes.to_le_bytes());
        let texts = [(64, 8, self.metric.to_string()), (72, 32, self.material.clone())];
        for (at, most, text) in texts.into_iter().chain([(104, 32, self.question.to_string())]) {
            if text.len() > most || !text.is_ascii() {
                return Err(format!("its header has no room for `{text}`"));
            }
            put(at, text.as_bytes());
        }
        put(136, &self.rules.0);
        put(168, &self.table.0);
        put(200, &self.bits.0);
        put(232, &self.index);
        let own = short_checksum(&bytes[..240]);
        bytes[240..].copy_from_slice(&own);
        Ok(bytes)
    }

    /// Reads a header; everything that can be known from it alone is checked.
    pub(super) fn decode(path: &Path, bytes: &[u8], file_bytes: u64) -> Result<Self, BitsError> {
        let damaged = |what: &str| BitsError::damaged(path, what);
        let Some(bytes) = bytes.first_chunk::<HEADER_BYTES>().filter(|bytes| bytes[..8] == MAGIC) else {
            return Err(damaged("it does not begin as a one-bit file does"));
        };
        let got = u32::from_le_bytes(field(bytes, 8));
        if got != VERSION {
            return Err(BitsError::Version { path: path.into(), got, expected: VERSION });
        }
        if short_checksum(&bytes[..240]) != field::<16>(bytes, 240) {
            return Err(damaged("its header has another checksum"));
        }
        let number = |at| u64::from_le_bytes(field(bytes, at));
        let text = |at: usize, len: usize| {
            let text = bytes[at..at + len].split(|&byte| byte == 0).next().unwrap_or_default();
            std::str::from_utf8(text).map_err(|_| damaged("its header has no text where one should be"))
        };
        let rule = u32::from_le_bytes(field(bytes, 16));
        let header = Header {
            rule_plies: if rule == NO_RULE { None } else { u16::try_from(rule).ok() },
            placements: number(24),
            blocks_bytes: number(40),
            metric: text(64, 8)?.parse().map_err(|_| damaged("it is of a metric that nobody knows"))?,
            material: text(72, 32)?.to_owned(),
            question: text(104, 32)?
                .parse()
                .map_err(|_| damaged("it answers a question that nobody knows"))?,
            rules: Checksum(field(bytes, 136)),
            table: Checksum(field(bytes, 168)),
            bits: Checksum(field(bytes, 200)),
            index: field(bytes, 232),
        };
        // An index of more bytes than the file has would be asked for otherwise.
        let is_sound = header.placements > 0 && header.placements / u64::from(BLOCK_BITS) < file_bytes;
        if !is_sound || header.encode().as_ref() != Ok(bytes) {
            return Err(damaged("a number of its header cannot be"));
        }
        let expected = (HEADER_BYTES as u64).saturating_add(header.index_bytes());
        if expected.checked_add(header.blocks_bytes) != Some(file_bytes) {
            return Err(damaged("it is cut short or too long"));
        }
        Ok(header)
    }
}
