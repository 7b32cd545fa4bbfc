//! Copies table files into a folder of the machine's own, so that they are read over the network once.

use crate::{Edition, LibraryError};
use format::{BlockCache, Summary, TableFile};
use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use variant::Metric;

/// A folder with copies of the files of some tables.
#[derive(Clone, Debug)]
pub(crate) struct Copies {
    folder: PathBuf,
    materials: BTreeSet<String>,
}

impl Copies {
    /// Where the copy of a file is, if it is one of a table that was copied.
    pub(crate) fn path(&self, material: &str, original: &Path) -> Option<PathBuf> {
        self.materials.contains(material).then(|| copy_of(original, &self.folder))
    }
}

fn copy_of(original: &Path, folder: &Path) -> PathBuf {
    folder.join(original.file_name().unwrap_or_default())
}

/// Copies the files of these tables of an edition from one folder, where they have to be, into another.
/// Every checksum of a copy is compared before it has its name. A copy with the content of its original is
/// left as it is, and a table with a damaged original has none: whoever reads it finds that out.
///
/// # Errors
/// A file cannot be read, or there is no room for its copy.
pub(crate) fn copy(
    (edition, originals): (&Edition, &Path),
    materials: BTreeSet<String>,
    folder: &Path,
) -> Result<Copies, LibraryError> {
    fs::create_dir_all(folder).map_err(LibraryError::io("make the folder", folder))?;
    let mut copied = BTreeSet::new();
    for material in materials {
        let mut is_whole = true;
        for &metric in edition.metrics().iter().filter(|&&metric| edition.reads(metric)) {
            let original = originals.join(edition.file_name(&material, metric));
            is_whole &= copy_file(edition, metric, &original, folder)?;
        }
        if is_whole {
            copied.insert(material);
        }
    }
    Ok(Copies { folder: folder.into(), materials: copied })
}

/// Copies a file; false if it is damaged.
fn copy_file(
    edition: &Edition,
    metric: Metric,
    original: &Path,
    folder: &Path,
) -> Result<bool, LibraryError> {
    let copy = copy_of(original, folder);
    if is_same(original, &copy)? {
        return Ok(true);
    }
    // The file of a draft needs the name of a table to be read as one.
    let draft_folder = folder.join(format!(".copying-{}", std::process::id()));
    fs::create_dir_all(&draft_folder).map_err(LibraryError::io("make the folder", &draft_folder))?;
    let draft = copy_of(original, &draft_folder);
    let check = |path: &Path| {
        let file = TableFile::open_of(path, edition.variant(), metric, Arc::new(BlockCache::new(0)));
        file.and_then(|file| file.verify_checksums())
    };
    let copied = fs::copy(original, &draft).map_err(LibraryError::io("copy the table to", &draft));
    let copied = copied.and_then(|_| match check(&draft) {
        Ok(()) => fs::rename(&draft, &copy).map_err(LibraryError::io("write the copy", &copy)).map(|()| true),
        Err(error) => check(original).map_or(Ok(false), |()| Err(error.into())),
    });
    let _ = fs::remove_dir_all(&draft_folder);
    copied
}

/// Whether a copy with the content of its original is there.
fn is_same(original: &Path, copy: &Path) -> Result<bool, LibraryError> {
    let length = |path: &Path| fs::metadata(path).map(|there| there.len());
    match length(copy) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Ok(bytes) if length(original).is_ok_and(|there| there == bytes) => {
            let content = |path| Summary::read(path).map(|summary| summary.table_content());
            let original = content(original)?;
            Ok(content(copy).is_ok_and(|copy| copy == original))
        }
        _ => Ok(false),
    }
}
