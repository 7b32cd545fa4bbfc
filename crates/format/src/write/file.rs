//! Writes the file of a table with a column that is new and those that stay.

use crate::container::{Head, SealedFile, Sealer, Tail, tail_of};
use crate::disk::{temporary_of, write_atomically_with, write_whole};
use crate::head::{About, AboutColumn, KIND, column_bytes, open, open_column};
use crate::name::{Checksum, Column};
use crate::{FormatError, put_in_place};
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

/// Writes a file under these rules, into which `pack` puts all pages of a column; what that says goes behind
/// them, with all other columns of the file that is there. `of` is the table of the column.
///
/// The new file is read again before it takes the place of the old one. If that has changed meanwhile,
/// because a process has lost the lease of the table, the column is copied into what is there now.
pub(super) fn write(
    path: &Path,
    of: &TableOf<'_>,
    column: Column,
    pack: impl FnOnce(&mut Sealer<'_>) -> io::Result<AboutColumn>,
) -> Result<Written, FormatError> {
    let others = OtherColumns::of(path, of, column)?;
    let temporary = temporary_of(path);
    let placed = (|| {
        let written = write_new(&temporary, of, column, &others, pack)?;
        let is_current = others.are_those_of(path);
        // The old file is closed before it is replaced.
        drop(others);
        match is_current {
            true => put_in_place(&temporary, path).map(|()| written),
            false => copy(&temporary, path, column, true),
        }
    })();
    // It is there if something went wrong, or the column was copied out of it; what stays is recognised
    // later.
    let _ = fs::remove_file(&temporary);
    placed
}

/// Writes a new file of a column and others, and reads it again: byte for byte, as far as a hash can tell, it
/// is what was written.
///
/// Nothing is decompressed: a packer has checked every block against the codes that it was made of (of blocks
/// that a model packs all bits, and one block of 31 as a reader decodes it), so that a file of the same bytes
/// holds the same values.
fn write_new(
    path: &Path,
    of: &TableOf<'_>,
    column: Column,
    others: &OtherColumns,
    pack: impl FnOnce(&mut Sealer<'_>) -> io::Result<AboutColumn>,
) -> Result<Written, FormatError> {
    let mut hasher = blake3::Hasher::new();
    let mut written = None;
    write_whole(path, |file| {
        let mut file = HashingWriter { file, hasher: &mut hasher };
        let mut sealer = Sealer::new(&mut file, Head { kind: KIND, identity: of.rules.0 })?;
        let mut columns = others.copy(&mut sealer, |own| own < column)?;
        let own = pack(&mut sealer)?;
        columns.push(own.clone());
        columns.extend(others.copy(&mut sealer, |own| own > column)?);
        let (pages, size_bytes) = sealer.finish(&About { columns })?;
        written = Some((own, column_bytes(column, pages.iter(), size_bytes)));
        Ok(())
    })?;
    let expected = Checksum(*hasher.finalize().as_bytes());
    let file = File::open(path).map_err(FormatError::io(path, "open"))?;
    let mut hasher = blake3::Hasher::new();
    hasher.update_reader(file).map_err(FormatError::io(path, "read"))?;
    let got = Checksum(*hasher.finalize().as_bytes());
    if got != expected {
        return Err(FormatError::NotAsWritten { path: path.to_path_buf(), got, expected });
    }
    let (AboutColumn { table, made }, size_bytes) = written.expect("a file that was written");
    Ok(Written { content: table.content, table: made.table.unwrap_or(table.content), size_bytes })
}

/// The table that a file is of.
pub(super) struct TableOf<'a> {
    /// The hash of the rules of its material, which is the identity of the file.
    pub(super) rules: Checksum,
    pub(super) material: &'a str,
    /// Whether what stands in the place of the file and is damaged, or of another table, is replaced.
    pub(super) replaces: bool,
}

/// The columns of a file that stay when one is written.
pub(super) struct OtherColumns {
    /// The end of the file when it was looked at; none if there was none.
    tail: Option<Tail>,
    file: Option<SealedFile>,
    columns: Vec<AboutColumn>,
}

impl OtherColumns {
    /// Those of a file beside a column: none if the file is not there, is damaged, or of another table.
    ///
    /// # Errors
    /// The system refuses, the file is of another version, or it is not to be replaced: it may be whole.
    fn of(path: &Path, of: &TableOf<'_>, column: Column) -> Result<Self, FormatError> {
        let is_of = |about: &About, file: &SealedFile| {
            let first = about.columns.first();
            file.identity() == of.rules.0 && first.is_some_and(|first| first.table.material == of.material)
        };
        let not_the_same = || FormatError::NotTheSame { path: path.into(), material: of.material.into() };
        // Of a file that changes in between the end is that of the old one, and it counts as changed.
        let tail = tail_of(path);
        match open(path) {
            Ok((about, file)) if is_of(&about, &file) => {
                Ok(OtherColumns { tail, ..OtherColumns::new(about, file, column) })
            }
            Err(error @ FormatError::Version { .. }) => Err(error),
            Err(error @ FormatError::Io { .. }) if !error.is_not_found() => Err(error),
            Err(error) if !error.is_not_found() && !of.replaces => Err(not_the_same()),
            Ok(_) if !of.replaces => Err(not_the_same()),
            _ => Ok(OtherColumns { tail, file: None, columns: Vec::new() }),
        }
    }

    /// Whether the file is the one that was looked at.
    fn are_those_of(&self, path: &Path) -> bool {
        tail_of(path) == self.tail
    }

    /// Those of an open file beside a column.
    pub(super) fn new(about: About, file: SealedFile, column: Column) -> Self {
        let others = about.columns.into_iter().filter(|own| own.column() != column);
        OtherColumns { tail: None, file: Some(file), columns: others.collect() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.columns.is_empty()
    }

    /// Writes a file of these columns alone.
    pub(super) fn write(&self, path: &Path) -> Result<(), FormatError> {
        let identity = self.file.as_ref().map_or([0; 32], SealedFile::identity);
        write_atomically_with(path, |file| {
            let mut sealer = Sealer::new(file, Head { kind: KIND, identity })?;
            let columns = self.copy(&mut sealer, |_| true)?;
            sealer.finish(&About { columns }).map(drop)
        })
    }

    /// Copies the pages of some of the columns, each as it is: one that is damaged stays so, and is found
    /// out by its checksum. Returns what the file says of them.
    fn copy(
        &self,
        sealer: &mut Sealer<'_>,
        is_meant: impl Fn(Column) -> bool,
    ) -> io::Result<Vec<AboutColumn>> {
        let Some(file) = &self.file else { return Ok(Vec::new()) };
        let mut bytes = Vec::new();
        let mut copied = Vec::new();
        for own in self.columns.iter().filter(|own| is_meant(own.column())) {
            for at in file.places_of(own.column().tables()) {
                file.read_unchecked(at, &mut bytes)?;
                sealer.put(*file.page(at), &bytes)?;
            }
            copied.push(own.clone());
        }
        Ok(copied)
    }
}

/// Copies a column of a file into another one, which is replaced if it may be and is damaged or of another
/// table.
pub(super) fn copy(from: &Path, to: &Path, column: Column, replaces: bool) -> Result<Written, FormatError> {
    let (own, file) = open_column(from, column)?;
    let (rules, material) = (Checksum(file.identity()), own.table.material.clone());
    let copy = move |sealer: &mut Sealer<'_>| {
        let mut bytes = Vec::new();
        let places = file.places_of(column.tables());
        let (first, n_blocks) = (places.start, places.len());
        for at in places {
            let damaged = || FormatError::BlockDamaged { path: from.into(), block: at - first, n_blocks };
            let read = file.read_packed(at, &mut bytes);
            read.map_err(FormatError::of_page(from, damaged)).map_err(io::Error::other)?;
            sealer.put(*file.page(at), &bytes)?;
        }
        Ok(own)
    };
    write(to, &TableOf { rules, material: &material, replaces }, column, copy)
}

/// Hashes what it passes on.
struct HashingWriter<'a> {
    file: &'a mut dyn Write,
    hasher: &'a mut blake3::Hasher,
}

impl Write for HashingWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_all(bytes).map(|()| bytes.len())
    }

    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.hasher.update(bytes);
        self.file.write_all(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// A column that has been written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Written {
    /// The checksum that names the values it holds.
    pub content: Checksum,
    /// The one that names all values of the table, those of a side to move that has been left out too.
    pub table: Checksum,
    /// The size of the column with its share of the file's index.
    pub size_bytes: u64,
}
