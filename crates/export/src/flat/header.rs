//! Describes a flat file: its header, how wide an entry is, what the pawns' squares index, and which tables
//! it was made from.

use crate::flat::{FlatError, Form, has_mirror};
use geometry::Square;
use md5::{Digest, Md5};
use std::path::Path;
use table::{Ply, Value};
use variant::{Material, Metric, Variant};

/// Bytes of the header.
pub(super) const HEADER_BYTES: usize = 256;

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

    /// How many entries the array has: one for each choice of squares and each side to move. None if no
    /// array has this many.
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

/// How many bits an entry has.
///
/// ```text
///   bits 0 and 1     0 not a position   1 draw   2 loss   3 win          (for the side to move)
///   the next 13      how many plies; of a draw 1 if the side to move has no legal move     29 in four bytes
///   the last         1 if they lead to mate or the next table, whichever comes first; 0 if to mate
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Width {
    /// Two bits: who wins.
    Bits,
    /// Two bytes: distances of up to 8,191 plies.
    Two,
    /// Four bytes.
    Four,
}

const DRAW: u32 = 1;
const LOSS: u32 = 2;
const WIN: u32 = 3;

impl Width {
    /// All of them.
    pub(super) const ALL: [Width; 3] = [Width::Bits, Width::Two, Width::Four];

    /// Bits of an entry.
    const fn bits(self) -> u8 {
        match self {
            Width::Bits => 2,
            Width::Two => 16,
            Width::Four => 32,
        }
    }

    /// The most plies that there is room for.
    pub(super) const fn most_plies(self) -> u32 {
        match self {
            Width::Bits => 0,
            Width::Two => (1 << 13) - 1,
            Width::Four => (1 << 29) - 1,
        }
    }

    /// How many bytes this many entries take.
    pub(super) const fn n_bytes(self, n_entries: u64) -> u64 {
        match self {
            Width::Bits => n_entries.div_ceil(4),
            Width::Two => n_entries * 2,
            Width::Four => n_entries * 4,
        }
    }

    /// The entry of a value that fits; `to_next_table` says what distances lead to.
    #[cfg(feature = "parallel")]
    pub(super) fn entry(self, value: Value, to_next_table: bool) -> u32 {
        let (result, count) = match value {
            Value::Illegal => return 0,
            Value::Draw => (DRAW, 0),
            Value::Stalemate => (DRAW, 1),
            Value::Loss(Ply(ply)) => (LOSS, u32::from(ply)),
            Value::Win(Ply(ply)) => (WIN, u32::from(ply)),
        };
        // Mate on the board is mate, whatever the metric stops at.
        let flag = u32::from(to_next_table && result != DRAW && count > 0);
        match self {
            Width::Bits => result,
            Width::Two | Width::Four => result | count << 2 | flag << (self.bits() - 1),
        }
    }

    /// The value of an entry; none if no entry can be so. Two bits hold neither the difference between a
    /// draw and stalemate nor how far an end is: a win is one after a ply then, a loss one after none.
    pub(super) fn value(self, entry: u32) -> Option<Value> {
        let result = entry & 3;
        if self == Width::Bits {
            return Some(match result {
                0 => Value::Illegal,
                DRAW => Value::Draw,
                LOSS => Value::Loss(Ply(0)),
                _ => Value::Win(Ply(1)),
            });
        }
        let count = entry >> 2 & self.most_plies();
        let is_flagged = entry >> (self.bits() - 1) != 0;
        let ply = Ply(u16::try_from(count).ok()?);
        match (result, count) {
            (0, 0) if !is_flagged => Some(Value::Illegal),
            (DRAW, 0) if !is_flagged => Some(Value::Draw),
            (DRAW, 1) if !is_flagged => Some(Value::Stalemate),
            (LOSS, _) if !is_flagged || count > 0 => Some(Value::Loss(ply)),
            (WIN, 1..) => Some(Value::Win(ply)),
            _ => None,
        }
    }

    /// The entry with this number; none if the array is shorter.
    #[inline]
    pub(super) fn read(self, array: &[u8], number: u64) -> Option<u32> {
        let at = |per: u64| usize::try_from(number * per).ok();
        match self {
            Width::Bits => {
                let byte = *array.get(usize::try_from(number / 4).ok()?)?;
                Some(u32::from(byte >> (2 * (number % 4))) & 3)
            }
            Width::Two => array.get(at(2)?..)?.first_chunk().map(|bytes| u16::from_le_bytes(*bytes).into()),
            Width::Four => array.get(at(4)?..)?.first_chunk().map(|bytes| u32::from_le_bytes(*bytes)),
        }
    }

    /// Writes an entry into an array of zeros.
    #[cfg(feature = "parallel")]
    #[inline]
    pub(super) fn write(self, array: &mut [u8], number: usize, entry: u32) {
        match self {
            Width::Bits => array[number / 4] |= (entry << (2 * (number % 4))) as u8,
            Width::Two => array[2 * number..][..2].copy_from_slice(&(entry as u16).to_le_bytes()),
            Width::Four => array[4 * number..][..4].copy_from_slice(&entry.to_le_bytes()),
        }
    }
}

/// The squares of one pawn.
///
/// A pawn would need all squares of the board. It stands on some ranks only, so it counts those of them,
/// from the lowest. Where the rules make no difference between left and right, half of the array would be
/// the mirror image of the other half: the *first* pawn counts the squares of the left half, and a reader
/// that finds it on the right turns the whole board.
///
/// ```text
///   wKP-bK.tbl      [a2 b2 c2 d2  a3 … d7] [White's king] [Black's king] [side to move]
///   wKP-bKP.tbl     [a2 … d7] [a2 b2 … h7] [White's king] [Black's king] [side to move]
/// ```
///
/// Like pawns are in the array in either order, as like mobile men are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct PawnDimension {
    /// The lowest rank on which it stands, from 0.
    pub(super) first_rank: u8,
    pub(super) n_ranks: u8,
    /// The files that it counts, from the left: those of the board or, of the first pawn, half of them.
    pub(super) n_files: u8,
}

impl PawnDimension {
    /// The dimensions of the pawns of a canonical material, in the order of the name.
    pub(super) fn all(variant: &Variant, material: &Material) -> Vec<Self> {
        let board = &variant.board;
        let has_mirror = has_mirror(variant, material);
        let pawns = material.men().filter(|&man| variant.is_pawn(man)).enumerate();
        let dimension = |(number, man)| {
            let ranks = variant.zone(man).iter().map(|square| board.rank_of(square));
            let (first, last) =
                ranks.fold((usize::MAX, 0), |(first, last), rank| (first.min(rank), last.max(rank)));
            // A pawn that stands nowhere has one rank all the same, on which nothing is a position.
            let first = first.min(last);
            let is_folded = number == 0 && has_mirror;
            PawnDimension {
                first_rank: first as u8,
                n_ranks: (last + 1 - first) as u8,
                n_files: if is_folded { board.files().div_ceil(2) } else { board.files() } as u8,
            }
        };
        pawns.map(dimension).collect()
    }

    /// How many squares it counts.
    pub(super) fn len(self) -> u64 {
        u64::from(self.n_ranks) * u64::from(self.n_files)
    }

    /// The number of a square of a board with this many files; none if it is not counted.
    pub(super) fn number(self, square: Square, files: usize) -> Option<u64> {
        let (rank, file) = (square.index() / files, square.index() % files);
        let rank = rank.checked_sub(self.first_rank.into()).filter(|&rank| rank < self.n_ranks.into())?;
        (file < self.n_files.into()).then(|| (rank * usize::from(self.n_files) + file) as u64)
    }

    /// The square with a number.
    #[cfg(feature = "parallel")]
    pub(super) fn square(self, number: usize, files: usize) -> Square {
        let (rank, file) = (number / usize::from(self.n_files), number % usize::from(self.n_files));
        Square::from_index((usize::from(self.first_rank) + rank) * files + file)
    }
}

/// The square's image in the mirror between the middle files.
pub(super) fn mirrored(square: Square, files: usize) -> Square {
    let file = square.index() % files;
    Square::from_index(square.index() - file + (files - 1 - file))
}

/// The placements of the pawns that a file has, in its order.
#[cfg(feature = "parallel")]
#[derive(Clone, Debug)]
pub(super) enum PawnPlacements {
    /// One, as the name of the file says.
    One(Vec<Square>),
    /// All of them.
    All {
        dimensions: Vec<PawnDimension>,
        /// Where each pawn may stand.
        zones: Vec<geometry::SquareSet>,
        /// Files of the board.
        files: usize,
    },
}

#[cfg(feature = "parallel")]
impl PawnPlacements {
    /// All placements of the pawns of a canonical material.
    pub(super) fn all(variant: &Variant, material: &Material) -> Self {
        let pawns = material.men().filter(|&man| variant.is_pawn(man));
        PawnPlacements::All {
            dimensions: PawnDimension::all(variant, material),
            zones: pawns.map(|man| variant.zone(man)).collect(),
            files: variant.board.files(),
        }
    }

    /// The dimensions of the array that the pawns are; none if there is one placement.
    pub(super) fn dimensions(&self) -> &[PawnDimension] {
        match self {
            PawnPlacements::One(_) => &[],
            PawnPlacements::All { dimensions, .. } => dimensions,
        }
    }

    /// How many there are, those in which pawns cannot stand so among them.
    pub(super) fn len(&self) -> usize {
        self.dimensions().iter().map(|dimension| dimension.len() as usize).product()
    }

    /// The squares of the pawns, in the order of the men; none if they cannot stand so.
    pub(super) fn squares(&self, mut number: usize) -> Option<Vec<Square>> {
        let (dimensions, zones, files) = match self {
            PawnPlacements::One(squares) => return Some(squares.clone()),
            PawnPlacements::All { dimensions, zones, files } => (dimensions, zones, *files),
        };
        let mut squares = vec![Square::from_index(0); dimensions.len()];
        for (place, dimension) in dimensions.iter().enumerate().rev() {
            let len = dimension.len() as usize;
            squares[place] = dimension.square(number % len, files);
            number /= len;
        }
        let stands = |place: usize| {
            zones[place].contains(squares[place]) && !squares[..place].contains(&squares[place])
        };
        (0..squares.len()).all(stands).then_some(squares)
    }
}

/// The word of the format in place of a sum. It says that the table's files were not in the folder when this
/// one was made; nothing was left out of the values.
const NO_SUM: &str = "absent";

/// The word in older files.
const OLD_NO_SUM: &str = "pruned";

/// The text, a line for each table.
#[cfg(feature = "parallel")]
pub(super) fn encode(dependencies: &[(String, Option<Sum>)]) -> String {
    let line = |(name, sum): &(String, Option<Sum>)| match sum {
        Some(sum) => format!("{name} {}\n", sum.iter().map(|byte| format!("{byte:02x}")).collect::<String>()),
        None => format!("{name} {NO_SUM}\n"),
    };
    dependencies.iter().map(line).collect()
}

/// The tables of a text; none if it is no such list.
pub(super) fn decode(text: &str) -> Option<Vec<(String, Option<Sum>)>> {
    let sum = |digits: &str| {
        let byte = |i: usize| u8::from_str_radix(digits.get(2 * i..2 * i + 2)?, 16).ok();
        let bytes: Option<Vec<u8>> = (0..16).map(byte).collect();
        bytes.filter(|_| digits.len() == 32)?.try_into().ok()
    };
    let line = |line: &str| match line.split_once(' ')? {
        (name, NO_SUM | OLD_NO_SUM) => Some((name.to_owned(), None)),
        (name, digits) => Some((name.to_owned(), Some(sum(digits)?))),
    };
    text.lines().map(line).collect()
}
