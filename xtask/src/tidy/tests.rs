//! Each rule, broken once and kept once.

use super::{document, edge, source};
use std::path::Path;

#[track_caller]
fn check_complaints(found: &[(usize, String)], expected: &[(usize, &str)]) {
    assert_eq!(found.len(), expected.len(), "{found:?}");
    for ((line, message), (expected_line, part)) in found.iter().zip(expected) {
        assert_eq!(line, expected_line, "{message}");
        assert!(message.contains(part), "{message}");
    }
}

#[track_caller]
fn check_source(path: &str, text: &str, expected: &[(usize, &str)]) {
    let mut found = Vec::new();
    source::check(Path::new(path), text, &mut |line, message| found.push((line, message)));
    check_complaints(&found, expected);
}

#[test]
fn source_files() {
    let unfinished = format!("//! A file.\nfn f() {{ {}!() }}\n", "todo");
    let ignored = format!("//! A file.\n    #[{}]\n", "ignore");
    check_source("crates/a/src/noun.rs", "//! A noun.\n", &[]);
    check_source("crates/a/src/noun.rs", "use a;\n", &[(1, "begin the file")]);
    check_source("crates/a/src/util.rs", "//! A file.\n", &[(0, "says nothing")]);
    check_source("crates/a/src/noun.rs", &unfinished, &[(2, "left over")]);
    check_source("crates/a/src/noun.rs", &ignored, &[(2, "let it run")]);
    check_source("crates/a/src/noun.rs", &"//! A line.\n".repeat(500), &[]);
    check_source("crates/a/src/noun.rs", &"//! A line.\n".repeat(501), &[(0, "501 lines, at most 500")]);
}

#[track_caller]
fn check_edge(path: &str, dependencies: &str, expected: &[(usize, &str)]) {
    let mut found = Vec::new();
    edge::check(Path::new(path), dependencies, &mut |line, message| found.push((line, message)));
    check_complaints(&found, expected);
}

#[test]
fn edges_of_crates() {
    let solve = "crates/solve/Cargo.toml";
    check_edge(solve, "[dependencies]\ntable.workspace = true\nrayon = \"1\"\n", &[]);
    check_edge(solve, "[dependencies]\ngeometry.workspace = true\n", &[]);
    check_edge(
        solve,
        "[dependencies]\nposition.workspace = true\n",
        &[(2, "`solve` may not know `position`")],
    );
    check_edge(solve, "[dev-dependencies]\nposition.workspace = true\n", &[]);
    check_edge(
        solve,
        "[dependencies]\nrules = { path = \"x\", package = \"tablesmith-position\" }\n",
        &[(2, "may not know `position`")],
    );
    check_edge(
        solve,
        "[target.'cfg(unix)'.dependencies]\nformat.workspace = true\n",
        &[(2, "may not know `format`")],
    );
    check_edge("crates/plan/Cargo.toml", "[dependencies]\ncli.workspace = true\n", &[(2, "`cli`")]);
    check_edge("crates/plan/Cargo.toml", "[dependencies\n", &[(0, "cannot be read")]);
    check_edge("crates/other/Cargo.toml", "", &[(0, "not in the table of edges")]);
    check_edge("tests/Cargo.toml", "[dependencies]\ncli.workspace = true\n", &[]);
}

#[test]
fn dependencies_have_reasons() {
    let manifest =
        "[workspace.dependencies]\nrayon = \"1\"\nserde = { version = \"1\" }\nplan = { path = \"p\" }\n";
    assert_eq!(edge::without_reason(manifest, "- `serde`: names for data"), ["rayon"]);
}

#[track_caller]
fn check_document(text: &str, expected: &[(usize, &str)]) {
    let mut found = Vec::new();
    let path = Path::new("docs/page.md");
    document::check(crate::root(), path, text, &mut |line, message| found.push((line, message)));
    check_complaints(&found, expected);
}

#[test]
fn documents() {
    let unfinished = format!("A page.\n{}: write it\n", "TODO");
    check_document(
        "A [crate](../crates/plan/Cargo.toml), a [page](https://example.org/x), a [part](#part).\n",
        &[],
    );
    check_document("One [file](nowhere.md).\n", &[(1, "leads to nothing")]);
    check_document("One [file](../../elsewhere.md).\n", &[(1, "out of the source tree")]);
    check_document(&unfinished, &[(2, "left over")]);
}

#[test]
fn links_stay_inside() {
    let inside = |target| document::inside(Path::new("docs/decisions/a.md"), target);
    assert_eq!(inside("../b.md").as_deref(), Some(Path::new("docs/b.md")));
    assert_eq!(inside("./b.md").as_deref(), Some(Path::new("docs/decisions/b.md")));
    assert_eq!(inside("../../../b.md"), None);
    assert_eq!(inside("/etc/b.md"), None);
}
