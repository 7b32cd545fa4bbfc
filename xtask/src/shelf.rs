//! Tables in memory, solved when they are asked for: what checks of the solver need.

use index::Layout;
use plan::{Plan, Request};
use solve::Unwatched;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use table::{Lookup, Table};
use variant::{Material, Metric, Variant};

/// Tables of one variant and metric, each solved when it is first asked for, with all that it leads to.
pub struct Shelf {
    variant: Variant,
    metric: Metric,
    tables: Mutex<BTreeMap<Material, Arc<Table>>>,
}

impl Shelf {
    /// An empty shelf for tables of the variant's default metric.
    #[must_use]
    pub fn new(variant: Variant) -> Self {
        let metric = variant.default_metric;
        Shelf::of_metric(variant, metric)
    }

    /// An empty shelf for tables of a metric.
    #[must_use]
    pub fn of_metric(variant: Variant, metric: Metric) -> Self {
        Shelf { variant, metric, tables: Mutex::default() }
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
    /// # Panics
    /// If the variant has no such material.
    #[must_use]
    pub fn named(&self, name: &str) -> Arc<Table> {
        self.solved(&Material::parse(&self.variant, name).unwrap_or_else(|fault| panic!("{fault}")))
    }

    /// The table of a material.
    ///
    /// # Panics
    /// If it cannot be solved.
    #[must_use]
    pub fn solved(&self, material: &Material) -> Arc<Table> {
        let material = material.canonical(&self.variant);
        if let Some(table) = self.table(&material) {
            return table;
        }
        let plan = Plan::new(&self.variant, &Request::Table(material.clone()));
        for job in plan.unwrap_or_else(|fault| panic!("{fault}")).jobs() {
            // What the rules prove drawn is no job, but its legal positions are asked for.
            job.needs
                .iter()
                .filter(|need| need.is_drawn)
                .for_each(|need| drop(self.solved_here(&need.material)));
            self.solved_here(&job.material);
        }
        self.solved_here(&material)
    }

    /// The table of a material whose successors are on the shelf.
    fn solved_here(&self, material: &Material) -> Arc<Table> {
        if let Some(table) = self.table(material) {
            return table;
        }
        let layout = Arc::new(Layout::new(&self.variant, material));
        let solved = solve::solve_with(&self.variant, self.metric, layout, self, &Unwatched);
        let table = Arc::new(solved.unwrap_or_else(|fault| panic!("{fault}")));
        self.tables.lock().expect("no test panics with the lock").insert(material.clone(), table.clone());
        table
    }
}

impl Lookup for Shelf {
    fn table(&self, material: &Material) -> Option<Arc<Table>> {
        self.tables.lock().expect("no test panics with the lock").get(material).cloned()
    }
}
