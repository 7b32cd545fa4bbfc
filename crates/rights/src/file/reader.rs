//! Opens a file and reads its choices of rights.

use super::index::{BlockIndex, FileIndex, rules_of};
use super::{FORMAT_VERSION, HEAD_BYTES, MAGIC, checksum_of};
use crate::{RightsError, RightsKey, RightsTable, RightsTables, VERSION};
use format::open_regular;
use std::cmp::Ordering;
use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use variant::{Material, Metric, Variant};

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
