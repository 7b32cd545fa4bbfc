//! Writes a plan as a picture in the DOT language of Graphviz.

use crate::Job;
use petgraph::dot::{Config, Dot};
use petgraph::graph::DiGraph;
use std::collections::BTreeMap;
use variant::Variant;
use variant::exit::Reason;

/// Arrows lead from each table to what it needs; all reasons of one pair stand at one arrow.
pub(crate) fn write(variant: &Variant, graph: &DiGraph<Job, Reason>) -> String {
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
