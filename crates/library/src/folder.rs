//! Lists the tables in a folder by the names of their files.

use crate::LibraryError;
use format::{EXTENSION, Summary, parse_file_name};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use variant::{Material, Metric, Variant};

/// The table files of a folder, sorted by name.
///
/// # Errors
/// The folder cannot be read.
pub fn tables_in(folder: &Path) -> Result<Vec<PathBuf>, LibraryError> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(LibraryError::io("read", folder))? {
        let file = entry.map_err(LibraryError::io("read", folder))?.path();
        if file.extension().is_some_and(|extension| extension == EXTENSION) {
            files.push(file);
        }
    }
    files.sort();
    Ok(files)
}

/// The name of the variant whose tables a folder has; none if no file of it can be read.
///
/// # Errors
/// The folder cannot be read.
pub fn variant_name_in(folder: &Path) -> Result<Option<String>, LibraryError> {
    let summaries = tables_in(folder)?.into_iter().flat_map(|file| Summary::read(&file));
    Ok(summaries.map(|summary| summary.metadata.variant).next())
}

/// The canonical materials of which a folder has files of all these metrics.
///
/// # Errors
/// The folder cannot be read.
///
/// # Panics
/// If there is no metric.
pub fn materials_in(
    folder: &Path,
    variant: &Variant,
    metrics: &[Metric],
) -> Result<BTreeSet<Material>, LibraryError> {
    let mut found: Vec<BTreeSet<Material>> = vec![BTreeSet::new(); metrics.len()];
    for file in tables_in(folder)? {
        let name = file.file_name().and_then(|name| name.to_str());
        let named = name.and_then(|name| parse_file_name(name, variant.default_metric));
        let Some((name, Ok(metric))) = named else { continue };
        // A file of another name is no table, and none of ours to complain of.
        let material = Material::parse(variant, name).ok().filter(|material| material.is_canonical(variant));
        let place = metrics.iter().position(|&own| own == metric);
        if let (Some(material), Some(place)) = (material, place) {
            found[place].insert(material);
        }
    }
    let (first, rest) = found.split_first().expect("a table has a metric");
    let is_whole = |material: &&Material| {
        material.n_men() <= index::MAX_MEN && rest.iter().all(|others| others.contains(material))
    };
    Ok(first.iter().filter(is_whole).cloned().collect())
}
