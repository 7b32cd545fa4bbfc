//! Solves a material in memory, after all tables that its captures and promotions lead to.

use crate::{Material, MaterialError, Metric, Tablebase, Variant};
use index::Layout;
use plan::{Plan, PlanError, Request};
use solve::Unwatched;
use std::collections::BTreeMap;
use std::sync::Arc;
use table::{Lookup, Table};

/// A material that cannot be solved.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SolveError {
    /// The variant has no such material.
    #[error(transparent)]
    Material(#[from] MaterialError),
    /// No table can have so many men, or so few.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// The solver gave up.
    #[error(transparent)]
    Solve(#[from] solve::SolveError),
}

/// Solves the table of a material such as `KQvKR`, with all tables that it leads to, under the variant's own
/// metric.
///
/// All threads of the machine take part. The tables stay in memory as long as the [`Tablebase`] does: those
/// of chess with four men need some hundred megabytes, those with five some gigabytes.
///
/// # Errors
/// The variant has no such material, or a table cannot hold it.
pub fn solve(variant: &Variant, material: &str) -> Result<Tablebase, SolveError> {
    solve_for(variant, variant.default_metric, material)
}

/// Solves the tables of a material under any metric.
///
/// # Errors
/// As [`solve`].
pub fn solve_for(variant: &Variant, metric: Metric, material: &str) -> Result<Tablebase, SolveError> {
    let plan = Plan::new(variant, &Request::Table(Material::parse(variant, material)?))?;
    let mut solved = Solved::default();
    for job in plan.jobs() {
        // What the rules prove drawn is no job, but the solver looks up its legal positions.
        let drawn = job.needs.iter().filter(|need| need.is_drawn).map(|need| &need.material);
        for material in drawn.chain([&job.material]) {
            solved.add(variant, metric, material)?;
        }
    }
    Ok(Tablebase::from_tables(variant, metric, solved.tables.into_values()))
}

/// The tables that are solved so far.
#[derive(Default)]
struct Solved {
    tables: BTreeMap<Material, Arc<Table>>,
}

impl Solved {
    /// Solves a material, if it is not here, from those that are.
    fn add(&mut self, variant: &Variant, metric: Metric, material: &Material) -> Result<(), SolveError> {
        if !self.tables.contains_key(material) {
            let layout = Arc::new(Layout::new(variant, material));
            let table = solve::solve_with(variant, metric, layout, self, &Unwatched)?;
            self.tables.insert(material.clone(), Arc::new(table));
        }
        Ok(())
    }
}

impl Lookup for Solved {
    fn table(&self, material: &Material) -> Option<Arc<Table>> {
        self.tables.get(material).cloned()
    }
}
