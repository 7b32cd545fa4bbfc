//! Loads the tables of a folder one after the other, in the order of a plan, each whole in memory.
//!
//! Most files keep one side to move. Finding the other one by probing takes some ten microseconds a position,
//! solving the table again takes a hundredth of that. So a table without one of its sides is solved again
//! from those that captures and promotions lead to, and what its files have is compared with what comes out.

use super::memory::MemoryTables;
use crate::scope::scope_of;
use crate::{LibraryError, TableFiles};
use exit::TablePart;
use format::TableFile;
use geometry::SquareSet;
use index::Layout;
use plan::{Job, JobId, Plan};
use solve::Unwatched;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use table::{Lookup, Table, Value};
use variant::{Man, Material, Metric, Side};

/// How many placements of a side that is kept are compared with those of a table that was solved again.
const N_COMPARED: usize = 1 << 16;

/// While a table is solved or read, it takes so many bytes a value.
const CODES_AT_WORK: u64 = 3;

/// Tables to be had in the order of a plan, in memory as long as a later one needs them.
///
/// As a [`Lookup`] it has the tables that are in memory and those that the rules prove drawn.
#[derive(Debug)]
pub struct PlannedTables<'a> {
    files: &'a TableFiles,
    plan: &'a Plan,
    wanted: &'a BTreeSet<Material>,
    /// The tables wanted and those that are needed to solve some of them, ascending.
    places: BTreeSet<JobId>,
    /// Those of them that others are solved from, or looked up in, with all that they need.
    shared: BTreeSet<JobId>,
    numbers: BTreeMap<Material, JobId>,
    tables: MemoryTables,
    drawn: MemoryTables,
    /// Whether values are looked up in tables, so that parts of them are not enough.
    is_looked_up: bool,
}

/// What the tables after one in the plan need of a table.
enum Rest {
    Nothing,
    /// Parts, in each of which a man stands on some squares, with their bytes.
    Parts(Vec<(TablePart, u64)>),
    Whole,
}

impl<'a> PlannedTables<'a> {
    /// The tables wanted, all of which the plan has, each alone: those with both sides to move are read, and
    /// only for the others are tables loaded that nobody wants.
    ///
    /// # Errors
    /// A file of a table wanted cannot be opened.
    pub fn new(
        files: &'a TableFiles,
        plan: &'a Plan,
        wanted: &'a BTreeSet<Material>,
    ) -> Result<Self, LibraryError> {
        let mut halves = BTreeSet::new();
        for job in plan.jobs().filter(|job| wanted.contains(&job.material)) {
            if files.open_all(&job.name)?.iter().any(|file| file.left_out().is_some()) {
                halves.insert(job.material.clone());
            }
        }
        Ok(PlannedTables::with_shared(files, plan, wanted, &halves, false))
    }

    /// The same together with all tables that they lead to.
    #[must_use]
    pub fn with_successors(files: &'a TableFiles, plan: &'a Plan, wanted: &'a BTreeSet<Material>) -> Self {
        PlannedTables::with_shared(files, plan, wanted, wanted, true)
    }

    fn with_shared(
        files: &'a TableFiles,
        plan: &'a Plan,
        wanted: &'a BTreeSet<Material>,
        roots: &BTreeSet<Material>,
        is_looked_up: bool,
    ) -> Self {
        let numbers: BTreeMap<Material, JobId> =
            plan.jobs().map(|job| job.material.clone()).zip(plan.ids()).collect();
        let place = |material| numbers.get(material).copied();
        let mut open: Vec<JobId> = roots.iter().filter_map(place).collect();
        let mut shared = BTreeSet::new();
        while let Some(place) = open.pop() {
            if shared.insert(place) {
                open.extend(plan.needed_by(place));
            }
        }
        let places = wanted.iter().filter_map(place).chain(shared.iter().copied()).collect();
        let (tables, drawn) = (MemoryTables::default(), MemoryTables::default());
        PlannedTables { files, plan, wanted, places, shared, numbers, tables, drawn, is_looked_up }
    }

    /// The places in the plan of the tables wanted and of those that they need, in the order in which to get
    /// them.
    #[must_use]
    pub fn places(&self) -> Vec<JobId> {
        self.places.iter().copied().collect()
    }

    /// How many values these tables have together.
    #[must_use]
    pub fn n_values(&self) -> u64 {
        self.places.iter().map(|&place| self.plan.job(place).n_values()).sum()
    }

    /// Gets a table; none if it is only there for others.
    ///
    /// # Errors
    /// A file is missing or damaged, or holds other values than solving its table gives.
    pub fn get(&mut self, place: JobId) -> Result<Option<Arc<Table>>, LibraryError> {
        let job = self.plan.job(place);
        let table = match self.shared.contains(&place) {
            true => self.shared(place)?,
            false => Arc::new(self.files.read(&job.name)?),
        };
        Ok(self.wanted.contains(&job.material).then_some(table))
    }

    /// Drops what none after this table needs: tables, and of those that are only promoted into all but
    /// some parts.
    pub fn forget(&mut self, place: JobId) {
        let materials: Vec<Material> =
            self.tables.tables().map(|table| table.layout().material().clone()).collect();
        for material in materials {
            let rest = self.rest(self.numbers[&material], place);
            if let (Rest::Parts(parts), Some(table)) = (&rest, self.tables.table(&material)) {
                let layout = table.layout();
                for (part, _) in parts {
                    let cut = scope_of(layout, part).and_then(|scope| table.part(&scope));
                    let cut = cut.map_or_else(|| table.clone(), Arc::new);
                    self.tables.insert_part(part.man, part.squares, cut);
                }
            }
            if !matches!(rest, Rest::Whole) {
                self.tables.retain(|kept| *kept != material);
            }
        }
        let (plan, shared, numbers) = (self.plan, &self.shared, &self.numbers);
        self.tables.retain_parts(|material| {
            plan.in_need_of(numbers[material]).into_iter().any(|user| user > place && shared.contains(&user))
        });
    }

    /// What the tables after `place` need of a table.
    fn rest(&self, table: JobId, place: JobId) -> Rest {
        let material = &self.plan.job(table).material;
        let users = self.plan.in_need_of(table).into_iter();
        let users = users.filter(|user| *user > place && self.shared.contains(user));
        let needs =
            users.flat_map(|user| &self.plan.job(user).needs).filter(|need| need.material == *material);
        let mut parts: Vec<(TablePart, u64)> = Vec::new();
        for need in needs {
            match &need.part {
                Some(part) if !self.is_looked_up => {
                    match parts.iter_mut().find(|(kept, _)| kept.man == part.man) {
                        Some((kept, bytes)) => {
                            kept.squares = kept.squares.union(part.squares);
                            *bytes = (*bytes).max(need.bytes());
                        }
                        None => parts.push((part.clone(), need.bytes())),
                    }
                }
                _ => return Rest::Whole,
            }
        }
        if parts.is_empty() { Rest::Nothing } else { Rest::Parts(parts) }
    }

    /// The memory that the tables take at most that are in memory together, and the table that is gotten
    /// then.
    ///
    /// Units: bytes.
    #[must_use]
    pub fn peak(&self) -> Option<(u64, &Job)> {
        let mut held: BTreeMap<JobId, u64> = BTreeMap::new();
        let mut peak = None;
        for &place in &self.places {
            let job = self.plan.job(place);
            let bytes = held.values().sum::<u64>() + CODES_AT_WORK * job.n_values();
            if peak.is_none_or(|(most, _)| bytes > most) {
                peak = Some((bytes, job));
            }
            if self.shared.contains(&place) {
                held.insert(place, job.n_values());
            }
            held.retain(|&table, bytes| match self.rest(table, place) {
                Rest::Nothing => false,
                Rest::Whole => true,
                Rest::Parts(parts) => {
                    *bytes = (*bytes).min(parts.iter().map(|(_, bytes)| bytes).sum());
                    true
                }
            });
        }
        peak
    }

    /// Gets a table whose needs are in memory, and keeps it there.
    fn shared(&mut self, place: JobId) -> Result<Arc<Table>, LibraryError> {
        let job = self.plan.job(place);
        for need in job.needs.iter().filter(|need| need.is_drawn) {
            if self.drawn.table(&need.material).is_none() {
                let table = self.solve(&need.material)?;
                self.drawn.insert(Arc::new(table));
            }
        }
        let files = self.open_all(&job.name)?;
        let table = match files.iter().all(|file| file.left_out().is_none()) {
            true => self.files.read(&job.name)?,
            false => {
                files.iter().try_for_each(TableFile::verify_checksums)?;
                let table = self.solve(&job.material)?;
                files.iter().try_for_each(|file| compare(&table, file, self.files.edition().metric()))?;
                table
            }
        };
        let table = Arc::new(table);
        self.tables.insert(table.clone());
        Ok(table)
    }

    fn open_all(&self, name: &str) -> Result<Vec<TableFile>, LibraryError> {
        let metrics = self.files.edition().metrics();
        let open = |&metric: &Metric| {
            self.files.open(name, metric).map_err(|error| match error.is_not_found() {
                true => LibraryError::NotBuilt {
                    path: self.files.path(name, metric),
                    material: name.to_owned(),
                    metrics: metrics.iter().rev().copied().collect(),
                },
                false => error.into(),
            })
        };
        metrics.iter().map(open).collect()
    }

    fn solve(&self, material: &Material) -> Result<Table, LibraryError> {
        let edition = self.files.edition();
        let layout = Arc::new(Layout::new(edition.variant(), material));
        Ok(solve::solve(edition.variant(), edition.metric(), layout, self, &Unwatched)?)
    }
}

impl Lookup for PlannedTables<'_> {
    fn table(&self, material: &Material) -> Option<Arc<Table>> {
        self.tables.table(material).or_else(|| self.drawn.table(material))
    }

    fn part(&self, material: &Material, man: Man, squares: SquareSet) -> Option<Arc<Table>> {
        self.tables.part(material, man, squares).or_else(|| self.drawn.part(material, man, squares))
    }
}

/// Compares what a file keeps with a table of this metric that was solved again.
fn compare(table: &Table, file: &TableFile, metric: Metric) -> Result<(), LibraryError> {
    let layout = file.layout();
    let step = (layout.len() / N_COMPARED).max(1);
    for side in Side::BOTH.into_iter().filter(|&side| file.keeps(side)) {
        for index in (0..layout.len()).step_by(step) {
            let value = table.value(side, index);
            if value == Value::Illegal || !layout.is_canonical(index, &layout.decode(index)) {
                continue;
            }
            let is_same = match file.holds_distances() {
                true => value.ply().is_none() || value.ply() == Some(file.distance(side, index)?.0),
                false if metric == Metric::Dtm => value == file.value(side, index)?,
                false => value.wdl() == file.value(side, index)?.wdl(),
            };
            if !is_same {
                return Err(LibraryError::Contradicted { path: file.path().to_path_buf() });
            }
        }
    }
    Ok(())
}
