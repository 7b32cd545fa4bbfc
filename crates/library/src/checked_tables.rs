//! Supplies a verification with the tables of a folder: small ones whole, large ones block by block, and
//! those of flat and Syzygy files.

use crate::{LibraryError, TableFiles};
use format::{BlockCache, TableFile, companion};
use index::Layout;
use parking_lot::{Mutex, MutexGuard};
use position::Position;
use probe::{ExchangeFile, ExchangeKind, ProbeError, Tablebase};
use proof::{Find, Report, Sample, Values, VerifyError, VerifyOptions};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use table::{Code, Codes, Table, Value};
use variant::{Material, Side, Variant};

/// How many bytes of decompressed blocks are kept of the tables that are read block by block.
const CACHE_BYTES: usize = 256 << 20;

/// How many bytes of whole tables are kept, roughly: all of the tables of up to four men of chess.
const WHOLE_BYTES: usize = 512 << 20;

/// The tables of a folder, for [`proof::verify`].
#[derive(Debug)]
pub struct CheckedTables {
    files: TableFiles,
    /// Tables of up to this many men are read whole.
    max_men_whole: usize,
    cache: Arc<BlockCache>,
    open: Mutex<BTreeMap<Material, Arc<OpenFile>>>,
    whole: Mutex<BTreeMap<Material, Arc<Table>>>,
    /// Why the last table could not be had.
    error: Mutex<Option<LibraryError>>,
}

/// A file that remembers why it could not be read.
#[derive(Debug)]
struct OpenFile {
    file: TableFile,
    /// Who wins, if the file does not say.
    wdl: Option<Tablebase>,
    error: Mutex<Option<LibraryError>>,
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
            error: Mutex::default(),
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
        let file = self.file(material)?;
        file.file.verify_checksums()?;
        Ok(file)
    }

    /// Why values could not be read, if that is so; and no longer.
    #[must_use]
    pub fn take_error(&self) -> Option<LibraryError> {
        let in_file = || locked(&self.open).values().find_map(|file| locked(&file.error).take());
        locked(&self.error).take().or_else(in_file)
    }

    fn is_whole(&self, material: &Material) -> bool {
        material.n_men() <= self.max_men_whole
    }

    fn table(&self, material: &Material) -> Result<Arc<Table>, LibraryError> {
        if let Some(table) = locked(&self.whole).get(material) {
            return Ok(table.clone());
        }
        // Nothing is locked meanwhile: reading is work for all threads.
        let table = Arc::new(self.read(material)?);
        let mut whole = locked(&self.whole);
        let size_bytes = |table: &Table| table.layout().len() * table.sides().count();
        if whole.values().map(|table| size_bytes(table)).sum::<usize>() + size_bytes(&table) > WHOLE_BYTES {
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
        let layout = files[0].layout().clone();
        let mut table = Table::new(
            layout.clone(),
            values(&tablebase, &layout, Side::White)?,
            (!layout.is_one_sided()).then(|| values(&tablebase, &layout, Side::Black)).transpose()?,
        );
        solve::restore(edition.variant(), &mut table);
        Ok(table)
    }

    fn file(&self, material: &Material) -> Result<Arc<OpenFile>, LibraryError> {
        if let Some(file) = locked(&self.open).get(material) {
            return Ok(file.clone());
        }
        let edition = self.files.edition();
        let name = material.name(edition.variant());
        let file = self.files.open_with_cache(&name, edition.metric(), self.cache.clone())?;
        let wdl =
            companion(edition.metric()).map(|wdl| self.files.tablebase(wdl, CACHE_BYTES)).transpose()?;
        let file = Arc::new(OpenFile { file, wdl, error: Mutex::default() });
        locked(&self.open).insert(material.clone(), file.clone());
        Ok(file)
    }
}

impl Find for CheckedTables {
    fn find(&self, material: &Material) -> Option<Arc<dyn Values>> {
        if self.files.edition().variant().is_always_drawn(material) {
            return None;
        }
        let found = match self.is_whole(material) {
            true => self.table(material).map(|table| table as Arc<dyn Values>),
            false => self.file(material).map(|file| file as Arc<dyn Values>),
        };
        found.map_err(|error| *locked(&self.error) = Some(error)).ok()
    }
}

impl OpenFile {
    fn read(&self, stm: Side, index: usize) -> Result<Option<Value>, LibraryError> {
        let Some(wdl) = &self.wdl else { return Ok(Some(self.file.value(stm, index)?)) };
        let layout = self.file.layout();
        let Some(position) = position(layout, stm, index) else { return Ok(None) };
        let wdl = wdl.value(&position)?;
        Ok(Some(self.file.distance(stm, index)?.of(wdl)))
    }
}

impl Values for OpenFile {
    fn layout(&self) -> &Layout {
        self.file.layout()
    }

    fn keeps(&self, stm: Side) -> bool {
        self.file.keeps(stm)
    }

    fn is_whole(&self) -> bool {
        false
    }

    fn value(&self, stm: Side, index: usize) -> Option<Value> {
        self.read(stm, index).unwrap_or_else(|error| {
            locked(&self.error).get_or_insert(error);
            None
        })
    }
}

/// The values of all canonical positions of a table with this side to move.
fn values(tablebase: &Tablebase, layout: &Layout, stm: Side) -> Result<Codes, LibraryError> {
    let codes = (0..layout.len()).into_par_iter().map(|index| code(tablebase, layout, stm, index));
    codes.collect::<Result<Vec<u16>, LibraryError>>().map(u16::owned)
}

/// The code of a canonical position with this side to move, that of no position for all other places.
pub(crate) fn code(
    tablebase: &Tablebase,
    layout: &Layout,
    stm: Side,
    index: usize,
) -> Result<u16, LibraryError> {
    let is_canonical = || layout.encode(&layout.decode(index)) == Some(index);
    let Some(position) = position(layout, stm, index).filter(|_| is_canonical()) else {
        return Ok(u16::ILLEGAL);
    };
    let too_large = || LibraryError::ValueTooLarge { material: layout.name().to_owned() };
    u16::from_value(tablebase.value(&position)?).ok_or_else(too_large)
}

/// The position of a number with this side to move; none if its men cannot stand so.
pub(crate) fn position(layout: &Layout, stm: Side, index: usize) -> Option<Position> {
    let placement = layout.decode(index);
    Position::from_men(layout.men().iter().copied().zip(placement.iter().copied()), stm)
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock()
}

/// How many placements are read before progress is reported.
const STRETCH: usize = 1 << 12;

/// The exchange files of a folder that are of one kind and hold one metric.
#[derive(Debug)]
pub struct ExchangeTables {
    files: Arc<Files>,
}

#[derive(Debug)]
struct Files {
    tablebase: Tablebase,
    kind: ExchangeKind,
    /// Why the last value could not be had.
    error: Mutex<Option<ProbeError>>,
}

/// The values of one material.
#[derive(Debug)]
struct ExchangeValues {
    layout: Layout,
    files: Arc<Files>,
}

impl ExchangeTables {
    /// The files that are in the folder of this one, of the same kind and metric.
    ///
    /// # Errors
    /// There is no such folder.
    pub fn open(variant: &Variant, file: &ExchangeFile) -> Result<Self, LibraryError> {
        let (tablebase, kind) = (Tablebase::open_exchange(variant, file)?, file.kind());
        Ok(ExchangeTables { files: Arc::new(Files { tablebase, kind, error: Mutex::default() }) })
    }

    /// Derives the values of a table again from those that its moves lead to, on the caller's threads.
    /// `counts_plies` says whether its distances are exact; `progress` gets how many stretches of how many
    /// are done.
    ///
    /// # Errors
    /// A file that is needed is missing ([`ProbeError::Missing`]) or damaged; that values are wrong is no
    /// error, but in the report.
    pub fn verify(
        &self,
        material: &Material,
        counts_plies: bool,
        sample: Sample,
        progress: &(dyn Fn(usize, usize) + Sync),
    ) -> Result<Report, LibraryError> {
        let (variant, scale) = (self.files.tablebase.variant(), self.files.tablebase.scale());
        // Syzygy files count moves beyond the n-move rule, whatever they do before.
        let n_exact_plies = match (self.files.kind, counts_plies) {
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
        checked.map_err(|error| match (self.take_error(), error) {
            (Some(error), _) => error.into(),
            (None, VerifyError::Missing(missing)) => {
                LibraryError::Missing { material: missing.material.name(variant) }
            }
            (None, _) => LibraryError::Unreadable { material: material.name(variant) },
        })
    }

    /// The whole table, both sides to move; `progress` as above.
    ///
    /// # Errors
    /// A file that is needed is missing ([`ProbeError::Missing`]) or damaged.
    pub fn read(
        &self,
        material: &Material,
        progress: &(dyn Fn(usize, usize) + Sync),
    ) -> Result<Table, LibraryError> {
        let variant = self.files.tablebase.variant();
        let layout = Arc::new(Layout::new(variant, material));
        let n_stretches = layout.len().div_ceil(STRETCH) * layout.sides().len();
        let done = AtomicUsize::new(0);
        let codes = |stm| -> Result<Codes, LibraryError> {
            let read = |begin: usize| {
                let range = begin..layout.len().min(begin + STRETCH);
                let codes = range.map(|index| code(&self.files.tablebase, &layout, stm, index));
                let codes = codes.collect::<Result<Vec<u16>, LibraryError>>();
                progress(done.fetch_add(1, Ordering::Relaxed) + 1, n_stretches);
                codes
            };
            let stretches = (0..layout.len()).into_par_iter().step_by(STRETCH);
            let codes = stretches.map(read).collect::<Result<Vec<Vec<u16>>, LibraryError>>()?;
            Ok(u16::owned(codes.concat()))
        };
        let white = codes(Side::White)?;
        let black = (!layout.is_one_sided()).then(|| codes(Side::Black)).transpose()?;
        let mut table = Table::new(layout.clone(), white, black);
        solve::restore(variant, &mut table);
        Ok(table)
    }

    fn values(&self, material: &Material) -> ExchangeValues {
        let layout = Layout::new(self.files.tablebase.variant(), material);
        ExchangeValues { layout, files: self.files.clone() }
    }

    fn take_error(&self) -> Option<ProbeError> {
        self.files.error.lock().take()
    }
}

impl Find for ExchangeTables {
    fn find(&self, material: &Material) -> Option<Arc<dyn Values>> {
        // Whether its file is there shows when it is asked for a value.
        let has_file = material.n_men() > 2;
        has_file.then(|| Arc::new(self.values(material)) as Arc<dyn Values>)
    }
}

impl Values for ExchangeValues {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn keeps(&self, stm: Side) -> bool {
        self.layout.sides().contains(&stm)
    }

    fn is_whole(&self) -> bool {
        false
    }

    fn value(&self, stm: Side, index: usize) -> Option<Value> {
        let position = position(&self.layout, stm, index)?;
        self.files.tablebase.value(&position).map_err(|error| self.files.keep(error)).ok()
    }
}

impl Files {
    fn keep(&self, error: ProbeError) {
        self.error.lock().get_or_insert(error);
    }
}
