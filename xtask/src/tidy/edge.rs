//! Checks which crate uses which against a table, and that every external dependency has its reason.

use super::complaint::{Complain, Complaint};
use super::tree::read;
use anyhow::Result;
use std::path::Path;
use toml::Table;

/// Each crate and the crates that it may use, from the lowest to the highest. Every crate may use `geometry`.
const EDGES: &[(&str, &str)] = &[
    ("geometry", ""),
    ("kernel", ""),
    ("piece", ""),
    ("variant", "piece"),
    ("position", "piece variant"),
    ("index", "piece variant"),
    ("table", "variant index kernel"),
    ("plan", "variant index"),
    ("solve", "piece variant index table kernel"),
    ("proof", "piece variant position index table"),
    ("format", "variant index table"),
    ("syzygy", "variant position index table format"),
    ("export", "variant position index table format"),
    ("stats", "variant position index table"),
    ("rights", "variant position table format"),
    ("probe", "variant position index table format export syzygy rights"),
    ("structure", "piece variant position index table solve format export probe"),
    ("find", "variant position index table probe"),
    ("library", "variant position index table plan solve proof format export syzygy stats probe structure"),
    (
        "build",
        "variant position index table plan solve proof format export syzygy stats rights probe \
         library",
    ),
    ("server", "variant position index table format stats probe library"),
    ("play", "variant position table probe library"),
    ("c", "variant position probe library"),
    ("tablesmith", "variant position table probe library"),
    (
        "cli",
        "kernel piece variant position index table plan solve proof format export syzygy stats rights \
         probe structure find library build server play",
    ),
    // The package brings the command along.
    ("python", "variant position index table plan export stats probe find library cli"),
    // Tasks and experiments may look at everything, and nothing but experiments at them.
    ("xtask", "cli index library build position proof stats variant"),
    (
        "lab",
        "cli kernel piece variant position index table plan proof format export syzygy stats probe \
         structure library build xtask",
    ),
    ("bench", "kernel variant position table plan solve format stats probe library"),
];

/// The page with the reasons of dependencies.
const REASONS: &str = "docs/decisions/dependencies.md";

/// The manifests that list dependencies for a workspace.
const WORKSPACES: &[&str] = &["Cargo.toml", "lab/Cargo.toml"];

/// Checks the edges of one crate's manifest; `path` is `crates/<name>/Cargo.toml`, or that of a folder at
/// the top.
pub(super) fn check(path: &Path, text: &str, complain: &mut Complain<'_>) {
    let parts: Vec<&str> = path.iter().map(|part| part.to_str().unwrap_or_default()).collect();
    let (["crates", name, _] | [name @ ("xtask" | "lab"), _]) = parts[..] else { return };
    let Some(&(_, allowed)) = EDGES.iter().find(|(known, _)| *known == name) else {
        complain(
            0,
            format!("the crate `{name}` is not in the table of edges; add it to xtask/src/tidy/edge.rs"),
        );
        return;
    };
    let manifest: Table = match text.parse() {
        Ok(manifest) => manifest,
        Err(error) => return complain(0, format!("the manifest cannot be read: {error}")),
    };
    for (key, value) in dependencies(&manifest) {
        // A crate may be renamed; the folder's name is what counts.
        let package = value.get("package").and_then(|p| p.as_str()).unwrap_or(key);
        let folder = package.strip_prefix("tablesmith-").unwrap_or(package);
        let is_crate = EDGES.iter().any(|(known, _)| *known == folder);
        if is_crate && folder != "geometry" && !allowed.split(' ').any(|name| name == folder) {
            let line = 1 + text.lines().take_while(|line| !line.starts_with(key.as_str())).count();
            complain(line, format!("`{name}` may not use `{folder}`; it may use {}", list(allowed)));
        }
    }
}

/// The external dependencies of the workspace that have no reason in the decisions.
pub(super) fn unexplained(root: &Path) -> Result<Vec<Complaint>> {
    let reasons = read(root, Path::new(REASONS))?;
    let mut complaints = Vec::new();
    for path in WORKSPACES {
        let names = without_reason(&read(root, Path::new(path))?, &reasons);
        complaints.extend(names.into_iter().map(|name| Complaint {
            path: path.into(),
            line: 0,
            message: format!("the dependency `{name}` needs a line of reason in {REASONS}"),
        }));
    }
    Ok(complaints)
}

/// The external dependencies of a workspace manifest that the text does not name.
pub(super) fn without_reason(manifest: &str, reasons: &str) -> Vec<String> {
    let manifest: Table = manifest.parse().unwrap_or_default();
    let workspace = manifest.get("workspace").and_then(|workspace| workspace.as_table());
    let tables = [workspace, Some(&manifest)].into_iter().flatten();
    tables
        .flat_map(|table| ["dependencies", "dev-dependencies"].map(|name| table.get(name)))
        .filter_map(|dependencies| dependencies?.as_table())
        .flatten()
        .filter(|(name, value)| value.get("path").is_none() && !reasons.contains(&format!("`{name}`")))
        .map(|(name, _)| name.clone())
        .collect()
}

/// The dependencies of a crate, those of one platform too; tests may use more.
fn dependencies(manifest: &Table) -> impl Iterator<Item = (&String, &toml::Value)> {
    let platforms = manifest.get("target").and_then(|t| t.as_table()).into_iter().flat_map(Table::values);
    let tables = platforms.map(|platform| platform.get("dependencies")).chain([manifest.get("dependencies")]);
    tables.flatten().filter_map(|table| table.as_table()).flatten()
}

fn list(allowed: &str) -> String {
    let names = std::iter::once("geometry").chain(allowed.split_whitespace());
    names.map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}
