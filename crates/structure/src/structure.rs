//! Describes what is to be solved: positions, a limit, and all slices that can come from them.

use crate::file::FileIndex;
use crate::graph::{Graph, GraphCap};
use crate::job::Jobs;
use crate::{Bound, Limit, StructureError, TablesAtHand, Unwatched, Watch};
use position::{Position, RuleBook};
use std::sync::Arc;
use variant::{Material, Metric, Side, Variant};

/// The most men of a slice that are no pawns.
pub const MAX_MOBILE: usize = 8;

/// Positions and all that can come from them.
#[derive(Debug)]
pub struct Structure {
    pub(crate) variant: Variant,
    pub(crate) metric: Metric,
    pub(crate) roots: Vec<Position>,
    pub(crate) limit: Limit,
    pub(crate) bounds: Vec<Bound>,
    /// Shared by the runs for both bounds where these lead to the same slices.
    pub(crate) graph: Arc<Graph>,
    pub(crate) jobs: Jobs,
}

impl Structure {
    /// Follows positions to all slices that can come from them inside a limit, `most` slices at most.
    /// Without a limit the values themselves are to be found, with one these bounds.
    ///
    /// # Errors
    /// There are too many men or too many slices, or no move may give check and the limit is not of squares.
    pub fn new(
        variant: &Variant,
        metric: Metric,
        roots: &[Position],
        limited: (Limit, &[Bound]),
        most: usize,
    ) -> Result<Self, StructureError> {
        Structure::using(variant, metric, roots, limited, None, most)
    }

    /// The same; materials whose tables are at hand are not solved but read.
    ///
    /// # Errors
    /// As [`Structure::new`].
    pub fn using(
        variant: &Variant,
        metric: Metric,
        roots: &[Position],
        limited: (Limit, &[Bound]),
        using: TablesAtHand,
        most: usize,
    ) -> Result<Self, StructureError> {
        let most = GraphCap { slices: most, ..GraphCap::default() };
        Structure::within(variant, metric, roots, limited, using, (most, &Unwatched))
    }

    /// Like `new`, followed until there are too many values, too, or until the watcher interrupts it.
    pub(crate) fn within(
        variant: &Variant,
        metric: Metric,
        roots: &[Position],
        (limit, bounds): (Limit, &[Bound]),
        using: TablesAtHand,
        watched: (GraphCap, &dyn Watch),
    ) -> Result<Self, StructureError> {
        // What lies outside has a value without being looked at, but a move that gives check is none.
        let has_outside = !limit.allows_all_promotions() || !limit.conceded.is_empty();
        if has_outside && !variant.rules.checking {
            let variant = variant.name.clone();
            return Err(StructureError::ChecksForbidden { variant, limit: Box::new(limit) });
        }
        let limit = limit.with_beginning(variant, roots);
        let variant = &limit.game(variant);
        let bounds = if limit.is_none() { &[Bound::Exact] } else { bounds };
        let graph = Graph::new(variant, roots, (&limit, bounds), using, watched)?;
        for id in graph.in_order() {
            let kind = graph.kinds.get(id);
            let (got, most) = (kind.n_mobile(), MAX_MOBILE);
            if got > most {
                let material = kind.material.name(variant);
                return Err(StructureError::TooManyMobile { material, got, most });
            }
        }
        let jobs = Jobs::new(variant, &graph, &limit, bounds);
        let (variant, roots, bounds) = (variant.clone(), roots.to_vec(), bounds.to_vec());
        Ok(Structure { variant, metric, roots, limit, bounds, graph: Arc::new(graph), jobs })
    }

    /// The run for the other bound inside a limit that counts promoted men whatever they are and gives
    /// nothing
    /// away: it follows the same slices.
    pub(crate) fn for_bound(&self, bound: Bound) -> Self {
        let bounds = vec![bound];
        let jobs = Jobs::new(&self.variant, &self.graph, &self.limit, &bounds);
        let (variant, metric, roots) = (self.variant.clone(), self.metric, self.roots.clone());
        Structure {
            variant,
            metric,
            roots,
            limit: self.limit.clone(),
            bounds,
            graph: self.graph.clone(),
            jobs,
        }
    }

    /// The rules.
    #[must_use]
    pub fn variant(&self) -> &Variant {
        &self.variant
    }

    /// What the values are.
    #[must_use]
    pub fn metric(&self) -> Metric {
        self.metric
    }

    /// The positions.
    #[must_use]
    pub fn roots(&self) -> &[Position] {
        &self.roots
    }

    /// The limit.
    #[must_use]
    pub fn limit(&self) -> &Limit {
        &self.limit
    }

    /// What is to be found: the values, or bounds of them.
    #[must_use]
    pub fn bounds(&self) -> &[Bound] {
        &self.bounds
    }

    /// The names of the materials whose tables are read instead of being solved.
    pub fn used(&self) -> impl Iterator<Item = String> {
        self.graph.kinds.used.iter().map(|material| material.name(&self.variant))
    }

    /// The slices.
    #[must_use]
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// The index of the file, without tables.
    pub(crate) fn head(&self) -> FileIndex {
        let book = RuleBook::new(&self.variant);
        FileIndex {
            variant: self.variant.name.clone(),
            rules: rules_of(&self.variant, &self.roots, self.metric),
            metric: self.metric.name().into(),
            roots: self.roots.iter().map(|root| root.to_fen(&book)).collect(),
            limit: self.limit.clone(),
            bounds: self.bounds.clone(),
            used: self.graph.kinds.used.iter().map(|material| material.name(&self.variant)).collect(),
            program: concat!("tablesmith ", env!("CARGO_PKG_VERSION")).into(),
            tables: Vec::new(),
        }
    }

    /// Names all that the values depend on.
    pub(crate) fn identity(&self) -> [u8; 32] {
        let head = serde_json::to_vec(&self.head()).expect("a head is plain data");
        let version = solve::VERSION.to_le_bytes();
        *blake3::Hasher::new().update(&version).update(&head).finalize().as_bytes()
    }
}

/// The hash of the rules for all men that positions have, as hexadecimal digits.
pub(crate) fn rules_of(variant: &Variant, roots: &[Position], metric: Metric) -> String {
    let mut men: Vec<_> = roots.iter().flat_map(|root| root.men()).map(|(man, _)| man).collect();
    men.sort_unstable();
    men.dedup();
    format::rules_hash(variant, &Material::from_men(men), metric).to_string()
}

impl Limit {
    /// The same limit, the mobile men of these positions being there from the beginning.
    pub(crate) fn with_beginning(self, variant: &Variant, roots: &[Position]) -> Self {
        let of_side = |side: Side| {
            // Of several positions each piece as often as the one has it that has most.
            let pieces = variant.piece_ids().flat_map(|piece| {
                let n_in = |root: &Position| root.men_of(side).filter(|(man, _)| man.piece == piece).count();
                let n = roots.iter().map(n_in).max().unwrap_or(0);
                std::iter::repeat_n(variant.piece(piece).letter, n)
            });
            pieces.collect()
        };
        Limit { beginning: Side::BOTH.map(of_side), ..self }
    }
}
