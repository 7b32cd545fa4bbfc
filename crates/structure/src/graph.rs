//! Follows the moves of positions to all slices that can come from them, and orders their tables.
//!
//! ```text
//!   roots ─► slices ─► kinds, each with its slices ─► solved from the fewest men and pawns on
//!               ▲ │
//!               └─┘  captures, pawn moves, promotions: `pawn_material`
//! ```
//!
//! Every exit leaves a kind for one of fewer men or fewer pawns, or moves a pawn on, so the graph has no
//! cycle, and the kinds in the order of (men, pawns) are an order in which they can be solved.

use crate::pawn_material::{GivenSteps, Graph, PawnMaterial, PawnMaterialId, PawnSquares, Steps, Way};
use crate::{Bound, Limit, StructureError, TablesAtHand};
use geometry::Square;
use index::{Layout, MAX_PLACED, Size, Sizes};
use position::{Position, RuleBook};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;
use variant::Variant;

/// The most slices that a graph follows when nothing else is said: some hundred bytes of memory each.
pub const MAX_SLICES: usize = 10_000_000;

/// The watch is told after this many slices.
const WATCHED_SLICES: usize = 1 << 14;

/// Where a graph is no longer followed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GraphCap {
    pub(crate) slices: usize,
    /// Values with either side to move, of a graph of which every slice is solved for one bound.
    pub(crate) values: u64,
}

impl Default for GraphCap {
    fn default() -> Self {
        GraphCap { slices: MAX_SLICES, values: u64::MAX }
    }
}

impl Graph {
    /// The slices that these positions lead to inside a limit in runs for these bounds, `most` at most;
    /// those of materials whose tables are at hand are not among them.
    ///
    /// # Errors
    /// A position has too many men, or there are too many slices or values.
    pub(crate) fn new(
        variant: &Variant,
        roots: &[Position],
        (limit, bounds): (&Limit, &[Bound]),
        using: TablesAtHand,
        (most, watch): (GraphCap, &dyn Watch),
    ) -> Result<Self, StructureError> {
        let mut graph = Graph { using, ..Graph::default() };
        let mut found: Vec<(PawnMaterialId, PawnSquares)> = Vec::new();
        let book = RuleBook::new(variant);
        for root in roots {
            if root.n_men() > MAX_PLACED {
                return Err(StructureError::TooManyMen { got: root.n_men(), most: MAX_PLACED });
            }
            let mut enter = |position: &Position| graph.enter(variant, position, &mut found);
            limit.for_each_entered(bounds, &book, root, &mut enter);
        }
        // Kinds are gone through one after the other, because what an exit makes of the men is the same for
        // all of a kind's slices.
        let mut waiting: Vec<Vec<PawnSquares>> = Vec::new();
        let (mut n_slices, mut n_values, mut sizes) = (0, 0u64, Sizes::new(variant));
        // By kind: the values of a slice, as far as they are counted.
        let mut slice_values: Vec<u64> = Vec::new();
        loop {
            for (kind, squares) in found.drain(..) {
                let kind = kind.0 as usize;
                waiting.resize_with(graph.all.len(), Vec::new);
                if most.values < u64::MAX {
                    let new = graph.all.iter().skip(slice_values.len());
                    slice_values.extend(new.map(|kind| kind.slice_values(variant, &mut sizes)));
                }
                if graph.all[kind].slices.insert(squares) {
                    waiting[kind].push(squares);
                    n_slices += 1;
                    n_values += slice_values.get(kind).unwrap_or(&0);
                }
            }
            if n_slices > most.slices {
                let limit = Box::new(limit.clone());
                return Err(StructureError::TooManySlices { limit, most: most.slices });
            }
            if n_values > most.values {
                let limit = Box::new(limit.clone());
                return Err(StructureError::TooManyValues { limit, most: most.values });
            }
            let next = (0..waiting.len()).filter(|&kind| !waiting[kind].is_empty());
            // What has too many values shows soonest where slices are large.
            let rank = |&kind: &usize| (slice_values.get(kind), order_of(&graph.all[kind]));
            let Some(id) = next.max_by_key(rank) else { break };
            let id = PawnMaterialId(id as u32);
            if graph.get(id).ways.is_empty() {
                graph.open(variant, id, limit, bounds);
            }
            let given = GivenSteps::new(variant, &graph.get(id).men, limit, bounds);
            let batch = std::mem::take(&mut waiting[id.0 as usize]);
            for batch in batch.chunks(WATCHED_SLICES) {
                watch.followed(limit, n_slices);
                if watch.is_interrupted() {
                    return Err(StructureError::Interrupted { path: None });
                }
                let (reached, leaves) = graph.follow(variant, (id, &given), batch, &mut found);
                let kind = &mut graph.all[id.0 as usize];
                kind.reached.extend(reached);
                kind.leaves |= leaves;
            }
        }
        Ok(graph)
    }

    fn enter(
        &mut self,
        variant: &Variant,
        position: &Position,
        found: &mut Vec<(PawnMaterialId, PawnSquares)>,
    ) {
        let material = position.material();
        if variant.constant(&material).is_some() || self.uses(variant, &material) {
            return;
        }
        let id = self.of(variant, material);
        let kind = self.get(id);
        let mut left: Vec<_> = position.men().collect();
        let mut squares = [0; MAX_PLACED];
        for (slot, &place) in squares.iter_mut().zip(&kind.pawns) {
            let at =
                left.iter().position(|(man, _)| *man == kind.men[place]).expect("a pawn of the position");
            *slot = left.swap_remove(at).1.index() as u8;
        }
        found.push((id, kind.canonical(&squares)));
    }

    /// Finds where the exits of some slices of a kind lead: which kinds they reach, and whether one leaves
    /// the limit.
    fn follow(
        &self,
        variant: &Variant,
        (id, given): (PawnMaterialId, &GivenSteps),
        batch: &[PawnSquares],
        found: &mut Vec<(PawnMaterialId, PawnSquares)>,
    ) -> (BTreeSet<PawnMaterialId>, bool) {
        let kind = self.get(id);
        let steps = Steps::new(variant, kind, given);
        let (mut reached, mut leaves) = (BTreeSet::new(), false);
        let mut last: Option<(PawnMaterialId, PawnSquares)> = None;
        for squares in batch {
            steps.for_each(squares, &mut |change, moved| {
                let to = match kind.ways.get(&change) {
                    Some(Way::To { kind: to, pawns }) => {
                        let mut squares = [0; MAX_PLACED];
                        reached.insert(*to);
                        squares
                            .iter_mut()
                            .zip(pawns)
                            .for_each(|(slot, &own)| *slot = moved[usize::from(own)]);
                        (*to, squares)
                    }
                    Some(Way::Outside) => {
                        leaves = true;
                        return;
                    }
                    Some(Way::Over | Way::Known) => return,
                    None => (id, *moved),
                };
                let to = (to.0, self.get(to.0).canonical(&to.1));
                let is_known = self.get(to.0).slices.contains(&to.1);
                if !is_known && last != Some(to) {
                    last = Some(to);
                    found.push(to);
                }
            });
        }
        (reached, leaves)
    }

    /// The kinds in an order in which they can be solved.
    pub(crate) fn in_order(&self) -> Vec<PawnMaterialId> {
        let all = (0..self.all.len() as u32).map(PawnMaterialId);
        let mut order: Vec<PawnMaterialId> = all.filter(|id| !self.get(*id).slices.is_empty()).collect();
        order.sort_by_key(|&id| (order_of(self.get(id)), self.get(id).material.clone()));
        order
    }

    /// The slices of a kind, in a fixed order.
    pub(crate) fn slices_of(&self, id: PawnMaterialId) -> Vec<Vec<Square>> {
        let n = self.get(id).pawns.len();
        let square = |&square: &u8| Square::from_index(square.into());
        let squares = |slice: &PawnSquares| slice[..n].iter().map(square).collect();
        let mut slices: Vec<Vec<Square>> = self.get(id).slices.iter().map(squares).collect();
        slices.sort_unstable();
        slices
    }

    /// How many slices there are.
    #[must_use]
    pub fn n_slices(&self) -> usize {
        self.all.iter().map(|kind| kind.slices.len()).sum()
    }
}

/// Fewer men, and of as many men fewer pawns, are solved first.
pub(crate) fn order_of(kind: &PawnMaterial) -> (usize, usize) {
    (kind.men.len(), kind.pawns.len())
}

/// A material's slices, to be solved for their values or for a bound.
#[derive(Debug)]
pub(crate) struct Job {
    pub(crate) kind: PawnMaterialId,
    pub(crate) bound: Bound,
    /// The tables that it reads, by number.
    pub(crate) reads: Vec<TableId>,
    /// How large it is: with the slices that it has, not all of the material's.
    pub(crate) size: Size,
    /// Values, both sides to move.
    pub(crate) n_values: u64,
}

/// All tables of a structure; a table's number is its place here.
#[derive(Default, Debug)]
pub(crate) struct Jobs {
    pub(crate) all: Vec<Job>,
    numbers: HashMap<(PawnMaterialId, Bound), TableId>,
}

impl Jobs {
    /// The tables that the graph asks for; of kinds that moves lead out of the limit those of these bounds.
    pub(crate) fn new(variant: &Variant, graph: &Graph, limit: &Limit, bounds: &[Bound]) -> Self {
        let is_inside = |bound, kind: &PawnMaterial| {
            limit.allows_under(bound, variant, &kind.material) || kind.pawns.is_empty()
        };
        let (mut jobs, mut sizes) = (Jobs::default(), Sizes::new(variant));
        // By bound: the kinds from which moves lead out of its limit.
        let mut open: Vec<HashSet<PawnMaterialId>> = vec![HashSet::new(); bounds.len()];
        for id in graph.in_order() {
            let kind = graph.get(id);
            let n_slices = kind.slices.len() as u64;
            let size = Size { n_slices, ..sizes.size(&kind.material) };
            let n_values = n_slices * kind.slice_values(variant, &mut sizes);
            for (&bound, open) in bounds.iter().zip(&mut open) {
                if !is_inside(bound, kind) {
                    continue;
                }
                let leads_out = |to: &PawnMaterialId| open.contains(to) || !is_inside(bound, graph.get(*to));
                let is_kept = limit.keeps(bound, variant, &kind.material);
                let is_open = is_kept || kind.leaves || kind.reached.iter().any(leads_out);
                if is_open {
                    open.insert(id);
                }
                let own = if is_open { bound } else { Bound::Exact };
                if jobs.numbers.contains_key(&(id, own)) {
                    continue;
                }
                let reads = kind.reached.iter().filter_map(|&to| jobs.number(to, own)).collect();
                jobs.numbers.insert((id, own), TableId(jobs.all.len() as u32));
                jobs.all.push(Job { kind: id, bound: own, reads, size, n_values });
            }
        }
        jobs
    }

    /// The table of a kind that serves a bound.
    pub(crate) fn number(&self, kind: PawnMaterialId, bound: Bound) -> Option<TableId> {
        let exact = self.numbers.get(&(kind, Bound::Exact));
        exact.or_else(|| self.numbers.get(&(kind, bound))).copied()
    }

    /// The tables that a table reads.
    pub(crate) fn read_by<'a>(&'a self, job: &'a Job) -> impl Iterator<Item = &'a Job> {
        job.reads.iter().map(|read| &self.all[read.index()])
    }

    /// Runs of tables that need nothing of each other, by number.
    pub(crate) fn levels<'a>(&'a self, graph: &'a Graph) -> impl Iterator<Item = std::ops::Range<u32>> + 'a {
        let order = |job: &Job| order_of(graph.get(job.kind));
        let mut start = 0;
        self.all.chunk_by(move |a, b| order(a) == order(b)).map(move |level| {
            let range = start..start + level.len() as u32;
            start = range.end;
            range
        })
    }
}

impl Job {
    /// What the codes of the table take in memory; wide codes are rare.
    pub(crate) fn codes_bytes(&self) -> u64 {
        self.n_values
    }

    /// What of the table is in memory where another one reads it slice by slice: two slices, whichever
    /// pawn is captured.
    pub(crate) fn slices_bytes(&self) -> u64 {
        self.n_values.min(2 * self.size.slice_len)
    }

    /// How the placements are numbered.
    pub(crate) fn layout(&self, variant: &Variant, graph: &Graph) -> Arc<Layout> {
        let kind = graph.get(self.kind);
        Arc::new(match kind.pawns.is_empty() {
            true => Layout::new(variant, &kind.material),
            false => Layout::of_slices(variant, &kind.material, &graph.slices_of(self.kind)),
        })
    }

    /// What people call it: `KQPPvKPP`, with the bound if it is one.
    pub(crate) fn name(&self, variant: &Variant, graph: &Graph) -> String {
        let name = graph.get(self.kind).material.name(variant);
        match self.bound {
            Bound::Exact => name,
            Bound::Lower => name + " at least",
            Bound::Upper => name + " at most",
        }
    }
}

/// The number of a table among those of a structure.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct TableId(pub(crate) u32);

impl TableId {
    /// Its number, to index by.
    pub(crate) const fn index(self) -> usize {
        self.0 as usize
    }
}

/// Watches how far a run has come, from any thread.
pub trait Watch: Sync {
    /// This many slices that lie inside a limit are known, and more may follow.
    fn followed(&self, _limit: &Limit, _n_slices: usize) {}

    /// This many slices of all are taken from other structures and not solved again.
    fn taken(&self, _n_slices: u64, _n_all: u64) {}

    /// This many values of all are done; a table was finished, or goes on.
    fn done(&self, _n_values: u64, _n_all: u64, _table: &str) {}

    /// A part of the work on a pawn race is done; what is being done.
    fn raced(&self, _n_done: u64, _n_all: u64, _what: &str) {}

    /// Whether the run is to stop; what is finished is kept.
    fn is_interrupted(&self) -> bool {
        false
    }
}

impl Watch for solve::Unwatched {}
