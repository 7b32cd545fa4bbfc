//! Lists and reads the files of the source tree.

use anyhow::Result;
use std::path::{Path, PathBuf};

/// The folders of the source tree.
const FOLDERS: [&str; 8] = ["crates", "xtask", "tests", "lab", "docs", "packaging", "structures", "variants"];

/// The text of a file; its path is from the root of the source tree.
pub(super) fn read(root: &Path, path: &Path) -> Result<String> {
    Ok(fs_err::read_to_string(root.join(path))?)
}

/// The paths of all files of the source tree, in order.
pub(super) fn files(root: &Path) -> Result<Vec<PathBuf>> {
    let (mut paths, mut folders) = (Vec::new(), vec![PathBuf::new()]);
    folders.extend(FOLDERS.map(PathBuf::from));
    while let Some(folder) = folders.pop() {
        if !root.join(&folder).exists() {
            continue;
        }
        for entry in fs_err::read_dir(root.join(&folder))? {
            let path = folder.join(entry?.file_name());
            // What is built and what is hidden is no source, and of the top only the folders above.
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            match root.join(&path).is_dir() {
                true if folder.as_os_str().is_empty() || name == "target" || name.starts_with('.') => {}
                true => folders.push(path),
                false => paths.push(path),
            }
        }
    }
    paths.sort();
    Ok(paths)
}
