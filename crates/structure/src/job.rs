//! Lists the tables of a structure and the order in which they are solved.

use crate::graph::{Graph, order_of};
use crate::pawn_material::{PawnMaterial, PawnMaterialId};
use crate::table_id::TableId;
use crate::{Bound, Limit};
use index::{Layout, Size};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use variant::Variant;

/// A material's slices, to be solved for their values or for a bound.
#[derive(Debug)]
pub(crate) struct Job {
    pub(crate) kind: PawnMaterialId,
    pub(crate) bound: Bound,
    /// The tables that it reads, by number.
    pub(crate) reads: Vec<TableId>,
    pub(crate) n_slices: u64,
    pub(crate) size: Size,
}

/// All tables of a structure; a table's number is its place here.
#[derive(Debug)]
pub(crate) struct Jobs {
    pub(crate) all: Vec<Job>,
    numbers: HashMap<(PawnMaterialId, Bound), TableId>,
}

impl Jobs {
    /// The tables that the graph asks for; of kinds that moves lead out of the limit those of these bounds.
    pub(crate) fn new(variant: &Variant, graph: &Graph, limit: &Limit, bounds: &[Bound]) -> Self {
        let has_pawns = |kind| !graph.kinds.get(kind).pawns.is_empty();
        let mut jobs = Jobs { all: Vec::new(), numbers: HashMap::new() };
        // By bound: the kinds from which moves lead out of its limit.
        let mut open: Vec<HashSet<PawnMaterialId>> = vec![HashSet::new(); bounds.len()];
        for kind in graph.in_order() {
            let at = kind.0 as usize;
            let is_inside = |bound, kind| {
                limit.allows_under(bound, variant, &graph.kinds.get(kind).material) || !has_pawns(kind)
            };
            let n_slices = graph.slices[at].len() as u64;
            let size = Size::new(variant, &graph.kinds.get(kind).material);
            for (&bound, open) in bounds.iter().zip(&mut open) {
                if !is_inside(bound, kind) {
                    continue;
                }
                let leads_out = |to: &PawnMaterialId| open.contains(to) || !is_inside(bound, *to);
                let is_kept = limit.keeps(bound, variant, &graph.kinds.get(kind).material);
                let is_open = is_kept || graph.leaves[at] || graph.reached[at].iter().any(leads_out);
                if is_open {
                    open.insert(kind);
                }
                let own = if is_open { bound } else { Bound::Exact };
                if jobs.numbers.contains_key(&(kind, own)) {
                    continue;
                }
                let reads = graph.reached[at].iter().filter_map(|&to| jobs.number(to, own)).collect();
                jobs.numbers.insert((kind, own), TableId(jobs.all.len() as u32));
                jobs.all.push(Job { kind, bound: own, reads, n_slices, size });
            }
        }
        jobs
    }

    /// The table of a kind that serves a bound.
    pub(crate) fn number(&self, kind: PawnMaterialId, bound: Bound) -> Option<TableId> {
        let exact = self.numbers.get(&(kind, Bound::Exact));
        exact.or_else(|| self.numbers.get(&(kind, bound))).copied()
    }

    /// Runs of tables that need nothing of each other, by number.
    pub(crate) fn levels<'a>(&'a self, graph: &'a Graph) -> impl Iterator<Item = std::ops::Range<u32>> + 'a {
        let order = |job: &Job| order_of(graph.kinds.get(job.kind));
        let mut start = 0;
        self.all.chunk_by(move |a, b| order(a) == order(b)).map(move |level| {
            let range = start..start + level.len() as u32;
            start = range.end;
            range
        })
    }
}

impl Job {
    /// How many values it has, both sides to move.
    pub(crate) fn n_values(&self, kind: &PawnMaterial, variant: &Variant) -> u64 {
        kind.n_sides(variant) * self.n_slices * self.size.slice_len
    }

    /// How the placements are numbered.
    pub(crate) fn layout(&self, variant: &Variant, graph: &Graph) -> Arc<Layout> {
        let kind = graph.kinds.get(self.kind);
        Arc::new(match kind.pawns.is_empty() {
            true => Layout::new(variant, &kind.material),
            false => Layout::of_slices(variant, &kind.material, &graph.slices_of(self.kind)),
        })
    }

    /// What people call it: `KQPPvKPP`, with the bound if it is one.
    pub(crate) fn name(&self, variant: &Variant, graph: &Graph) -> String {
        let name = graph.kinds.get(self.kind).material.name(variant);
        match self.bound {
            Bound::Exact => name,
            Bound::Lower => name + " at least",
            Bound::Upper => name + " at most",
        }
    }
}
