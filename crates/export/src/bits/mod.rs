//! Writes and reads one-bit files, `.tsq`: a yes or no for every position of a table.
//!
//! Who only asks whether White wins, or wins within this many plies, needs one bit a position. A file
//! answers one [`Question`]; it has the table's numbering, White to move first, in blocks that are
//! compressed each by itself:
//!
//! ```text
//!   header 256 bytes ─ index: length and checksum of every block ─ blocks: 2^18 bits each, Zstandard
//! ```
//!
//! Places that stand for no position repeat the bit before them, which costs nothing. A symmetric material
//! has the positions with Black to move too, in the numbers of those with the colours exchanged: a question
//! is not the same with them exchanged.
//!
//! The format is specified in docs/table-format.md.

mod question;
#[cfg(feature = "parallel")]
mod writer;

use format::{Checksum, FormatError, SharedFile, open_regular, rules_hash, short_checksum};
use geometry::Square;
use index::Layout;
use parking_lot::Mutex;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use variant::{Man, Material, Metric, Side, Variant};

pub use question::{Question, UnknownQuestion};
#[cfg(feature = "parallel")]
pub use writer::{BitsWritten, write};

/// The ending of a file's name.
pub const EXTENSION: &str = "tsq";

/// The name of the file of a material, such as `KQvKR.dtz50.white-wins-99.tsq`; the game's own metric is
/// left out.
#[must_use]
pub fn file_name(material: &str, metric: Metric, default: Metric, question: Question) -> String {
    let metric = if metric == default { String::new() } else { format!("{metric}.") };
    format!("{material}.{metric}{}.{EXTENSION}", question.slug())
}

/// How many bytes the header has.
///
/// ```text
///     0  magic, 8 bytes          24  placements a side to move    64  metric, 8 bytes
///     8  version                 32  bytes of the index           72  material, 32 bytes
///    12  bits of a block         40  bytes of all blocks         104  question, 32 bytes
///    16  n-move rule, in plies   48  zeros                       136  hash of the rules, 32 bytes
///    20  zeros                                                   168  name of the table, 32 bytes
///   200  hash of all bits, 32 bytes   232  checksum of the index, 8   240  checksum of this header, 16
/// ```
const HEADER_BYTES: usize = 256;

/// How many bits a block has.
const BLOCK_BITS: u32 = 1 << 18;

/// The bytes of an entry of the index: length and checksum.
const ENTRY_BYTES: usize = 20;

const MAGIC: [u8; 8] = *b"\x89TSQ\r\n\x1a\n";
const VERSION: u32 = 1;

/// No n-move rule.
const NO_RULE: u32 = u32::MAX;

/// What the header says.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Header {
    rule_plies: Option<u16>,
    /// Placements a side to move.
    placements: u64,
    blocks_bytes: u64,
    metric: Metric,
    material: String,
    question: Question,
    rules: Checksum,
    /// Which values the table has that the file was made of.
    table: Checksum,
    bits: Checksum,
    index: [u8; 8],
}

/// The bytes at an offset.
fn field<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    std::array::from_fn(|i| bytes[at + i])
}

impl Header {
    /// How many blocks a side to move has.
    fn blocks_per_side(&self) -> u64 {
        self.placements.div_ceil(BLOCK_BITS.into())
    }

    fn n_blocks(&self) -> u64 {
        2 * self.blocks_per_side()
    }

    fn index_bytes(&self) -> u64 {
        self.n_blocks() * ENTRY_BYTES as u64
    }

    /// How many bits a block has.
    fn bits_of(&self, block: u64) -> u64 {
        let begin = block % self.blocks_per_side() * u64::from(BLOCK_BITS);
        (self.placements - begin).min(BLOCK_BITS.into())
    }

    /// The bytes; what is too long if a text does not fit.
    fn encode(&self) -> Result<[u8; HEADER_BYTES], String> {
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
    fn decode(path: &Path, bytes: &[u8], file_bytes: u64) -> Result<Self, BitsError> {
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

/// A `.tsq` file, for any number of threads.
///
/// Nothing is used before its checksum has been compared.
#[derive(Debug)]
pub struct BitsFile {
    path: PathBuf,
    file: SharedFile,
    header: Header,
    layout: Layout,
    /// Where each block begins, and behind the last where the file ends; and their checksums.
    blocks: Vec<(u64, [u8; 16])>,
    /// The block that was asked for last.
    last: Mutex<Option<(u64, Arc<Vec<u8>>)>>,
}

impl BitsFile {
    /// Opens a file of a game's tables.
    ///
    /// # Errors
    /// It is not there, is damaged, or is of other rules.
    pub fn open(path: &Path, variant: &Variant) -> Result<Self, BitsError> {
        let file = open_regular(path).map_err(FormatError::io(path, "open"))?;
        let file_bytes = file.metadata().map_err(FormatError::io(path, "read the size of"))?.len();
        let file = SharedFile::new(file);
        let read = |at: u64, len: usize| {
            let mut bytes = vec![0; len];
            file.read_exact_at(&mut bytes, at).map_err(FormatError::io(path, "read"))?;
            Ok::<_, FormatError>(bytes)
        };
        let header = Header::decode(path, &read(0, HEADER_BYTES.min(file_bytes as usize))?, file_bytes)?;
        let other_rules = || BitsError::OtherRules {
            path: path.into(),
            material: header.material.clone(),
            variant: variant.name.clone(),
        };
        let material = Material::parse(variant, &header.material).map_err(|_| other_rules())?;
        if rules_hash(variant, &material, header.metric) != header.rules
            || header.rule_plies != variant.rules.rule_plies()
        {
            return Err(other_rules());
        }
        let layout = Layout::new(variant, &material);
        if layout.len() as u64 != header.placements {
            return Err(BitsError::damaged(path, "it has another number of positions than its men"));
        }
        let index = read(HEADER_BYTES as u64, header.index_bytes() as usize)?;
        if short_checksum(&index)[..8] != header.index {
            return Err(BitsError::damaged(path, "its index has another checksum"));
        }
        let mut at = HEADER_BYTES as u64 + header.index_bytes();
        let mut blocks = Vec::with_capacity(index.len() / ENTRY_BYTES + 1);
        for entry in index.chunks_exact(ENTRY_BYTES) {
            let (length, sum) = entry.split_at(4);
            blocks.push((at, sum.try_into().expect("the rest of an entry")));
            at += u64::from(u32::from_le_bytes(length.try_into().expect("four bytes")));
        }
        if at != file_bytes {
            return Err(BitsError::damaged(path, "its blocks are not as long as its index says"));
        }
        blocks.push((at, [0; 16]));
        Ok(BitsFile { path: path.into(), file, header, layout, blocks, last: Mutex::default() })
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What it answers.
    #[must_use]
    pub fn question(&self) -> Question {
        self.header.question
    }

    /// The metric of the table that it was made of.
    #[must_use]
    pub fn metric(&self) -> Metric {
        self.header.metric
    }

    /// Which values that table has.
    #[must_use]
    pub fn table(&self) -> Checksum {
        self.header.table
    }

    /// The numbering of the positions.
    #[must_use]
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    #[cfg(feature = "parallel")]
    fn header(&self) -> &Header {
        &self.header
    }

    /// The answer for some men in either colours, and the question that it answers: where the colours are
    /// exchanged, the one with the colours exchanged. None if the men are others or cannot stand so. Whether
    /// the position is legal is for the caller to find out.
    ///
    /// # Errors
    /// As [`BitsFile::answer`].
    pub fn answer_for(
        &self,
        variant: &Variant,
        men: &[(Man, Square)],
        stm: Side,
    ) -> Result<Option<(Question, bool)>, BitsError> {
        let is_swapped = !Material::from_men(men.iter().map(|&(man, _)| man)).is_canonical(variant);
        let seen = |&(man, square): &(Man, Square)| match is_swapped {
            true => (Man { side: !man.side, ..man }, variant.swap_colours(square)),
            false => (man, square),
        };
        let mut left: Vec<(Man, Square)> = men.iter().map(seen).collect();
        let mut squares = Vec::new();
        for &man in self.layout.men() {
            let Some(at) = left.iter().position(|&(own, _)| own == man) else { return Ok(None) };
            squares.push(left.swap_remove(at).1);
        }
        if !left.is_empty() {
            return Ok(None);
        }
        let (question, stm) =
            if is_swapped { (self.question().swapped(), !stm) } else { (self.question(), stm) };
        Ok(self.answer(stm, &squares)?.map(|answer| (question, answer)))
    }

    /// The answer for the men of the layout on these squares; none if they cannot stand so. Whether the
    /// position is legal is for the caller to find out.
    ///
    /// Complexity: one block is decompressed, unless it was asked for last.
    ///
    /// # Errors
    /// The block is damaged or cannot be read.
    ///
    /// # Panics
    /// If there is not one square for each man.
    pub fn answer(&self, stm: Side, squares: &[Square]) -> Result<Option<bool>, BitsError> {
        let Some(number) = self.layout.encode(squares) else { return Ok(None) };
        let plane = stm.index() as u64 * self.header.blocks_per_side();
        let (block, place) = (number / BLOCK_BITS as usize, number % BLOCK_BITS as usize);
        let bits = self.block(plane + block as u64)?;
        Ok(Some(bits[place / 8] >> (place % 8) & 1 != 0))
    }

    /// Decompresses everything and compares every checksum.
    ///
    /// # Errors
    /// The first that is another one.
    pub fn verify_checksums(&self) -> Result<(), BitsError> {
        let mut hashes = blake3::Hasher::new();
        for block in 0..self.header.n_blocks() {
            hashes.update(blake3::hash(&self.read_block(block)?).as_bytes());
        }
        match Checksum(*hashes.finalize().as_bytes()) == self.header.bits {
            true => Ok(()),
            false => Err(BitsError::damaged(&self.path, "it does not hold what its header says")),
        }
    }

    fn block(&self, number: u64) -> Result<Arc<Vec<u8>>, BitsError> {
        let lock = || self.last.lock();
        if let Some((last, bits)) = &*lock()
            && *last == number
        {
            return Ok(bits.clone());
        }
        let bits = Arc::new(self.read_block(number)?);
        *lock() = Some((number, bits.clone()));
        Ok(bits)
    }

    fn read_block(&self, number: u64) -> Result<Vec<u8>, BitsError> {
        let damaged = || BitsError::damaged(&self.path, format!("its block {number} has another checksum"));
        let [(begin, sum), (end, _)] = [number, number + 1].map(|block| self.blocks[block as usize]);
        let mut packed = vec![0; (end - begin) as usize];
        self.file.read_exact_at(&mut packed, begin).map_err(FormatError::io(&self.path, "read"))?;
        if short_checksum(&packed) != sum {
            return Err(damaged());
        }
        let n_bytes = self.header.bits_of(number).div_ceil(8) as usize;
        zstd::bulk::decompress(&packed, n_bytes).ok().filter(|bits| bits.len() == n_bytes).ok_or_else(damaged)
    }
}

/// Why a one-bit file cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BitsError {
    /// It is damaged, or no such file at all.
    #[error("{path} is damaged: {what}; export it again", path = .path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        what: String,
    },
    /// It is of another format version.
    #[error(
        "{path} has version {got}, and this program reads version {expected}; export it again",
        path = .path.display()
    )]
    Version {
        /// The file.
        path: PathBuf,
        /// Its version.
        got: u32,
        /// The version that is read.
        expected: u32,
    },
    /// It was made under other rules.
    #[error(
        "{path} holds {material} under other rules than {variant} has now; export it again, or give the rules that it \
         was made with",
        path = .path.display()
    )]
    OtherRules {
        /// The file.
        path: PathBuf,
        /// What it says it holds.
        material: String,
        /// The variant's name.
        variant: String,
    },
    /// It cannot be read or written, whatever it holds.
    #[error(transparent)]
    File(#[from] FormatError),
}

impl BitsError {
    fn damaged(path: &Path, what: impl Into<String>) -> Self {
        BitsError::Damaged { path: path.into(), what: what.into() }
    }
}

#[cfg(all(test, feature = "parallel"))]
mod tests;
