//! Keeps solved tables in memory.

use geometry::SquareSet;
use index::Layout;
use plan::{Plan, Request};
use solve::Unwatched;
use std::collections::BTreeMap;
use std::sync::Arc;
use table::{Lookup, Table};
use variant::{Man, Material, Metric, Variant};

/// Solved tables in memory.
pub struct Shelf {
    variant: Variant,
    metric: Metric,
    tables: BTreeMap<Material, Arc<Table>>,
}

impl Lookup for Shelf {
    fn table(&self, material: &Material) -> Option<Arc<Table>> {
        self.tables.get(material).filter(|table| table.scope().is_none()).cloned()
    }

    /// A material has either its table on the shelf or the one part that is asked for.
    fn part(&self, material: &Material, _man: Man, _squares: SquareSet) -> Option<Arc<Table>> {
        self.tables.get(material).cloned()
    }
}

impl Shelf {
    /// An empty shelf for tables of the variant's default metric.
    #[must_use]
    pub fn new(variant: Variant) -> Self {
        let metric = variant.default_metric;
        Shelf { variant, metric, tables: BTreeMap::new() }
    }

    /// A shelf with everything that solving this material needs, but not its own table.
    ///
    /// # Panics
    /// If it cannot be solved.
    #[must_use]
    pub fn below(variant: &Variant, material: &Material) -> Self {
        Shelf::below_of_metric(variant, variant.default_metric, material)
    }

    /// The same under a metric.
    ///
    /// # Panics
    /// As [`Shelf::below`].
    #[must_use]
    pub fn below_of_metric(variant: &Variant, metric: Metric, material: &Material) -> Self {
        let mut shelf = Shelf { metric, ..Shelf::new(variant.clone()) };
        shelf.add(material);
        shelf.tables.remove(material);
        shelf
    }

    /// Adds the table of a material and all that it needs, drawn ones too.
    ///
    /// # Panics
    /// If it cannot be solved.
    pub fn add(&mut self, material: &Material) {
        let plan = Plan::new(&self.variant, &Request::Table(material.clone()));
        let plan = plan.unwrap_or_else(|error| panic!("{error}"));
        if self.variant.is_always_drawn(material) {
            let table = Arc::new(self.solve(material));
            self.tables.insert(material.clone(), table);
        }
        for job in plan.jobs() {
            let drawn = job.needs.iter().filter(|need| need.is_drawn).map(|need| &need.material);
            for material in drawn.chain([&job.material]) {
                if !self.tables.contains_key(material) {
                    let table = Arc::new(self.solve(material));
                    self.tables.insert(material.clone(), table);
                }
            }
        }
    }

    /// Puts a table, or a part of one, on the shelf.
    pub fn put(&mut self, material: &Material, table: Table) {
        self.tables.insert(material.clone(), Arc::new(table));
    }

    /// Solves a material from the tables on the shelf.
    ///
    /// # Panics
    /// If one that is needed is not there.
    #[must_use]
    pub fn solve(&self, material: &Material) -> Table {
        let layout = Arc::new(Layout::new(&self.variant, material));
        solve::solve_with(&self.variant, self.metric, layout, self, &Unwatched)
            .unwrap_or_else(|error| panic!("{error}"))
    }

    /// The tables whose values the rules alone do not tell.
    pub fn decided(&self) -> impl Iterator<Item = &Table> {
        let decided = self.tables.iter().filter(|(material, _)| !self.variant.is_always_drawn(material));
        decided.map(|(_, table)| &**table)
    }

    /// The variant.
    #[must_use]
    pub fn variant(&self) -> &Variant {
        &self.variant
    }
}
