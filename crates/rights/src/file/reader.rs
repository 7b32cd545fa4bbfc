//! Opens a file and reads its choices of rights.

use super::index::{BlockIndex, FileIndex, rules_of};
use super::{FORMAT_VERSION, HEAD_BYTES, MAGIC, checksum_of};
use crate::{RightsError, RightsKey, RightsTable, RightsTables, VERSION};
use format::read_regular;
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
    /// Each choice of rights, and where it is in the bytes.
    blocks: Vec<(RightsKey, BlockIndex, Range<usize>)>,
    bytes: Vec<u8>,
}

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
        let (index, bytes, begin) = read_index(path)?;
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
        let (solver, mut at, mut blocks) = (index.solver, begin, Vec::new());
        for (key, block) in keys.into_iter().zip(index.blocks) {
            let end = usize::try_from(block.n_bytes).ok().and_then(|n_bytes| at.checked_add(n_bytes));
            let end = end.filter(|&end| end <= bytes.len()).ok_or_else(|| damaged("it is cut short"))?;
            blocks.push((key, block, at..end));
            at = end;
        }
        if at != bytes.len() {
            return Err(damaged("it is too long"));
        }
        Ok(RightsFile { path: path.into(), variant: variant.clone(), solver, blocks, bytes })
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
        self.bytes.len() as u64
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
        let packed = &self.bytes[place.clone()];
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

/// Reads a file: its index, all its bytes, and where the blocks begin.
fn read_index(path: &Path) -> Result<(FileIndex, Vec<u8>, usize), RightsError> {
    let bytes = read_regular(path).map_err(RightsError::io("read", path))?;
    let damaged = |what: &str| RightsError::damaged(path, what);
    let Some(head) = bytes.first_chunk::<HEAD_BYTES>().filter(|head| head[..8] == MAGIC) else {
        return Err(damaged("this is no file of positions with castling rights"));
    };
    let number = |at: usize| u32::from_le_bytes(std::array::from_fn(|i| head[at + i]));
    let got = number(8);
    if got != FORMAT_VERSION {
        return Err(RightsError::Version { path: path.into(), got, expected: FORMAT_VERSION });
    }
    let end = HEAD_BYTES.saturating_add(number(12) as usize);
    let packed = bytes.get(HEAD_BYTES..end).ok_or_else(|| damaged("it is cut short"))?;
    if checksum_of(&head[..16], packed) != head[16..] {
        return Err(damaged("its index is damaged"));
    }
    let json = zstd::stream::decode_all(packed).map_err(|_| damaged("its index is damaged"))?;
    let index = serde_json::from_slice(&json).map_err(|_| damaged("its index is of another version"))?;
    Ok((index, bytes, end))
}
