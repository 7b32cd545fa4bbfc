//! Solved tables in memory, for as long as the schedule says.
//!
//! A table comes from whoever has just solved it, else from its file; one that the rules prove drawn is
//! solved on the spot, because its neighbours ask it which of its positions are legal. A need for a part of a
//! table (see [`Need::part`]) has a number of its own, and nothing but the part stays in memory.
//!
//! To get a table may mean to wait for the disk or for another thread that is loading it. So whoever gets one
//! must not be a thread of the pool: such a thread, waiting, could be given work that waits for it.

use crate::Failure;
use crate::edition::Edition;
use crate::verify::Tables;
use ::plan::Need;
use ::solve::{Progress, SolveError, Unwatched};
use exit::Part;
use geometry::SquareSet;
use index::{Layout, Scope};
use rayon::ThreadPool;
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use table::{CodesMut, Coding, Lookup, Table};
use variant::{Man, Material, Metric, Variant};

/// The tables, and parts of tables, that one solve reads.
#[derive(Default)]
pub(crate) struct Shelf {
    tables: BTreeMap<Material, Arc<Table>>,
    parts: BTreeMap<Material, (Part, Arc<Table>)>,
}

impl Lookup for Shelf {
    fn table(&self, material: &Material) -> Option<Arc<Table>> {
        self.tables.get(material).cloned()
    }

    fn part(&self, material: &Material, man: Man, squares: SquareSet) -> Option<Arc<Table>> {
        match self.parts.get(material) {
            Some((part, table)) if part.man == man && squares.without(part.squares).is_empty() => {
                Some(table.clone())
            }
            _ => self.table(material),
        }
    }
}

/// How a table is solved, so that tests can have tables without solving them.
pub(crate) type Solver<'s> = dyn Fn(&Variant, Metric, Arc<Layout>, &dyn Lookup, &dyn Progress) -> Result<Table, SolveError>
    + Sync
    + 's;

/// The tables of a folder that are in memory, by the numbers of the needs that they meet.
pub(crate) struct Store<'a> {
    edition: &'a Edition,
    folder: &'a Path,
    pool: &'a ThreadPool,
    solver: &'a Solver<'a>,
    needs: Vec<Need>,
    /// Locked while a table is loaded, so that it is loaded once.
    slots: Vec<Mutex<Option<Arc<Table>>>>,
}

impl<'a> Store<'a> {
    pub(crate) fn new(
        edition: &'a Edition,
        folder: &'a Path,
        pool: &'a ThreadPool,
        solver: &'a Solver<'a>,
        needs: Vec<Need>,
    ) -> Self {
        let slots = needs.iter().map(|_| Mutex::default()).collect();
        Store { edition, folder, pool, solver, needs, slots }
    }

    /// The file of a table for one of the edition's metrics.
    pub(crate) fn path(&self, name: &str, metric: Metric) -> PathBuf {
        self.edition.path(self.folder, name, metric)
    }

    /// The folder of the files.
    pub(crate) fn folder(&self) -> &'a Path {
        self.folder
    }

    /// The files of the folder, to be read piece by piece.
    pub(crate) fn files(&self) -> Tables<'a> {
        Tables::new(self.edition, self.folder, 0)
    }

    /// Keeps a whole table that was just solved.
    pub(crate) fn put(&self, need: usize, table: Table) {
        *held(&self.slots[need]) = Some(Arc::new(table));
    }

    /// Lets a table go; it is read from its file if somebody asks for it again.
    pub(crate) fn forget(&self, need: usize) {
        *held(&self.slots[need]) = None;
    }

    /// The tables that meet these needs.
    pub(crate) fn shelf(&self, needs: &[usize]) -> Result<Shelf, Failure> {
        let mut shelf = Shelf::default();
        for &number in needs {
            let (need, table) = (&self.needs[number], self.get(number)?);
            match &need.part {
                None => drop(shelf.tables.insert(need.material.clone(), table)),
                Some(part) => drop(shelf.parts.insert(need.material.clone(), (part.clone(), table))),
            }
        }
        Ok(shelf)
    }

    fn get(&self, number: usize) -> Result<Arc<Table>, Failure> {
        let need = &self.needs[number];
        let mut slot = held(&self.slots[number]);
        if let Some(table) = &*slot {
            return Ok(table.clone());
        }
        let load = || {
            if need.is_drawn {
                return self.solve(&need.material, &Shelf::default(), &Unwatched);
            }
            match &need.part {
                None => self.edition.read(self.folder, &need.name),
                Some(part) => read_part(self.edition, self.folder, &need.name, part),
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
        let layout = Arc::new(Layout::new(&self.edition.variant, material));
        (self.solver)(&self.edition.variant, self.edition.metric, layout, shelf, progress)
            .map_err(Failure::new)
    }
}

/// A part of the table in its files; where the table cannot be read in this part, the whole of it, which will
/// do as well.
///
/// Beside the part, each thread has a unit of the table in memory: see [`Need::reading_bytes`]. Of distances
/// the whole table is, for a while, because who wins is in another file.
fn read_part(edition: &Edition, folder: &Path, name: &str, part: &Part) -> Result<Table, Failure> {
    let file = edition.open(folder, name, edition.metric).map_err(Failure::new)?;
    let layout = file.layout();
    // Of like men any will do, because a table has all of their orders.
    let places = (0..layout.men().len()).filter(|&place| layout.men()[place] == part.man);
    let scope = places.filter_map(|place| Scope::new(layout, place, part.squares)).next();
    let Some(scope) = scope else { return edition.read(folder, name) };
    let stm = Table::side_of_part(layout, &scope);
    if file.holds_distances() || !file.keeps(stm) {
        let whole = edition.read(folder, name)?;
        return Ok(whole.part(&scope).unwrap_or(whole));
    }
    let codes = |stm, range: Range<usize>, codes: CodesMut<'_>| file.read_range(stm, range, codes);
    let coding = if file.is_wide(stm) { Coding::Wide(()) } else { Coding::Narrow(()) };
    ::solve::read_part(&edition.variant, layout.clone(), scope, coding, &codes).map_err(Failure::new)
}

/// What a mutex guards; a thread that has panicked leaves whole tables behind, or none.
fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
