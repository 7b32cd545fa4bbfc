//! Encodes and decodes the header of a flat file: 256 bytes that say what follows, with two MD5 sums.

use super::dimension::PawnDimension;
use super::entry::Width;
use super::{FlatError, Form};
use md5::{Digest, Md5};
use std::path::Path;
use variant::Metric;

/// Bytes of the header.
pub const HEADER_BYTES: usize = 256;

/// The version of files that have the pawns on certain squares, or no pawns.
const VERSION: u8 = 1;

/// The version of files that have the pawns on all of their squares.
const VERSION_OF_ALL_SQUARES: u8 = 2;

const COMPLETE: u8 = 1;

/// Where the header's texts stand, and how many bytes each has.
const METRIC: (usize, usize) = (32, 8);
const NAME: (usize, usize) = (40, 56);
const BUILT: (usize, usize) = (96, 32);

/// Where its sums stand.
const RULES: usize = 128;
/// Where the ranks of the pawns stand, two bytes a pawn.
const PAWNS: (usize, usize) = (160, 64);
const REST: usize = 224;
const OWN: usize = 240;

/// An MD5 sum.
pub(super) type Sum = [u8; 16];

/// The sum of some bytes.
pub(super) fn sum(bytes: &[u8]) -> Sum {
    Md5::digest(bytes).into()
}

/// What the header says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Header {
    pub(super) form: Form,
    pub(super) width: Width,
    pub(super) n_men: u8,
    pub(super) n_mobile: u8,
    /// Files and ranks of the board.
    pub(super) size: [u8; 2],
    /// The dimensions of the array that pawns are; none if the file has the pawns on certain squares.
    pub(super) pawns: Vec<PawnDimension>,
    pub(super) array_bytes: u64,
    pub(super) dependency_bytes: u64,
    pub(super) metric: String,
    /// The file's name, without its endings.
    pub(super) name: String,
    /// Which program made it.
    pub(super) built: String,
    pub(super) rules: [u8; 32],
    /// The sum of everything behind the header.
    pub(super) rest: Sum,
}

impl Header {
    /// How many bytes the file has.
    pub(super) fn file_bytes(&self) -> u64 {
        (HEADER_BYTES as u64).saturating_add(self.array_bytes).saturating_add(self.dependency_bytes)
    }

    /// How many entries the array has: one for each choice of squares and each side to move. None if no array
    /// has so many.
    pub(super) fn n_entries(&self) -> Option<u64> {
        let n_squares = u64::from(self.size[0]) * u64::from(self.size[1]);
        let of_mobile = n_squares.checked_pow(self.n_mobile.into())?.checked_mul(2)?;
        let all = self.pawns.iter().try_fold(of_mobile, |all, pawn| all.checked_mul(pawn.len()));
        all.filter(|&n| n < 1 << 60)
    }

    /// The bytes of a finished file's header.
    #[cfg(feature = "parallel")]
    pub(super) fn encode(&self) -> Result<[u8; HEADER_BYTES], FlatError> {
        let mut bytes = [0; HEADER_BYTES];
        bytes[..3].copy_from_slice(self.form.magic());
        bytes[3] = if self.pawns.is_empty() { VERSION } else { VERSION_OF_ALL_SQUARES };
        bytes[4] = COMPLETE;
        bytes[5] = self.width.bits();
        bytes[6] = self.n_men;
        bytes[7] = self.n_mobile;
        bytes[8..10].copy_from_slice(&self.size);
        bytes[10] = self.pawns.first().map_or(0, |pawn| pawn.n_files);
        bytes[16..24].copy_from_slice(&self.array_bytes.to_le_bytes());
        bytes[24..32].copy_from_slice(&self.dependency_bytes.to_le_bytes());
        for ((at, most), text) in [(METRIC, &self.metric), (NAME, &self.name), (BUILT, &self.built)] {
            if text.len() > most {
                return Err(FlatError::TooLong { name: text.clone(), most });
            }
            bytes[at..at + text.len()].copy_from_slice(text.as_bytes());
        }
        bytes[RULES..PAWNS.0].copy_from_slice(&self.rules);
        for (ranks, pawn) in bytes[PAWNS.0..].chunks_exact_mut(2).zip(&self.pawns) {
            ranks.copy_from_slice(&[pawn.first_rank, pawn.n_ranks]);
        }
        bytes[REST..OWN].copy_from_slice(&self.rest);
        let own = sum(&bytes[..OWN]);
        bytes[OWN..].copy_from_slice(&own);
        Ok(bytes)
    }

    /// Reads a header; everything that can be known from it alone is checked.
    pub(super) fn decode(path: &Path, bytes: &[u8]) -> Result<Self, FlatError> {
        let damaged = |what| FlatError::damaged(path, what);
        let Some(bytes) = bytes.first_chunk::<HEADER_BYTES>() else {
            let (got, expected) = (bytes.len() as u64, HEADER_BYTES as u64);
            return Err(FlatError::Length { path: path.to_path_buf(), got, expected });
        };
        let form = Form::BOTH.into_iter().find(|form| form.magic()[..] == bytes[..3]);
        let form = form.ok_or_else(|| damaged("it does not begin as a flat file does"))?;
        let has_all_squares = bytes[3] == VERSION_OF_ALL_SQUARES;
        if bytes[3] != VERSION && !has_all_squares {
            let (got, newest) = (bytes[3], VERSION_OF_ALL_SQUARES);
            return Err(FlatError::Version { path: path.to_path_buf(), got, newest });
        }
        if bytes[4] != COMPLETE {
            return Err(damaged("it was never finished"));
        }
        if sum(&bytes[..OWN]) != bytes[OWN..] {
            return Err(damaged("its header is damaged"));
        }
        let number = |at: usize| u64::from_le_bytes(std::array::from_fn(|i| bytes[at + i]));
        let text = |(at, n): (usize, usize)| {
            let text = bytes[at..at + n].split(|&byte| byte == 0).next().unwrap_or_default();
            String::from_utf8(text.to_vec())
                .map_err(|_| damaged("its header has no text where one should be"))
        };
        let n_pawns = if has_all_squares { usize::from(bytes[6].saturating_sub(bytes[7])) } else { 0 };
        let dimension = |(number, ranks): (usize, &[u8])| PawnDimension {
            first_rank: ranks[0],
            n_ranks: ranks[1],
            n_files: if number == 0 { bytes[10] } else { bytes[8] },
        };
        let pawns: Vec<PawnDimension> =
            bytes[PAWNS.0..][..PAWNS.1].chunks_exact(2).take(n_pawns).enumerate().map(dimension).collect();
        let is_on_board = |pawn: &PawnDimension| {
            let end = u16::from(pawn.first_rank) + u16::from(pawn.n_ranks);
            pawn.n_ranks > 0 && pawn.n_files > 0 && end <= bytes[9].into() && pawn.n_files <= bytes[8]
        };
        if has_all_squares && (n_pawns == 0 || pawns.len() != n_pawns || !pawns.iter().all(is_on_board)) {
            return Err(damaged("its pawns stand on squares that the board does not have"));
        }
        let width = Width::ALL.into_iter().find(|width| width.bits() == bytes[5]);
        let header = Header {
            form,
            width: width.ok_or_else(|| damaged("its entries have an unknown size"))?,
            n_men: bytes[6],
            n_mobile: bytes[7],
            size: [bytes[8], bytes[9]],
            pawns,
            array_bytes: number(16),
            dependency_bytes: number(24),
            metric: text(METRIC)?,
            name: text(NAME)?,
            built: text(BUILT)?,
            rules: std::array::from_fn(|i| bytes[RULES + i]),
            rest: std::array::from_fn(|i| bytes[REST + i]),
        };
        if (header.width == Width::Bits) != (form == Form::Wdl) {
            return Err(damaged("its entries have another size than its kind has"));
        }
        let array = header.n_entries().map(|n_entries| header.width.n_bytes(n_entries));
        if array != Some(header.array_bytes) {
            return Err(damaged("its array is not as large as its men and the board ask for"));
        }
        Ok(header)
    }

    /// Fails unless the file holds this metric.
    pub(super) fn check_metric(&self, path: &Path, metric: Metric) -> Result<(), FlatError> {
        match self.metric == metric.name() {
            true => Ok(()),
            false => Err(FlatError::OtherMetric {
                path: path.to_path_buf(),
                got: self.metric.clone(),
                expected: metric,
            }),
        }
    }
}
