//! Variant files, broken and whole; the invariants; what changes the hash of the rules and what does not.

use crate::{Man, Material, Metric, PawnRules, Piece, PieceId, Report, Rules, Side, Stalemate, Variant};
use geometry::{Board, Square, SquareSet, Step};
use piece::{Movement, Ray};
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn fide_text() -> String {
    std::fs::read_to_string(root().join("variants/fide.toml")).unwrap()
}

fn parse(text: &str) -> Variant {
    Variant::parse(text, "test.toml").unwrap_or_else(|report| panic!("{}", report.render(false)))
}

fn report(text: &str) -> Report {
    Variant::parse(text, "test.toml").expect_err(text)
}

/// The files of tests/cases/variants_broken, each with the report beside it; `UPDATE_CASES=1` writes the reports.
#[test]
fn broken_files_give_their_reports() {
    let folder = root().join("tests/cases/variants_broken");
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|e| e == "toml"));
    files.sort();
    assert!(files.len() >= 25, "only {} cases", files.len());
    let wrong: Vec<String> = files.iter().filter_map(|path| difference(path)).collect();
    assert!(
        wrong.is_empty(),
        "{} reports differ; UPDATE_CASES=1 writes them\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

/// What is wrong with the report of one file.
fn difference(path: &Path) -> Option<String> {
    let name = path.file_name().unwrap().to_string_lossy();
    let text = std::fs::read_to_string(path).unwrap();
    let got = match Variant::parse(&text, &name) {
        Ok(_) => return Some(format!("{name} has no fault")),
        Err(report) => report.render(false),
    };
    let beside = path.with_extension("txt");
    if std::env::var_os("UPDATE_CASES").is_some_and(|value| value == "1") {
        std::fs::write(&beside, &got).unwrap();
    }
    let expected = std::fs::read_to_string(&beside).unwrap_or_default();
    (got != expected).then(|| format!("=== {name}: expected\n{expected}=== {name}: got\n{got}"))
}
