//! Lists and reads the files of the source tree.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// A source tree that cannot be read.
#[derive(Debug)]
pub struct ReadError {
    path: PathBuf,
    source: io::Error,
}

impl ReadError {
    pub(super) fn new(path: &Path, source: io::Error) -> Self {
        ReadError { path: path.into(), source }
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cannot read {}: {}", self.path.display(), self.source)
    }
}

impl std::error::Error for ReadError {}

/// The text of a file; its path is from the root of the source tree.
pub(super) fn read(root: &Path, path: &Path) -> Result<String, ReadError> {
    std::fs::read_to_string(root.join(path)).map_err(|source| ReadError::new(path, source))
}

/// The paths of all files of the source tree, in order.
pub(super) fn files(root: &Path) -> Result<Vec<PathBuf>, ReadError> {
    let mut paths: Vec<PathBuf> = entries(root, Path::new(""))?;
    paths.retain(|path| root.join(path).is_file());
    for top in ["crates", "xtask", "tests", "lab", "docs", "structures", "variants"] {
        collect(root, Path::new(top), &mut paths)?;
    }
    paths.sort();
    Ok(paths)
}

/// Adds all files below a folder, but for what is built and what is hidden.
fn collect(root: &Path, folder: &Path, paths: &mut Vec<PathBuf>) -> Result<(), ReadError> {
    if !root.join(folder).exists() {
        return Ok(());
    }
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

fn entries(root: &Path, folder: &Path) -> Result<Vec<PathBuf>, ReadError> {
    let fail = |source| ReadError::new(folder, source);
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(root.join(folder)).map_err(fail)? {
        paths.push(folder.join(entry.map_err(fail)?.file_name()));
    }
    Ok(paths)
}
