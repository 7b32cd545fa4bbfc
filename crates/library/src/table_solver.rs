//! Solves small tables in memory because a question asks for them, as far as a bound allows.

use crate::shelf::{MetricTables, SolveLedger, answers};
use parking_lot::Mutex;
use plan::{Job, Plan, Request};
use position::Position;
use probe::{PositionValues, Tablebase};
use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use table::{Table, Value};
use variant::{Material, Metric, Variant};

/// What may be solved for a question.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SolveBound {
    /// The most men of a position whose tables are solved.
    pub men: usize,
    /// The most men of a position with rights to castle that is solved where no file has it: few values,
    /// whatever the limit of values.
    pub men_with_rights: usize,
    /// The most values of all tables together that are solved for a material.
    pub values: u64,
    /// The most memory of all tables that are kept; those that were asked longest ago are dropped before
    /// others are solved.
    ///
    /// Units: bytes.
    pub kept_bytes: u64,
}

impl Default for SolveBound {
    /// All tables of four men of chess, which take a second or two and some hundred megabytes.
    fn default() -> Self {
        SolveBound { men: 4, men_with_rights: 4, values: 400_000_000, kept_bytes: 1 << 30 }
    }
}

/// Tables in memory of one game, by metric. Clones share them.
#[derive(Clone, Debug)]
pub(crate) struct TableSolver {
    variant: Variant,
    pub(crate) bound: SolveBound,
    shelves: BTreeMap<Metric, Arc<MetricTables>>,
    pub(crate) ledger: SolveLedger,
    stop: Arc<AtomicBool>,
    /// How many values the tables of a material have which are too many, or none, as far as a caller
    /// has asked.
    misfits: Arc<Mutex<BTreeMap<Material, Option<u64>>>>,
    /// Whether all tables below a material that may be solved are few enough together.
    are_below_few: Arc<Mutex<BTreeMap<Material, bool>>>,
}

impl TableSolver {
    pub(crate) fn new(variant: &Variant, bound: SolveBound) -> Self {
        let bound = SolveBound { men: bound.men.min(index::MAX_MEN), ..bound };
        let ledger = SolveLedger::new(bound.kept_bytes);
        TableSolver {
            variant: variant.clone(),
            bound,
            shelves: TableSolver::shelves(&ledger),
            ledger,
            stop: Arc::default(),
            misfits: Arc::default(),
            are_below_few: Arc::default(),
        }
    }

    /// With a ledger that other games share; the limit of its bytes takes the place of the bound's own.
    pub(crate) fn sharing(self, ledger: &SolveLedger) -> Self {
        TableSolver { shelves: TableSolver::shelves(ledger), ledger: ledger.clone(), ..self }
    }

    fn shelves(ledger: &SolveLedger) -> BTreeMap<Metric, Arc<MetricTables>> {
        Metric::ALL.map(|metric| (metric, ledger.shelf(metric))).into()
    }

    /// With a flag: while it is set a question does not wait for tables.
    pub(crate) fn stopped_by(self, stop: &Arc<AtomicBool>) -> Self {
        TableSolver { stop: stop.clone(), ..self }
    }

    /// The names of the tables that are there, by metric. Does not wait for those that are being solved.
    pub(crate) fn names(&self) -> Vec<(Metric, String)> {
        let names = |(&metric, shelf): (&Metric, &Arc<MetricTables>)| {
            shelf.names().into_iter().map(move |name| (metric, name)).collect::<Vec<_>>()
        };
        self.shelves.iter().flat_map(names).collect()
    }

    /// The bytes of the tables that are there.
    pub(crate) fn bytes(&self) -> u64 {
        self.shelves.values().map(|shelf| shelf.bytes()).sum()
    }

    /// The tables that answer a position, solved now if need be; none if they would be too large, or
    /// cannot be solved.
    pub(crate) fn solved_for(&self, position: &Position, metric: Metric) -> Option<Arc<Tablebase>> {
        let material = self.solvable(position)?;
        let position = position.clone();
        let is_enough = move |tables: &Tablebase| answers(tables, &position);
        self.ledger.solved(&self.shelves[&metric], &self.variant, &material, is_enough, &self.stop)
    }

    /// A table, solved now unless it is there; none if it would be too large.
    pub(crate) fn table(&self, material: &Material, metric: Metric) -> Option<Arc<Table>> {
        let material = material.canonical(&self.variant);
        if material.n_men() > self.bound.men || self.misfit(&material).is_some() {
            return None;
        }
        let wanted = material.clone();
        let is_there = move |tables: &Tablebase| tables.held_table(&wanted).is_some();
        let shelf = &self.shelves[&metric];
        let solved = self.ledger.solved(shelf, &self.variant, &material, is_there, &self.stop)?;
        solved.held_table(&material)
    }

    /// The values of positions under a metric, solved when they are asked for.
    pub(crate) fn values(&self, metric: Metric) -> Arc<dyn PositionValues> {
        Arc::new(SolvedValues { solver: self.clone(), metric })
    }

    /// The material of a position if its tables may be solved.
    fn solvable(&self, position: &Position) -> Option<Material> {
        let variant = &self.variant;
        if position.n_men() > self.bound.men {
            return None;
        }
        if !variant.has_its_royals(position.men().map(|(man, _)| man)) {
            // The game is over, or never began.
            return None;
        }
        let material = position.material().canonical(variant);
        // Of some men the rules alone know what they are worth.
        let needs_table = !variant.is_always_drawn(&material) && variant.constant(&material).is_none();
        (needs_table && self.misfit(&material).is_none()).then_some(material)
    }

    /// Whether the tables that a position leads to may all be solved for one question, its own aside.
    pub(crate) fn may_complete(&self, position: &Position) -> bool {
        let men = self.bound.men;
        if position.n_men() > men + 1 {
            return false;
        }
        let own = position.material().canonical(&self.variant);
        let are_few = |own: &Material| {
            let Ok(plan) = Plan::new(&self.variant, &Request::Table(own.clone())) else { return false };
            let below = plan.jobs().filter(|job| job.material != *own && job.material.n_men() <= men);
            below.map(Job::n_values).sum::<u64>() <= self.most_values()
        };
        let mut known = self.are_below_few.lock();
        *known.entry(own.clone()).or_insert_with(|| are_few(&own))
    }

    /// The most values of all tables together, each of which takes a byte.
    pub(crate) fn most_values(&self) -> u64 {
        self.bound.values.min(self.ledger.limit_bytes())
    }

    /// The values of a material's tables, if they are too many.
    pub(crate) fn misfit(&self, material: &Material) -> Option<u64> {
        let mut misfits = self.misfits.lock();
        let most = self.most_values();
        *misfits.entry(material.clone()).or_insert_with(|| misfit(&self.variant, material, most))
    }
}

/// How many values all tables that a material needs have together, or its own alone, if they are more than
/// this.
pub(crate) fn misfit(variant: &Variant, material: &Material, most: u64) -> Option<u64> {
    // The rules alone know what such a table holds; there is nothing to plan.
    if variant.is_always_drawn(material) || variant.constant(material).is_some() {
        return None;
    }
    let alone = Job::alone(variant, material.clone()).n_values();
    if alone > most {
        return Some(alone);
    }
    let plan = Plan::new(variant, &Request::Table(material.clone()));
    let all = plan.map_or(u64::MAX, |plan| plan.jobs().map(Job::n_values).sum::<u64>());
    (all > most).then_some(all)
}

/// Answers for tables that are not there.
#[derive(Debug)]
struct SolvedValues {
    solver: TableSolver,
    metric: Metric,
}

impl PositionValues for SolvedValues {
    fn value(&self, position: &Position) -> io::Result<Option<Value>> {
        let Some(tables) = self.solver.solved_for(position, self.metric) else { return Ok(None) };
        let position = position.clone().with_en_passant(None);
        tables.table_value(&position).map(Some).map_err(io::Error::other)
    }
}
