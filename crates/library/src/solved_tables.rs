//! Holds solved tables, and parts of tables, in memory, and solves those that are asked for.

use crate::LibraryError;
use index::Layout;
use parking_lot::Mutex;
use plan::{Plan, Request};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use table::{Lookup, Table};
use variant::exit::TablePart;
use variant::{Material, Metric, Variant};

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

    /// Like [`Self::new`], under a metric, which sees the game as [`Variant::for_metric`] says.
    #[must_use]
    pub fn of_metric(variant: Variant, metric: Metric) -> Self {
        SolvedTables::with_tables(variant, metric, MemoryTables::default())
    }

    /// Like [`Self::of_metric`], with tables that are there already.
    #[must_use]
    pub fn with_tables(variant: Variant, metric: Metric, tables: MemoryTables) -> Self {
        let variant = variant.for_metric(metric).into_owned();
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
        if let Some(table) = self.table(&material, None) {
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
        self.tables.lock().tables().cloned().collect()
    }

    fn kept(&self, material: &Material) -> Result<Arc<Table>, LibraryError> {
        if let Some(table) = self.table(material, None) {
            return Ok(table);
        }
        let table = Arc::new(self.solve(material)?);
        self.tables.lock().insert(table.clone(), None);
        Ok(table)
    }
}

impl Lookup for SolvedTables {
    fn table(&self, material: &Material, part: Option<&TablePart>) -> Option<Arc<Table>> {
        self.tables.lock().table(material, part)
    }
}

/// Tables, and parts of tables, by their materials.
#[derive(Clone, Default, Debug)]
pub struct MemoryTables(BTreeMap<Material, Vec<KeptTable>>);

/// A table, and for which part of it callers ask if not for the whole.
type KeptTable = (Option<TablePart>, Arc<Table>);

impl MemoryTables {
    /// Keeps a table, for callers for this part of it if there is one: then it may be that part, or the whole
    /// table.
    pub fn insert(&mut self, table: Arc<Table>, part: Option<&TablePart>) {
        let kept = self.0.entry(table.layout().material().clone()).or_default();
        kept.retain(|(own, _)| own.as_ref() != part);
        kept.push((part.cloned(), table));
    }

    /// The whole tables.
    pub fn tables(&self) -> impl Iterator<Item = &Arc<Table>> {
        self.0.values().flatten().filter(|(part, _)| part.is_none()).map(|(_, table)| table)
    }
}

impl Lookup for MemoryTables {
    fn table(&self, material: &Material, part: Option<&TablePart>) -> Option<Arc<Table>> {
        let serves = |(own, _): &&KeptTable| match (own, part) {
            (None, _) => true,
            (Some(own), Some(part)) => own.man == part.man && part.squares.without(own.squares).is_empty(),
            (Some(_), None) => false,
        };
        self.0.get(material)?.iter().find(serves).map(|(_, table)| table.clone())
    }
}
