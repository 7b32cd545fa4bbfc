//! Checks Rust files one by one: their headers, their sizes, their names, and what is left over in them.

use super::comment;
use super::complaint::Complain;
use super::document::inside;
use std::path::{Path, PathBuf};

/// The most lines of a file; at this size it has a second noun.
const MAX_LINES: usize = 650;

/// Names that do not say what is in a file.
const EMPTY_NAMES: &[&str] = &["util", "utils", "common", "helper", "helpers", "misc", "types"];

/// Macros that stand where something is missing.
const UNFINISHED: &[&str] = &["todo", "unimplemented", "dbg"];

/// Words that begin a header without a verb.
const QUESTIONS: &[&str] =
    &["What", "Which", "Where", "How", "Those", "The", "A", "An", "Each", "Every", "Everything", "From"];

pub(super) fn check(path: &Path, text: &str, complain: &mut Complain<'_>) {
    if !text.starts_with("//! ") {
        complain(1, "begin the file with `//!` and one sentence on what it does".into());
    }
    let first = text.strip_prefix("//! ").and_then(|header| header.split_whitespace().next());
    if let Some(word) = first.filter(|word| QUESTIONS.contains(word)) {
        complain(1, format!("a header that begins with `{word}` has no verb; say what the file does"));
    }
    let n_lines = text.lines().count();
    if n_lines > MAX_LINES {
        complain(0, format!("{n_lines} lines, at most {MAX_LINES}; look for the second noun"));
    }
    let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
    if EMPTY_NAMES.contains(&stem) {
        complain(0, format!("`{stem}` says nothing of what is in the file; name it by its noun"));
    }
    comment::check_rust(text, complain);
    for (number, line) in text.lines().enumerate() {
        for name in UNFINISHED {
            if line.contains(&format!("{name}!(")) {
                complain(number + 1, format!("`{name}!` is left over; write what is missing"));
            }
        }
        let mut included = line.split("include_str!(\"").skip(1).filter_map(|rest| rest.split('"').next());
        if included.any(|target| leaves_package(path, target)) {
            complain(number + 1, "a package holds nothing outside its folder; copy the file into it".into());
        }
        let code = line.trim_start();
        for attribute in ["ignore", "should_panic"] {
            if code.starts_with(&format!("#[{attribute}")) {
                complain(number + 1, format!("no test is marked `{attribute}`; let it run and assert"));
            }
        }
    }
}

/// Whether a file that a crate of the product includes lies outside the crate's folder.
fn leaves_package(path: &Path, target: &str) -> bool {
    let package: PathBuf = path.iter().take(2).collect();
    path.starts_with("crates") && inside(path, target).is_none_or(|file| !file.starts_with(package))
}
