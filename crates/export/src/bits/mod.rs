//! Writes and reads one-bit files, `.tsq`: a yes or no for every position of a table.
//!
//! Who only asks whether White wins, or wins within this many plies, needs one bit a position. A file
//! answers one [`Question`]; it has the table's numbering, in a container of pages of 2^18 bits.
//!
//! Places that stand for no position repeat the bit before them, which costs nothing. A symmetric material
//! has the positions with Black to move too, in the numbers of those with the colours exchanged: a question
//! is not the same with them exchanged.
//!
//! The format is specified in docs/table-format.md.

mod question;
#[cfg(feature = "parallel")]
mod writer;

use format::{Checksum, FormatError, PageKey, SealedFile, rules_hash};
use geometry::Square;
use index::Layout;
use parking_lot::Mutex;
use position::Position;
use serde::{Deserialize, Serialize};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use table::{Codes, Mapping};
use variant::{Man, Material, Metric, Side, Variant};

pub use question::{Question, UnknownQuestion};
#[cfg(feature = "parallel")]
pub use writer::{BitsWritten, write};

/// The ending of a file's name.
pub const EXTENSION: &str = "tsq";

/// The name of the file of a material, such as `KQvKR.dtz50.white-wins-99.tsq`; the game's own metric is
/// left out, but for `help`.
#[must_use]
pub fn file_name(material: &str, metric: Metric, default: Metric, question: Question) -> String {
    let metric =
        if metric == default && metric != Metric::Help { String::new() } else { format!("{metric}.") };
    format!("{material}.{metric}{}.{EXTENSION}", question.slug())
}

/// What the container is of.
const KIND: [u8; 4] = *b"TSQ\0";

/// How many bits a block has.
const BLOCK_BITS: u32 = 1 << 18;

/// The most bytes of an index, unpacked: some dozens for each block.
const MOST_INDEX_BYTES: u64 = 1 << 28;

/// What a file says of itself.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct Header {
    material: String,
    metric: String,
    question: String,
    /// The n-move rule, in plies.
    rule_plies: Option<u16>,
    /// Placements a side to move.
    placements: u64,
    /// Which values the table has that the file was made of.
    table: Checksum,
    /// The hash of the hashes of all blocks.
    bits: Checksum,
}

impl Header {
    /// How many blocks a side to move has.
    fn blocks_per_side(&self) -> u64 {
        self.placements.div_ceil(BLOCK_BITS.into())
    }

    fn n_blocks(&self) -> u64 {
        2 * self.blocks_per_side()
    }

    /// How many bits a block has.
    fn bits_of(&self, block: u64) -> u64 {
        let begin = block % self.blocks_per_side() * u64::from(BLOCK_BITS);
        (self.placements - begin).min(BLOCK_BITS.into())
    }

    /// The page of a block.
    fn page(&self, block: u64) -> PageKey {
        let (stm, page) = (block / self.blocks_per_side(), block % self.blocks_per_side());
        PageKey { table: 0, stm: Side::BOTH[stm as usize], unit: 0, page: page as u32 }
    }
}

/// A `.tsq` file, for any number of threads.
///
/// Nothing is used before its checksum has been compared.
#[derive(Debug)]
pub struct BitsFile {
    path: PathBuf,
    file: SealedFile,
    header: Header,
    metric: Metric,
    question: Question,
    layout: Layout,
    /// The block that was asked for last.
    last: Mutex<Option<(u64, Arc<Vec<u8>>)>>,
}

impl BitsFile {
    /// Opens a file of a game's tables.
    ///
    /// # Errors
    /// It is not there, is damaged, or is of other rules.
    pub fn open(path: &Path, variant: &Variant) -> Result<Self, BitsError> {
        let damaged = |what: &str| BitsError::damaged(path, what);
        let file = SealedFile::open(path, KIND, MOST_INDEX_BYTES).map_err(|error| match error {
            error @ (FormatError::Io { .. } | FormatError::Version { .. }) => BitsError::File(error),
            _ => damaged("it is no whole one-bit file"),
        })?;
        let header: Header = file.about().map_err(|_| damaged("its index is of another version"))?;
        let other_rules = || BitsError::OtherRules {
            path: path.into(),
            material: header.material.clone(),
            variant: variant.name.clone(),
        };
        let metric: Metric = header.metric.parse().map_err(|_| damaged("it is of an unknown metric"))?;
        let question = header.question.parse().map_err(|_| damaged("it answers an unknown question"))?;
        let variant = &variant.for_metric(metric);
        let material = Material::parse(variant, &header.material).map_err(|_| other_rules())?;
        if Checksum(file.identity()) != rules_hash(variant, &material, metric)
            || header.rule_plies != variant.rules.rule_plies()
        {
            return Err(other_rules());
        }
        let layout = Layout::new(variant, &material);
        let n_blocks = Side::BOTH.map(|stm| file.n_pages(0, stm) as u64);
        let are_all = file.n_all_pages() as u64 == header.n_blocks();
        if layout.len() as u64 != header.placements || n_blocks != [header.blocks_per_side(); 2] || !are_all {
            return Err(damaged("it has another number of positions than its men"));
        }
        Ok(BitsFile { path: path.into(), file, header, metric, question, layout, last: Mutex::default() })
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What it answers.
    #[must_use]
    pub fn question(&self) -> Question {
        self.question
    }

    /// The metric of the table that it was made of.
    #[must_use]
    pub fn metric(&self) -> Metric {
        self.metric
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

    /// The answer for a position in either colours, and the question that it answers: where the colours are
    /// exchanged, the one with the colours exchanged. None if the men or the checks that were given are
    /// others, or if the men cannot stand so. Whether the position is legal is for the caller to find out.
    ///
    /// # Errors
    /// As [`BitsFile::answer`].
    pub fn answer_for(&self, position: &Position) -> Result<Option<(Question, bool)>, BitsError> {
        let ((men, squares), stm): ((Vec<Man>, Vec<Square>), Side) = (position.men().unzip(), position.stm());
        let mapping = Mapping::with_checks(&self.layout, [true; 2], &men, position.given_checks());
        let place = mapping.and_then(|mapping| mapping.locate(&self.layout, stm, &squares));
        let Some((own_stm, number)) = place else { return Ok(None) };
        let question = if own_stm == stm { self.question } else { self.question.swapped() };
        Ok(Some((question, self.bit(own_stm, number)?)))
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
        self.layout.encode(squares).map(|number| self.bit(stm, number)).transpose()
    }

    /// The answer for a canonical placement.
    fn bit(&self, stm: Side, number: usize) -> Result<bool, BitsError> {
        let plane = stm.index() as u64 * self.header.blocks_per_side();
        let (block, place) = (number / BLOCK_BITS as usize, number % BLOCK_BITS as usize);
        let bits = self.block(plane + block as u64)?;
        Ok(bits[place / 8] >> (place % 8) & 1 != 0)
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
            false => Err(BitsError::damaged(&self.path, "it does not hold what its index says")),
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
        let n_bytes = self.header.bits_of(number).div_ceil(8) as usize;
        let codes =
            self.file.read(self.header.page(number), n_bytes).map_err(|error| match error.kind() {
                ErrorKind::InvalidData | ErrorKind::NotFound => damaged(),
                _ => BitsError::File(FormatError::io(&self.path, "read")(error)),
            })?;
        match codes {
            Codes::OneByte(bits, _) if bits.len() == n_bytes => Ok(bits),
            _ => Err(damaged()),
        }
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
