//! Solved tables in memory, for as long as somebody needs them.
//!
//! A table comes from whoever has just solved it, else from its file; one that the rules prove drawn is solved on the
//! spot, because its neighbours ask it which of its positions are legal. Each table is announced as often as it will
//! be asked for, and is forgotten with the last release.
//!
//! To get a table may mean to wait for the disk or for another thread that is loading it. So whoever gets one must
//! not be a thread of the pool: such a thread, waiting, could be given work that waits for it.

use crate::Failure;
use ::plan::Need;
use ::solve::{Progress, SolveError, Unwatched};
use format::TableFile;
use index::Layout;
use rayon::ThreadPool;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use table::{Lookup, Table};
use variant::{Material, Variant};

/// The tables that one solve or one verification reads.
#[derive(Default)]
pub(crate) struct Shelf {
    tables: BTreeMap<Material, Arc<Table>>,
}

impl Lookup for Shelf {
    fn table(&self, material: &Material) -> Option<Arc<Table>> {
        self.tables.get(material).cloned()
    }
}

/// How a table is solved, so that tests can have tables without solving them.
pub(crate) type Solver<'s> =
    dyn Fn(&Variant, Arc<Layout>, &dyn Lookup, &dyn Progress) -> Result<Table, SolveError> + Sync + 's;

/// The tables of a folder that are in use.
pub(crate) struct Store<'a> {
    variant: &'a Variant,
    folder: &'a Path,
    pool: &'a ThreadPool,
    solver: &'a Solver<'a>,
    places: Mutex<BTreeMap<Material, Arc<Place>>>,
}

#[derive(Default)]
struct Place {
    /// Held while the table is loaded, so that it is loaded once.
    table: Mutex<Option<Arc<Table>>>,
    n_uses: Mutex<usize>,
}

impl<'a> Store<'a> {
    pub(crate) fn new(
        variant: &'a Variant,
        folder: &'a Path,
        pool: &'a ThreadPool,
        solver: &'a Solver<'a>,
    ) -> Self {
        Store { variant, folder, pool, solver, places: Mutex::default() }
    }

    /// The file of a table.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.join(format::file_name(name))
    }

    /// Says that these tables will be asked for once more.
    pub(crate) fn announce(&self, needs: &[Need]) {
        for need in needs {
            let place = held(&self.places).entry(need.material.clone()).or_default().clone();
            *held(&place.n_uses) += 1;
        }
    }

    /// Says that these tables have been used, or will not be after all.
    pub(crate) fn release(&self, needs: &[Need]) {
        let mut places = held(&self.places);
        for need in needs {
            let Some(place) = places.get(&need.material) else { continue };
            let is_last = {
                let mut n_uses = held(&place.n_uses);
                *n_uses = n_uses.saturating_sub(1);
                *n_uses == 0
            };
            if is_last {
                places.remove(&need.material);
            }
        }
    }

    /// Keeps a table if it will be asked for.
    pub(crate) fn put(&self, material: &Material, table: Table) {
        if let Some(place) = self.place(material) {
            *held(&place.table) = Some(Arc::new(table));
        }
    }

    /// The tables that a job needs.
    pub(crate) fn shelf(&self, needs: &[Need]) -> Result<Shelf, Failure> {
        let mut shelf = Shelf::default();
        for need in needs {
            shelf.tables.insert(need.material.clone(), self.get(need)?);
        }
        Ok(shelf)
    }

    fn get(&self, need: &Need) -> Result<Arc<Table>, Failure> {
        let place = self.place(&need.material).unwrap_or_default();
        let mut slot = held(&place.table);
        if let Some(table) = &*slot {
            return Ok(table.clone());
        }
        let load = || {
            if need.is_drawn {
                self.solve(&need.material, &Shelf::default(), &Unwatched)
            } else {
                read(self.variant, &self.path(&need.name))
            }
        };
        let table = Arc::new(self.pool.install(load)?);
        *slot = Some(table.clone());
        Ok(table)
    }

    /// Solves a table from those on the shelf.
    pub(crate) fn solve(
        &self,
        material: &Material,
        shelf: &Shelf,
        progress: &dyn Progress,
    ) -> Result<Table, Failure> {
        let layout = Arc::new(Layout::new(self.variant, material));
        (self.solver)(self.variant, layout, shelf, progress).map_err(Failure::new)
    }

    fn place(&self, material: &Material) -> Option<Arc<Place>> {
        held(&self.places).get(material).cloned()
    }
}

/// The table in a file, with what files leave out put back; every checksum is compared.
pub(crate) fn read(variant: &Variant, path: &Path) -> Result<Table, Failure> {
    let mut table =
        TableFile::open(path, variant).and_then(|file| file.read_table()).map_err(Failure::new)?;
    ::solve::restore(variant, &mut table);
    Ok(table)
}

/// What a mutex guards; a thread that has panicked leaves whole tables behind, or none.
fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
