//! The rules of the house that no other tool knows.
//!
//! Each rule looks at one kind of file and says where it is broken and what to do. A rule stands here if a
//! review would otherwise have to look for it every time.

mod document;
mod edge;
mod source;

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// One thing to put right.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Complaint {
    /// The file, from the root of the source tree.
    pub path: PathBuf,
    /// The line, from 1; 0 for the whole file.
    pub line: usize,
    /// What is wrong and what to do.
    pub message: String,
}

impl fmt::Display for Complaint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.path.display())?;
        if self.line > 0 {
            write!(f, ":{}", self.line)?;
        }
        write!(f, ": {}", self.message)
    }
}

/// A source tree that cannot be read.
#[derive(Debug)]
pub struct ReadError {
    path: PathBuf,
    source: io::Error,
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cannot read {}: {}", self.path.display(), self.source)
    }
}

impl std::error::Error for ReadError {}

/// Everything in the source tree that breaks a rule, in the order of the files.
///
/// # Errors
/// A file or folder that cannot be read.
pub fn check(root: &Path) -> Result<Vec<Complaint>, ReadError> {
    let mut paths = Vec::new();
    for top in ["crates", "xtask", "tests", "docs", "variants"] {
        collect(root, Path::new(top), &mut paths)?;
    }
    collect_files(root, Path::new(""), &mut paths)?;
    paths.sort();
    let mut complaints = Vec::new();
    for path in &paths {
        let mut complain =
            |line, message: String| complaints.push(Complaint { path: path.clone(), line, message });
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("rs") => source::check(path, &read(root, path)?, &mut complain),
            Some("md") => document::check(root, path, &read(root, path)?, &mut complain),
            Some("toml") if path.file_name().is_some_and(|name| name == "Cargo.toml") => {
                edge::check(path, &read(root, path)?, &mut complain);
            }
            Some("toml") if path.starts_with("variants") => {
                let parsed = variant::Variant::parse(&read(root, path)?, &path.display().to_string());
                parsed.err().into_iter().for_each(|report| complain(0, report.to_string()));
            }
            _ => {}
        }
    }
    complaints.extend(edge::unexplained(root)?);
    complaints.sort();
    Ok(complaints)
}

/// Where complaints go: the line and the message.
type Complain<'a> = dyn FnMut(usize, String) + 'a;

fn read(root: &Path, path: &Path) -> Result<String, ReadError> {
    std::fs::read_to_string(root.join(path)).map_err(|source| ReadError { path: path.into(), source })
}

/// All files below a folder; what is no part of the source tree is left out.
fn collect(root: &Path, folder: &Path, paths: &mut Vec<PathBuf>) -> Result<(), ReadError> {
    for path in entries(root, folder)? {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if root.join(&path).is_dir() {
            if name != "target" && !name.starts_with('.') {
                collect(root, &path, paths)?;
            }
        } else {
            paths.push(path);
        }
    }
    Ok(())
}

/// The files of a folder itself.
fn collect_files(root: &Path, folder: &Path, paths: &mut Vec<PathBuf>) -> Result<(), ReadError> {
    paths.extend(entries(root, folder)?.into_iter().filter(|path| root.join(path).is_file()));
    Ok(())
}

fn entries(root: &Path, folder: &Path) -> Result<Vec<PathBuf>, ReadError> {
    let fail = |source| ReadError { path: folder.into(), source };
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(root.join(folder)).map_err(fail)? {
        paths.push(folder.join(entry.map_err(fail)?.file_name()));
    }
    Ok(paths)
}

#[cfg(test)]
mod tests;
