//! Copies table files into a folder of the machine's own, so that they are read over the network once.

use crate::{Edition, LibraryError};
use format::{BlockCache, Summary, TableFile};
use std::collections::BTreeSet;
use std::fs;
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

/// Copies the files of these tables of an edition from one folder into another. Every checksum of a copy is
/// compared before it is used, also of one that was there. A table that cannot be copied, because the disk
/// is full or its original is damaged, has no copy: whoever reads it reads the original, and finds out.
/// `not_copied` gets why.
pub(crate) fn copy(
    (edition, originals): (&Edition, &Path),
    materials: BTreeSet<String>,
    folder: &Path,
    not_copied: &dyn Fn(&LibraryError),
) -> Copies {
    let copy_table = |material: &String| {
        let read = edition.metrics().iter().filter(|&&metric| edition.reads(metric));
        read.copied().try_for_each(|metric| {
            copy_file(edition, metric, &originals.join(edition.file_name(material, metric)), folder)
        })
    };
    let is_copied = |material: &String| copy_table(material).inspect_err(not_copied).is_ok();
    Copies { folder: folder.into(), materials: materials.into_iter().filter(is_copied).collect() }
}

/// Copies a file, unless its copy is there.
fn copy_file(edition: &Edition, metric: Metric, original: &Path, folder: &Path) -> Result<(), LibraryError> {
    let copy = copy_of(original, folder);
    let check = |path: &Path| {
        let file = TableFile::open_of(path, edition.variant(), metric, Arc::new(BlockCache::new(0)));
        file.and_then(|file| file.verify_checksums())
    };
    if is_same(original, &copy) && check(&copy).is_ok() {
        return Ok(());
    }
    // The file of a draft needs the name of a table to be read as one.
    let draft_folder = folder.join(format!(".copying-{}", std::process::id()));
    fs::create_dir_all(&draft_folder).map_err(LibraryError::io("make the folder", &draft_folder))?;
    let draft = copy_of(original, &draft_folder);
    let copied = fs::copy(original, &draft).map_err(LibraryError::io("copy the table to", &draft));
    let copied = copied.and_then(|_| Ok(check(&draft)?));
    let copied =
        copied.and_then(|()| fs::rename(&draft, &copy).map_err(LibraryError::io("write the copy", &copy)));
    let _ = fs::remove_dir_all(&draft_folder);
    copied
}

/// Whether a copy is there that has the content of its original, as their headers say.
fn is_same(original: &Path, copy: &Path) -> bool {
    let length = |path: &Path| fs::metadata(path).ok().map(|there| there.len());
    let content = |path| Summary::read(path).ok().map(|summary| summary.table_content());
    length(copy).is_some_and(|n_bytes| length(original) == Some(n_bytes))
        && content(copy).is_some_and(|there| content(original) == Some(there))
}
