//! Keeps the positions with rights to castle of one material in a file, which is written whole or not at
//! all.
//!
//! ```text
//!   head    magic (8 bytes), version (4), bytes of the index (4), checksum (16) of these and the index
//!   index   JSON, packed with Zstandard: the game, its rules, the metric, the material, and of each choice
//!           of rights its name, how many values it has, and the bytes and the checksum of its block
//!   blocks  one a choice of rights: the low bytes of its codes, then the high ones, packed with Zstandard
//! ```
//!
//! A file is named `KRvK.tsr`, and `KRvK.dtz50.tsr` of another metric than the game's. docs/table-format.md
//! specifies numbers and codes. Nothing is used before its checksum was compared, and no number in a file
//! asks for more memory than the rules say its values take. The whole file is read when it is opened: of
//! five men it has some hundred kilobytes.

use crate::{RightsError, RightsKey, RightsTable, RightsTables, VERSION};
use format::{Checksum, open_regular, write_atomically};
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;
use std::fmt::Write;
use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use variant::{Castling, Material, Metric, UnknownMetric, Variant};

const MAGIC: [u8; 8] = *b"\x89TSR\r\n\x1a\n";
const FORMAT_VERSION: u32 = 1;
const HEAD_BYTES: usize = 32;

/// The checksum in the head of a file.
fn checksum_of(head: &[u8], index: &[u8]) -> [u8; 16] {
    let hash = *blake3::Hasher::new().update(head).update(index).finalize().as_bytes();
    std::array::from_fn(|i| hash[i])
}

/// What a file says of itself, its rules unchecked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RightsSummary {
    /// The game.
    pub variant: String,
    /// The metric's name.
    pub metric: String,
    /// The material's name.
    pub material: String,
    /// The program that made it.
    pub program: String,
}

impl RightsSummary {
    /// Reads the index of a file.
    ///
    /// # Errors
    /// It is not there, cannot be read, or is damaged.
    pub fn read(path: &Path) -> Result<Self, RightsError> {
        let FileIndex { variant, metric, material, program, .. } = read_index(path)?.0;
        Ok(RightsSummary { variant, metric, material, program })
    }
}

/// The positions with rights to castle of one material, from a file.
#[derive(Debug)]
pub struct RightsFile {
    path: PathBuf,
    variant: Variant,
    solver: u32,
    /// Each choice of rights, and where its block is among the blocks.
    blocks: Vec<(RightsKey, BlockIndex, Range<usize>)>,
    /// All blocks.
    packed: Vec<u8>,
    size_bytes: u64,
}

/// The most bytes of an index, unpacked: some hundreds for each choice of rights, of which Chess960 has
/// thousands.
const MAX_INDEX_BYTES: u64 = 16 << 20;

impl RightsFile {
    /// Opens the file of a canonical material and reads it.
    ///
    /// # Errors
    /// It is not there, is damaged, or is of other rules, another material or another metric.
    pub fn open(
        path: &Path,
        variant: &Variant,
        material: &Material,
        metric: Metric,
    ) -> Result<Self, RightsError> {
        let (index, mut file, n_left) = read_index(path)?;
        let damaged = |what: &str| RightsError::damaged(path, what);
        let other_rules = || RightsError::OtherRules { path: path.into(), variant: variant.name.clone() };
        if index.material != material.name(variant) || index.metric != metric.name() {
            let FileIndex { material, metric, .. } = index;
            return Err(damaged(&format!("it is of {material} under {metric}, and has another name")));
        }
        if index.rules != rules_of(variant, material, metric) {
            return Err(other_rules());
        }
        let keys = RightsKey::all(variant, material);
        let fits = |key: &RightsKey| RightsTables::check_size(variant, key).is_ok();
        let is_whole = keys.len() == index.blocks.len()
            && keys.iter().zip(&index.blocks).all(|(key, block)| {
                fits(key) && key.name(variant) == block.key && key.n_numbers(variant) == block.n_values
            });
        if !is_whole {
            return Err(damaged("it has other choices of rights than there are"));
        }
        let (solver, mut at, mut blocks) = (index.solver, 0_usize, Vec::new());
        for (key, block) in keys.into_iter().zip(index.blocks) {
            // What the values can take is known, so no file makes its reader ask for more memory.
            let most = zstd::zstd_safe::compress_bound(2 * block.n_values as usize);
            let n_bytes = usize::try_from(block.n_bytes).ok().filter(|&n_bytes| n_bytes <= most);
            let n_bytes = n_bytes.ok_or_else(|| damaged("a block is longer than it can be"))?;
            blocks.push((key, block, at..at + n_bytes));
            at += n_bytes;
        }
        match n_left.cmp(&(at as u64)) {
            Ordering::Less => return Err(damaged("it is cut short")),
            Ordering::Greater => return Err(damaged("it is too long")),
            Ordering::Equal => {}
        }
        let mut packed = vec![0; at];
        file.read_exact(&mut packed).map_err(RightsError::io("read", path))?;
        let size_bytes = file.metadata().map_err(RightsError::io("read", path))?.len();
        Ok(RightsFile { path: path.into(), variant: variant.clone(), solver, blocks, packed, size_bytes })
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether it was made by this version of the solver.
    #[must_use]
    pub fn is_current(&self) -> bool {
        self.solver == VERSION
    }

    /// How many bytes it has.
    #[must_use]
    pub fn size_bytes(&self) -> u64 {
        self.size_bytes
    }

    /// The choices of rights, those with the fewest rights first.
    pub fn keys(&self) -> impl ExactSizeIterator<Item = &RightsKey> {
        self.blocks.iter().map(|(key, ..)| key)
    }

    /// Unpacks a choice of rights; none if the key is not canonical or of another material.
    ///
    /// # Errors
    /// Its block is damaged.
    pub fn table(&self, key: &RightsKey) -> Result<Option<Arc<RightsTable>>, RightsError> {
        let Some((_, block, place)) = self.blocks.iter().find(|(own, ..)| own == key) else {
            return Ok(None);
        };
        let packed = &self.packed[place.clone()];
        let damaged = || RightsError::damaged(&self.path, format!("the block `{}` is damaged", block.key));
        if *blake3::hash(packed).as_bytes() != block.checksum.0 {
            return Err(damaged());
        }
        let n_values = block.n_values as usize;
        let planes = zstd::bulk::decompress(packed, 2 * n_values).map_err(|_| damaged())?;
        if planes.len() != 2 * n_values {
            return Err(damaged());
        }
        let (low, high) = planes.split_at(n_values);
        let codes = low.iter().zip(high).map(|(&low, &high)| u16::from_le_bytes([low, high])).collect();
        Ok(Some(Arc::new(RightsTable::from_codes(&self.variant, key.clone(), codes))))
    }
}

/// Opens a file and reads its index; how many bytes come behind it.
fn read_index(path: &Path) -> Result<(FileIndex, File, u64), RightsError> {
    let damaged = |what: &str| RightsError::damaged(path, what);
    let short = |what: &'static str| {
        move |error: io::Error| match error.kind() {
            ErrorKind::UnexpectedEof => RightsError::damaged(path, what),
            _ => RightsError::io("read", path)(error),
        }
    };
    let other = "this is no file of positions with castling rights";
    let mut file = open_regular(path).map_err(RightsError::io("read", path))?;
    let n_bytes = file.metadata().map_err(RightsError::io("read", path))?.len();
    let mut head = [0; HEAD_BYTES];
    file.read_exact(&mut head).map_err(short(other))?;
    if head[..8] != MAGIC {
        return Err(damaged(other));
    }
    let number = |at: usize| u32::from_le_bytes(std::array::from_fn(|i| head[at + i]));
    let got = number(8);
    if got != FORMAT_VERSION {
        return Err(RightsError::Version { path: path.into(), got, expected: FORMAT_VERSION });
    }
    let n_packed = u64::from(number(12));
    if n_packed > MAX_INDEX_BYTES {
        return Err(damaged("its index is longer than it can be"));
    }
    let n_left =
        n_bytes.checked_sub(HEAD_BYTES as u64 + n_packed).ok_or_else(|| damaged("it is cut short"))?;
    let mut packed = vec![0; n_packed as usize];
    file.read_exact(&mut packed).map_err(short("it is cut short"))?;
    if checksum_of(&head[..16], &packed) != head[16..] {
        return Err(damaged("its index is damaged"));
    }
    let unpacked = zstd::stream::read::Decoder::new(&packed[..]);
    let mut json = Vec::new();
    let read = unpacked.and_then(|unpacked| unpacked.take(MAX_INDEX_BYTES + 1).read_to_end(&mut json));
    if read.is_err() || json.len() as u64 > MAX_INDEX_BYTES {
        return Err(damaged("its index is damaged"));
    }
    let index = serde_json::from_slice(&json).map_err(|_| damaged("its index is of another version"))?;
    Ok((index, file, n_left))
}

/// How hard blocks are packed: more costs more time than it saves room.
const ZSTD_LEVEL: i32 = 12;

/// Writes all choices of rights of a material; how many bytes the file has.
///
/// # Errors
/// The system refuses it.
pub fn write_rights_file(
    path: &Path,
    variant: &Variant,
    material: &Material,
    metric: Metric,
    tables: &[Arc<RightsTable>],
    program: &str,
) -> Result<u64, RightsError> {
    let failed = || RightsError::io("pack", path);
    let mut blocks = Vec::new();
    let mut packed = Vec::new();
    for table in tables {
        let bytes = zstd::bulk::compress(&planes(table.codes()), ZSTD_LEVEL).map_err(failed())?;
        blocks.push(BlockIndex {
            key: table.key().name(variant),
            n_values: table.codes().len() as u64,
            n_bytes: bytes.len() as u64,
            checksum: Checksum(*blake3::hash(&bytes).as_bytes()),
        });
        packed.push(bytes);
    }
    let index = FileIndex {
        variant: variant.name.clone(),
        rules: rules_of(variant, material, metric),
        solver: VERSION,
        metric: metric.name().to_owned(),
        material: material.name(variant),
        program: program.to_owned(),
        blocks,
    };
    let json = serde_json::to_vec(&index).map_err(io::Error::other).map_err(failed())?;
    let index = zstd::bulk::compress(&json, ZSTD_LEVEL).map_err(failed())?;
    let mut head =
        [MAGIC.as_slice(), &FORMAT_VERSION.to_le_bytes(), &(index.len() as u32).to_le_bytes()].concat();
    head.extend(checksum_of(&head, &index));
    let parts: Vec<&[u8]> =
        [head.as_slice(), &index].into_iter().chain(packed.iter().map(Vec::as_slice)).collect();
    debug_assert_eq!(head.len(), HEAD_BYTES);
    write_atomically(path, &parts)?;
    Ok(parts.iter().map(|part| part.len() as u64).sum())
}

/// The low bytes of codes, then the high ones: most of these are zero.
fn planes(codes: &[u16]) -> Vec<u8> {
    let low = codes.iter().map(|code| code.to_le_bytes()[0]);
    low.chain(codes.iter().map(|code| code.to_le_bytes()[1])).collect()
}

/// The index of a file, as JSON.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
struct FileIndex {
    /// The game.
    variant: String,
    /// The hash of its rules.
    rules: Checksum,
    /// The version of the solver.
    solver: u32,
    metric: String,
    material: String,
    /// Which program made it.
    program: String,
    blocks: Vec<BlockIndex>,
}

/// One choice of rights.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
struct BlockIndex {
    /// The name of the choice of men and rights.
    key: String,
    n_values: u64,
    n_bytes: u64,
    checksum: Checksum,
}

/// The hash of the rules that positions with rights are solved by: those of the table, and castling.
fn rules_of(variant: &Variant, material: &Material, metric: Metric) -> Checksum {
    let mut text = format::rules_hash(variant, material, metric).to_string();
    if let Some(rule) = &variant.rules.castling {
        text += &castling_line(variant, rule);
    }
    Checksum(*blake3::hash(text.as_bytes()).as_bytes())
}

/// The rule of castling as a text that is equal for equal rules.
fn castling_line(variant: &Variant, rule: &Castling) -> String {
    let letter = |piece| variant.piece(piece).letter;
    let rooks: String = rule.rooks.iter().map(|&piece| letter(piece)).collect();
    let [kingside, queenside] = rule.king_targets;
    let mut text =
        format!("\ncastling {} {rooks} rank {} to {kingside} {queenside}", letter(rule.king), rule.rank);
    let [right, left] = rule.rook_files;
    // Writing to a string cannot fail.
    let _ = match rule.any_files {
        true => write!(text, " from any file"),
        false => write!(text, " from {} {right} {left}", rule.king_file),
    };
    text
}

/// How the names of files end.
pub const EXTENSION: &str = "tsr";

/// The name of the file for a material under a metric, `default` being the game's own.
#[must_use]
pub fn rights_file_name(material: &str, metric: Metric, default: Metric) -> String {
    if metric == default {
        format!("{material}.{EXTENSION}")
    } else {
        format!("{material}.{metric}.{EXTENSION}")
    }
}

/// The material and the metric that a file's name says, `default` being the metric of a name without one;
/// none if the name has another ending. Whether there is such a material is not checked.
#[must_use]
pub fn parse_rights_file_name(name: &str, default: Metric) -> Option<(&str, Result<Metric, UnknownMetric>)> {
    let stem = name.strip_suffix(EXTENSION)?.strip_suffix('.')?;
    Some(match stem.split_once('.') {
        None => (stem, Ok(default)),
        Some((material, metric)) => (material, metric.parse()),
    })
}

#[cfg(test)]
mod tests;
