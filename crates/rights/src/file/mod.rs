//! Keeps the positions with rights to castle of one material in a file, which is written whole or not at
//! all: a container of one page for each choice of rights.
//!
//! A file is named `KRvK.tsr`, and `KRvK.dtz50.tsr` of another metric than the game's. docs/table-format.md
//! specifies numbers and codes. Nothing is used before its checksum was compared, and no number in a file
//! asks for more memory than the rules say its values take.

use crate::{RightsError, RightsKey, RightsTable, RightsTables, VERSION};
use format::{FormatError, Head, PackedPage, PageKey, SealedFile, write_container};
use serde::{Deserialize, Serialize};
use std::fmt::Write;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use table::Code;
use variant::{Castling, Material, Metric, Side, UnknownMetric, Variant};

/// What the container is of.
const KIND: [u8; 4] = *b"TSR\0";

/// How hard pages are packed: more costs more time than it saves room.
const ZSTD_LEVEL: i32 = 12;

/// The most bytes of an index, unpacked: some dozens for each choice of rights, of which Chess960 has
/// thousands.
const MOST_INDEX_BYTES: u64 = 16 << 20;

/// What a file says of itself, its rules unchecked.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct RightsSummary {
    /// The game.
    pub variant: String,
    /// The metric's name.
    pub metric: String,
    /// The material's name.
    pub material: String,
    /// The program that made it.
    pub program: String,
    /// The version of the solver.
    solver: u32,
    /// The names of the choices of men and rights, a page each.
    keys: Vec<String>,
}

impl RightsSummary {
    /// Reads the index of a file.
    ///
    /// # Errors
    /// It is not there, cannot be read, or is damaged.
    pub fn read(path: &Path) -> Result<Self, RightsError> {
        Ok(open(path)?.1)
    }
}

/// Opens a file and reads its index.
fn open(path: &Path) -> Result<(SealedFile, RightsSummary), RightsError> {
    let damaged = |what: &str| RightsError::damaged(path, what);
    let file = SealedFile::open(path, KIND, MOST_INDEX_BYTES).map_err(|error| match error {
        FormatError::Io { source, .. } => RightsError::io("read", path)(source),
        _ => damaged("it holds no castling rights, or is damaged"),
    })?;
    let summary = file.about().map_err(|_| damaged("its index is of another version"))?;
    Ok((file, summary))
}

/// The positions with rights to castle of one material, from a file.
#[derive(Debug)]
pub struct RightsFile {
    path: PathBuf,
    variant: Variant,
    solver: u32,
    /// The choices of rights, by page.
    keys: Vec<RightsKey>,
    pages: SealedFile,
}

impl RightsFile {
    /// Opens the file of a canonical material.
    ///
    /// # Errors
    /// It is not there, is damaged, or is of other rules, another material or another metric.
    pub fn open(
        path: &Path,
        variant: &Variant,
        material: &Material,
        metric: Metric,
    ) -> Result<Self, RightsError> {
        let (pages, summary) = open(path)?;
        let damaged = |what: &str| RightsError::damaged(path, what);
        if summary.material != material.name(variant) || summary.metric != metric.name() {
            let RightsSummary { material, metric, .. } = summary;
            return Err(damaged(&format!("it is of {material} under {metric}, and has another name")));
        }
        if pages.identity() != rules_of(variant, material, metric) {
            return Err(RightsError::OtherRules { path: path.into(), variant: variant.name.clone() });
        }
        let keys = RightsKey::all(variant, material);
        let fits = |key: &RightsKey| RightsTables::check_size(variant, key).is_ok();
        let names = keys.iter().map(|key| key.name(variant));
        if !names.eq(summary.keys) || !keys.iter().all(fits) {
            return Err(damaged("it has other choices of rights than there are"));
        }
        Ok(RightsFile { path: path.into(), variant: variant.clone(), solver: summary.solver, keys, pages })
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
        self.pages.size_bytes()
    }

    /// The choices of rights, those with the fewest rights first.
    pub fn keys(&self) -> impl ExactSizeIterator<Item = &RightsKey> {
        self.keys.iter()
    }

    /// Reads a choice of rights; none if the key is not canonical or of another material.
    ///
    /// # Errors
    /// Its page is damaged.
    pub fn table(&self, key: &RightsKey) -> Result<Option<Arc<RightsTable>>, RightsError> {
        let Some(number) = self.keys.iter().position(|own| own == key) else { return Ok(None) };
        let name = || key.name(&self.variant);
        let damaged = || RightsError::damaged(&self.path, format!("the page `{}` is damaged", name()));
        let n_values = key.n_numbers(&self.variant) as usize;
        let codes = self.pages.read(page_key(number), n_values).map_err(|error| match error.kind() {
            ErrorKind::InvalidData | ErrorKind::NotFound => damaged(),
            _ => RightsError::io("read", &self.path)(error),
        })?;
        let codes = u16::slice_of(codes.as_ref()).filter(|codes| codes.len() == n_values);
        let codes = codes.ok_or_else(damaged)?;
        Ok(Some(Arc::new(RightsTable::from_codes(&self.variant, key.clone(), codes.into()))))
    }
}

/// The page of a choice of rights.
fn page_key(number: usize) -> PageKey {
    PageKey { table: number as u32, stm: Side::White, unit: 0, page: 0 }
}

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
    let about = RightsSummary {
        variant: variant.name.clone(),
        metric: metric.name().to_owned(),
        material: material.name(variant),
        program: program.to_owned(),
        solver: VERSION,
        keys: tables.iter().map(|table| table.key().name(variant)).collect(),
    };
    let page =
        |number: usize| PackedPage::new(page_key(number), u16::borrowed(tables[number].codes()), ZSTD_LEVEL);
    let pages = (0..tables.len()).map(page).collect::<io::Result<Vec<_>>>();
    let pages = pages.map_err(RightsError::io("pack", path))?;
    let head = Head { kind: KIND, identity: rules_of(variant, material, metric) };
    Ok(write_container(path, head, &about, &pages)?)
}

/// The hash of the rules that positions with rights are solved by: those of the table, and castling.
fn rules_of(variant: &Variant, material: &Material, metric: Metric) -> [u8; 32] {
    let mut text = format::rules_hash(variant, material, metric).to_string();
    if let Some(rule) = &variant.rules.castling {
        text += &castling_line(variant, rule);
    }
    *blake3::hash(text.as_bytes()).as_bytes()
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
