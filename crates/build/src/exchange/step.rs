//! Goes through tables in the order of a plan, and reports each.

use library::{LibraryError, PlannedTables};
use plan::{Job, JobId, Plan, Request};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};
use table::Table;
use variant::{Material, Variant};

/// Reports how far an export or a comparison is; `T` is what is known of a table once it is done.
#[derive(Debug)]
pub enum TableStep<'a, T> {
    /// It begins, and goes through so many tables.
    Planned {
        /// How many tables are read, solved again or asked.
        n_tables: usize,
        /// How many values these have together.
        n_values: u64,
    },
    /// A table is begun.
    Begun(&'a Job),
    /// It was read because others need it; nobody asked for it.
    Passed(&'a Job),
    /// It was written or compared, in this time.
    Done(&'a Job, T, Duration),
}

/// Receives the steps; what it returns ends the work.
pub(super) type Report<'a, T, E> = &'a mut dyn FnMut(TableStep<'_, T>) -> Result<(), E>;

/// What is done with a table, or with one that stays in its files, or with why it cannot be had.
type Work<'a, T> = &'a mut dyn FnMut(
    &PlannedTables<'_>,
    &Job,
    Result<Option<Arc<Table>>, LibraryError>,
) -> Result<Option<T>, LibraryError>;

/// Plans the tables of up to as many men as these have.
pub(super) fn plan_for(variant: &Variant, wanted: &BTreeSet<Material>) -> Result<Plan, LibraryError> {
    let n_men = wanted.iter().map(Material::n_men).max().unwrap_or(2);
    Ok(Plan::new(variant, &Request::UpTo(n_men))?)
}

/// Goes through the tables in memory and through `others`, which stay in their files. `work` gets the table
/// if it is in memory, and returns a result if somebody asked for the table.
pub(super) fn for_each_table<T, E: From<LibraryError>>(
    plan: &Plan,
    tables: &mut PlannedTables<'_>,
    others: &BTreeSet<Material>,
    work: Work<'_, T>,
    report: Report<'_, T, E>,
) -> Result<(), E> {
    let loaded: BTreeSet<JobId> = tables.places().into_iter().collect();
    let is_other = |place: &JobId| others.contains(&plan.job(*place).material);
    let places: Vec<JobId> = plan.ids().filter(|place| loaded.contains(place) || is_other(place)).collect();
    let n_values = places.iter().map(|&place| plan.job(place).n_values()).sum();
    report(TableStep::Planned { n_tables: places.len(), n_values })?;
    for place in places {
        let (job, begin) = (plan.job(place), Instant::now());
        report(TableStep::Begun(job))?;
        let table = if loaded.contains(&place) { tables.get(place) } else { Ok(None) };
        match work(tables, job, table)? {
            Some(done) => report(TableStep::Done(job, done, begin.elapsed()))?,
            None => report(TableStep::Passed(job))?,
        }
        tables.forget(place);
    }
    Ok(())
}
