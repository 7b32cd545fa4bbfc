//! Holds solved tables, and parts of tables, in memory, and solves those that are asked for.

use crate::LibraryError;
use geometry::SquareSet;
use index::Layout;
use parking_lot::{Mutex, MutexGuard};
use plan::{Plan, Request};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use table::{Lookup, Table};
use variant::{Man, Material, Metric, Variant};

/// Tables of one variant and metric, each solved when it is first asked for, with all that it leads to.
#[derive(Debug)]
pub struct SolvedTables {
    variant: Variant,
    metric: Metric,
    tables: Mutex<MemoryTables>,
    /// Set by a program that wants no more tables.
    interrupt: Arc<AtomicBool>,
}

impl SolvedTables {
    /// No tables yet; those that come have the variant's default metric.
    #[must_use]
    pub fn new(variant: Variant) -> Self {
        let metric = variant.default_metric;
        SolvedTables::of_metric(variant, metric)
    }

    /// Like [`Self::new`], under a metric.
    #[must_use]
    pub fn of_metric(variant: Variant, metric: Metric) -> Self {
        SolvedTables::with_tables(variant, metric, MemoryTables::default())
    }

    /// Like [`Self::of_metric`], with tables that are there already.
    #[must_use]
    pub fn with_tables(variant: Variant, metric: Metric, tables: MemoryTables) -> Self {
        SolvedTables { variant, metric, tables: Mutex::new(tables), interrupt: Arc::default() }
    }

    /// Takes a flag: a solve ends with [`LibraryError::Interrupted`] once the flag is set.
    #[must_use]
    pub fn with_interrupt(self, interrupt: Arc<AtomicBool>) -> Self {
        SolvedTables { interrupt, ..self }
    }

    /// The variant.
    #[must_use]
    pub fn variant(&self) -> &Variant {
        &self.variant
    }

    /// The metric of the tables.
    #[must_use]
    pub fn metric(&self) -> Metric {
        self.metric
    }

    /// The table of a material, by its name.
    ///
    /// # Errors
    /// The variant has no such material, or it cannot be solved.
    pub fn named(&self, name: &str) -> Result<Arc<Table>, LibraryError> {
        self.solved(&Material::parse(&self.variant, name)?)
    }

    /// The table of a material, its colours as tables have them.
    ///
    /// # Errors
    /// It has too many men, or cannot be solved.
    pub fn solved(&self, material: &Material) -> Result<Arc<Table>, LibraryError> {
        let material = material.canonical(&self.variant);
        if let Some(table) = self.table(&material) {
            return Ok(table);
        }
        self.solve_needs(&material)?;
        self.kept(&material)
    }

    /// Solves all tables that solving a material needs, and not its own.
    ///
    /// # Errors
    /// As [`SolvedTables::solved`].
    pub fn solve_needs(&self, material: &Material) -> Result<(), LibraryError> {
        let material = material.canonical(&self.variant);
        for job in Plan::new(&self.variant, &Request::Table(material.clone()))?.jobs() {
            // What the rules prove drawn is no job, but its legal positions are asked for.
            for need in job.needs.iter().filter(|need| need.is_drawn) {
                self.kept(&need.material)?;
            }
            if job.material != material {
                self.kept(&job.material)?;
            }
        }
        Ok(())
    }

    /// Solves a material whose needs are there, without keeping it.
    ///
    /// # Errors
    /// A table that it needs is not there, or it cannot be solved.
    pub fn solve(&self, material: &Material) -> Result<Table, LibraryError> {
        let layout = Arc::new(Layout::new(&self.variant, material));
        Ok(solve::solve(&self.variant, self.metric, layout, self, &*self.interrupt)?)
    }

    /// The tables that are there, of which the rules alone prove some drawn.
    #[must_use]
    pub fn tables(&self) -> Vec<Arc<Table>> {
        self.locked().tables().cloned().collect()
    }

    fn kept(&self, material: &Material) -> Result<Arc<Table>, LibraryError> {
        if let Some(table) = self.table(material) {
            return Ok(table);
        }
        let table = Arc::new(self.solve(material)?);
        self.locked().insert(table.clone());
        Ok(table)
    }

    /// A thread that has panicked leaves whole tables behind.
    fn locked(&self) -> MutexGuard<'_, MemoryTables> {
        self.tables.lock()
    }
}

impl Lookup for SolvedTables {
    fn table(&self, material: &Material) -> Option<Arc<Table>> {
        self.locked().table(material)
    }

    fn part(&self, material: &Material, man: Man, squares: SquareSet) -> Option<Arc<Table>> {
        self.locked().part(material, man, squares)
    }
}

/// Tables, and parts of tables, by their materials.
#[derive(Clone, Default, Debug)]
pub struct MemoryTables {
    tables: BTreeMap<Material, Arc<Table>>,
    parts: BTreeMap<Material, Vec<PartialTable>>,
}

#[derive(Clone, Debug)]
struct PartialTable {
    man: Man,
    squares: SquareSet,
    table: Arc<Table>,
}

impl MemoryTables {
    /// Keeps a whole table.
    pub fn insert(&mut self, table: Arc<Table>) {
        self.tables.insert(table.layout().material().clone(), table);
    }

    /// Keeps a table for a caller for the part of it in which such a man stands on these squares. It may be
    /// that part, or the whole table.
    pub fn insert_part(&mut self, man: Man, squares: SquareSet, table: Arc<Table>) {
        let parts = self.parts.entry(table.layout().material().clone()).or_default();
        parts.push(PartialTable { man, squares, table });
    }

    /// The whole tables.
    pub fn tables(&self) -> impl Iterator<Item = &Arc<Table>> {
        self.tables.values()
    }
}

impl MemoryTables {
    fn found(&self, material: &Material, man: Man, squares: SquareSet) -> Option<&PartialTable> {
        let serves = |part: &&PartialTable| part.man == man && squares.without(part.squares).is_empty();
        self.parts.get(material).and_then(|parts| parts.iter().find(serves))
    }
}

impl Lookup for MemoryTables {
    fn table(&self, material: &Material) -> Option<Arc<Table>> {
        self.tables.get(material).cloned()
    }

    fn part(&self, material: &Material, man: Man, squares: SquareSet) -> Option<Arc<Table>> {
        let part = self.found(material, man, squares);
        part.map(|part| part.table.clone()).or_else(|| self.table(material))
    }
}
