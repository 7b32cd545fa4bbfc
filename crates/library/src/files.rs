//! Opens and reads the table files of one edition in a folder.

use crate::copies::{self, Copies};
use crate::scope::scope_of;
use crate::{Edition, LibraryError};
use format::{BlockCache, FormatError, LongestRead, Summary, TableFile, companion};
use index::{Layout, Scope, SliceId};
use probe::{ProbeError, Tablebase};
use solve::ReadCodes;
use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU16, Ordering};
use table::{Codes, CodesMut, Coding, Ply, SlicePart, SliceSource, Split, Table};
use variant::exit::TablePart;
use variant::{Material, Metric, Side, Variant};

/// Whether a file is of the rules that this table is made by now, and of this version of the solver.
#[must_use]
pub fn is_current(variant: &Variant, material: &Material, metric: Metric, summary: &Summary) -> bool {
    summary.rules_hash == format::rules_hash(variant, material, metric)
        && summary.metadata.solver_version == solve::VERSION
}

/// The files of an edition in a folder.
#[derive(Clone, Debug)]
pub struct TableFiles {
    edition: Edition,
    folder: PathBuf,
    /// Copies that are read in place of what is in the folder.
    copies: Option<Copies>,
}

impl TableFiles {
    /// The files of these tables in this folder; none of them need be there.
    #[must_use]
    pub fn new(edition: Edition, folder: &Path) -> Self {
        TableFiles { edition, folder: folder.into(), copies: None }
    }

    /// The same files, of which those of some tables are copied into a folder of the machine's own and read
    /// from there. `not_copied` gets why a table is not, and is read where it is.
    pub fn with_copies(
        &self,
        materials: BTreeSet<String>,
        folder: &Path,
        not_copied: &dyn Fn(&LibraryError),
    ) -> Self {
        let copies = Some(copies::copy((&self.edition, &self.folder), materials, folder, not_copied));
        TableFiles { copies, ..self.clone() }
    }

    /// The tables.
    #[must_use]
    pub fn edition(&self) -> &Edition {
        &self.edition
    }

    /// The folder.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The file of a table for one of the edition's metrics.
    #[must_use]
    pub fn path(&self, material: &str, metric: Metric) -> PathBuf {
        self.folder.join(self.edition.file_name(material, metric))
    }

    /// The file of a table for the edition's own metric.
    #[must_use]
    pub fn main_path(&self, material: &str) -> PathBuf {
        self.path(material, self.edition.metric())
    }

    /// Whether all files of a table are there, whatever is in them.
    #[must_use]
    pub fn are_there(&self, material: &str) -> bool {
        self.edition.metrics().iter().all(|&metric| self.path(material, metric).exists())
    }

    /// Opens the file of a table for one of the edition's metrics, keeping no blocks in memory.
    ///
    /// # Errors
    /// It is not there, is damaged, or is of other rules.
    pub fn open(&self, material: &str, metric: Metric) -> Result<TableFile, FormatError> {
        self.open_with_cache(material, metric, Arc::new(BlockCache::new(0)))
    }

    /// The same with a cache of blocks.
    ///
    /// # Errors
    /// As [`TableFiles::open`].
    pub fn open_with_cache(
        &self,
        material: &str,
        metric: Metric,
        cache: Arc<BlockCache>,
    ) -> Result<TableFile, FormatError> {
        let path = self.path(material, metric);
        let copy = self.copies.as_ref().and_then(|copies| copies.path(material, &path));
        TableFile::open_of(&copy.unwrap_or(path), self.edition.variant(), metric, cache)
    }

    /// Opens all files of a table, that of the edition's own metric first.
    ///
    /// # Errors
    /// As [`TableFiles::open`].
    pub fn open_all(&self, material: &str) -> Result<Vec<TableFile>, FormatError> {
        self.edition.metrics().iter().map(|&metric| self.open(material, metric)).collect()
    }

    /// The sides to move that all files of a table which solving reads keep.
    ///
    /// # Errors
    /// As [`TableFiles::open`].
    pub fn kept_sides(&self, material: &str) -> Result<Vec<Side>, FormatError> {
        let read = self.edition.metrics().iter().filter(|&&metric| self.edition.reads(metric));
        let files: Vec<TableFile> =
            read.map(|&metric| self.open(material, metric)).collect::<Result<_, _>>()?;
        let is_kept = |stm: &Side| files.iter().all(|file| file.keeps(*stm));
        Ok(Side::BOTH.into_iter().filter(is_kept).collect())
    }

    /// Opens the folder to be asked for single positions under a metric.
    ///
    /// # Errors
    /// There is no such folder.
    pub fn tablebase(&self, metric: Metric, cache_bytes: usize) -> Result<Tablebase, ProbeError> {
        let tables = Tablebase::open_with(&self.folder, self.edition.variant(), metric, cache_bytes)?;
        Ok(match self.edition.one_winner() {
            Some((material, winner)) => tables.with_winner(material, winner),
            None => tables,
        })
    }

    /// Reads a table with both sides to move and puts back what files leave out; every checksum is compared.
    ///
    /// # Errors
    /// A file is missing, damaged or of other rules, or has left out a side to move.
    pub fn read(&self, material: &str) -> Result<Table, FormatError> {
        self.read_sides(material, &Side::BOTH)
    }

    /// The same with some sides to move; of a symmetric material with White to move.
    ///
    /// # Errors
    /// As [`TableFiles::read`], if one of these sides has been left out.
    pub fn read_sides(&self, material: &str, sides: &[Side]) -> Result<Table, FormatError> {
        let file = self.open(material, self.edition.metric())?;
        let mut table = match companion(self.edition.metric()) {
            Some(wdl) => file.read_sides_with(&self.open(material, wdl)?, sides)?,
            None => file.read_sides(sides)?,
        };
        solve::restore(self.edition.variant(), &mut table);
        Ok(table)
    }

    /// Reads a part of a table; where the table cannot be read in this part, the whole of it, which will do
    /// as well.
    ///
    /// Beside the part, each thread has a unit of the table in memory: see [`solve::part_reading_bytes`].
    ///
    /// # Errors
    /// As [`TableFiles::read`].
    pub fn read_part(&self, material: &str, part: &TablePart) -> Result<Table, LibraryError> {
        let slices = self.slices(material)?;
        let stm = Table::side_of_part_with(part.man);
        let Some(scope) = scope_of(slices.layout(), part) else {
            return Ok(self.read_sides(material, &[stm])?);
        };
        if !slices.keeps(stm) {
            let whole = self.read_sides(material, &[stm])?;
            return Ok(whole.part(&scope).unwrap_or(whole));
        }
        Ok(slices.read_part(stm, scope)?)
    }

    /// A table to be read slice by slice.
    ///
    /// # Errors
    /// As [`TableFiles::open`].
    pub fn slices(&self, material: &str) -> Result<FileSlices, LibraryError> {
        let metric = self.edition.metric();
        let file = self.open(material, metric)?;
        let wdl = companion(metric).map(|wdl| self.open(material, wdl)).transpose()?;
        Ok(FileSlices { variant: self.edition.variant().clone(), file, wdl })
    }
}

/// A table in files that is read slice by slice.
#[derive(Debug)]
pub struct FileSlices {
    variant: Variant,
    file: TableFile,
    /// The file that says who wins, where the other does not.
    wdl: Option<TableFile>,
}

impl SliceSource for FileSlices {
    fn layout(&self) -> &Arc<Layout> {
        self.file.layout()
    }

    fn keeps(&self, stm: Side) -> bool {
        self.file.keeps(stm) && self.wdl.as_ref().is_none_or(|wdl| wdl.keeps(stm))
    }

    fn read(&self, stm: Side, slice: SliceId, part: SlicePart<'_>, shares: bool) -> io::Result<Codes> {
        let codes = self.codes(stm, &|coding, read| {
            solve::read_slice(&self.variant, self.layout(), (slice, part), (stm, coding), (read, shares))
        });
        codes.map_err(io::Error::other)
    }
}

impl FileSlices {
    /// The part of the table that belongs to a scope, in which this side, which the files keep, is to move.
    fn read_part(&self, stm: Side, scope: Scope) -> Result<Table, FormatError> {
        let codes = self.codes(stm, &|coding, read| {
            let layout = self.layout().clone();
            let mut part = solve::read_part(&self.variant, layout, scope.clone(), coding, read)?;
            let codes = part.codes_mut(stm).map(|codes| std::mem::replace(codes, Codes::Narrow(Vec::new())));
            Ok(codes.expect("a part has the side to move that waits for it"))
        })?;
        Ok(Table::new_part(self.layout().clone(), scope, codes))
    }

    /// Codes as wide as they have to be: `made` makes them, of a given width, of what it reads.
    fn codes(&self, stm: Side, made: &MakeCodes<'_>) -> Result<Codes, FormatError> {
        let Some(wdl) = &self.wdl else {
            let coding = if self.file.is_wide(stm) { Coding::Wide(()) } else { Coding::Narrow(()) };
            let codes = made(coding, &|stm, range, codes| Ok(self.file.read_range(stm, range, codes)?));
            return codes.map_err(|failure| self.error(failure));
        };
        // Values of one byte as long as the longest win and the longest loss together allow it.
        let longest = [AtomicU16::new(0), AtomicU16::new(0)];
        let note = |found: LongestRead| -> bool {
            let [win, loss] = [(&longest[0], found.win), (&longest[1], found.loss)]
                .map(|(longest, ply)| longest.fetch_max(ply.0, Ordering::Relaxed).max(ply.0));
            win.saturating_add(loss) <= Split::MOST_PLIES
        };
        let split = made(Coding::Split((), Split::new(Ply(0))), &|stm, range, codes| {
            let found = self.file.read_range_with(wdl, stm, range, split_codes(codes))?;
            if found.is_some_and(note) { Ok(()) } else { Err(SliceFailure::TooLong) }
        });
        let codes = match split {
            Ok(Codes::Narrow(codes) | Codes::Split(codes, _)) => {
                return Ok(Codes::Split(codes, Split::new(Ply(longest[0].load(Ordering::Relaxed)))));
            }
            Err(SliceFailure::TooLong) => made(Coding::Wide(()), &|stm, range, codes| {
                let found = self.file.read_range_with(wdl, stm, range, codes)?;
                found.map(drop).ok_or(SliceFailure::TooLong)
            }),
            other => other,
        };
        codes.map_err(|failure| self.error(failure))
    }

    fn error(&self, failure: SliceFailure) -> FormatError {
        match failure {
            SliceFailure::File(error) => error,
            SliceFailure::TooLong => FormatError::Io {
                path: self.file.path().to_path_buf(),
                action: "read",
                source: io::Error::other("a value is larger than any can be"),
            },
        }
    }
}

/// Makes codes of a given width of those that a table's files have.
type MakeCodes<'m> = dyn Fn(Coding, &ReadCodes<'_, SliceFailure>) -> Result<Codes, SliceFailure> + 'm;

/// Codes of one byte as those of values under a metric of distances.
fn split_codes(codes: CodesMut<'_>) -> CodesMut<'_> {
    match codes {
        CodesMut::Narrow(codes) => CodesMut::Split(codes, Split::new(Ply(0))),
        other => other,
    }
}

/// Why a slice cannot be read.
#[derive(Debug)]
enum SliceFailure {
    File(FormatError),
    /// A value has no code of this width.
    TooLong,
}

impl From<FormatError> for SliceFailure {
    fn from(error: FormatError) -> Self {
        SliceFailure::File(error)
    }
}
