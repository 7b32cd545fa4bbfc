//! The tables of a folder as a verification reads them: small ones whole, large ones block by block.

use crate::{Failure, store};
use format::{BlockCache, FormatError, TableFile, file_name};
use index::Layout;
use proof::{Find, Values};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use table::Table;
use variant::{Material, Side, Variant};

/// How many bytes of decompressed blocks are kept of the tables that are read block by block.
const CACHE_BYTES: usize = 256 << 20;

/// How many bytes of whole tables are kept, roughly: all of the tables of up to four men of chess.
const WHOLE_BYTES: usize = 512 << 20;

/// The tables of a folder.
pub(crate) struct Tables<'a> {
    variant: &'a Variant,
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
    failure: OnceLock<String>,
}

impl<'a> Tables<'a> {
    pub(crate) fn new(variant: &'a Variant, folder: &'a Path, max_men_whole: usize) -> Self {
        Tables {
            variant,
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
        self.folder.join(file_name(name))
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
        let path = self.path(&material.name(self.variant));
        let table = Arc::new(store::read(self.variant, &path).map_err(|error| error.to_string())?);
        let mut whole = locked(&self.whole);
        let size_bytes = |table: &Table| table.layout().len() * table.sides().count();
        if whole.values().map(|table| size_bytes(table)).sum::<usize>() + size_bytes(&table) > WHOLE_BYTES {
            whole.clear();
        }
        whole.insert(material.clone(), table.clone());
        Ok(table)
    }

    fn file(&self, material: &Material) -> Result<Arc<OpenFile>, String> {
        if let Some(file) = locked(&self.open).get(material) {
            return Ok(file.clone());
        }
        let path = self.path(&material.name(self.variant));
        let file = TableFile::open_with_cache(&path, self.variant, self.cache.clone());
        let file = Arc::new(OpenFile { file: file.map_err(told)?, failure: OnceLock::new() });
        locked(&self.open).insert(material.clone(), file.clone());
        Ok(file)
    }
}

impl Find for Tables<'_> {
    fn find(&self, material: &Material) -> Option<Arc<dyn Values>> {
        if self.variant.is_always_drawn(material) {
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
        self.remember(self.file.value(stm, index))
    }
}

/// What a person is told of a file that cannot be read.
fn told(error: FormatError) -> String {
    Failure::new(error).to_string()
}

fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
