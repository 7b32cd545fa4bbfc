//! Reads the positions with rights to castle of one material from their column of the table's file: a page
//! for each choice of rights.
//!
//! docs/table-format.md specifies numbers and codes. Nothing is used before its checksum was compared, and
//! no number in a file asks for more memory than the rules say its values take.

use crate::{RightsKey, RightsTable, RightsTables, VERSION};
use format::{FormatError, SealedFile, Summary, open_rights};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use table::Code;
use variant::{Material, Metric, Variant};

/// The positions with rights to castle of one material, from the file of its table.
#[derive(Debug)]
pub struct RightsFile {
    path: PathBuf,
    variant: Variant,
    summary: Summary,
    /// The choices of rights, by page.
    keys: Vec<RightsKey>,
    pages: SealedFile,
}

impl RightsFile {
    /// Opens the file of a canonical material.
    ///
    /// # Errors
    /// It is not there or has no such column, is damaged, or is of other rules or another material.
    pub fn open(
        path: &Path,
        variant: &Variant,
        material: &Material,
        metric: Metric,
    ) -> Result<Self, FormatError> {
        let (summary, pages) = open_rights(path, variant, metric)?;
        let keys = RightsKey::all(variant, material);
        let is_right = |(i, key): (usize, &RightsKey)| {
            summary.choices.get(i) == Some(&key.name(variant))
                && RightsTables::check_size(variant, key).is_ok()
        };
        if summary.choices.len() != keys.len() || !keys.iter().enumerate().all(is_right) {
            return Err(FormatError::RightsDamaged {
                path: path.into(),
                choice: format!("{} of {}", summary.choices.len(), keys.len()),
            });
        }
        Ok(RightsFile { path: path.into(), variant: variant.clone(), summary, keys, pages })
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What the file says of the column.
    #[must_use]
    pub fn summary(&self) -> &Summary {
        &self.summary
    }

    /// Whether it was made by this version of the solver.
    #[must_use]
    pub fn is_current(&self) -> bool {
        self.summary.metadata.solver_version == VERSION
    }

    /// The choices of rights, those with the fewest rights first.
    #[must_use]
    pub fn keys(&self) -> &[RightsKey] {
        &self.keys
    }

    /// Reads all choices of rights, those with the fewest rights first.
    ///
    /// # Errors
    /// A page is damaged.
    pub fn tables(&self) -> Result<Vec<Arc<RightsTable>>, FormatError> {
        (0..self.keys.len()).map(|choice| self.read(choice)).collect()
    }

    /// Reads a choice of rights; none if the key is not canonical or of another material.
    ///
    /// # Errors
    /// Its page is damaged.
    pub fn table(&self, key: &RightsKey) -> Result<Option<Arc<RightsTable>>, FormatError> {
        self.keys.iter().position(|own| own == key).map(|choice| self.read(choice)).transpose()
    }

    fn read(&self, choice: usize) -> Result<Arc<RightsTable>, FormatError> {
        let key = &self.keys[choice];
        let damaged =
            || FormatError::RightsDamaged { path: self.path.clone(), choice: key.name(&self.variant) };
        let page = self.summary.column.choice_page(choice);
        let n_values = key.n_numbers(&self.variant) as usize;
        let codes = self.pages.read(page, n_values).map_err(|error| match error.kind() {
            ErrorKind::InvalidData | ErrorKind::NotFound => damaged(),
            _ => FormatError::io(&self.path, "read")(error),
        })?;
        let codes = u16::slice_of(codes.as_ref()).filter(|codes| codes.len() == n_values);
        let codes = codes.ok_or_else(damaged)?;
        Ok(Arc::new(RightsTable::from_codes(&self.variant, key.clone(), codes.into())))
    }
}

#[cfg(test)]
mod tests;
