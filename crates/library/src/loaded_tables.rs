//! Loads the tables of several metrics, one material after the other, for a caller who goes through their
//! values.

use crate::error::Fitting;
use crate::planned_tables::PlannedTables;
use crate::{LibraryError, MemoryLimit, TableFiles};
use plan::{JobId, Plan};
use probe::Tablebase;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::sync::Arc;
use table::Table;
use variant::{Material, Side};

/// Which tables are to be loaded.
#[derive(Clone, Copy, Debug)]
pub struct LoadRequest<'a> {
    /// The files of each metric, of one folder and game.
    pub files: &'a [TableFiles],
    /// A plan that has all these materials, but those that the rules prove drawn.
    pub plan: &'a Plan,
    /// The materials.
    pub wanted: &'a BTreeSet<Material>,
    /// The sides to move that must be there.
    pub sides: &'a [Side],
    /// Whether one side to move will do, whichever a file keeps, where the other one is dear to solve again.
    pub one_will_do: bool,
    /// Whether moves are to be looked up too, by the first of the metrics.
    pub with_successors: bool,
}

/// The tables of one material.
#[derive(Debug)]
pub struct LoadedTables {
    /// One for each metric.
    pub tables: Vec<Arc<Table>>,
    /// The table and those that its moves lead to, of the first metric, if they were asked for.
    pub successors: Option<Tablebase>,
}

/// Loads the tables of each material in the order of the plan and hands them out. Nothing is kept that none
/// after it needs. Before each table, also one that is only there for others, `loading` is called with all
/// that are loaded from the plan and the number of this one among them.
///
/// A side to move that a file has left out is solved again; where the caller does not ask for that side, or
/// the other one will do and much would have to be solved, the file is read as it is.
///
/// # Errors
/// A file is missing, damaged or of other rules; or what `visit` says.
pub fn for_each_loaded<E: From<LibraryError>>(
    request: LoadRequest<'_>,
    loading: &mut dyn FnMut(&[JobId], usize),
    visit: &mut dyn FnMut(LoadedTables) -> Result<ControlFlow<()>, E>,
) -> Result<(), E> {
    let LoadRequest { files, plan, wanted, sides, one_will_do, with_successors } = request;
    let variant = files[0].edition().variant();
    // With the sides to move that are read.
    let mut direct: BTreeMap<Material, Vec<Side>> = BTreeMap::new();
    for material in wanted {
        let is_planned = plan.jobs().any(|job| job.material == *material);
        let own: &[Side] = if material.is_one_sided(variant) { &[Side::White] } else { sides };
        let mut kept = own.to_vec();
        for files in files {
            let all = files.kept_sides(&material.name(variant)).map_err(LibraryError::from)?;
            kept.retain(|side| all.contains(side));
        }
        let may_do = one_will_do && is_planned && !kept.is_empty();
        let is_there = kept.len() == own.len() || (may_do && is_dear_to_solve(files, plan, material));
        // What the rules prove drawn is in no plan.
        if !is_planned || (is_there && !with_successors) {
            direct.insert(material.clone(), kept);
        }
    }
    let is_planned = |material: &&Material| !direct.contains_key(*material);
    let planned: BTreeSet<Material> = wanted.iter().filter(is_planned).cloned().collect();
    let loaders = files.iter().enumerate().map(|(number, own)| {
        let loader = match with_successors && number == 0 {
            true => PlannedTables::with_successors(own, plan, &planned),
            false => PlannedTables::new(own, plan, &planned)?,
        };
        Ok(loader.among(files.len()))
    });
    let mut loaders = loaders.collect::<Result<Vec<_>, LibraryError>>()?;
    let limit = MemoryLimit::new(None);
    let peak = loaders.iter().filter_map(PlannedTables::peak).max_by_key(|(bytes, _)| *bytes);
    if let Some((needed_bytes, job)) = peak.filter(|(bytes, _)| *bytes > limit.bytes) {
        let (material, n_threads) = (job.name.clone(), rayon::current_num_threads());
        let fitting = Fitting::default();
        return Err(LibraryError::MemoryShort { material, needed_bytes, limit, n_threads, fitting }.into());
    }
    let mut places: BTreeSet<_> = loaders.iter().flat_map(PlannedTables::places).collect();
    places.extend(plan.ids().filter(|&id| direct.contains_key(&plan.job(id).material)));
    for (material, kept) in direct.iter().filter(|(own, _)| plan.jobs().all(|job| job.material != **own)) {
        if visit(read(files, material, kept)?)?.is_break() {
            return Ok(());
        }
    }
    let places: Vec<JobId> = places.into_iter().collect();
    for (number, &place) in places.iter().enumerate() {
        let job = plan.job(place);
        loading(&places, number);
        if let Some(kept) = direct.get(&job.material)
            && visit(read(files, &job.material, kept)?)?.is_break()
        {
            return Ok(());
        }
        let has_place = |loader: &&PlannedTables<'_>| loader.places().binary_search(&place).is_ok();
        let tables = loaders.iter().filter(has_place).map(|loader| loader.get(place));
        let tables = tables.collect::<Result<Vec<_>, _>>()?;
        if planned.contains(&job.material) {
            let needs = job.needs.iter().filter(|need| with_successors && !need.is_drawn);
            let needed = needs.map(|need| loaders[0].whole(&need.material));
            let needed = needed.collect::<Result<Vec<_>, _>>()?;
            let metric = files[0].edition().metric();
            let all = needed.into_iter().chain([tables[0].clone()]);
            let successors = with_successors.then(|| Tablebase::from_tables(variant, metric, all));
            if visit(LoadedTables { tables, successors })?.is_break() {
                return Ok(());
            }
        }
        loaders.iter_mut().for_each(|loader| loader.forget(place));
    }
    Ok(())
}

/// A table is dear to solve again if that takes this many times as many values as it has. To look at its
/// moves instead takes at most some 250 ns a placement, and a value some 13 ns to solve
/// (docs/benchmarks/2026-11-25-find.md).
const DEAR: u64 = 10;

/// Whether to solve a table again takes longer than to look at the moves of its positions, or is impossible
/// because a table that it needs is not there.
fn is_dear_to_solve(files: &[TableFiles], plan: &Plan, material: &Material) -> bool {
    let wanted = BTreeSet::from([material.clone()]);
    let own = plan.jobs().find(|job| job.material == *material).map_or(0, |job| job.n_values());
    let mut n_values = 0;
    for files in files {
        let Ok(tables) = PlannedTables::new(files, plan, &wanted) else { return true };
        let places = tables.places();
        if !places.iter().all(|&place| files.are_there(&plan.job(place).name)) {
            return true;
        }
        n_values += places.iter().map(|&place| plan.job(place).n_values()).sum::<u64>();
    }
    n_values > DEAR * own * files.len() as u64
}

/// The tables of a material as their files have them, with these sides to move.
fn read(files: &[TableFiles], material: &Material, sides: &[Side]) -> Result<LoadedTables, LibraryError> {
    let variant = files[0].edition().variant();
    let table = |files: &TableFiles| files.read_with_steps(&material.name(variant), sides).map(Arc::new);
    let tables = files.iter().map(table).collect::<Result<_, _>>()?;
    Ok(LoadedTables { tables, successors: None })
}
