//! The tables of a folder as a verification reads them: small ones whole, large ones block by block.

use crate::Failure;
use crate::edition::Edition;
use ::probe::Tablebase;
use format::{BlockCache, FormatError, TableFile, companion};
use index::Layout;
use position::Position;
use proof::{Find, Values};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use table::{Code, Codes, Table};
use variant::{Material, Metric, Side};

/// How many bytes of decompressed blocks are kept of the tables that are read block by block.
const CACHE_BYTES: usize = 256 << 20;

/// How many bytes of whole tables are kept, roughly: all of the tables of up to four men of chess.
const WHOLE_BYTES: usize = 512 << 20;

/// The tables of a folder.
pub(crate) struct Tables<'a> {
    edition: &'a Edition,
    folder: &'a Path,
    /// Tables of up to so many men are read whole.
    max_men_whole: usize,
    cache: Arc<BlockCache>,
    open: Mutex<BTreeMap<Material, Arc<OpenFile>>>,
    whole: Mutex<BTreeMap<Material, Arc<Table>>>,
    /// Why the last table could not be had.
    failure: Mutex<Option<String>>,
}

/// A file that remembers why it could not be read.
struct OpenFile {
    file: TableFile,
    /// Who wins, if the file does not tell.
    outcomes: Option<Arc<Tablebase>>,
    failure: OnceLock<String>,
}

impl<'a> Tables<'a> {
    pub(crate) fn new(edition: &'a Edition, folder: &'a Path, max_men_whole: usize) -> Self {
        Tables {
            edition,
            folder,
            max_men_whole,
            cache: Arc::new(BlockCache::new(CACHE_BYTES)),
            open: Mutex::default(),
            whole: Mutex::default(),
            failure: Mutex::default(),
        }
    }

    /// The file of a table.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.edition.path(self.folder, name, self.edition.metric)
    }

    /// The values of a table that has a file, all of its blocks checked.
    pub(crate) fn checked(&self, material: &Material) -> Result<Arc<dyn Values>, String> {
        if self.is_whole(material) {
            return self.table(material).map(|table| table as Arc<dyn Values>);
        }
        let file = self.file(material)?;
        file.file.verify_checksums().map_err(told)?;
        Ok(file)
    }

    /// Why values could not be read, if that is so; and no longer.
    pub(crate) fn take_failure(&self) -> Option<String> {
        let in_file = || locked(&self.open).values().find_map(|file| file.failure.get().cloned());
        locked(&self.failure).take().or_else(in_file)
    }

    fn is_whole(&self, material: &Material) -> bool {
        material.n_men() <= self.max_men_whole
    }

    fn table(&self, material: &Material) -> Result<Arc<Table>, String> {
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
    fn read(&self, material: &Material) -> Result<Table, String> {
        let name = material.name(&self.edition.variant);
        let metric = self.edition.metric;
        let open = |metric| self.edition.open(self.folder, &name, metric).map_err(told);
        let files = self.edition.files().iter().map(|&metric| open(metric)).collect::<Result<Vec<_>, _>>()?;
        if files.iter().all(|file| file.left_out().is_none()) {
            return self.edition.read(self.folder, &name).map_err(|error| error.to_string());
        }
        files.iter().try_for_each(|file| file.verify_checksums().map_err(told))?;
        let (tablebase, layout) = (self.tablebase(metric)?, files[0].layout().clone());
        let mut table = Table::new(
            layout.clone(),
            values(&tablebase, &layout, Side::White)?,
            (!layout.is_symmetric()).then(|| values(&tablebase, &layout, Side::Black)).transpose()?,
        );
        ::solve::restore(&self.edition.variant, &mut table);
        Ok(table)
    }

    /// The folder, to be asked for single positions under a metric.
    fn tablebase(&self, metric: Metric) -> Result<Tablebase, String> {
        self.edition.tablebase(self.folder, metric, CACHE_BYTES).map_err(|error| error.to_string())
    }

    fn file(&self, material: &Material) -> Result<Arc<OpenFile>, String> {
        if let Some(file) = locked(&self.open).get(material) {
            return Ok(file.clone());
        }
        let name = material.name(&self.edition.variant);
        let (path, metric) = (self.path(&name), self.edition.metric);
        let file =
            TableFile::open_of(&path, &self.edition.variant, metric, self.cache.clone()).map_err(told)?;
        let outcomes = companion(metric).map(|wdl| self.tablebase(wdl)).transpose()?.map(Arc::new);
        let file = Arc::new(OpenFile { file, outcomes, failure: OnceLock::new() });
        locked(&self.open).insert(material.clone(), file.clone());
        Ok(file)
    }
}

impl Find for Tables<'_> {
    fn find(&self, material: &Material) -> Option<Arc<dyn Values>> {
        if self.edition.variant.is_always_drawn(material) {
            return None;
        }
        let found = match self.is_whole(material) {
            true => self.table(material).map(|table| table as Arc<dyn Values>),
            false => self.file(material).map(|file| file as Arc<dyn Values>),
        };
        found.map_err(|failure| *locked(&self.failure) = Some(failure)).ok()
    }
}

impl OpenFile {
    fn remember<T>(&self, result: Result<T, FormatError>) -> Option<T> {
        result.map_err(|error| drop(self.failure.set(told(error)))).ok()
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

    fn value(&self, stm: Side, index: usize) -> Option<table::Value> {
        let Some(outcomes) = &self.outcomes else { return self.remember(self.file.value(stm, index)) };
        let layout = self.file.layout();
        let men = layout.men().iter().copied();
        let position = Position::from_men(men.zip(layout.decode(index).iter().copied()), stm)?;
        let outcome =
            outcomes.value(&position).map_err(|error| drop(self.failure.set(error.to_string()))).ok()?;
        self.remember(self.file.distance(stm, index)).map(|distance| distance.of(outcome))
    }
}

/// The values of all canonical positions of a table with this side to move.
fn values(tablebase: &Tablebase, layout: &Layout, stm: Side) -> Result<Codes, String> {
    let code = |index: usize| {
        let placement = layout.decode(index);
        let men = layout.men().iter().copied().zip(placement.iter().copied());
        let position = Position::from_men(men, stm).filter(|_| layout.encode(&placement) == Some(index));
        let Some(position) = position else { return Ok(u16::ILLEGAL) };
        let value = tablebase.value(&position).map_err(|error| error.to_string())?;
        u16::from_value(value).ok_or_else(|| "a value is larger than any can be".to_owned())
    };
    (0..layout.len()).into_par_iter().map(code).collect::<Result<Vec<u16>, String>>().map(Codes::Wide)
}

/// What a person is told of a file that cannot be read.
fn told(error: FormatError) -> String {
    Failure::new(error).to_string()
}

fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
