//! Lists the tables in a folder by the names of their files, and opens them.

use crate::{Edition, LibraryError, TableFiles};
use format::{EXTENSION, Summary, WINNER_EXTENSION, parse_file_name};
use probe::{ExchangeFile, ProbeError, Tablebases};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use variant::{Material, Metric, Variant};

/// A folder of tables of one game.
#[derive(Clone, Debug)]
pub struct Folder {
    path: PathBuf,
    variant: Variant,
}

impl Folder {
    /// The tables of a game in a folder, which need not exist yet.
    #[must_use]
    pub fn new(path: &Path, variant: Variant) -> Self {
        Folder { path: path.into(), variant }
    }

    /// The path of the folder.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The rules of the game.
    #[must_use]
    pub fn variant(&self) -> &Variant {
        &self.variant
    }

    /// The canonical materials of which the folder has all files of an edition.
    ///
    /// # Errors
    /// The folder cannot be read.
    pub fn materials(&self, edition: &Edition) -> Result<BTreeSet<Material>, LibraryError> {
        let mut found = self.materials_of(edition.metric())?;
        for &metric in &edition.metrics()[1..] {
            let others = self.materials_of(metric)?;
            found.retain(|material| others.contains(material));
        }
        Ok(found)
    }

    /// The files of the tables under a metric.
    #[must_use]
    pub fn files(&self, metric: Metric) -> TableFiles {
        TableFiles::new(Edition::new(&self.variant, metric), &self.path)
    }

    /// Opens the folder to be asked for positions under any metric, with a cache of so many bytes of
    /// decompressed blocks.
    ///
    /// # Errors
    /// There is no such folder.
    pub fn tablebases(&self, cache_bytes: usize) -> Result<Tablebases, ProbeError> {
        Tablebases::open_with(&self.path, &self.variant, cache_bytes)
    }

    /// The canonical materials of which the folder has files of a metric.
    fn materials_of(&self, metric: Metric) -> Result<BTreeSet<Material>, LibraryError> {
        let material = |file: PathBuf| {
            let name = file.file_name()?.to_str()?;
            let (name, own) = parse_file_name(name, self.variant.default_metric)?;
            // A file of another name is no table, and none of ours to complain of.
            let material = Material::parse(&self.variant, name).ok().filter(|_| own == Ok(metric))?;
            let is_table = material.is_canonical(&self.variant) && material.n_men() <= index::MAX_MEN;
            is_table.then_some(material)
        };
        Ok(table_files(&self.path)?.into_iter().filter_map(material).collect())
    }
}

/// The table files of a folder, sorted by name.
///
/// # Errors
/// The folder cannot be read.
pub fn table_files(folder: &Path) -> Result<Vec<PathBuf>, LibraryError> {
    files_in(folder, |file| file.extension().is_some_and(|ending| ending.eq_ignore_ascii_case(EXTENSION)))
}

/// The name that a file is to have which has that of this table in other letters: names are exact, because
/// the letter between the sides may be that of a piece. None if it has another name, or the right one.
#[must_use]
pub fn misnamed(file: &Path, material: &str) -> Option<String> {
    let (name, others) = file.file_name()?.to_str()?.split_once('.')?;
    let proper = format!("{material}.{}", others.to_ascii_lowercase());
    let is_so = name.eq_ignore_ascii_case(material) && *file.file_name()? != *proper;
    is_so.then_some(proper)
}

/// The file that stands for a missing one under a name in other letters.
#[must_use]
pub fn misnamed_for(missing: &Path) -> Option<PathBuf> {
    let name = missing.file_name()?;
    let is_it = |file: &Path| file.file_name().is_some_and(|own| own.eq_ignore_ascii_case(name));
    let folder = missing.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    files_in(folder, is_it).ok()?.into_iter().find(|file| file.file_name() != Some(name))
}

/// The files of a folder that have one side's wins alone, sorted by name.
///
/// # Errors
/// The folder cannot be read.
pub fn winner_files(folder: &Path) -> Result<Vec<PathBuf>, LibraryError> {
    files_in(folder, |file| file.extension().is_some_and(|extension| extension == WINNER_EXTENSION))
}

/// The flat and Syzygy files of a folder, sorted by name.
///
/// # Errors
/// The folder cannot be read.
pub fn exchange_files(folder: &Path) -> Result<Vec<PathBuf>, LibraryError> {
    files_in(folder, |file| ExchangeFile::kind_of(file).is_some())
}

/// The files of a folder that are meant, sorted by name.
///
/// # Errors
/// The folder cannot be read.
pub fn files_in(folder: &Path, is_meant: impl Fn(&Path) -> bool) -> Result<Vec<PathBuf>, LibraryError> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(LibraryError::io("read", folder))? {
        let file = entry.map_err(LibraryError::io("read", folder))?.path();
        if is_meant(&file) {
            files.push(file);
        }
    }
    files.sort();
    Ok(files)
}

/// The files of positions with rights to castle in a folder, sorted by name.
///
/// # Errors
/// The folder cannot be read.
pub fn rights_files(folder: &Path) -> Result<Vec<PathBuf>, LibraryError> {
    files_in(folder, |file| file.extension().is_some_and(|extension| extension == rights::EXTENSION))
}

/// The names of the variants whose tables a folder has, as far as its files can be read.
///
/// # Errors
/// The folder cannot be read.
pub fn variant_names_in(folder: &Path) -> Result<BTreeSet<String>, LibraryError> {
    let summaries = table_files(folder)?.into_iter().flat_map(|file| Summary::read(&file));
    Ok(summaries.map(|summary| summary.metadata.variant).collect())
}
