//! Trims columns: leaves out the side to move that was kept only until the tables that read it were there;
//! copies and removes whole ones; writes those of positions with rights to castle.

use crate::container::{PackedPage, Sealer};
use crate::head::{AboutColumn, Header, open, open_column};
use crate::name::rules_hash;
use crate::read::TableFile;
use crate::write::file::{OtherColumns, TableOf, Written, copy, write};
use crate::{BlockCache, Checksum, Column, FormatError, Metadata};
use std::io;
use std::path::Path;
use std::sync::Arc;
use table::Code;
use variant::{Material, Metric, Variant};

/// How hard the codes of positions with rights to castle are packed: more costs more time than it saves
/// room.
const RIGHTS_LEVEL: i32 = 12;

/// Leaves out the larger side to move of a column that was written to be trimmed; none of any other column.
///
/// The file is replaced when the new one is complete and on the disk.
///
/// # Errors
/// The file cannot be read, is damaged in what is to stay, or the disk refuses.
///
/// While a set of tables is made, some of them are read with both sides to move; afterwards one is enough,
/// because a value of the other is the best of what its moves lead to. The pages of the side that stays are
/// read, compared with their checksums, and copied to a new file, which has the very column that
/// [`Keep::Smaller`](crate::Keep::Smaller) makes of the table. Nothing is decompressed: the file says which
/// values that one holds. No more is in memory than a page and the index.
pub fn trim(
    path: &Path,
    variant: &Variant,
    column: impl Into<Column>,
) -> Result<Option<Written>, FormatError> {
    let column = column.into();
    let (AboutColumn { table, made }, sealed) = open_column(path, column)?;
    let Some(left) = made.trims_to else { return Ok(None) };
    let (rules, material) = (Checksum(sealed.identity()), table.material.clone());
    drop(sealed);
    let file = TableFile::open_of(path, variant, column, Arc::new(BlockCache::new(0)))?;
    if file.sides().len() < 2 {
        return Err(FormatError::index_damaged(path));
    }
    let made = made.of_table(made.table.unwrap_or(table.content));
    // The file is closed before it is replaced.
    let copy = move |sealer: &mut Sealer<'_>| {
        let mut table = table;
        let at = left.side.index();
        table.set_sides([(left.side, table.widths[at], table.orders[at])].into_iter());
        table.steps[(!left.side).index()] = None;
        table.content = left.content;
        let mut bytes = Vec::new();
        for (at, page) in file.pages().enumerate().filter(|(_, page)| page.key.stm == left.side) {
            file.read_packed(at, &mut bytes).map_err(io::Error::other)?;
            sealer.put(*page, &bytes)?;
        }
        Ok(AboutColumn { table, made })
    };
    write(path, &TableOf { rules, material: &material, replaces: true }, column, copy).map(Some)
}

/// Copies a column of a file into another file of the same table, beside the columns that this has; into a
/// new one if there is none. Every page is compared with its checksum.
///
/// # Errors
/// The column is not there or damaged, the other file is damaged or of another table, or the disk refuses.
pub fn copy_column(from: &Path, to: &Path, column: impl Into<Column>) -> Result<Written, FormatError> {
    copy(from, to, column.into(), false)
}

/// Like [`copy_column`], but what stands in the place of the file and is damaged, or of another table, is
/// replaced.
///
/// # Errors
/// As [`copy_column`].
pub fn put_column(from: &Path, to: &Path, column: impl Into<Column>) -> Result<Written, FormatError> {
    copy(from, to, column.into(), true)
}

/// Removes a column of a file, and the file if it has no other; nothing if the column is not there.
///
/// # Errors
/// The file cannot be read, or the system refuses.
pub fn remove_column(path: &Path, column: impl Into<Column>) -> Result<(), FormatError> {
    let column = column.into();
    let (about, file) = match open(path) {
        Err(error) if error.is_not_found() => return Ok(()),
        opened => opened?,
    };
    let others = OtherColumns::new(about, file, column);
    if others.is_empty() {
        return std::fs::remove_file(path).map_err(FormatError::io(path, "remove"));
    }
    others.write(path)
}

/// Writes the codes of the positions of a material with rights to castle, under the names of the choices of
/// men and rights, beside the columns that its file has. No two processes may write to one file at a time.
///
/// # Errors
/// The file is damaged, or of other rules, and its tables would be lost; or the disk refuses.
///
/// # Panics
/// If the game has no castling.
pub fn write_rights(
    path: &Path,
    variant: &Variant,
    material: &Material,
    metric: Metric,
    choices: &[(String, &[u16])],
    made: Metadata,
) -> Result<Written, FormatError> {
    let column = Column::with_rights(metric);
    let (names, codes): (Vec<String>, Vec<&[u16]>) = choices.iter().cloned().unzip();
    let mut table = Header {
        placements: codes.iter().map(|codes| codes.len() as u64 / 2).sum(),
        widths: [size_of::<u16>() as u8; 2],
        castling: Some(variant.castling_line().expect("a game with castling")),
        choices: names,
        ..Header::new(variant, material, metric)
    };
    let hash = |codes: &&[u16]| *blake3::hash(&u16::borrowed(codes).to_le_bytes()).as_bytes();
    let hashes: Vec<[u8; 32]> = codes.iter().map(hash).collect();
    table.content = table.content_of(rules_hash(variant, material, column), &hashes);
    let (name, rules) = (table.material.clone(), Checksum(variant.rules_hash(material)));
    write(path, &TableOf { rules, material: &name, replaces: false }, column, |sealer| {
        for (choice, codes) in codes.iter().enumerate() {
            let page = PackedPage::new(column.choice_page(choice), u16::borrowed(codes), RIGHTS_LEVEL)?;
            sealer.put(page.entry, &page.bytes)?;
        }
        Ok(AboutColumn { table, made })
    })
}
