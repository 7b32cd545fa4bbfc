//! Keeps the files and the solved tables of positions with rights to castle.

use rights::{RightsFile, RightsTables};
use std::collections::BTreeMap;
use std::sync::{Arc, RwLock};
use variant::Material;

/// What is known of positions with rights to castle.
#[derive(Debug)]
pub(crate) struct RightsShelf {
    pub(crate) tables: RightsTables,
    /// The files that are open, by canonical material. Absent files have no entry: they may come.
    pub(crate) files: RwLock<BTreeMap<Material, Arc<RightsFile>>>,
    /// The most men of positions that are solved where there is no file.
    pub(crate) most_men: usize,
}

impl RightsShelf {
    /// Nothing yet; so many threads solve.
    pub(crate) fn new(n_threads: usize) -> Self {
        let (tables, files) = (RightsTables::new(n_threads), RwLock::default());
        RightsShelf { tables, files, most_men: usize::MAX }
    }
}
