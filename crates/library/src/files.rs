//! Names, opens and reads the table files of one edition in a folder or several, or copies of them nearby.

use crate::LibraryError;
use format::{
    BlockCache, Column, FormatError, Summary, TableFile, column_path, companion, file_name, has_column,
    winner_name,
};
use index::{Layout, Scope, SliceId};
use probe::{ProbeError, Tablebase};
use solve::ReadCodes;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU16, Ordering};
use std::{fs, io};
use table::{Code, Codes, Coding, Palette, Ply, SlicePart, SliceSource, Table};
use variant::exit::TablePart;
use variant::{Material, Metric, Side, Variant};

/// The files of an edition in a folder, or in several.
#[derive(Clone, Debug)]
pub struct TableFiles {
    edition: Edition,
    /// The one that is looked into first before others.
    folders: Vec<PathBuf>,
    /// A folder with copies of the files of some tables, which are read in place of what is in the folders.
    copies: Option<(PathBuf, BTreeSet<String>)>,
    /// Whether tables that were solved again are read in place of files that have left out a side to move.
    reads_again: bool,
}

/// The folder in a folder of tables with those that were solved again, because tables that are being made
/// read a side to move that the finished file has left out.
pub const AGAIN: &str = ".again";

impl TableFiles {
    /// The files of these tables in this folder; none of them need be there.
    #[must_use]
    pub fn new(edition: Edition, folder: &Path) -> Self {
        TableFiles::in_folders(edition, vec![folder.into()])
    }

    /// The files of these tables in these folders, each in the first one that has it.
    pub(crate) fn in_folders(edition: Edition, folders: Vec<PathBuf>) -> Self {
        TableFiles { edition, folders, copies: None, reads_again: false }
    }

    /// These files, of which those of some tables are copied into a folder of the machine's own and read
    /// from there. `not_copied` gets why a table is not, and is read where it is.
    pub fn with_copies(
        &self,
        materials: BTreeSet<String>,
        folder: &Path,
        not_copied: &dyn Fn(&LibraryError),
    ) -> Self {
        let copies = copied(self, materials, folder, not_copied);
        TableFiles { copies: Some((folder.into(), copies)), ..self.clone() }
    }

    /// These files, where a table that was solved again is read from [`Self::again_path`].
    #[must_use]
    pub fn with_again(&self) -> Self {
        TableFiles { reads_again: true, ..self.clone() }
    }

    /// The file of a table that was solved again for one of the edition's metrics.
    #[must_use]
    pub fn again_path(&self, material: &str, metric: Metric) -> PathBuf {
        self.folder().join(AGAIN).join(file_name(&format!("{material}.{metric}")))
    }

    /// What [`Self::again_path`] says of its column.
    ///
    /// # Errors
    /// As [`Summary::read`].
    pub fn again_summary(&self, material: &str, metric: Metric) -> Result<Summary, FormatError> {
        Summary::read(&self.again_path(material, metric), self.edition.column(material, metric))
    }

    /// The tables.
    #[must_use]
    pub fn edition(&self) -> &Edition {
        &self.edition
    }

    /// The folder; the first of several.
    #[must_use]
    pub fn folder(&self) -> &Path {
        self.folders.first().map_or(Path::new(""), PathBuf::as_path)
    }

    /// The file that has, or is to have, the column of a table for one of the edition's metrics.
    #[must_use]
    pub fn path(&self, material: &str, metric: Metric) -> PathBuf {
        column_path(&self.folders, material, self.edition.column(material, metric))
    }

    /// What the file of a table says of the column for one of the edition's metrics.
    ///
    /// # Errors
    /// As [`Summary::read`].
    pub fn summary(&self, material: &str, metric: Metric) -> Result<Summary, FormatError> {
        Summary::read(&self.path(material, metric), self.edition.column(material, metric))
    }

    /// What the file of a table says of the column for the edition's own metric.
    ///
    /// # Errors
    /// As [`Summary::read`].
    pub fn main_summary(&self, material: &str) -> Result<Summary, FormatError> {
        self.summary(material, self.edition.metric())
    }

    /// The file of a table for the edition's own metric.
    #[must_use]
    pub fn main_path(&self, material: &str) -> PathBuf {
        self.path(material, self.edition.metric())
    }

    /// Whether the column of a table for one of the edition's metrics is there, whatever is in it.
    #[must_use]
    pub fn is_there(&self, material: &str, metric: Metric) -> bool {
        has_column(&self.path(material, metric), self.edition.column(material, metric))
    }

    /// Whether all columns of a table are there, whatever is in them.
    #[must_use]
    pub fn are_there(&self, material: &str) -> bool {
        let is_there = |&metric: &Metric| self.is_there(material, metric);
        !self.folders.is_empty() && self.edition.metrics().iter().all(is_there)
    }

    /// Opens the file of a table for one of the edition's metrics, keeping no blocks in memory.
    ///
    /// # Errors
    /// It is not there, is damaged, or is of other rules.
    pub fn open(&self, material: &str, metric: Metric) -> Result<TableFile, FormatError> {
        self.open_with_cache(material, metric, Arc::new(BlockCache::new(0)))
    }

    /// Like [`Self::open`], with a cache of blocks.
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
        let copies = self.copies.as_ref().filter(|(_, materials)| materials.contains(material));
        let copy = copies.map(|(folder, _)| copy_of(&path, folder));
        let column = self.edition.column(material, metric);
        let open = |path: &Path| TableFile::open_of(path, self.edition.variant(), column, cache.clone());
        match self.reads_again.then(|| open(&self.again_path(material, metric))) {
            Some(Err(error)) if !error.is_not_found() => Err(error),
            Some(Ok(again)) => Ok(again),
            _ => open(&copy.unwrap_or(path)),
        }
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

    /// Opens the folders to be asked for single positions under a metric.
    ///
    /// # Errors
    /// One of the folders is not there.
    pub fn tablebase(&self, metric: Metric, cache_bytes: usize) -> Result<Tablebase, ProbeError> {
        let tables = Tablebase::open_with(&self.folders, self.edition.variant(), metric, cache_bytes)?;
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

    /// Like [`Self::read`], with some sides to move; of a symmetric material with White to move.
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

    /// Like [`Self::read_sides`], with what changes with the clock of the n-move rule, if anything does.
    ///
    /// # Errors
    /// As [`TableFiles::read_sides`].
    pub fn read_with_steps(&self, material: &str, sides: &[Side]) -> Result<Table, FormatError> {
        let table = self.read_sides(material, sides)?;
        match self.edition.metric() {
            Metric::Dtm50 => self.open(material, Metric::Dtm50)?.read_steps(table),
            _ => Ok(table),
        }
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
        match scope_of(slices.layout(), part).filter(|_| slices.keeps(stm)) {
            Some(scope) => Ok(slices.read_part(stm, scope)?),
            None => {
                let whole = self.read_sides(material, &[stm])?;
                Ok(cut(&whole, part).unwrap_or(whole))
            }
        }
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
    /// The column that says who wins, where the other does not.
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
            let codes = part.codes_mut(stm).map(std::mem::take);
            Ok(codes.expect("a part has the side to move that waits for it"))
        })?;
        Ok(Table::new_part(self.layout().clone(), scope, codes))
    }

    /// Codes as wide as they have to be: `made` makes them, of a given width, of what it reads.
    fn codes(&self, stm: Side, made: &MakeCodes<'_>) -> Result<Codes, FormatError> {
        let Some(wdl) = &self.wdl else {
            let codes = made(self.file.coding(stm), &|stm, range, codes| {
                Ok(self.file.read_range(stm, range, codes)?)
            });
            return codes.map_err(|failure| self.error(failure));
        };
        // Values of one byte as long as the longest win and the longest loss together allow it.
        let longest = [AtomicU16::new(0), AtomicU16::new(0)];
        let note = |found: [Ply; 2]| -> bool {
            let at = |i: usize| Ply(longest[i].fetch_max(found[i].0, Ordering::Relaxed)).max(found[i]);
            Palette::split(at(0), at(1)).is_some()
        };
        let read = |coding: Coding| {
            made(coding, &|stm, range, codes| {
                let found = self.file.read_range_with(wdl, stm, range, codes)?;
                let fits = found.is_some_and(|found| coding.is_wide() || note(found));
                if fits { Ok(()) } else { Err(SliceFailure::TooLong) }
            })
        };
        let codes = match read(u8::CODING) {
            Ok(codes) => Ok(codes.under(Metric::Dtz, Ply(longest[0].load(Ordering::Relaxed)))),
            Err(SliceFailure::TooLong) => read(u16::CODING),
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

/// The tables of a game under one metric.
///
/// A build solves one metric at a time. Distances to a capture or a pawn move lie in columns that do not say
/// who wins, so such a table has a second column, `wdl`; and where `wdl` is wanted beside another metric, it
/// comes with it.
#[derive(Clone, Debug)]
pub struct Edition {
    variant: Variant,
    metric: Metric,
    /// The metrics of a table's columns, that of the edition first.
    metrics: Vec<Metric>,
    /// The table of which one side's wins alone are wanted, and that side.
    one_winner: Option<(Material, Side)>,
}

impl Edition {
    /// The tables of a game under a metric, which sees the game as [`Variant::for_metric`] says.
    #[must_use]
    pub fn new(variant: &Variant, metric: Metric) -> Self {
        let metrics = std::iter::once(metric).chain(companion(metric)).collect();
        Edition { variant: variant.for_metric(metric).into_owned(), metric, metrics, one_winner: None }
    }

    /// The editions that some metrics take, in as few builds as there can be.
    #[must_use]
    pub fn of_metrics(variant: &Variant, metrics: &[Metric]) -> Vec<Self> {
        let edition = |pass: Vec<Metric>| {
            let mut edition = Edition::new(variant, pass[0]);
            let more = pass[1..].iter().filter(|metric| !edition.metrics.contains(metric)).copied();
            edition.metrics.extend(more.collect::<Vec<Metric>>());
            edition
        };
        solve::passes(metrics).into_iter().map(edition).collect()
    }

    /// These tables under another metric.
    #[must_use]
    pub fn under(&self, metric: Metric) -> Self {
        Edition { one_winner: self.one_winner.clone(), ..Edition::new(&self.variant, metric) }
    }

    /// This edition, but of one table with one side's wins alone, in columns of their own. The tables below
    /// it have the wins of both sides.
    ///
    /// # Errors
    /// The wins of both sides are the same, because the table is symmetric.
    pub fn with_winner(self, material: &Material, winner: Side) -> Result<Self, LibraryError> {
        match material.is_one_sided(&self.variant) {
            true => Err(LibraryError::Symmetric { material: material.name(&self.variant) }),
            false => Ok(Edition { one_winner: Some((material.clone(), winner)), ..self }),
        }
    }

    /// The side whose wins alone a table has, if it has not those of both.
    #[must_use]
    pub fn winner_of(&self, material: &str) -> Option<Side> {
        let (of, winner) = self.one_winner.as_ref()?;
        (of.name(&self.variant) == material).then_some(*winner)
    }

    /// The table of which one side's wins alone are wanted, and that side.
    #[must_use]
    pub fn one_winner(&self) -> Option<(&Material, Side)> {
        self.one_winner.as_ref().map(|(material, winner)| (material, *winner))
    }

    /// How a table is solved.
    pub fn options_of(&self, material: &str) -> solve::Options {
        solve::Options { attacker: self.winner_of(material), ..self.metric.into() }
    }

    /// Whether a file is of the rules that this table is made by now, and of this version of the solver.
    #[must_use]
    pub fn is_current(&self, material: &Material, metric: Metric, summary: &Summary) -> bool {
        let column = self.column(&material.name(&self.variant), metric);
        summary.rules_hash == format::rules_hash(&self.variant, material, column)
            && summary.metadata.solver_version == solve::VERSION
    }

    /// The rules.
    #[must_use]
    pub fn variant(&self) -> &Variant {
        &self.variant
    }

    /// The metric that is solved.
    #[must_use]
    pub fn metric(&self) -> Metric {
        self.metric
    }

    /// The metrics of a table's columns, that of the edition first.
    #[must_use]
    pub fn metrics(&self) -> &[Metric] {
        &self.metrics
    }

    /// Whether solving a table reads this column of the tables below it, and so needs both sides to move of
    /// it.
    #[must_use]
    pub fn reads(&self, metric: Metric) -> bool {
        metric == self.metric || companion(self.metric) == Some(metric)
    }

    /// Whether this is the metric that the game names.
    #[must_use]
    pub fn is_default(&self) -> bool {
        self.metric == self.variant.default_metric && self.metric != Metric::Help
    }

    /// What a column is called where files are not told apart: `KRBvKNN.white.dtc`.
    #[must_use]
    pub fn column_name(&self, material: &str, metric: Metric) -> String {
        let winner = self.winner_of(material).map(winner_name);
        std::iter::once(material).chain(winner).chain([metric.name()]).collect::<Vec<_>>().join(".")
    }

    /// The column of a table's file for one of the edition's metrics.
    #[must_use]
    pub fn column(&self, material: &str, metric: Metric) -> Column {
        Column { winner: self.winner_of(material), ..metric.into() }
    }
}

impl std::fmt::Display for Edition {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names: Vec<&str> = self.metrics.iter().map(|metric| metric.name()).collect();
        write!(f, "{}", names.join(" with "))
    }
}

fn copy_of(original: &Path, folder: &Path) -> PathBuf {
    folder.join(original.file_name().unwrap_or_default())
}

/// Copies the files of these tables of an edition into another folder. Every checksum of a copy is compared
/// before it is used, also of one that was there. A table that cannot be copied, because the disk is full or
/// its original is damaged, has no copy: a reader gets the original, and finds out. `not_copied` gets why.
/// Returns the tables that have copies.
fn copied(
    originals: &TableFiles,
    materials: BTreeSet<String>,
    folder: &Path,
    not_copied: &dyn Fn(&LibraryError),
) -> BTreeSet<String> {
    let edition = &originals.edition;
    let copy_table = |material: &String| {
        let mut read = edition.metrics().iter().filter(|&&metric| edition.reads(metric));
        read.try_for_each(|&metric| {
            let column = edition.column(material, metric);
            copy_file(edition, column, &originals.path(material, metric), folder)
        })
    };
    let is_copied = |material: &String| copy_table(material).inspect_err(not_copied).is_ok();
    materials.into_iter().filter(is_copied).collect()
}

/// Copies a file that has a column, unless its copy is there.
fn copy_file(edition: &Edition, column: Column, original: &Path, folder: &Path) -> Result<(), LibraryError> {
    let copy = copy_of(original, folder);
    let check = |path: &Path| {
        let file = TableFile::open_of(path, edition.variant(), column, Arc::new(BlockCache::new(0)));
        file.and_then(|file| file.verify_checksums())
    };
    if is_same(original, &copy, column) && check(&copy).is_ok() {
        return Ok(());
    }
    // The file of a draft needs the name of a table to be read as one.
    let draft_folder = folder.join(format!(".copying-{}", std::process::id()));
    fs::create_dir_all(&draft_folder).map_err(LibraryError::io("make the folder", &draft_folder))?;
    let draft = copy_of(original, &draft_folder);
    let copied = fs::copy(original, &draft).map_err(LibraryError::io("copy the table to", &draft));
    let copied = copied.and_then(|_| Ok(check(&draft)?));
    let copied =
        copied.and_then(|()| fs::rename(&draft, &copy).map_err(LibraryError::io("write the copy", &copy)));
    let _ = fs::remove_dir_all(&draft_folder);
    copied
}

/// Whether a copy is there that has this column of its original, as their indexes say.
fn is_same(original: &Path, copy: &Path, column: Column) -> bool {
    let length = |path: &Path| fs::metadata(path).ok().map(|there| there.len());
    let content = |path| Summary::read(path, column).ok().map(|summary| summary.table_content());
    length(copy).is_some_and(|n_bytes| length(original) == Some(n_bytes))
        && content(copy).is_some_and(|there| content(original) == Some(there))
}

/// The part of a table that is asked for; none if the table is one already, or is not to be had in parts.
pub fn cut(table: &Table, part: &TablePart) -> Option<Table> {
    if table.scope().is_some() {
        return None;
    }
    table.part(&scope_of(table.layout(), part)?)
}

/// The scope of a part; of like men any will do, because a table has all of their orders.
fn scope_of(layout: &Layout, part: &TablePart) -> Option<Scope> {
    let places = (0..layout.men().len()).filter(|&place| layout.men()[place] == part.man);
    places.filter_map(|place| Scope::new(layout, place, part.squares)).next()
}
