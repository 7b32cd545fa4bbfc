//! Plans the tables that are wanted with all that they need, in the order of building; classifies them, and
//! draws the plan in the DOT language of Graphviz.
//!
//! A table's class says what its captures lead to, in the words of Wendroff and others.

use crate::job::{Link, links};
use crate::{Job, JobId, Need};
use index::Sizes;
use petgraph::Direction;
use petgraph::dot::{Config, Dot};
use petgraph::graph::{DiGraph, NodeIndex};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use variant::exit::Reason;
use variant::{Man, Material, Side, Variant};

/// The tables that are wanted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Request {
    /// All of up to this number of men.
    UpTo(usize),
    /// This one, with what it needs; its colours may be any.
    Table(Material),
    /// These, with what they need; their colours may be any.
    Tables(Vec<Material>),
}

impl Request {
    /// The materials that are named, their colours as tables have them; none if only their size is.
    #[must_use]
    pub fn named(&self, variant: &Variant) -> Vec<Material> {
        let named = match self {
            Request::UpTo(_) => &[][..],
            Request::Table(material) => std::slice::from_ref(material),
            Request::Tables(materials) => materials,
        };
        named.iter().map(|material| material.canonical(variant)).collect()
    }
}

/// A plan that cannot be made.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlanError {
    /// Fewer men than two royal ones, or more than a table can have.
    #[error("tables have 2 to {limit} men, not {got}")]
    Men {
        /// How many were asked for.
        got: usize,
        /// The most that there can be.
        limit: usize,
    },
}

/// The tables to be built, with their order.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The nodes stand in the order of building.
    graph: DiGraph<Job, Reason>,
}

impl Plan {
    /// Plans what is wanted and everything that it needs.
    ///
    /// # Errors
    /// A number of men that no table can have.
    pub fn new(variant: &Variant, request: &Request) -> Result<Self, PlanError> {
        Plan::watched(variant, request, &mut |_, _| {})
    }

    /// Like [`Plan::new`], reporting after each step how many steps are done and how many are known of: each
    /// table takes two.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn watched(
        variant: &Variant,
        request: &Request,
        report: &mut dyn FnMut(usize, usize),
    ) -> Result<Self, PlanError> {
        let mut open = request.named(variant);
        let numbers = open.iter().map(Material::n_men).chain(match request {
            Request::UpTo(n_men) => Some(*n_men),
            _ => None,
        });
        if let Some(n_men) = numbers.into_iter().find(|n_men| !(2..=index::MAX_MEN).contains(n_men)) {
            return Err(PlanError::Men { got: n_men, limit: index::MAX_MEN });
        }
        if let Request::UpTo(n) = request {
            open.extend((2..=*n).flat_map(|n| Material::all(variant, n)));
        }
        let mut leads = BTreeMap::new();
        while let Some(material) = open.pop() {
            if !leads.contains_key(&material) && !is_known(variant, &material) {
                let links = links(variant, &material);
                let found = links.iter().map(|link| &link.target.material);
                open.extend(found.filter(|found| !leads.contains_key(*found)).cloned());
                leads.insert(material, links);
                report(leads.len(), 2 * (leads.len() + open.len()));
            }
        }
        Ok(Plan { graph: graph(variant, leads, report) })
    }

    /// The jobs in the order of building: each comes after all that it needs.
    pub fn jobs(&self) -> impl ExactSizeIterator<Item = &Job> {
        self.graph.node_indices().map(|i| &self.graph[i])
    }

    /// The places of all jobs, in the order of building.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = JobId> + ExactSizeIterator + use<> {
        (0..self.len()).map(JobId)
    }

    /// The job with this place in the order.
    ///
    /// # Panics
    /// If there is none.
    #[must_use]
    pub fn job(&self, id: JobId) -> &Job {
        &self.graph[NodeIndex::new(id.0)]
    }

    /// How many jobs there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.graph.node_count()
    }

    /// Whether there is nothing to do, as for two bare royal men.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The places of the jobs that a job needs, ascending.
    #[must_use]
    pub fn needed_by(&self, id: JobId) -> Vec<JobId> {
        self.neighbours(id, Direction::Incoming)
    }

    /// The places of the jobs that need a job, ascending.
    #[must_use]
    pub fn in_need_of(&self, id: JobId) -> Vec<JobId> {
        self.neighbours(id, Direction::Outgoing)
    }

    /// How much work lies on the longest way from each job to the end, itself included. Jobs that are
    /// scheduled by it, largest first, leave no long chain for the end.
    ///
    /// Shape: by the places of the jobs. Units: values.
    #[must_use]
    pub fn remaining_work(&self) -> Vec<u64> {
        let mut work = vec![0; self.len()];
        for id in self.ids().rev() {
            let after = self.in_need_of(id).into_iter().map(|after| work[after.0]).max().unwrap_or(0);
            work[id.0] = self.job(id).n_values() + after;
        }
        work
    }

    /// The graph in the DOT language, for Graphviz.
    #[must_use]
    pub fn to_dot(&self, variant: &Variant) -> String {
        write_dot(variant, &self.graph)
    }

    fn neighbours(&self, id: JobId, direction: Direction) -> Vec<JobId> {
        // A set, because there is an edge for each reason.
        let nodes = self.graph.neighbors_directed(NodeIndex::new(id.0), direction);
        nodes.map(|node| JobId(node.index())).collect::<BTreeSet<_>>().into_iter().collect()
    }
}

/// The key that sorts materials in the order of building.
fn order_key<'a>(
    variant: &Variant,
    material: &'a Material,
) -> (usize, usize, Reverse<u8>, usize, &'a Material) {
    let n_pawns = material.men().filter(|man: &Man| variant.is_pawn(*man)).count();
    // A check that counts leads to a table of the men in which more are given.
    let n_given = Reverse(material.given_checks().iter().sum());
    (material.n_men(), n_pawns, n_given, material.side(Side::Black).len(), material)
}

/// Whether the rules alone say what all positions of a material are worth, so that it is no job.
fn is_known(variant: &Variant, material: &Material) -> bool {
    variant.is_always_drawn(material) || variant.constant(material).is_some()
}

/// The job of the largest table of `n_men` men, found without planning the others; none if there is no such
/// table.
#[must_use]
pub fn largest(variant: &Variant, n_men: usize) -> Option<Job> {
    let mut sizes = Sizes::new(variant);
    let materials = Material::all(variant, n_men).into_iter().filter(|material| !is_known(variant, material));
    let n_values = |material: &Material| {
        sizes.size(material).n_placements() * material.sides_to_move(variant).len() as u64
    };
    let material = materials.max_by_key(n_values)?;
    Some(Job::alone(variant, material))
}

impl Job {
    /// The job of one table, without the jobs that it needs.
    #[must_use]
    pub fn alone(variant: &Variant, material: Material) -> Self {
        let links = links(variant, &material);
        job(variant, &mut Sizes::new(variant), material, links)
    }
}

/// The job of a table with these links.
fn job(variant: &Variant, sizes: &mut Sizes<'_>, material: Material, links: Vec<Link>) -> Job {
    let mut by_material: BTreeMap<Material, Vec<Link>> = BTreeMap::new();
    for link in links {
        by_material.entry(link.target.material.clone()).or_default().push(link);
    }
    let mut needs: Vec<Need> = by_material
        .into_iter()
        .map(|(to, links)| {
            let is_drawn = is_known(variant, &to);
            Need::new(variant, sizes, to, links, is_drawn)
        })
        .collect();
    needs.sort_by(|a, b| order_key(variant, &a.material).cmp(&order_key(variant, &b.material)));
    Job::new(variant, sizes, material, needs)
}

fn graph(
    variant: &Variant,
    leads: BTreeMap<Material, Vec<Link>>,
    report: &mut dyn FnMut(usize, usize),
) -> DiGraph<Job, Reason> {
    let mut leads: Vec<_> = leads.into_iter().collect();
    leads.sort_by(|(a, _), (b, _)| order_key(variant, a).cmp(&order_key(variant, b)));
    let mut graph = DiGraph::new();
    let mut nodes: BTreeMap<Material, NodeIndex> = BTreeMap::new();
    let mut sizes = Sizes::new(variant);
    let n_jobs = leads.len();
    for (material, links) in leads {
        let job = job(variant, &mut sizes, material.clone(), links);
        let edges: Vec<(NodeIndex, Reason)> = job
            .needs
            .iter()
            .filter_map(|need| Some((*nodes.get(&need.material)?, &need.reasons)))
            .flat_map(|(node, reasons)| reasons.iter().map(move |&reason| (node, reason)))
            .collect();
        let node = graph.add_node(job);
        for (needed, reason) in edges {
            graph.add_edge(needed, node, reason);
        }
        nodes.insert(material, node);
        report(n_jobs + nodes.len(), 2 * n_jobs);
    }
    graph
}

/// Arrows lead from each table to what it needs; all reasons of one pair stand at one arrow.
fn write_dot(variant: &Variant, graph: &DiGraph<Job, Reason>) -> String {
    let mut labels: BTreeMap<_, Vec<String>> = BTreeMap::new();
    for edge in graph.edge_indices() {
        let (needed, job) = graph.edge_endpoints(edge).expect("an edge of the graph");
        labels.entry((job, needed)).or_default().push(graph[edge].text(variant));
    }
    let mut picture = graph.map(|_, job| job.name.as_str(), |_, _| String::new());
    picture.clear_edges();
    for ((job, needed), reasons) in labels {
        picture.add_edge(job, needed, reasons.join(" "));
    }
    let node = |_, (_, name): (_, &&str)| format!("label=\"{name}\" shape=box");
    let edge = |_, edge: petgraph::graph::EdgeReference<'_, String>| format!("label=\"{}\"", edge.weight());
    let config = [Config::EdgeNoLabel, Config::NodeNoLabel];
    format!("{:?}", Dot::with_attr_getters(&picture, &config, &edge, &node))
}

/// How much stands behind a table. An ending is *trivial* if all its positions are drawn. Of the others
/// without pawns one is *simple* if its captures lead to trivial ones, and *n-simple* if they lead to
/// trivial ones and to such as are at most (n − 1)-simple.
///
/// Source: Wendroff, Warnock, Stiller, Mayer and Brickner, *Bits and pieces*, 1993.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Class {
    /// Every position is drawn.
    Trivial,
    /// No pawns; captures lead through at most this number of endings, one after the other, before a trivial
    /// one. With 1 it is simple.
    Simple(usize),
    /// Without pawns, and which of these it is shows only when it is solved.
    Unknown,
    /// It has pawns, whose moves make slices and whose promotions lead to tables of as many men.
    Complex,
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&match self {
            Class::Trivial => "trivial".to_owned(),
            Class::Simple(1) => "simple".to_owned(),
            Class::Simple(n) => format!("{n}-simple"),
            Class::Unknown => "?".to_owned(),
            Class::Complex => "complex".to_owned(),
        })
    }
}

impl Plan {
    /// The class of each job. `is_trivial` says whether all positions of a material are drawn, if that is
    /// known; it is asked where the captures do not tell.
    ///
    /// Shape: by the places of the jobs.
    #[must_use]
    pub fn classes(&self, variant: &Variant, is_trivial: &dyn Fn(&Material) -> Option<bool>) -> Vec<Class> {
        // The least and the largest n of endings without pawns, 0 of trivial ones.
        let mut ranges: Vec<Option<(usize, usize)>> = Vec::with_capacity(self.len());
        for id in self.ids() {
            let material = &self.job(id).material;
            let has_pawns = material.men().any(|man: Man| variant.is_pawn(man));
            // What a job needs comes before it; what the rules prove drawn is no job.
            let mut behind = self.needed_by(id).into_iter().map(|JobId(needed)| ranges[needed]);
            let behind = behind.try_fold((0, 0), |(least, most), behind| {
                behind.map(|(a, b): (usize, usize)| (least.max(a), most.max(b)))
            });
            ranges.push(behind.filter(|_| !has_pawns).map(|(least, most)| {
                // Who can capture so that he wins has won already.
                let is_trivial = if least > 0 { Some(false) } else { is_trivial(material) };
                match is_trivial {
                    Some(true) => (0, 0),
                    Some(false) => (least + 1, most + 1),
                    None => (0, most + 1),
                }
            }));
        }
        let class = |range| match range {
            None => Class::Complex,
            Some((0, 0)) => Class::Trivial,
            Some((least, most)) if least == most => Class::Simple(most),
            Some(_) => Class::Unknown,
        };
        ranges.into_iter().map(class).collect()
    }
}
