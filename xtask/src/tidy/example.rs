//! Checks that the examples in a crate's documentation are run, and that nothing looks for them where there
//! are none: that takes a second or more a crate in each run of the tests.

use super::complaint::Complaint;
use super::tree::{ReadError, read};
use std::path::{Path, PathBuf};
use toml::Table;

/// The tags of a block of code that is compiled.
const COMPILED: &[&str] = &["rust", "no_run", "compile_fail", "should_panic"];

/// Checks all libraries among the files of the source tree.
///
/// # Errors
/// A file that cannot be read.
pub(super) fn check(root: &Path, paths: &[PathBuf]) -> Result<Vec<Complaint>, ReadError> {
    let mut complaints = Vec::new();
    for path in paths.iter().filter(|path| path.file_name().is_some_and(|name| name == "Cargo.toml")) {
        let source = path.with_file_name("src");
        if !paths.contains(&source.join("lib.rs")) {
            continue;
        }
        let is_rust = |path: &&PathBuf| path.extension().is_some_and(|extension| extension == "rs");
        let mut example = None;
        for file in paths.iter().filter(|path| path.starts_with(&source)).filter(is_rust) {
            if let Some(line) = example_line(&read(root, file)?) {
                example = Some((file.clone(), line));
                break;
            }
        }
        complaints.extend(check_crate(path, &read(root, path)?, example));
    }
    Ok(complaints)
}

/// Checks one library, by its manifest and the place of its first example.
pub(super) fn check_crate(
    path: &Path,
    manifest: &str,
    example: Option<(PathBuf, usize)>,
) -> Option<Complaint> {
    // Another rule complains of a manifest that cannot be read.
    let manifest: Table = manifest.parse().ok()?;
    let asked = manifest.get("lib").and_then(|lib| lib.get("doctest")).and_then(toml::Value::as_bool);
    match (asked.unwrap_or(true), example) {
        (false, Some((path, line))) => {
            let message = "nobody runs this example; take `doctest = false` out of its crate's Cargo.toml";
            Some(Complaint { path, line, message: message.into() })
        }
        (true, None) => {
            let message = "there is no example in the documentation; say `doctest = false` under `[lib]`, so \
                           that the tests look for none";
            Some(Complaint { path: path.into(), line: 0, message: message.into() })
        }
        _ => None,
    }
}

/// The line of the first block of code in documentation that is compiled.
pub(super) fn example_line(text: &str) -> Option<usize> {
    let mut is_open = false;
    for (number, line) in text.lines().enumerate() {
        let line = line.trim_start();
        let Some(documentation) = line.strip_prefix("//!").or_else(|| line.strip_prefix("///")) else {
            is_open = false;
            continue;
        };
        let Some(tags) = documentation.trim_start().strip_prefix("```") else { continue };
        if !is_open && tags.trim().split(',').all(|tag| tag.is_empty() || COMPILED.contains(&tag.trim())) {
            return Some(number + 1);
        }
        is_open = !is_open;
    }
    None
}
