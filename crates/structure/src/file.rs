//! Keeps the slices of a structure in one file: a container of pages, with an index as JSON.
//!
//! A *unit* of the container is a whole table that was solved in memory, or a slice of one that was not.

use crate::graph::TableId;
use crate::{Bound, Limit, StructureError};
use format::{FormatError, Head, PageKey, PageStore, SealedFile};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{fs, io};
use table::Codes;
use variant::Side;

/// What the container is of.
const KIND: [u8; 4] = *b"TSS\0";

/// How the names of structures end.
pub const EXTENSION: &str = "tss";

/// The index of a file, as JSON.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct FileIndex {
    /// The game.
    pub(crate) variant: String,
    /// The hash of its rules, as hexadecimal digits.
    pub(crate) rules: String,
    /// The metric's name.
    pub(crate) metric: String,
    /// The positions that the structure was made for, as FENs.
    pub(crate) roots: Vec<String>,
    /// The limit inside which it was solved.
    pub(crate) limit: Limit,
    /// What was found: the values, or bounds of them.
    pub(crate) bounds: Vec<Bound>,
    /// The names of the canonical materials whose tables were read, and whose values are not here.
    #[serde(default)]
    pub(crate) used: Vec<String>,
    /// Which program made it.
    pub(crate) program: String,
    /// The tables, in the order in which they were solved.
    pub(crate) tables: Vec<TableIndex>,
}

/// A material's slices, or those of a bound.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct TableIndex {
    /// The material's name, with its own colours.
    pub(crate) material: String,
    /// What the values are.
    pub(crate) bound: Bound,
    /// The squares of the pawns of each slice, by number; without pawns none.
    pub(crate) slices: Vec<Vec<u8>>,
    /// How many codes a unit has.
    pub(crate) unit_len: u64,
    /// How many codes a page has, but the last of a unit.
    pub(crate) page_len: u64,
}

/// The most bytes of an index, unpacked: some dozens for each slice, of which there may be millions.
const MOST_INDEX_BYTES: u64 = 1 << 30;

/// How often what is written is made to last.
const SYNC_INTERVAL: Duration = Duration::from_secs(60);

/// What is added to the name of a file in the making.
pub(crate) const PART: &str = "part";

/// Opens the file in the making that is to have this name, or goes on with what an earlier run has left of
/// it; `identity` names all that its values depend on.
///
/// # Errors
/// The system refuses it.
pub(crate) fn open_part(path: &Path, identity: [u8; 32]) -> Result<PageStore, StructureError> {
    let part = part_path(path);
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let made = folder.map_or(Ok(()), fs::create_dir_all);
    let opened = made.and_then(|()| PageStore::open(&part, Head { kind: KIND, identity }, SYNC_INTERVAL));
    opened.map_err(StructureError::io("write", &part))
}

/// The file in the making that is to have this name.
pub(crate) fn part_path(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(format!(".{PART}"));
    path.with_file_name(name)
}

/// A whole file, open for reading.
#[derive(Debug)]
pub(crate) struct FileReader {
    pub(crate) path: PathBuf,
    pub(crate) index: FileIndex,
    pages: SealedFile,
}

impl FileReader {
    /// Opens a file and reads its index.
    ///
    /// # Errors
    /// It is not there, cannot be read, or is no whole structure.
    pub(crate) fn open(path: &Path) -> Result<Self, StructureError> {
        let damaged = |what: &str| StructureError::damaged(path, what);
        let pages = SealedFile::open(path, KIND, MOST_INDEX_BYTES).map_err(|error| match error {
            FormatError::Io { source, .. } => StructureError::io("read", path)(source),
            _ => damaged("this is no whole structure file"),
        })?;
        let index = pages.about().map_err(|_| damaged("the index is of another version"))?;
        Ok(FileReader { path: path.into(), index, pages })
    }

    /// Whether a solver of this version has made it.
    pub(crate) fn is_of_this_solver(&self) -> bool {
        self.pages.identity() == self.index.head().identity()
    }

    /// How many values it holds.
    pub(crate) fn n_values(&self) -> u64 {
        let of_table = |(table, number): (&TableIndex, TableId)| {
            let n_pages = Side::BOTH.map(|stm| self.pages.n_pages(number.0, stm) as u64);
            let per_unit = table.unit_len.div_ceil(table.page_len).max(1);
            n_pages.map(|n_pages| n_pages / per_unit * table.unit_len).iter().sum::<u64>()
        };
        self.index.tables.iter().zip((0..).map(TableId)).map(of_table).sum()
    }

    /// Whether a table has values with this side to move.
    pub(crate) fn keeps(&self, table: TableId, stm: Side) -> bool {
        self.pages.n_pages(table.0, stm) > 0
    }

    /// Reads a page.
    pub(crate) fn read(&self, key: PageKey) -> io::Result<Codes> {
        let table = self.index.tables.get(key.table as usize).ok_or(io::ErrorKind::NotFound)?;
        self.pages.read(key, table.page_len as usize)
    }
}
