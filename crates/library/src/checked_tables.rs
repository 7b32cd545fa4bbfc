//! Supplies a verification with the tables of a folder: small ones whole, large ones block by block, and
//! those of flat and Syzygy files.

use crate::{LibraryError, TableFiles};
use format::{BlockCache, TableFile, companion};
use index::Layout;
use parking_lot::Mutex;
use position::Position;
use probe::{ExchangeFile, ExchangeKind, Tablebase};
use proof::{Find, Report, Sample, Values, VerifyError, VerifyOptions};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use table::{Code, Codes, Table, Value, threads};
use variant::{Material, Metric, Side, Variant};

/// How many bytes of decompressed blocks are kept of the tables that are read block by block.
const CACHE_BYTES: usize = 256 << 20;

/// How many bytes of whole tables are kept, roughly: all of the tables of up to four men of chess.
const WHOLE_BYTES: usize = 512 << 20;

/// The first reason why a value could not be had.
type Reason = Arc<Mutex<Option<LibraryError>>>;

/// The tables of a folder, for [`proof::verify`].
#[derive(Debug)]
pub struct CheckedTables {
    files: TableFiles,
    /// Tables of up to this many men are read whole.
    max_men_whole: usize,
    cache: Arc<BlockCache>,
    open: Mutex<BTreeMap<Material, Arc<FileValues>>>,
    whole: Mutex<BTreeMap<Material, Arc<Table>>>,
    reason: Reason,
}

/// The values of one material as files have them, one by one.
#[derive(Debug)]
struct FileValues {
    layout: Arc<Layout>,
    /// Our own file; none if the tables have the values.
    file: Option<TableFile>,
    /// Who wins, if the file does not say; or the values.
    tables: Option<Arc<Tablebase>>,
    reason: Reason,
}

impl CheckedTables {
    /// The tables of these files; those of up to this many men are read whole.
    #[must_use]
    pub fn new(files: TableFiles, max_men_whole: usize) -> Self {
        CheckedTables {
            files,
            max_men_whole,
            cache: Arc::new(BlockCache::new(CACHE_BYTES)),
            open: Mutex::default(),
            whole: Mutex::default(),
            reason: Reason::default(),
        }
    }

    /// The files.
    #[must_use]
    pub fn files(&self) -> &TableFiles {
        &self.files
    }

    /// The values of a table that has a file, all of its blocks checked.
    ///
    /// # Errors
    /// The file is missing, damaged, or of other rules.
    pub fn checked(&self, material: &Material) -> Result<Arc<dyn Values>, LibraryError> {
        if self.is_whole(material) {
            return self.table(material).map(|table| table as Arc<dyn Values>);
        }
        let values = self.values(material)?;
        values.file.iter().try_for_each(TableFile::verify_checksums)?;
        Ok(values)
    }

    /// Why a table could not be verified, by the first value that could not be read.
    #[must_use]
    pub fn explain(&self, material: &Material, error: VerifyError) -> LibraryError {
        explained(&self.reason, self.files.edition().variant(), material, error)
    }

    fn is_whole(&self, material: &Material) -> bool {
        // What changes with the clock is read where it is asked for.
        material.n_men() <= self.max_men_whole && self.files.edition().metric() != Metric::Dtm50
    }

    fn table(&self, material: &Material) -> Result<Arc<Table>, LibraryError> {
        if let Some(table) = self.whole.lock().get(material) {
            return Ok(table.clone());
        }
        // Nothing is locked meanwhile: reading is work for all threads.
        let table = Arc::new(self.read(material)?);
        let mut whole = self.whole.lock();
        let size_bytes: usize = whole.values().chain([&table]).map(|table| table.size_bytes()).sum();
        if size_bytes > WHOLE_BYTES {
            whole.clear();
        }
        whole.insert(material.clone(), table.clone());
        Ok(table)
    }

    /// The whole table; a side to move that its files have left out is found from its moves.
    fn read(&self, material: &Material) -> Result<Table, LibraryError> {
        let edition = self.files.edition();
        let name = material.name(edition.variant());
        let files = self.files.open_all(&name)?;
        if files.iter().all(|file| file.left_out().is_none()) {
            return Ok(self.files.read(&name)?);
        }
        files.iter().try_for_each(TableFile::verify_checksums)?;
        let tablebase = self.files.tablebase(edition.metric(), CACHE_BYTES)?;
        probed(&tablebase, files[0].layout().clone(), &|_, _| ())
    }

    fn values(&self, material: &Material) -> Result<Arc<FileValues>, LibraryError> {
        if let Some(values) = self.open.lock().get(material) {
            return Ok(values.clone());
        }
        let edition = self.files.edition();
        let name = material.name(edition.variant());
        let file = self.files.open_with_cache(&name, edition.metric(), self.cache.clone())?;
        let wdl = companion(edition.metric()).map(|wdl| self.files.tablebase(wdl, CACHE_BYTES));
        let values = Arc::new(FileValues {
            layout: file.layout().clone(),
            file: Some(file),
            tables: wdl.transpose()?.map(Arc::new),
            reason: self.reason.clone(),
        });
        self.open.lock().insert(material.clone(), values.clone());
        Ok(values)
    }
}

impl Find for CheckedTables {
    fn find(&self, material: &Material) -> Option<Arc<dyn Values>> {
        if self.files.edition().variant().is_always_drawn(material) {
            return None;
        }
        let found = match self.is_whole(material) {
            true => self.table(material).map(|table| table as Arc<dyn Values>),
            false => self.values(material).map(|values| values as Arc<dyn Values>),
        };
        noted(&self.reason, found)
    }
}

impl FileValues {
    fn read(&self, stm: Side, index: usize) -> Result<Option<Value>, LibraryError> {
        let Some(tables) = &self.tables else {
            return Ok(self.file.as_ref().map(|file| file.value(stm, index)).transpose()?);
        };
        let Some(position) = position(&self.layout, stm, index) else { return Ok(None) };
        let value = tables.in_table(stm, tables.value(&position)?);
        Ok(Some(match &self.file {
            Some(file) => file.distance(stm, index)?.of(value),
            None => value,
        }))
    }
}

impl Values for FileValues {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn keeps(&self, stm: Side) -> bool {
        self.file.as_ref().map_or_else(|| self.layout.sides().contains(&stm), |file| file.keeps(stm))
    }

    fn is_whole(&self) -> bool {
        false
    }

    fn value(&self, stm: Side, index: usize) -> Option<Value> {
        noted(&self.reason, self.read(stm, index)).flatten()
    }

    fn value_at(&self, stm: Side, index: usize, clock: u32) -> Option<Value> {
        let Some(file) = self.file.as_ref().filter(|_| clock > 0) else { return self.value(stm, index) };
        noted(&self.reason, file.value_at(stm, index, clock).map_err(LibraryError::from))
    }

    fn changes(&self, stm: Side, index: usize) -> Option<Vec<u32>> {
        let Some(file) = &self.file else { return Some(Vec::new()) };
        noted(&self.reason, file.changes(stm, index).map_err(LibraryError::from))
    }
}

/// Keeps the first reason why something could not be had.
fn noted<T>(reason: &Reason, found: Result<T, LibraryError>) -> Option<T> {
    match found {
        Ok(found) => Some(found),
        Err(error) => {
            reason.lock().get_or_insert(error);
            None
        }
    }
}

fn explained(reason: &Reason, variant: &Variant, material: &Material, error: VerifyError) -> LibraryError {
    match (reason.lock().take(), error) {
        (Some(error), _) => error,
        (None, VerifyError::Missing(missing)) => {
            LibraryError::Missing { material: missing.material.name(variant) }
        }
        (None, _) => LibraryError::Unreadable { material: material.name(variant) },
    }
}

/// How many placements are read before progress is reported.
const STRETCH: usize = 1 << 12;

/// The table with both sides to move, asked position by position on the caller's threads; `progress` gets
/// how many stretches of how many are done.
fn probed(
    tablebase: &Tablebase,
    layout: Arc<Layout>,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> Result<Table, LibraryError> {
    let n_stretches = layout.len().div_ceil(STRETCH) * layout.sides().len();
    let done = AtomicUsize::new(0);
    let codes = |stm| -> Result<Codes, LibraryError> {
        let read = |places: Range<usize>| {
            let codes = places.map(|index| code(tablebase, &layout, stm, index));
            let codes = codes.collect::<Result<Vec<u16>, LibraryError>>();
            progress(done.fetch_add(1, Ordering::Relaxed) + 1, n_stretches);
            codes
        };
        let codes = threads::try_map(threads::stretches(0..layout.len(), STRETCH), read)?;
        Ok(u16::owned(codes.concat()))
    };
    let white = codes(Side::White)?;
    let black = (!layout.is_one_sided()).then(|| codes(Side::Black)).transpose()?;
    let mut table = Table::new(layout.clone(), white, black);
    solve::restore(tablebase.variant(), &mut table);
    Ok(table)
}

/// The code of a canonical position with this side to move, that of no position for all other places.
fn code(tablebase: &Tablebase, layout: &Layout, stm: Side, index: usize) -> Result<u16, LibraryError> {
    let is_canonical = || layout.encode(&layout.decode(index)) == Some(index);
    let Some(position) = position(layout, stm, index).filter(|_| is_canonical()) else {
        return Ok(u16::ILLEGAL);
    };
    let too_large = || LibraryError::ValueTooLarge { material: layout.name().to_owned() };
    u16::from_value(tablebase.in_table(stm, tablebase.value(&position)?)).ok_or_else(too_large)
}

/// The position of a number with this side to move; none if its men cannot stand so.
fn position(layout: &Layout, stm: Side, index: usize) -> Option<Position> {
    let placement = layout.decode(index);
    let men = layout.men().iter().copied().zip(placement.iter().copied());
    Position::of_material(layout.material(), men, stm)
}

/// The exchange files of a folder that are of one kind and hold one metric.
#[derive(Debug)]
pub struct ExchangeTables {
    tables: Arc<Tablebase>,
    kind: ExchangeKind,
    reason: Reason,
}

impl ExchangeTables {
    /// The files that are in the folder of this one, of the same kind and metric.
    ///
    /// # Errors
    /// There is no such folder.
    pub fn open(variant: &Variant, file: &ExchangeFile) -> Result<Self, LibraryError> {
        let tables = Arc::new(Tablebase::open_exchange(variant, file)?);
        Ok(ExchangeTables { tables, kind: file.kind(), reason: Reason::default() })
    }

    /// Derives the values of a table again from those that its moves lead to, on the caller's threads.
    /// `counts_plies` says whether its distances are exact; `progress` gets how many stretches of how many
    /// are done.
    ///
    /// # Errors
    /// A file that is needed is missing ([`probe::ProbeError::Missing`]) or damaged; that values are wrong is
    /// no error, but in the report.
    pub fn verify(
        &self,
        material: &Material,
        counts_plies: bool,
        sample: Sample,
        progress: &(dyn Fn(usize, usize) + Sync),
    ) -> Result<Report, LibraryError> {
        let (variant, scale) = (self.tables.variant(), self.tables.scale());
        // Syzygy files count moves beyond the n-move rule, whatever they do before.
        let n_exact_plies = match (self.kind, counts_plies) {
            (ExchangeKind::Flat, _) => u16::MAX,
            (ExchangeKind::Syzygy, true) => scale.rule_plies().unwrap_or(u16::MAX),
            (ExchangeKind::Syzygy, false) => 0,
        };
        let is_alike = |stored: Value, derived: Value| match (stored, derived) {
            (Value::Win(a), Value::Win(b)) | (Value::Loss(a), Value::Loss(b)) => {
                a == b || (a.0.abs_diff(b.0) == 1 && a.max(b).0 > n_exact_plies)
            }
            _ => stored == derived,
        };
        let options =
            VerifyOptions { metric: scale.metric(), winner: None, sample, is_alike: &is_alike, progress };
        let checked = proof::verify(variant, &self.values(material), self, &options);
        checked.map_err(|error| explained(&self.reason, variant, material, error))
    }

    /// The whole table, both sides to move; `progress` as above.
    ///
    /// # Errors
    /// A file that is needed is missing ([`probe::ProbeError::Missing`]) or damaged.
    pub fn read(
        &self,
        material: &Material,
        progress: &(dyn Fn(usize, usize) + Sync),
    ) -> Result<Table, LibraryError> {
        let layout = Arc::new(Layout::new(self.tables.variant(), material));
        probed(&self.tables, layout, progress)
    }

    fn values(&self, material: &Material) -> FileValues {
        let layout = Arc::new(Layout::new(self.tables.variant(), material));
        FileValues { layout, file: None, tables: Some(self.tables.clone()), reason: self.reason.clone() }
    }
}

impl Find for ExchangeTables {
    fn find(&self, material: &Material) -> Option<Arc<dyn Values>> {
        // Whether its file is there shows when it is asked for a value.
        let has_file = material.n_men() > 2;
        has_file.then(|| Arc::new(self.values(material)) as Arc<dyn Values>)
    }
}
