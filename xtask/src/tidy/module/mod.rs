//! Finds modules of a crate that use each other in a circle.
//!
//! The nodes are files. A file uses another if a path in it, or an import, leads to something that the other
//! defines. `pub use` only hands names on, so it is no use, and neither is `mod name;`; tests are left out.
//! One cycle after another is reported, the shortest first. Each is opened where a child uses a module above
//! it, or else where the fewest names are used, until none is left.

mod graph;
mod scope;

use super::complaint::Complaint;
use super::tree::read;
use anyhow::Result;
use graph::{Graph, children};
use std::collections::{BTreeMap, VecDeque};
use std::path::{Path, PathBuf};

/// The module cycles of all crates among these paths of source files.
///
/// # Errors
/// A file that cannot be read.
pub(super) fn check(root: &Path, paths: &[PathBuf]) -> Result<Vec<Complaint>> {
    let mut crates: BTreeMap<PathBuf, BTreeMap<PathBuf, String>> = BTreeMap::new();
    for path in paths.iter().filter(|path| path.extension().is_some_and(|extension| extension == "rs")) {
        let Some(folder) = path.ancestors().find(|folder| folder.ends_with("src")) else { continue };
        let name = path.strip_prefix(folder).expect("the folder is one of the path's ancestors");
        crates.entry(folder.into()).or_default().insert(name.into(), read(root, path)?);
    }
    Ok(crates.iter().flat_map(|(folder, sources)| cycles(folder, sources)).collect())
}

/// The module cycles of one crate, whose sources have their paths from `folder`.
pub(super) fn cycles(folder: &Path, sources: &BTreeMap<PathBuf, String>) -> Vec<Complaint> {
    let Some(crate_root) =
        ["lib.rs", "main.rs"].map(Path::new).into_iter().find(|path| sources.contains_key(*path))
    else {
        return Vec::new();
    };
    let mut graph = Graph::new(crate_root, sources);
    let mut complaints = Vec::new();
    while let Some(cycle) = shortest(&graph) {
        let pairs = cycle.iter().copied().zip(cycle.iter().copied().cycle().skip(1));
        let weakest = pairs.min_by_key(|(user, used)| {
            let is_above = graph.files[*user].starts_with(children(&graph.files[*used]));
            (!is_above, graph.edges[*user][used].names.len())
        });
        let (user, used) = weakest.expect("a cycle has edges");
        let start = cycle.iter().position(|&file| file == used).expect("the edge is the cycle's");
        let names = (0..=cycle.len()).map(|step| name(&graph.files[cycle[(start + step) % cycle.len()]]));
        let edge = graph.edges[user].remove(&used).expect("the edge is the graph's");
        complaints.push(Complaint {
            path: folder.join(&graph.files[user]),
            line: edge.line,
            message: format!(
                "module cycle: {}; here `{}` uses {} of `{}`: move what both need into a module below both",
                names.collect::<Vec<_>>().join(" → "),
                name(&graph.files[user]),
                edge.names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", "),
                name(&graph.files[used]),
            ),
        });
    }
    complaints
}

/// A module as people say it: its path without the ending.
fn name(file: &Path) -> String {
    let file = if file.ends_with("mod.rs") { file.parent().unwrap_or(file) } else { file };
    file.with_extension("")
        .components()
        .map(|part| part.as_os_str().to_string_lossy())
        .collect::<Vec<_>>()
        .join("/")
}

/// A cycle of the fewest files, each of which uses the next one, and the last one the first.
fn shortest(graph: &Graph) -> Option<Vec<usize>> {
    (0..graph.files.len()).filter_map(|start| round(graph, start)).min_by_key(Vec::len)
}

/// The shortest way from a file back to itself.
fn round(graph: &Graph, start: usize) -> Option<Vec<usize>> {
    let mut before = vec![None; graph.files.len()];
    let mut queue = VecDeque::from([start]);
    while let Some(file) = queue.pop_front() {
        for &used in graph.edges[file].keys() {
            if used == start {
                let mut way: Vec<usize> = std::iter::successors(Some(file), |&file| before[file]).collect();
                way.reverse();
                return Some(way);
            }
            if before[used].is_none() {
                before[used] = Some(file);
                queue.push_back(used);
            }
        }
    }
    None
}
